#include "given.hpp"

#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal::python {

void Given::refuse(const std::string& wanted) const {
  throw py::type_error(
      fmt::format("{} must be {}, not {}", name, wanted,
                  py::str(py::type::handle_of(value).attr("__name__")).cast<std::string>()));
}

namespace {

bool is_text(py::handle value) { return PyUnicode_Check(value.ptr()) != 0; }

bool is_number(py::handle value) {
  return !is_text(value) && PyBytes_Check(value.ptr()) == 0 && PyBool_Check(value.ptr()) == 0 &&
         PyNumber_Check(value.ptr()) != 0 && PySequence_Check(value.ptr()) == 0;
}

/// A list, a tuple, an array: not a text.
bool is_sequence(py::handle value) {
  return !is_text(value) && PyBytes_Check(value.ptr()) == 0 && PySequence_Check(value.ptr()) != 0 &&
         !py::isinstance<py::dict>(value);
}

/// Shortest digits that read back to the same bits.
std::string digits_of(const Given& given) {
  const double number = number_of(given);
  if (!std::isfinite(number))
    task::fault({}, fmt::format("{} = {}: not a finite number", given.name, number));
  return fmt::format("{}", number);
}

/// A number or a text that is an expression.
std::string expression_of(const Given& given, const char* wanted) {
  if (is_text(given.value)) return text_of(given);
  if (is_number(given.value)) return digits_of(given);
  if (!is_sequence(given.value)) given.refuse(wanted);
  std::string text = "[";
  for (const py::handle entry : py::reinterpret_borrow<py::iterable>(given.value)) {
    if (text.size() > 1) text += ", ";
    text += expression_of({py::reinterpret_borrow<py::object>(entry), given.name}, wanted);
  }
  return text + "]";
}

/// (1, 5) or (1, 5, 20) as 1:5:20.
std::string span_of(const Given& given) {
  if (is_text(given.value)) return text_of(given);
  if (!is_sequence(given.value)) given.refuse("(first, last) or (first, last, count)");
  const auto entries = py::reinterpret_borrow<py::sequence>(given.value);
  if (entries.size() != 2 && entries.size() != 3)
    task::fault({}, fmt::format("{} has {} entries", given.name, entries.size()),
                "write  (first, last)  or  (first, last, count)");
  std::string text;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const py::object entry = entries[k];
    if (k > 0) text += ':';
    text += k == 2 ? fmt::format("{}", integer_of({entry, given.name}, 0, 1 << 30))
                   : expression_of({entry, given.name}, "numbers");
  }
  return text;
}

/// {"k": (1, 5)} as k=1:5; texts as they are.
std::string ranges_text(const Given& given) {
  if (is_text(given.value)) return text_of(given);
  if (!py::isinstance<py::dict>(given.value))
    given.refuse("a text as in \"k=1:5\" or a dict as in {\"k\": (1, 5)}");
  std::string text;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given.value)) {
    if (!text.empty()) text += ',';
    const std::string name = text_of({key, given.name});
    text += name + "=" + span_of({value, fmt::format("{}: '{}'", given.name, name)});
  }
  return text;
}

}  // namespace

double number_of(const Given& given) {
  if (!is_number(given.value)) given.refuse("a number");
  const double number = PyFloat_AsDouble(given.value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    given.refuse("a number");
  }
  if (std::isnan(number)) task::fault({}, fmt::format("{} = nan: not a number", given.name));
  return number;
}

std::int64_t integer_of(const Given& given, std::int64_t lowest, std::int64_t highest) {
  if (PyIndex_Check(given.value.ptr()) == 0 || PyBool_Check(given.value.ptr()) != 0)
    given.refuse("a whole number");
  const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(given.value.ptr()));
  if (!whole) throw py::error_already_set();
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow != 0 || number < lowest || number > highest)
    task::fault({}, fmt::format("{} = {}: a whole number from {} to {}", given.name,
                                py::str(whole).cast<std::string>(), lowest, highest));
  return number;
}

bool truth_of(const Given& given) {
  if (PyBool_Check(given.value.ptr()) != 0) return given.value.is(py::handle(Py_True));
  if (is_text(given.value)) return word_of(given, {"off", "on"}) == 1;
  given.refuse("True or False");
}

std::string text_of(const Given& given) {
  if (!is_text(given.value)) given.refuse("a text");
  return given.value.cast<std::string>();
}

