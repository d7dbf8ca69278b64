// Steppers: one call is one step of a machine in real time.
#include "daedal/task/real_time.hpp"
#include "functions.hpp"
#include "given.hpp"
#include "option_table.hpp"
#include "shown.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

namespace daedal::python {

namespace {

using Array = py::array_t<double, py::array::c_style>;

class Stepper {
 public:
  Stepper(const task::Model& model, const task::ExportOptions& options) : at_(model, options) {}

  const task::RealTime& at() const { return at_; }

  /// The results, or nothing where the step was not made.
  py::object step(const py::object& signals) {
    const auto given = Array::ensure(signals);
    if (!given) {
      PyErr_Clear();
      throw py::type_error("signals must be numbers: " + wanted());
    }
    const std::size_t stages = at_.stepper().nodes().size(), width = at_.signals().size();
    const bool one = stages == 1 && given.ndim() == 1;
    if ((!one && (given.ndim() != 2 || static_cast<std::size_t>(given.shape(0)) != stages)) ||
        static_cast<std::size_t>(given.shape(given.ndim() - 1)) != width)
      throw py::value_error("the signals of a step are " + wanted());
    report_ = at_.step({given.data(), stages * width});
    if (!report_.made()) return py::none();
    Array values(static_cast<py::ssize_t>(at_.results().size()));
    at_.evaluate(values.mutable_data());
    return values;
  }

  py::object report() const {
    Fields fields(nullptr);
    fields.add("status", describe(report_.status))
        .add("ok", report_.ok())
        .add("made", report_.made())
        .add("iterations", report_.iterations)
        .add("correction", report_.correction)
        .add("residual", report_.residual)
        .add("distance", report_.distance);
    return fields.as_record();
  }

 private:
  std::string wanted() const {
    std::string names;
    for (const std::string& name : at_.signals()) names += (names.empty() ? "" : ", ") + name;
    const std::size_t stages = at_.stepper().nodes().size(), width = at_.signals().size();
    return stages == 1
               ? fmt::format("({},): {}", width, names)
               : fmt::format("({}, {}), a row for each of `nodes`: {}", stages, width, names);
  }

  task::RealTime at_;
  solve::StepReport report_;
};

OptionTable<task::ExportOptions> stepper_table() {
  using O = task::ExportOptions;
  OptionTable<O> table;
  table.add("step", &O::step, "its length [s]")
      .add("method", &O::method, "implicit_euler, bdf(order = 2) (default), radau5")
      .add("formulation", &O::formulation, "of the inverse model's equations, as in invert");
  return table;
}

}  // namespace

void define_steppers(py::module_& module) {
  py::class_<Stepper>(module, "Stepper", "One step of a model at a time.")
      .def_property_readonly("signals", [](const Stepper& s) { return s.at().signals(); })
      .def_property_readonly("results", [](const Stepper& s) { return s.at().results(); })
      .def_property_readonly("warnings", [](const Stepper& s) { return shown(s.at().warnings()); })
      .def_property_readonly("length", [](const Stepper& s) { return s.at().length(); })
      .def_property_readonly("time", [](const Stepper& s) { return s.at().stepper().time(); })
      .def_property_readonly("nodes",
                             [](const Stepper& s) {
                               const auto nodes = s.at().stepper().nodes();
                               return std::vector<double>(nodes.begin(), nodes.end());
                             })
      .def_property_readonly("report", &Stepper::report)
      .def("step", &Stepper::step);
  module.def("stepper", [](const task::Model& model, bool inverse, const py::dict& keywords) {
    task::ExportOptions options =
        stepper_table().read(keywords, inverse ? "inverse_stepper" : "stepper");
    options.function = inverse ? task::CFunction::inverse : task::CFunction::forward;
    const py::gil_scoped_release released;
    return std::make_unique<Stepper>(model, options);
  });
}

}  // namespace daedal::python
