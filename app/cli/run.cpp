// daedal run: the experiments of a file.
#include "commands.hpp"
#include "daedal/emit/files.hpp"
#include "daedal/task/simulate.hpp"
#include "file_roles.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "show.hpp"
#include "sparkline.hpp"
#include "watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace daedal::cli {

namespace {

/// out.csv and swing -> out-swing.csv
std::string own_name(const std::string& file, const std::string& experiment, bool several) {
  if (file.empty() || file == "-" || !several) return file;
  const auto dot = file.rfind('.');
  return dot == std::string::npos ? file + "-" + experiment
                                  : file.substr(0, dot) + "-" + experiment + file.substr(dot);
}

/// An experiment and the files of its result.
struct Chosen {
  std::string name;
  Files files;
};

std::vector<Chosen> choose(const Arguments& a, const task::Model& model) {
  std::vector<std::string> names;
  for (const std::string& name : a.names) names.push_back(task::find_experiment(model, name).name);
  if (a.names.empty())
    for (const model::Experiment& e : model.experiments()) names.push_back(e.name);
  if (names.empty())
    fault(model.lifted().model->place, fmt::format("model '{}' has no experiments", model.name()),
          "write one:  experiment swing: simulate(until = 20)");
  const bool several = names.size() > 1;
  std::vector<Chosen> chosen;
  for (const std::string& name : names)
    chosen.push_back({name, {own_name(a.csv, name, several), own_name(a.report, name, several)}});
  return chosen;
}

void check_files(const std::vector<Chosen>& chosen, const task::Model& model, const Arguments& a) {
  std::vector<Written> written;
  for (const Chosen& one : chosen)
    for (const Written& file : {Written{"--csv", one.files.csv}, {"--report", one.files.report}}) {
      if (file.path.empty()) continue;
      if (chosen.size() > 1 && file.path == "-")
        fault({},
              fmt::format("{} -: {} experiments would be mixed on standard output", file.option,
                          chosen.size()),
              "name one of them, or write to files, as in  --csv out.csv");
      written.push_back(file);
      emit::check_writable(file.path);
    }
  refuse_overwriting(written, model.library(), a.overrides);
}

}  // namespace

int run_experiments(const Arguments& a) {
  const task::Model model = load(a);
  const std::vector<Chosen> chosen = choose(a, model);
  check_plots(a.plots, *model.lifted().model);
  check_files(chosen, model, a);
  int code = 0;
  std::vector<std::string> json;
  for (const Chosen& one : chosen) {
    const auto answer = [&] {
      return watched(a, [&](const Watch& watch) {
        return task::run(
            model, one.name,
            {.history = !one.files.report.empty(), .backend = read_backend(a), .watch = watch});
      });
    };
    try {
      code = std::max(code, with_refusal_page(a, one.files, [&] {
                        return show(a, *answer(), one.files, a.json ? &json : nullptr);
                      }));
    } catch (const ModelError& error) {
      if (!a.json) throw;
      std::fprintf(stderr, "%s\n", render(error.diagnostics(), as_option).c_str());
      json.push_back(failure_text(a, 2, error.diagnostics(), model.name(), one.name));
      code = 2;
      break;                        // as without --json: those before it have run
    } catch (const Interrupted&) {  // before it had a row
      if (json.empty()) throw;
      break;
    }
    if (Interrupt::flag()) break;
  }
  if (a.json) print_json_array(json);
  return code;
}

}  // namespace daedal::cli
