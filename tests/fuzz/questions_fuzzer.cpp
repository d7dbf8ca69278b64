// Every question on every model has an answer, or a refusal with a reason: whatever the numbers and lines of a library model
// become, nothing crashes, hangs or leaks, nothing throws what its caller cannot expect, and the JSON of an answer is JSON.
//
// A line "# ask 123" at the beginning of a text selects the question and its options, so that a text is all that it takes to
// see a fault again; the mutator changes it as it changes the model. As the other fuzzers, it runs in one process, hundreds of
// questions a second. A question may work for some hundredths of a second and is asked to end then.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/model/model.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/compare.hpp"
#include "daedal/task/export_c.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/simulate.hpp"
#include "deadline.hpp"
#include "model_mutator.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace daedal;

/// Small enough that one question takes milliseconds.
constexpr model::Limits limits{.entries = 200, .passes = 400, .work = 20'000};

// Of the processor's time [s]; sanitized code takes some times as long.
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr double slowness = 8;
#else
constexpr double slowness = 1;
#endif
constexpr double allowed = 0.03 * slowness;
constexpr double patience = 1 * slowness;

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// Digits of a number, each for one choice.
class Choices {
 public:
  explicit Choices(unsigned long long number) : rest_(number) {}

  std::size_t below(std::size_t count) {
    const auto digit = static_cast<std::size_t>(rest_ % count);
    rest_ /= count;
    return digit;
  }
  bool flip() { return below(2) == 1; }
  template <class List>
  auto of(const List& list) {
    return list[below(std::size(list))];
  }
  template <class T>
  T of(std::initializer_list<T> list) {
    return *(list.begin() + below(list.size()));
  }

 private:
  unsigned long long rest_;
};

// --- what every answer must be

nlohmann::json parsed(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) wrong("no JSON: " + text);
  if (!json.contains("schema_version")) wrong("JSON without schema_version: " + text);
  return json;
}

void look_at(const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.empty()) wrong("a refusal without a reason");
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.message.empty()) wrong("a diagnostic without a message");
  render(diagnostics);
  parsed(failure_json({.diagnostics = diagnostics}));
}

void look_at(const Answer& answer, bool with_page) {
  const std::string text = summary(answer);
  if (text.empty() && answer.reason.empty()) wrong("an answer that says nothing");
  parsed(to_json(answer));
  if (with_page) emit::page(report(answer));
}

// --- the questions

struct Question {
  const Model& model;
  Choices choose;
  bool with_page = choose.below(4) == 3;

  Watch watch() const { return {{}, &fuzz::Deadline::stop()}; }
  solve::RedundantConstraints redundant() {
    return choose.of({solve::RedundantConstraints::error, solve::RedundantConstraints::least_norm});
  }

  std::string name_of(model::SymbolKind kind) {
    std::vector<std::string> names;
    for (const model::Symbol& symbol : model.lifted().model->symbols)
      if (symbol.kind == kind) names.push_back(symbol.name);
    return names.empty() ? "nothing" : choose.of(names);
  }
  std::string coordinate() { return name_of(model::SymbolKind::coordinate); }
  std::string parameter() { return name_of(model::SymbolKind::parameter); }
  std::string output() {
    const auto& outputs = model.lifted().model->outputs;
    return outputs.empty() ? "nothing" : choose.of(outputs).name;
  }
  std::string quantity() { return choose.flip() ? coordinate() : output(); }
  std::vector<std::string> free() {
    switch (choose.below(4)) {
      case 0:
        return {"all"};
      case 1:
        return {name_of(model::SymbolKind::input)};
      default:
        return {};
    }
  }
  std::vector<std::string> outputs() {
    if (choose.below(4) == 0) return {output()};
    return {};
  }
  std::vector<NamedNumber> disturbed() {
    if (choose.flip()) return {};
    return {{coordinate() + choose.of({"", "'"}), number()}};
  }
  double number() { return choose.of({0., 1., -1., 0.3, 1e-9, 1e9, 1e300}); }
  Range range(std::string name, int count) { return {std::move(name), number(), number(), count}; }
  std::optional<Grid> response() {
    if (choose.below(3) > 0) return std::nullopt;
    return choose.of({Grid{0.1, 100, 3}, Grid{1e-300, 1e300, 2}});
  }

