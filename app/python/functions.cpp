#include "functions.hpp"

#include "daedal/study/analyse.hpp"
#include "daedal/study/model_function.hpp"
#include "daedal/task/options.hpp"
#include "shown.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace daedal::python {

namespace {

using Array = py::array_t<double, py::array::c_style>;
constexpr std::size_t worth_releasing = 64;  // points, for which other threads are let in

std::string text_of_shape(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t k = 0; k < array.ndim(); ++k)
    text += fmt::format("{}{}", k > 0 ? ", " : "", array.shape(k));
  return text + (array.ndim() == 1 ? ",)" : ")");
}

/// As SciPy's compiled code calls it, without Python: the function is `of`, a ModelFunction of one value.
double value_at(int count, double* point, void* of) {
  const auto& function = *static_cast<const task::ModelFunction*>(of);
  double value = std::numeric_limits<double>::quiet_NaN();
  if (count == static_cast<int>(function.arguments().size())) function.evaluate(point, 1, &value);
  return value;
}

class Function {
 public:
  explicit Function(task::ModelFunction function)
      : function_(std::make_shared<const task::ModelFunction>(std::move(function))) {}

  const task::ModelFunction& of() const { return *function_; }

  py::array call(const py::object& points, const py::object& out) const {
    const auto given = Array::ensure(points);
    if (!given) {
      PyErr_Clear();
      throw py::type_error("points must be numbers, an array of " + wanted_points());
    }
    const py::ssize_t arguments = static_cast<py::ssize_t>(function_->arguments().size());
    const bool one = given.ndim() == 1;
    if ((!one && given.ndim() != 2) || given.shape(given.ndim() - 1) != arguments)
      throw py::value_error(fmt::format("points have the shape {}: they must be {}",
                                        text_of_shape(given), wanted_points()));
    const std::size_t count = one ? 1 : static_cast<std::size_t>(given.shape(0));
    std::vector<py::ssize_t> shape;
    if (!one) shape.push_back(given.shape(0));
    shape.push_back(static_cast<py::ssize_t>(function_->rows().size()));
    if (!function_->columns().empty())
      shape.push_back(static_cast<py::ssize_t>(function_->columns().size()));
    Array values = out.is_none() ? Array(shape) : checked(out, shape);
    const double* const from = given.data();
    double* const to = values.mutable_data();
    if (count < worth_releasing) {
      function_->evaluate(from, count, to);
    } else {
      const py::gil_scoped_release released;
      function_->evaluate(from, count, to);
    }
    return values;
  }

  /// Capsules of the C function and of what it is called with, which keeps the function alive.
  py::tuple low_level() const {
    if (function_->size() != 1)
      task::fault(
          {},
          fmt::format("a function of {} values: SciPy calls functions of one", function_->size()),
          "take one entry of it");
    using Owner = std::shared_ptr<const task::ModelFunction>;
    const py::object data = py::reinterpret_steal<py::object>(PyCapsule_New(
        const_cast<task::ModelFunction*>(function_.get()), nullptr,
        [](PyObject* self) { delete static_cast<Owner*>(PyCapsule_GetContext(self)); }));
    PyCapsule_SetContext(data.ptr(), new Owner(function_));
    const py::object function = py::reinterpret_steal<py::object>(PyCapsule_New(
        reinterpret_cast<void*>(&value_at), "double (int, double *, void *)", nullptr));
    return py::make_tuple(function, data);
  }

 private:
  std::string wanted_points() const {
    std::string names;
    for (const std::string& name : function_->arguments())
      names += (names.empty() ? "" : ", ") + name;
    const std::size_t n = function_->arguments().size();
    return fmt::format("({},) or (n, {}): {}", n, n, names.empty() ? "no arguments" : names);
  }

  /// The array of the caller, which is written to.
  static Array checked(const py::object& out, const std::vector<py::ssize_t>& shape) {
    if (!py::isinstance<Array>(out))
      throw py::type_error("out must be an array of float64 without gaps");
    auto array = py::reinterpret_borrow<Array>(out);
    const bool same = array.ndim() == static_cast<py::ssize_t>(shape.size()) &&
                      std::equal(shape.begin(), shape.end(), array.shape());
    if (!same) {
      std::string text;
      for (const py::ssize_t n : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", n);
      throw py::value_error(
          fmt::format("out has the shape {}: it must be ({})", text_of_shape(array), text));
    }
    return array;
  }

  std::shared_ptr<const task::ModelFunction> function_;
};

py::object state_space_of(const task::LinearModel& linear) {
  const task::StateSpaceModel s = task::state_space(linear);
  Fields fields(nullptr);
  fields.add("a", s.a).add("b", s.b).add("c", s.c).add("basis", s.basis);
  py::list d;
  for (const task::Matrix& one : s.d) d.append(fields.shown(one));
  fields.add_object("d", d);
  fields.add("states", s.states).add("inputs", s.inputs).add("outputs", s.outputs);
  return fields.as_record();
}

task::Matrix matrix_of(const Array& array) {
  task::Matrix rows;
  const py::ssize_t width = array.shape(1);
  for (py::ssize_t r = 0; r < array.shape(0); ++r)
    rows.emplace_back(array.data() + r * width, array.data() + (r + 1) * width);
  return rows;
}

}  // namespace

void define_functions(py::module_& module) {
  py::class_<Function>(module, "Function", "A compiled function of a model.")
      .def_property_readonly("arguments", [](const Function& f) { return f.of().arguments(); })
      .def_property_readonly("rows", [](const Function& f) { return f.of().rows(); })
      .def_property_readonly("columns", [](const Function& f) { return f.of().columns(); })
      .def("jacobian", [](const Function& f) { return Function(f.of().jacobian()); })
      .def("low_level", &Function::low_level)
      .def("__call__", &Function::call, py::arg("points"), py::arg("out") = py::none());
  module.def("function", [](const task::Model& model, const std::string& what,
                            const std::vector<std::string>& arguments) {
    return Function(task::ModelFunction::of(model, what, arguments));
  });
  module.def(
      "state_space",
      [](const Array& e, const Array& a, const Array& b, const Array& c, const Array& d,
         const std::vector<std::string>& variables, const std::vector<std::string>& equations,
         const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
        return state_space_of({matrix_of(e), matrix_of(a), matrix_of(b), matrix_of(c), matrix_of(d),
                               variables, equations, inputs, outputs});
      });
}

}  // namespace daedal::python
