// The options of a question: one row for each field of its struct, by which Python's keywords are read, documented and checked.
#pragma once

#include "given.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace daedal::python {

/// How Python's texts call the types of options, and their defaults.
template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<T>)
    return "int";
  else if constexpr (std::is_floating_point_v<T>)
    return "float";
  else if constexpr (std::is_enum_v<T> || std::is_same_v<T, std::string>)
    return "str";
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return "Texts";
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return "Numbers";
  else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>)
    return "Values";
  else if constexpr (std::is_same_v<T, task::Range> || std::is_same_v<T, std::vector<task::Range>>)
    return "Ranges";
  else if constexpr (std::is_same_v<T, task::Grid>)
    return "Grid";
  else if constexpr (std::is_same_v<T, std::vector<task::NamedNumber>>)
    return "NamedNumbers";
  else if constexpr (std::is_same_v<T, task::Weights>)
    return "Weights";
  else if constexpr (requires(T t) { t.made(); })
    return "str | None";
  else
    return type_name<typename T::value_type>() + " | None";
}

/// The default as Python writes it; None where the library settles it.
template <class T>
py::object default_of(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
    return py::cast(value);
  else if constexpr (std::is_enum_v<T>)
    return py::cast(words_of<T>()[static_cast<std::size_t>(value)]);
  else if constexpr (std::is_same_v<T, std::vector<std::string>> ||
                     std::is_same_v<T, std::vector<double>>) {
    py::tuple all(value.size());
    for (std::size_t k = 0; k < value.size(); ++k) all[k] = py::cast(value[k]);
    return all;
  } else
    return py::none();
}

template <class Options>
class OptionTable {
 public:
  struct Row {
    std::string name, type, meaning;
    bool required = false;
    std::function<void(Options&, const Given&)> set;
    std::function<py::object(const Options&)> value;  // in options as they are
    int count = 0;
  };

  template <class T>
  OptionTable& add(const std::string& name, T Options::*field, const std::string& meaning,
                   int count = 0) {
    return add_row(
        name, meaning, type_name<T>(), count,
        [field](Options& options, const Given& given) { take(options.*field, given); },
        [field](const Options& options) { return default_of(options.*field); });
  }
  /// Those of a struct inside this one, but for some.
  template <class Inner>
  OptionTable& include(const OptionTable<Inner>& inner, Inner Options::*field,
                       const std::vector<std::string>& but = {}) {
    for (const auto& row : inner.rows()) {
      if (std::find(but.begin(), but.end(), row.name) != but.end()) continue;
      add_row(
          row.name, row.meaning, row.type, row.count,
          [field, set = row.set](Options& options, const Given& given) {
            set(options.*field, given);
          },
          [field, value = row.value](const Options& options) { return value(options.*field); });
    }
    return *this;
  }
  /// The last row must be given.
  OptionTable& required() {
    rows_.back().required = true;
    return *this;
  }

  const std::vector<Row>& rows() const { return rows_; }

  /// Throws TypeError for a keyword that is none, proposing the nearest one, and for one that is missing.
  Options read(const py::dict& keywords, const std::string& question, Options options = {}) const {
    for (const auto& [key, value] : keywords) {
      const std::string name = text_of({key, "a keyword"});
      const Row* const row = find(name);
      if (row == nullptr) unknown(name, question);
      row->set(options, {value, name, row->count});
    }
    for (const Row& row : rows_)
      if (row.required && !keywords.contains(row.name.c_str()))
        throw py::type_error(question + "() needs " + row.name + ": " + row.meaning);
    return options;
  }

  /// Dicts with name, type, default, required, meaning.
  py::list described() const {
    const Options unset{};
    py::list all;
    for (const Row& row : rows_) {
      py::dict one;
      one["name"] = row.name;
      one["type"] = row.type;
      one["default"] = row.value(unset);
      one["required"] = row.required;
      one["meaning"] = row.meaning;
      all.append(one);
    }
    return all;
  }

 private:
  OptionTable& add_row(const std::string& name, const std::string& meaning, const std::string& type,
                       int count, std::function<void(Options&, const Given&)> set,
                       std::function<py::object(const Options&)> value) {
    Row row;
    row.name = name;
    row.type = type;
    row.meaning = meaning;
    row.set = std::move(set);
    row.value = std::move(value);
    row.count = count;
    rows_.push_back(std::move(row));
    return *this;
  }
  const Row* find(const std::string& name) const {
    for (const Row& row : rows_)
      if (row.name == name) return &row;
    return nullptr;
  }
  [[noreturn]] void unknown(const std::string& name, const std::string& question) const {
    std::vector<std::string> names;
    for (const Row& row : rows_) names.push_back(row.name);
    const std::string near = nearest_name(name, names);
    throw py::type_error(question + "() has no option '" + name + "'" +
                         (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  std::vector<Row> rows_;
};

}  // namespace daedal::python
