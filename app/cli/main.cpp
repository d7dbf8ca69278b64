// daedal: reads the command line, calls, shows.
#include "commands.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/expr/elementary.hpp"
#include "output.hpp"

#include <cstdio>
#include <exception>
#include <new>

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
      "differ from those of "
      "other machines\n",
      stderr);
}

int answer(const daedal::cli::Arguments& arguments) {
  if (arguments.text.empty()) note_other_bits();
  try {
    return dispatch(arguments);
  } catch (const daedal::ModelError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: not enough memory for this model\n");
    return 2;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) == 0) std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  daedal::cli::Arguments arguments;
  if (const auto code = daedal::cli::read_arguments(argc, argv, arguments))
    return daedal::cli::delivered(*code);
  // Tables, JSON and model texts are for programs and editors, whatever they are shown on.
  const bool for_people = !arguments.json && !arguments.print && !arguments.latex &&
                          arguments.csv != "-" && arguments.text.empty();
  const daedal::cli::PaintedOutput painted(for_people);
  const daedal::cli::SilentOutput silent(for_people && arguments.quiet &&
                                         arguments.command !=
                                             "compare");  // whose table is the answer
  return daedal::cli::delivered(answer(arguments));
}
