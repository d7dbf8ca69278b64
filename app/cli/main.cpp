// daedal: reads the command line, runs the command, prints the result.
#include "commands.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/expr/elementary.hpp"
#include "daedal/task/answer.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "request.hpp"
#include "show.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace daedal::cli {

namespace {

int dispatch(const Arguments& arguments) {
  if (arguments.command == "check") return check(arguments);
  if (arguments.command == "explain") return explain(arguments);
  if (arguments.command == "simulate") return simulate(arguments);
  if (arguments.command == "analyse") return analyse(arguments);
  if (arguments.command == "control") return control(arguments);
  if (arguments.command == "invert") return invert(arguments);
  if (arguments.command == "compare") return compare(arguments);
  if (arguments.command == "export") return export_code(arguments);
  if (arguments.command == "run") return run_experiments(arguments);
  if (arguments.command == "import") return import_robot(arguments);
  if (arguments.command == "new") return new_model(arguments);
  if (arguments.command == "docs") return show_docs(arguments);
  return list_models(arguments);
}

void note_other_bits() {
  if (expr::elementary::has_common_bits()) return;
  std::fputs(
      "note: this processor lacks AVX2 or FMA: results are as precise, but their last digits may "
      "differ from those of other machines\n",
      stderr);
}

/// There is no result: the reason, in words and with --json as JSON.
int failed(const Arguments& arguments, int code, const std::vector<Diagnostic>& why) {
  std::fprintf(stderr, "%s\n", render(why, as_option).c_str());
  if (arguments.json) std::printf("%s\n", failure_text(arguments, code, why).c_str());
  return code;
}

Diagnostic plain_error(std::string message) {
  return {Severity::error, {}, std::move(message), {}, {}};
}

int answer(const Arguments& arguments, const Interrupt& interrupt) {
  note_other_bits();
  try {
    const int code = dispatch(arguments);
    return std::max(code, interrupt.exit_code());
  } catch (const Interrupted&) {
    return failed(arguments, interrupt.exit_code(),
                  {plain_error("interrupted before there was an answer")});
  } catch (const task::Refusal& refusal) {
    return failed(arguments, refusal.no() ? 1 : 2, refusal.diagnostics());
  } catch (const ModelError& fault) {
    return failed(arguments, 2, fault.diagnostics());
  } catch (const std::bad_alloc&) {
    return failed(arguments, 2, {plain_error("not enough memory for this model")});
  } catch (const std::exception& fault) {
    return std::ferror(stdout) != 0 ? 1 : failed(arguments, 1, {plain_error(fault.what())});
  }
}

}  // namespace

}  // namespace daedal::cli

int main(int argc, char** argv) {
  using namespace daedal::cli;
  const Interrupt interrupt;  // until the last byte is delivered
  Arguments arguments;
  if (const auto code = read_arguments(argc, argv, arguments)) return delivered(*code);
  // Tables, JSON and model texts are for programs and editors, whatever they are shown on.
  const bool data_on_output =
      arguments.csv == "-" || arguments.report == "-" || arguments.questions.mat == "-";
  const bool for_people =
      !arguments.json && !arguments.print && !arguments.latex && !data_on_output;
  const PaintedMessages painted(for_people);
  const bool quiet =
      for_people && arguments.quiet && arguments.command != "compare";  // whose table is the answer
  const SilentOutput silent(quiet || data_on_output);
  return delivered(answer(arguments, interrupt));
}
