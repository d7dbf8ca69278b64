// daedal: reads the command line, calls, shows.
#include "commands.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/expr/elementary.hpp"
#include "json_answer.hpp"
#include "output.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

int print_text(const daedal::cli::Arguments& arguments) {
  std::fputs(arguments.text.c_str(), stdout);
  return 0;
}

int dispatch(const daedal::cli::Arguments& arguments) {
  using namespace daedal::cli;
  if (!arguments.text.empty()) return print_text(arguments);
  if (arguments.command == "check") return check(arguments);
  if (arguments.command == "explain") return explain(arguments);
  if (arguments.command == "simulate") return simulate(arguments);
  if (arguments.command == "analyse") return analyse(arguments);
  if (arguments.command == "invert") return invert(arguments);
  if (arguments.command == "compare") return compare(arguments);
  if (arguments.command == "export") return export_code(arguments);
  if (arguments.command == "run") return run_experiments(arguments);
  return list_models(arguments);
}

void note_other_bits() {
  if (daedal::expr::elementary::has_common_bits()) return;
  std::fputs(
      "note: this processor lacks AVX2 or FMA: results are as precise, but their last digits may "
      "differ from those of other machines\n",
      stderr);
}

/// There is no answer: why, in words and, with --json, as the answer.
int failed(const daedal::cli::Arguments& arguments, int code,
           const std::vector<daedal::Diagnostic>& why) {
  std::fprintf(stderr, "%s\n", daedal::render(why).c_str());
  if (arguments.json) print_json(arguments, daedal::cli::failure_json(code, why));
  return code;
}

daedal::Diagnostic plain_error(std::string message) {
  return {daedal::Severity::error, {}, std::move(message), {}, {}};
}

int answer(const daedal::cli::Arguments& arguments) {
  if (arguments.text.empty()) note_other_bits();
  try {
    return dispatch(arguments);
  } catch (const daedal::ModelError& fault) {
    return failed(arguments, 2, fault.diagnostics());
  } catch (const std::bad_alloc&) {
    return failed(arguments, 2, {plain_error("not enough memory for this model")});
  } catch (const std::exception& fault) {
    return std::ferror(stdout) != 0 ? 1 : failed(arguments, 1, {plain_error(fault.what())});
  }
}

}  // namespace

int main(int argc, char** argv) {
  daedal::cli::Arguments arguments;
  if (const auto code = daedal::cli::read_arguments(argc, argv, arguments))
    return daedal::cli::delivered(*code);
  // Tables, JSON and model texts are for programs and editors, whatever they are shown on.
  const bool data_on_output =
      arguments.csv == "-" || arguments.report == "-" || arguments.questions.mat == "-";
  const bool for_people = !arguments.json && !arguments.print && !arguments.latex &&
                          !data_on_output && arguments.text.empty();
  const daedal::cli::PaintedOutput painted(for_people);
  const bool quiet =
      for_people && arguments.quiet && arguments.command != "compare";  // whose table is the answer
  const daedal::cli::SilentOutput silent(quiet || data_on_output);
  return daedal::cli::delivered(answer(arguments));
}
