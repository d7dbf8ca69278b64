// A text that parses becomes a problem ready for integration, or a set of located diagnostics:
// nothing between the syntax tree and the formulation crashes, hangs or leaks.
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/model.hpp"
#include "daedal/structure/analysis.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace daedal;

/// Small enough that one text takes milliseconds.
constexpr model::Limits limits{.entries = 200, .passes = 400, .work = 20'000};

/// Files that a text names are not opened here: a fuzzer soon opens /dev/zero.
bool names_files(const std::string& text) {
  return text.find("import") != std::string::npos || text.find("file") != std::string::npos;
}

void prepare(model::Model model, formulate::Kind kind) {
  const auto dae = std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(std::move(model))));
  structure::analyse(*dae);
  formulate::Formulation formulation;
  formulation.kind = kind;
  formulation.all = {10, 25};
  formulate::formulate(structure::by_signature(dae), formulation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (names_files(text)) return 0;
  try {
    const bool baumgarte = size % 2 != 0;
    prepare(model::elaborate(model::load_text(text), {}, limits),
            baumgarte ? formulate::Kind::baumgarte : formulate::Kind::projection);
  } catch (const ModelError&) {  // the expected answer to most texts
  }
  return 0;
}
