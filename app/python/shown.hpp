// Values of the library as Python's own: numbers, texts, arrays, and tables that arrays look into.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/table.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/answer.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace daedal::python {

namespace py = pybind11;

/// A table of an answer, which it keeps alive, as the arrays do that look into it.
struct TableView {
  std::shared_ptr<const task::Answer> owner;
  const Table* table = nullptr;
};
void define_tables(py::module_& module);

/// A dict of plain values, in the order of its fields.
class Fields {
 public:
  explicit Fields(std::shared_ptr<const task::Answer> owner) : owner_(std::move(owner)) {}

  template <class T>
  Fields& add(const char* name, const T& value) {
    values_[name] = shown(value);
    return *this;
  }
  /// A list of the records that `describe(fields, item)` makes.
  template <class List, class Describe>
  Fields& list(const char* name, const List& items, const Describe& describe) {
    py::list all;
    for (const auto& item : items) {
      Fields one(owner_);
      describe(one, item);
      all.append(one.as_record());
    }
    values_[name] = std::move(all);
    return *this;
  }
  template <class T, class Describe>
  Fields& record(const char* name, const T& item, const Describe& describe) {
    Fields one(owner_);
    describe(one, item);
    values_[name] = one.as_record();
    return *this;
  }
  Fields& add_object(const char* name, const py::object& value) {
    values_[name] = value;
    return *this;
  }
  const py::dict& values() const { return values_; }
  /// With its fields as attributes.
  py::object as_record() const {
    return py::module_::import("daedal._record").attr("Record")(**values_);
  }

  py::object shown(bool value) const { return py::bool_(value); }
  py::object shown(double value) const { return py::float_(value); }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) py::object shown(Integer value)
  const { return py::int_(value); }
  py::object shown(const std::string& value) const { return py::str(value); }
  py::object shown(std::string_view value) const { return py::str(value.data(), value.size()); }
  py::object shown(const char* value) const { return py::str(value); }
  py::object shown(const std::vector<double>& values) const;
  py::object shown(const std::vector<int>& values) const;
  py::object shown(const std::vector<std::complex<double>>& values) const;
  py::object shown(const std::vector<std::string>& values) const;
  py::object shown(const task::Matrix& matrix) const;
  py::object shown(const std::vector<task::NamedNumber>& values) const;  // a dict
  py::object shown(const task::Range& range) const;
  py::object shown(const Table& table) const;
  py::object shown(const std::vector<Diagnostic>& diagnostics) const;
  template <class T>
  py::object shown(const std::optional<T>& value) const {
    return value ? shown(*value) : py::object(py::none());
  }
  template <class T>
  py::object shown(const std::vector<std::vector<T>>& values) const {
    py::list all;
    for (const std::vector<T>& one : values) all.append(shown(one));
    return all;
  }

 private:
  std::shared_ptr<const task::Answer> owner_;
  py::dict values_;
};

/// A record: severity, message, details, help, file, line, column, length, text with the caret.
py::object shown(const Diagnostic& diagnostic);
py::list shown(const std::vector<Diagnostic>& diagnostics);

std::string_view name_of(ColumnKind kind);

}  // namespace daedal::python
