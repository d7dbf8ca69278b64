#include "shown.hpp"

#include <pybind11/complex.h>

namespace daedal::python {

namespace {

/// An array that looks into memory of `owner`, which nobody writes to.
py::array view_of(const double* data, std::vector<py::ssize_t> shape,
                  std::vector<py::ssize_t> strides, const py::object& owner) {
  py::array_t<double> array(std::move(shape), std::move(strides), data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

constexpr py::ssize_t bytes = sizeof(double);

/// Columns [first, first + count) of the rows; of one column without `as_rows` a vector.
py::array columns_of(const py::object& self, std::size_t first, std::size_t count) {
  const Table& table = *self.cast<const TableView&>().table;
  if (first > table.width() || count > table.width() - first)
    throw py::index_error("the table has " + std::to_string(table.width()) + " columns");
  const auto rows = static_cast<py::ssize_t>(table.rows());
  const auto stride = static_cast<py::ssize_t>(table.width()) * bytes;
  return view_of(table.data().data() + first, {rows, static_cast<py::ssize_t>(count)},
                 {stride, bytes}, self);
}

py::array column_of(const py::object& self, std::size_t column) {
  const Table& table = *self.cast<const TableView&>().table;
  if (column >= table.width())
    throw py::index_error("the table has " + std::to_string(table.width()) + " columns");
  return view_of(table.data().data() + column, {static_cast<py::ssize_t>(table.rows())},
                 {static_cast<py::ssize_t>(table.width()) * bytes}, self);
}

template <class Text>
py::tuple texts_of(const TableView& view, const Text& text) {
  const std::vector<Column>& columns = view.table->columns();
  py::tuple all(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) all[c] = py::cast(text(columns[c]));
  return all;
}

}  // namespace

std::string_view name_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::other:
      return "other";
    case ColumnKind::time:
      return "time";
    case ColumnKind::coordinate:
      return "coordinate";
    case ColumnKind::variable:
      return "variable";
    case ColumnKind::velocity:
      return "velocity";
    case ColumnKind::rate:
      return "rate";
    case ColumnKind::force:
      return "force";
    case ColumnKind::tension:
      return "tension";
    case ColumnKind::input:
      return "input";
    case ColumnKind::output:
      return "output";
    case ColumnKind::momentum:
      return "momentum";
    case ColumnKind::estimate:
      return "estimate";
    case ColumnKind::deviation:
      return "deviation";
    case ColumnKind::innovation:
      return "innovation";
  }
  return "other";
}

void define_tables(py::module_& module) {
  py::class_<TableView>(module, "Table",
                        "Rows of numbers with named columns, which arrays look into.")
      .def("columns", columns_of, py::arg("first"), py::arg("count"))
      .def("column", column_of, py::arg("column"))
      .def_property_readonly("rows", [](const TableView& view) { return view.table->rows(); })
      .def_property_readonly("width", [](const TableView& view) { return view.table->width(); })
      .def_property_readonly("names",
                             [](const TableView& view) {
                               return texts_of(view, [](const Column& c) { return c.name; });
                             })
      .def_property_readonly("units",
                             [](const TableView& view) {
                               return texts_of(view, [](const Column& c) { return c.unit; });
                             })
      .def_property_readonly("kinds",
                             [](const TableView& view) {
                               return texts_of(view,
                                               [](const Column& c) { return name_of(c.kind); });
                             })
      .def_property_readonly("controllers", [](const TableView& view) {
        return texts_of(view, [](const Column& c) { return c.controller; });
      });
}

py::object Fields::shown(const std::vector<double>& values) const {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}
py::object Fields::shown(const std::vector<int>& values) const {
  return py::array_t<int>(static_cast<py::ssize_t>(values.size()), values.data());
}
py::object Fields::shown(const std::vector<std::complex<double>>& values) const {
  return py::array_t<std::complex<double>>(static_cast<py::ssize_t>(values.size()), values.data());
}
py::object Fields::shown(const std::vector<std::string>& values) const {
  py::tuple all(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) all[k] = py::str(values[k]);
  return all;
}
py::object Fields::shown(const task::Matrix& matrix) const {
  const std::size_t columns = matrix.empty() ? 0 : matrix[0].size();
  py::array_t<double> array({matrix.size(), columns});
  auto entries = array.mutable_unchecked<2>();
  for (std::size_t r = 0; r < matrix.size(); ++r)
    for (std::size_t c = 0; c < columns; ++c)
      entries(static_cast<py::ssize_t>(r), static_cast<py::ssize_t>(c)) = matrix[r][c];
  return array;
}
py::object Fields::shown(const std::vector<task::NamedNumber>& values) const {
  py::dict all;
  for (const task::NamedNumber& value : values) all[py::str(value.name)] = value.value;
  return all;
}
py::object Fields::shown(const task::Range& range) const {
  return py::make_tuple(range.name, range.first, range.last, range.count);
}
py::object Fields::shown(const Table& table) const { return py::cast(TableView{owner_, &table}); }
py::object Fields::shown(const std::vector<Diagnostic>& diagnostics) const {
  return python::shown(diagnostics);
}

py::object shown(const Diagnostic& diagnostic) {
  static constexpr const char* severities[] = {"note", "warning", "error"};
  py::dict one;
  one["severity"] = severities[static_cast<std::size_t>(diagnostic.severity)];
  one["message"] = phrased(diagnostic.message);
  py::list details;
  for (const std::string& detail : diagnostic.details) details.append(phrased(detail));
  one["details"] = py::tuple(details);
  one["help"] = phrased(diagnostic.help);
  const Place& place = diagnostic.place;
  one["file"] = place.known() ? py::object(py::str(place.file->path())) : py::none();
  one["line"] = place.known() && place.line > 0 ? py::object(py::int_(place.line)) : py::none();
  one["column"] = place.known() && place.line > 0 ? py::object(py::int_(place.column)) : py::none();
  one["length"] = place.length;
  one["text"] = render(diagnostic);
  return py::module_::import("daedal._errors").attr("Diagnostic")(**one);
}

py::list shown(const std::vector<Diagnostic>& diagnostics) {
  py::list all;
  for (const Diagnostic& diagnostic : diagnostics) all.append(shown(diagnostic));
  return all;
}

}  // namespace daedal::python
