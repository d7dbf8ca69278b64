// Any text is either a robot or a set of located diagnostics; what a robot becomes is a model text that parses, prints to text
// that parses to the same tree, and elaborates or says why not.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/model.hpp"
#include "daedal/robots/import.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace daedal;
  const robots::ImportOptions options{
      .base = size % 2 == 0 ? robots::Base::fixed : robots::Base::free, .motors = size % 4 < 2};
  const std::string text(reinterpret_cast<const char*>(data), size);
  robots::ImportedRobot robot;
  try {
    robot = robots::import_robot(std::make_shared<const SourceFile>("fuzz.urdf", text), options);
  } catch (const ModelError& fault) {
    for (const Diagnostic& one : fault.diagnostics())
      if (!one.place.known()) std::abort();  // every fault has its place
    return 0;
  }
  render(robot.notes);
  Diagnostics diagnostics;
  const model::syntax::File file =
      model::parse(std::make_shared<const SourceFile>("robot", robot.text), diagnostics);
  if (diagnostics.has_errors()) {
    std::fprintf(stderr, "%s\n%s\n", robot.text.c_str(), render(diagnostics.list()).c_str());
    std::abort();
  }
  Diagnostics again;
  if (!model::same(
          file,
          model::parse(std::make_shared<const SourceFile>("robot", model::print(file)), again)))
    std::abort();
  try {
    model::elaborate(model::load_text(robot.text));
  } catch (const ModelError&) {  // such as a mass that is no finite number with the others
  }
  return 0;
}
