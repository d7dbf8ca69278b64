// Compiled functions of a model, called on arrays; linear models as state spaces; steppers.
#pragma once

#include <pybind11/pybind11.h>

namespace daedal::python {

void define_functions(pybind11::module_& module);
void define_steppers(pybind11::module_& module);

}  // namespace daedal::python
