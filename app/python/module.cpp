// The module daedal._daedal: models, the questions about them, tables and errors. What users see of it is the package `daedal`.
#include "asking.hpp"
#include "daedal/emit/files.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/task/model.hpp"
#include "functions.hpp"
#include "option_table.hpp"
#include "questions.hpp"
#include "shown.hpp"

#include <pybind11/stl.h>

#include <map>

namespace daedal::python {

namespace {

OptionTable<task::LoadOptions> load_table() {
  using O = task::LoadOptions;
  OptionTable<O> table;
  table.add("parameters", &O::parameters, "and sizes: {\"N\": 10, \"d[2]\": 0.1}")
      .add("inputs", &O::inputs, "signals: {\"u\": \"0.5*sin(t)\"}, or \"@file.csv\"")
      .add("model", &O::model, "which one of the file; \"\" the last")
      .add("lifting", &O::lifting,
           "positions of recursive lets as unknowns: automatic, always, never")
      .add("controllers", &O::controllers, "of the model, that act")
      .add("plant", &O::plant, "parameters of the plant of which its controllers do not know")
      .add("starts", &O::starts, "start values of the plant")
      .add("strict_units", &O::strict_units, "warnings about units are faults too");
  return table;
}

task::LoadOptions named(task::LoadOptions options) {
  options.starts_name = "starts";
  return options;
}

/// Reads or makes a model with these options.
template <class Make>
task::Model model_of(const py::dict& keywords, const task::LoadOptions& before,
                     const std::string& question, const py::object& progress, const Make& make) {
  task::LoadOptions options = load_table().read(keywords, question, before);
  std::optional<task::Model> model;
  ask(
      [&](const Watch& watch, bool&) {
        options.watch = watch;
        model.emplace(make(options));
      },
      progress);
  return *model;
}

struct Answer {
  AnswerPointer pointer;
};

/// What may take long, without the GIL: texts of large answers.
template <class Make>
auto without_gil(const Make& make) {
  const py::gil_scoped_release released;
  return make();
}

py::list columns_of_facts(const task::Answer& answer) {
  py::list all;
  for (const task::Fact& fact : answer.facts())
    all.append(py::make_tuple(fact.name, phrased(fact.text), fact.value, fact.unit, fact.where));
  return all;
}

const char* tone_of(emit::Tone tone) {
  return tone == emit::Tone::good ? "good" : tone == emit::Tone::doubtful ? "doubtful" : "bad";
}

void define_answers(py::module_& module) {
  py::class_<Answer>(module, "Answer", "The answer to a question about a model.")
      .def_property_readonly("kind", [](const Answer& a) { return class_of(*a.pointer); })
      .def_property_readonly("title", [](const Answer& a) { return a.pointer->title; })
      .def_property_readonly("verdict", [](const Answer& a) { return phrased(a.pointer->verdict); })
      .def_property_readonly("tone", [](const Answer& a) { return tone_of(a.pointer->tone); })
      .def_property_readonly("holds", [](const Answer& a) { return a.pointer->holds; })
      .def_property_readonly("reason", [](const Answer& a) { return phrased(a.pointer->reason); })
      .def_property_readonly("interrupted", [](const Answer& a) { return a.pointer->interrupted; })
      .def_property_readonly("faults", [](const Answer& a) { return shown(a.pointer->faults); })
      .def_property_readonly("warnings", [](const Answer& a) { return shown(a.pointer->warnings); })
      .def_property_readonly("facts", [](const Answer& a) { return columns_of_facts(*a.pointer); })
      .def_property_readonly("model", [](const Answer& a) { return a.pointer->model; })
      .def("fields", [](const Answer& a) { return fields_of(a.pointer); })
      .def("table",
           [](const Answer& a) -> py::object {
             const Table* const table = a.pointer->table();
             if (table == nullptr) return py::none();
             return py::cast(TableView{a.pointer, table});
           })
      .def("summary",
           [](const Answer& a) { return without_gil([&] { return summary(*a.pointer); }); })
      .def("to_json",
           [](const Answer& a) { return without_gil([&] { return to_json(*a.pointer); }); })
      .def("page",
           [](const Answer& a) {
             return without_gil([&] { return emit::page(report(*a.pointer)); });
           })
      .def("csv", [](const Answer& a, bool units) -> py::object {
        const Table* const table = a.pointer->table();
        if (table == nullptr) return py::none();
        return py::str(without_gil([&] { return emit::to_csv(*table, units); }));
      });
}

py::list experiments_of(const task::Model& model) {
  py::list all;
  for (const model::Experiment& e : model.experiments())
    all.append(py::make_tuple(e.name, e.command, e.doc));
  return all;
}

/// Names of the symbols of one kind, their units and descriptions.
py::list symbols_of(const task::Model& model) {
  static constexpr const char* kinds[] = {"time",     "parameter",  "coordinate", "lifted",
                                          "variable", "multiplier", "input"};
  py::list all;
  const model::Model& m = *model.lifted().model;
  for (const model::Symbol& s : m.symbols)
    all.append(
        py::make_tuple(s.name, kinds[static_cast<std::size_t>(s.kind)], s.unit, s.doc, s.value));
  for (const model::NamedValue& output : m.outputs)
    all.append(py::make_tuple(output.name, "output", output.unit, output.doc, 0.0));
  return all;
}

Answer run_experiment(const task::Model& model, const std::string& name, bool history,
                      const std::string& backend, const py::object& progress) {
  task::RunOptions options{.history = history, .backend = {}, .watch = {}};
  take(options.backend, {py::str(backend), "backend"});
  AnswerPointer answer;
  ask(
      [&](const Watch& watch, bool& interrupted) {
        options.watch = watch;
        answer = task::run(model, name, options);
        interrupted = answer->interrupted;
      },
      progress);
  return {answer};
}

void define_models(py::module_& module) {
  py::class_<task::Model>(module, "Model", "A model: immutable, shared between threads.")
      .def_property_readonly("name", &task::Model::name)
      .def_property_readonly("doc", &task::Model::doc)
      .def_property_readonly("warnings", [](const task::Model& m) { return shown(m.warnings()); })
      .def_property_readonly("experiments", experiments_of)
      .def_property_readonly("symbols", symbols_of)
      .def("find_experiment",
           [](const task::Model& m, const std::string& name) {
             return task::find_experiment(m, name).name;
           })
      .def_property_readonly(
          "text", [](const task::Model& m) { return model::print(m.library().files.back()); })
      .def("run", run_experiment)
      .def("with_options",
           [](const task::Model& m, const py::dict& keywords, const py::object& progress) {
             return model_of(keywords, m.options(), "with_options", progress,
                             [&](const task::LoadOptions& options) { return m.with(options); });
           });
  module.def("load", [](const std::string& path, const py::dict& keywords,
                        const py::object& progress) {
    return model_of(keywords, named({}), "load", progress,
                    [&](const task::LoadOptions& options) { return task::load(path, options); });
  });
  module.def("load_text", [](const std::string& text, const std::string& name,
                             const py::dict& keywords, const py::object& progress) {
    return model_of(keywords, named({}), "load", progress, [&](const task::LoadOptions& options) {
      return task::load_text(text, name, options);
    });
  });
}

using Questions = std::map<std::string, Question>;

/// They hold Python's objects, and so live as long as the module does.
void define_questions(py::module_& module) {
  auto* const questions = new Questions;
  for (std::vector<Question> some : {task_questions(), study_questions()})
    for (Question& one : some) questions->emplace(one.name, std::move(one));
  py::dict described;
  for (const auto& [name, q] : *questions) {
    py::dict one;
    one["answer"] = q.answer;
    one["structure"] = q.structure;
    one["meaning"] = q.meaning;
    one["options"] = q.options;
    described[py::str(name)] = one;
  }
  py::dict load;
  load["answer"] = "Model";
  load["structure"] = "LoadOptions";
  load["meaning"] = "Reads a model.";
  load["options"] = load_table().described();
  described["load"] = load;
  module.attr("questions") = described;
  module.def("ask", [questions](const task::Model& model, const std::string& name,
                                const py::dict& keywords, const py::object& progress) {
    return Answer{questions->at(name).ask(model, keywords, progress)};
  });
}

/// The package's own classes for what the library throws.
void define_errors() {
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the type is pybind11's
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto raise = [](const char* name, const py::tuple& arguments) {
      const py::object type = py::module_::import("daedal._errors").attr(name);
      PyErr_SetObject(type.ptr(), type(*arguments).ptr());
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const task::Refusal& refusal) {
      raise("Refusal", py::make_tuple(refusal.what(), shown(refusal.diagnostics()), refusal.no(),
                                      emit::page(refusal.page())));
    } catch (const ModelError& error) {
      raise("ModelError", py::make_tuple(error.what(), shown(error.diagnostics())));
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace

}  // namespace daedal::python

PYBIND11_MODULE(_daedal, module) {
  using namespace daedal::python;
  define_errors();
  define_tables(module);
  define_models(module);
  define_answers(module);
  define_questions(module);
  define_functions(module);
  define_steppers(module);
  module.def("write_text", [](const std::string& text, const std::string& path) {
    daedal::emit::write_text(text, path);
  });
  module.def("nearest_name", [](const std::string& name, const std::vector<std::string>& names) {
    return daedal::nearest_name(name, names);
  });
  module.attr("version") = DAEDAL_VERSION;
  module.attr("models_folder") = DAEDAL_MODELS_DIR;
}