  std::string stepped_method() {
    return choose.of({"euler", "rk4", "implicit_euler", "linear_implicit_euler", "bdf",
                      "bdf(order = 4)", "generalized_alpha", "rattle", "rk45(adaptive = off)"});
  }
  std::string method() {
    return choose.of({"rk45", "dop853", "rk23", "radau5", "ida", "taylor", "taylor(order = 8)"});
  }
  std::string formulation() {
    return choose.of({"projection", "index1", "index2", "index3", "ggl", "null_space", "minimal",
                      "hamilton", "baumgarte(pole = 5)", "baumgarte(auto)",
                      "penalty(stiffness = 1e6, damping = 1e3)",
                      "augmented_lagrangian(stiffness = 1e6)", "nonlinear_stabiliser"});
  }
  /// Of the inverse model.
  Choice<WordsOnly> inverse_formulation() {
    switch (choose.below(8)) {
      case 1:
        return "original";
      case 2:
        return "baumgarte(pole = 10)";
      case 3:
        return "projection";
      case 4:
        return "substitution";
      case 5:
        return "minimal_extension";
      default:
        return {};
    }
  }

  void look(const Answer& answer) const { look_at(answer, with_page); }

  void check() {
    look(task::check(
        model, {.redundant_constraints = redundant(), .units = choose.flip(), .watch = watch()}));
  }
  void explain() {
    ExplainOptions options;
    options.inverse = choose.flip();
    options.latex = choose.flip();
    options.redundant_constraints = redundant();
    options.watch = watch();
    look(task::explain(model, options));
  }
  void simulate() {
    SimulateOptions options;
    options.until = choose.of({0.02, 0.2, 1e-9, 3.0});
    options.every = *options.until / 5;
    if (choose.flip()) {
      options.method = method();
      options.tolerance = choose.of({1e-4, 1e-8, 1e-12});
    } else {
      options.method = stepped_method();
      options.step = choose.of({0.01, 0.003, 1e-30});
    }
    options.formulation = formulation();
    options.redundant_constraints = redundant();
    options.start = choose.of({solve::StartValues::consistent, solve::StartValues::consistent,
                               solve::StartValues::as_given});
    options.global_error = choose.flip();
    options.history = choose.flip();
    options.backend = compile::Backend::tape;
    options.watch = watch();
    look(task::simulate(model, options));
  }
  InvertOptions inversion() {
    InvertOptions options;
    if (choose.flip()) options.until = choose.of({0.1, 1e-9, 1.0});
    options.every = options.until.value_or(1) / 10;
    switch (choose.below(8)) {
      case 0:
        options.method = "taylor";
        break;
      case 1:
        options.method = "collocation(order = 4)";
        break;
      case 2:
        options.method = "central_differences(step = 0.05)";
        break;
      case 3:
        options.method = "radau5";
        break;
      case 4:
      case 5:
        options.method =
            choose.of({"bdf(order = 2)", "bdf(order = 4)", "implicit_euler", "radau5"});
        options.step = choose.of({0.01, 0.1, 1e-30});
        options.formulation = inverse_formulation();
        break;
      default:
        break;
    }
    options.verify = choose.flip();
    switch (choose.below(8)) {
      case 0:
        options.verify_with = {{parameter(), choose.of({"0", "1.1", "-1", "1e300"})}};
        break;
      case 1:
        options.redefine = output() + ":" + quantity();
        break;
      case 2:
        options.redefine = output() + ":" + quantity();
        options.weight = 0.5;
        break;
      case 3:
        options.receding = true;
        options.period = 0.05;
        options.preview = 0.2;
        break;
      case 4:
        options.ends = choose.of({"eigenspace", "positions"});
        break;
      case 5:
        options.before = options.after = 0.1;
        break;
      default:
        break;
    }
    options.history = choose.flip();
    options.backend = compile::Backend::tape;
    options.watch = watch();
    return options;
  }
  void invert() { look(task::invert(model, inversion())); }
  void inverse_forms() { look(compare_inverse_forms(model, inversion())); }
  void stable_formulations() { look(compare_stable_formulations(model, inversion())); }
  void compare() {
    CompareOptions options;
    options.methods = {choose.flip() ? method() : stepped_method()};
    options.formulations = {formulation()};
    options.tolerances = {1e-4};
    options.steps = {1e-2};
    options.until = 0.05;
    options.every = 0.01;
    options.redundant_constraints = redundant();
    options.watch = watch();
    look(task::compare(model, options));
  }
  void export_c() {
    ExportOptions options;
    options.function = choose.of(
        {CFunction::inverse, CFunction::forward, CFunction::receding, CFunction::accelerations});
    if (choose.below(8) > 0) options.step = choose.of({0.01, 1e-30, 1e30});
    if (options.function == CFunction::receding) {
      options.period = 0.05;
      options.preview = 0.2;
    } else if (options.function != CFunction::accelerations) {
      if (choose.flip()) options.method = choose.of({"implicit_euler", "bdf(order = 3)", "radau5"});
      if (options.function == CFunction::inverse) options.formulation = inverse_formulation();
    }
    options.watch = watch();
    look(task::export_c(model, options));
  }
  void run() {
    for (const auto& answer : task::run(model, {choose.flip(), compile::Backend::tape, watch()}))
      look(*answer);
  }