std::vector<std::string> texts_of(const Given& given) {
  if (is_text(given.value)) return task::split_list(text_of(given));
  if (!is_sequence(given.value)) given.refuse("a text or a list of texts");
  std::vector<std::string> texts;
  for (const py::handle entry : py::reinterpret_borrow<py::iterable>(given.value))
    texts.push_back(text_of({entry, "an entry of " + given.name}));
  return texts;
}

std::size_t word_of(const Given& given, const std::vector<std::string>& words) {
  model::Option option;
  option.name = given.name;
  option.text = text_of(given);
  return task::which_word(option, words, "");
}

template <>
const std::vector<std::string>& words_of<solve::RedundantConstraints>() {
  return solve::redundant_constraints_names();
}
template <>
const std::vector<std::string>& words_of<solve::StartValues>() {
  return solve::start_values_names();
}
template <>
const std::vector<std::string>& words_of<task::Reference>() {
  return task::reference_names();
}
template <>
const std::vector<std::string>& words_of<compile::Backend>() {
  static const std::vector<std::string> words{"tape", "native", "automatic"};
  return words;
}
template <>
const std::vector<std::string>& words_of<model::Lifting>() {
  static const std::vector<std::string> words{"never", "automatic", "always"};
  return words;
}
template <>
const std::vector<std::string>& words_of<task::ReductionMethod>() {
  static const std::vector<std::string> words{"balanced", "hankel"};
  return words;
}
template <>
const std::vector<std::string>& words_of<task::LyapunovFunction>() {
  static const std::vector<std::string> words{"quadratic", "energy"};
  return words;
}
template <>
const std::vector<std::string>& words_of<task::CFunction>() {
  static const std::vector<std::string> words{"inverse",       "forward",    "receding",
                                              "accelerations", "controller", "plant"};
  return words;
}

void take(double& field, const Given& given) { field = number_of(given); }
void take(std::string& field, const Given& given) { field = text_of(given); }
void take(std::vector<std::string>& field, const Given& given) { field = texts_of(given); }

void take(std::vector<double>& field, const Given& given) {
  if (!is_sequence(given.value)) given.refuse("a list of numbers");
  field.clear();
  for (const py::handle entry : py::reinterpret_borrow<py::iterable>(given.value))
    field.push_back(number_of({entry, "an entry of " + given.name}));
}

void take(std::map<std::string, std::string>& field, const Given& given) {
  if (!py::isinstance<py::dict>(given.value)) given.refuse("a dict of names and values");
  field.clear();
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given.value)) {
    const std::string name = text_of({key, "a name in " + given.name});
    field[name] = expression_of({value, fmt::format("{}: '{}'", given.name, name)},
                                "a number, a list of numbers or a text");
  }
}

void take(task::Range& field, const Given& given) {
  field = task::read_range(given.name, ranges_text(given), given.count);
}

void take(std::vector<task::Range>& field, const Given& given) {
  const std::string text = ranges_text(given);
  field.clear();
  if (text.empty()) return;
  if (given.count > 0) {
    field = task::read_ranges(given.name, text, given.count);
  } else {  // from one value to another
    for (const std::string& change : task::split_list(text))
      field.push_back(task::read_change(given.name, change));
  }
}

void take(task::Grid& field, const Given& given) {
  field = task::read_times(given.name, span_of(given));
}

void take(std::optional<task::Grid>& field, const Given& given) {
  field.reset();
  if (!given.value.is_none()) field = task::read_frequencies(given.name, span_of(given));
}

void take(std::vector<task::NamedNumber>& field, const Given& given) {
  std::vector<std::string> items;
  if (!py::isinstance<py::dict>(given.value)) {
    items = texts_of(given);
  } else {
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given.value)) {
      const std::string name = text_of({key, "a name in " + given.name});
      items.push_back(
          name + "=" +
          expression_of({value, fmt::format("{}: '{}'", given.name, name)}, "a number or a text"));
    }
  }
  field = task::read_values(given.name, items);
}

void take(task::Weights& field, const Given& given) {
  if (!py::isinstance<py::dict>(given.value)) {
    field = task::read_weights(given.name, expression_of(given, "a number, a text or a dict"));
    return;
  }
  std::string text;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given.value)) {
    if (!text.empty()) text += ',';
    if (!key.is_none()) text += text_of({key, "a name in " + given.name}) + "=";
    text += expression_of({value, given.name}, "a number");
  }
  field = task::read_weights(given.name, text);
}

}  // namespace daedal::python
