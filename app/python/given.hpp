// Values of Python as options: what a caller gives, taken into a field of an options struct.
//
// Ranges, weights, values by name, ... have one reader, that of texts (daedal/study/analyse.hpp): numbers, tuples and dicts are
// written as such texts first, in digits that read back to the same bits.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/study/control.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/choice.hpp"
#include "daedal/task/export_c.hpp"
#include "daedal/task/simulate.hpp"

#include <pybind11/pybind11.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace daedal::python {

namespace py = pybind11;

/// A value, and how messages call it.
struct Given {
  py::handle value;
  std::string name;
  int count = 0;  // of values in a range, where none is given

  /// Throws TypeError: "until must be a number, not str".
  [[noreturn]] void refuse(const std::string& wanted) const;
};

double number_of(const Given& given);
/// Between the two. Throws ModelError for others.
std::int64_t integer_of(const Given& given, std::int64_t lowest, std::int64_t highest);
bool truth_of(const Given& given);
std::string text_of(const Given& given);
/// A text, cut at its commas outside brackets, or a sequence of texts.
std::vector<std::string> texts_of(const Given& given);
/// Position of a word. Throws ModelError that proposes the nearest one.
std::size_t word_of(const Given& given, const std::vector<std::string>& words);

/// Words of each enumeration that is an option, in its order.
template <class Enum>
const std::vector<std::string>& words_of();

void take(double& field, const Given& given);
void take(std::string& field, const Given& given);
void take(std::vector<std::string>& field, const Given& given);
void take(std::vector<double>& field, const Given& given);
void take(std::map<std::string, std::string>& field, const Given& given);
void take(task::Range& field, const Given& given);
void take(std::vector<task::Range>& field, const Given& given);
void take(task::Grid& field, const Given& given);                 // times
void take(std::optional<task::Grid>& field, const Given& given);  // frequencies
void take(std::vector<task::NamedNumber>& field, const Given& given);
void take(task::Weights& field, const Given& given);

template <std::integral Integer>
void take(Integer& field, const Given& given) {
  if constexpr (std::same_as<Integer, bool>) {
    field = truth_of(given);
  } else {
    using Limits = std::numeric_limits<Integer>;
    constexpr auto highest = Limits::digits >= 63 ? std::numeric_limits<std::int64_t>::max()
                                                  : static_cast<std::int64_t>(Limits::max());
    field =
        static_cast<Integer>(integer_of(given, static_cast<std::int64_t>(Limits::min()), highest));
  }
}

template <class Enum>
requires std::is_enum_v<Enum>
void take(Enum& field, const Given& given) {
  field = static_cast<Enum>(word_of(given, words_of<Enum>()));
}

template <class T>
void take(task::Choice<T>& field, const Given& given) {
  field = given.value.is_none() ? task::Choice<T>()
                                : task::Choice<T>(model::parse_option(text_of(given), given.name));
}

template <class T>
void take(std::optional<T>& field, const Given& given) {
  field.reset();
  if (given.value.is_none()) return;
  T value{};
  take(value, given);
  field = std::move(value);
}

}  // namespace daedal::python