  void analyse() {
    AnalyseOptions options;
    options.free = free();
    options.outputs = outputs();
    options.response = response();
    options.nyquist = options.response && choose.flip();
    options.directions = choose.flip();
    if (choose.below(3) == 0) options.reduce = choose.of({1, 2, 5});
    options.reduction = choose.of({ReductionMethod::balanced, ReductionMethod::hankel});
    options.redundant_constraints = redundant();
    options.watch = watch();
    const Analysis answer = task::analyse(model, options);
    look(answer);
    to_mat(answer.linear);
  }

  /// Of the questions of study: what most of them have in common.
  template <class Options>
  Options prepared() {
    Options options;
    if constexpr (requires { options.free; }) options.free = free();
    if constexpr (requires { options.outputs; }) options.outputs = outputs();
    if constexpr (requires { options.disturb; }) options.disturb = disturbed();
    if constexpr (requires { options.at_start; }) options.at_start = choose.flip();
    if constexpr (requires { options.motors; })
      if (choose.below(4) == 0) options.motors = {coordinate()};
    options.redundant_constraints = redundant();
    options.watch = watch();
    return options;
  }
  void follow() {
    auto options = prepared<FollowOptions>();
    options.over = range(parameter(), 2);
    look(task::follow(model, options));
  }
  void locus() {
    auto options = prepared<LocusOptions>();
    options.over = range(parameter(), 3);
    look(task::locus(model, options));
  }
  void map() {
    auto options = prepared<MapOptions>();
    options.x = range(parameter(), 2);
    options.y = range(parameter(), 2);
    options.threads = 1;
    look(task::map(model, options));
  }
  void sensitivity() {
    auto options = prepared<SensitivityOptions>();
    if (choose.flip()) options.parameters = {parameter()};
    look(task::sensitivity(model, options));
  }
  VaryOptions variation() {
    auto options = prepared<VaryOptions>();
    if (choose.flip())
      options.redefine = output() + ":" + quantity();
    else
      options.vary = {range(parameter(), 2)};
    options.samples = choose.of({2, 3});
    options.margin = choose.of({0., 1.});
    return options;
  }
  void vary() { look(task::vary(model, variation())); }
  void search_zeros() {
    VaryOptions options = variation();
    options.against = {range(parameter(), 2)};
    options.lines = 2;
    look(task::search_zeros(model, options));
  }
  void at_start() {
    auto options = prepared<AtStartOptions>();
    options.response = response();
    options.nyquist = options.response && choose.flip();
    options.directions = choose.flip();
    look(task::at_start(model, options));
  }
  void along() {
    auto options = prepared<AlongOptions>();
    options.times = {0, 0.1, 3};
    look(task::along(model, options));
  }
  void normal_form() {
    auto options = prepared<NormalFormOptions>();
    if (choose.flip()) options.internal = {coordinate(), coordinate() + "'"};
    look(task::normal_form(model, options));
  }
  void zero_dynamics() {
    auto options = prepared<ZeroDynamicsOptions>();
    options.until = 0.1;
    look(task::zero_dynamics(model, options));
  }
  void linear_motion() {
    auto options = prepared<LinearMotionOptions>();
    options.until = 0.1;
    look(task::linear_motion(model, options));
  }
  void lyapunov() {
    auto options = prepared<LyapunovOptions>();
    options.function = choose.of({LyapunovFunction::quadratic, LyapunovFunction::energy});
    if (choose.below(4) == 0) options.epsilon = choose.of({1e-3, 10.});
    options.radius = choose.of({0.1, 1e-9, 1e9});
    look(task::lyapunov(model, options));
  }
  void pose() {
    auto options = prepared<PoseOptions>();
    options.given = {{quantity(), number()}};
    if (choose.below(3) == 0) options.given.push_back({quantity(), number()});
    options.branches = choose.flip();
    look(task::pose(model, options));
  }
  void path() {
    auto options = prepared<PathOptions>();
    options.line = {range(quantity(), 2)};
    look(task::path(model, options));
  }
  void limits_of_motion() {
    auto options = prepared<LimitsOptions>();
    if (choose.flip()) options.hold = {quantity()};
    look(task::limits(model, options));
  }
  void box() {
    auto options = prepared<BoxOptions>();
    options.axes = {range(quantity(), 3)};
    look(task::box(model, options));
  }
};

