// Any text is either a model or a set of located diagnostics: nothing crashes, hangs or leaks, and what parses prints to text
// that parses to the same tree.
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace daedal;

/// The tree of `text`, or an empty one with diagnostics.
model::syntax::File parse(std::string text, Diagnostics& diagnostics) {
  return model::parse(std::make_shared<const SourceFile>("fuzz", std::move(text)), diagnostics);
}

bool survives_printing(const model::syntax::File& file) {
  Diagnostics diagnostics;
  const model::syntax::File again = parse(model::print(file), diagnostics);
  return !diagnostics.has_errors() && model::same(file, again);
}

/// Files that a text names are not opened here: a fuzzer soon opens /dev/zero.
bool names_files(const std::string& text) {
  return text.find("import") != std::string::npos || text.find("file") != std::string::npos;
}

void elaborate_and_derive(const std::string& text) {
  try {
    derive::derive(std::make_shared<const model::Model>(model::elaborate(model::load_text(text))));
  } catch (const ModelError&) {  // the expected answer to most texts
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  const model::syntax::File file = parse(text, diagnostics);
  if (diagnostics.has_errors()) {
    render(diagnostics.list());
    return 0;
  }
  if (!survives_printing(file)) std::abort();
  if (!names_files(text)) elaborate_and_derive(text);
  return 0;
}