using Ask = void (Question::*)();
/// Those asked more often have more options.
constexpr Ask questions[] = {
    &Question::simulate,    &Question::simulate,      &Question::simulate,
    &Question::simulate,    &Question::simulate,      &Question::simulate,
    &Question::invert,      &Question::invert,        &Question::invert,
    &Question::invert,      &Question::analyse,       &Question::analyse,
    &Question::export_c,    &Question::export_c,      &Question::check,
    &Question::explain,     &Question::compare,       &Question::inverse_forms,
    &Question::run,         &Question::run,           &Question::stable_formulations,
    &Question::follow,      &Question::locus,         &Question::map,
    &Question::sensitivity, &Question::vary,          &Question::search_zeros,
    &Question::at_start,    &Question::along,         &Question::normal_form,
    &Question::lyapunov,    &Question::zero_dynamics, &Question::linear_motion,
    &Question::pose,        &Question::path,          &Question::limits_of_motion,
    &Question::box};

/// What a caller expects: an answer, a refusal with its reasons, or that the work was asked to end.
template <class Work>
void expect_answer(const Work& work, double time_to_end = patience) {
  const fuzz::Deadline deadline(allowed, time_to_end);
  const StopScope scope(&fuzz::Deadline::stop());
  try {
    work();
  } catch (const Refusal& refusal) {
    look_at(refusal.diagnostics());
    emit::page(refusal.page());
  } catch (const ModelError& error) {
    look_at(error.diagnostics());
  } catch (const Interrupted&) {
    if (!fuzz::Deadline::stop()) wrong("interrupted, but nobody asked for that");
  } catch (const std::exception& error) {
    wrong(std::string("an unexpected exception: ") + error.what());
  }
}

/// Files that a text names are not opened here: a fuzzer soon opens /dev/zero.
bool names_files(const std::string& text) {
  return text.find("import") != std::string::npos || text.find("file") != std::string::npos ||
         text.find('@') != std::string::npos;
}

/// Whether it is a model, and a small one.
bool is_small_model(const std::string& text) {
  try {
    model::elaborate(model::load_text(text), {}, limits);
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (names_files(text) || !is_small_model(text)) return 0;
  expect_answer([&] {
    const Model model = load_text(text);
    Choices choose(fuzz::question_of(text));
    const Ask ask = choose.of(questions);
    (Question{model, choose}.*ask)();
  });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  fuzz::Chance chance(seed);
  if (chance() / 7 % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string text(reinterpret_cast<const char*>(data), size);
  if (chance() / 7 % 4 != 0) text = fuzz::asked(text, chance);
  for (std::size_t k = chance() / 7 % 4; k > 0; --k) text = fuzz::changed(text, chance);
  const std::size_t length = std::min(text.size(), most);
  std::memcpy(data, text.data(), length);
  return length;
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  fuzz::Chance chance(seed);
  const std::string text =
      fuzz::crossed({reinterpret_cast<const char*>(data), size},
                    {reinterpret_cast<const char*>(other), other_size}, chance);
  const std::size_t length = std::min(text.size(), most);
  std::memcpy(out, text.data(), length);
  return length;
}
