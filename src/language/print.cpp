// Canonical text of a syntax tree. Brackets are set where the grammar needs them and nowhere else,
// numbers have the fewest digits that read back to the same value, and long lines are broken where
// a line may go on.
#include "daedal/base/utf8.hpp"
#include "daedal/language/parse.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

using namespace syntax;

namespace {

constexpr std::uint32_t line_width = 100;
constexpr std::string_view continuation = "\n    ";

// How tightly an expression holds together, in the order of the grammar; an operand that holds less
// tightly than its place requires is put in brackets.
enum class Tightness {
  choice,
  disjunction,
  conjunction,
  negation,
  comparison,
  sum,
  product,
  sign,
  power,
  number,
  postfix
};

Tightness tightness(const Chain& chain) {
  switch (chain.rest.front().first) {
    case ChainOp::add:
    case ChainOp::subtract:
      return Tightness::sum;
    case ChainOp::multiply:
    case ChainOp::divide:
      return Tightness::product;
    case ChainOp::logical_and:
      return Tightness::conjunction;
    case ChainOp::logical_or:
      return Tightness::disjunction;
  }
  return Tightness::sum;
}

Tightness tightness(const If&) { return Tightness::choice; }
Tightness tightness(const Not&) { return Tightness::negation; }
Tightness tightness(const Compare&) { return Tightness::comparison; }
Tightness tightness(const Negate&) { return Tightness::sign; }
Tightness tightness(const Power&) { return Tightness::power; }
Tightness tightness(const Number&) { return Tightness::number; }
template <class Node>
Tightness tightness(const Node&) {
  return Tightness::postfix;
}
Tightness tightness(const ExpressionPtr& e) {
  return std::visit([](const auto& node) { return tightness(node); }, e->node);
}

Tightness next_tighter(Tightness t) { return static_cast<Tightness>(static_cast<int>(t) + 1); }

std::string_view keyword(DeclarationKind kind) {
  switch (kind) {
    case DeclarationKind::size:
      return "size";
    case DeclarationKind::parameter:
      return "parameter";
    case DeclarationKind::coordinate:
      return "coordinate";
    case DeclarationKind::variable:
      return "variable";
    case DeclarationKind::input:
      return "input";
    case DeclarationKind::signal:
      return "signal";
  }
  return "parameter";
}
std::string_view keyword(EnergyKind kind) {
  switch (kind) {
    case EnergyKind::kinetic:
      return "kinetic";
    case EnergyKind::potential:
      return "potential";
    case EnergyKind::dissipation:
      return "dissipation";
  }
  return "kinetic";
}
std::string_view keyword(RelationKind kind) {
  switch (kind) {
    case RelationKind::constraint:
      return "constraint";
    case RelationKind::equation:
      return "equation";
    case RelationKind::servo:
      return "servo";
  }
  return "constraint";
}
std::string_view keyword(EventAction::Kind kind) {
  switch (kind) {
    case EventAction::Kind::release:
      return "release";
    case EventAction::Kind::attach:
      return "attach";
    case EventAction::Kind::set:
      return "set";
  }
  return "release";
}

/// Text of one statement or expression, with the places where a line may end.
class Printer {
 public:
  void statement(const Statement& s) {
    std::visit([this](const auto& node) { (*this)(node); }, s.node);
  }

  void expression(const ExpressionPtr& e, Tightness least = Tightness::choice) {
    const bool bracketed = tightness(e) < least;
    if (bracketed) write("(");
    std::visit([this](const auto& node) { (*this)(node); }, e->node);
    if (bracketed) write(")");
  }

  void header(std::string_view word, const std::string& name, const std::string& doc) {
    write(word, " ", name);
    this->doc(doc);
  }

  const std::string& text() const { return text_; }

  /// The text, broken into lines; the printer is empty again.
  std::string take_lines() {
    std::string out = wrapped();
    text_.clear();
    breaks_.clear();
    return out;
  }

  // ---- expressions

  void operator()(const Number& n) {
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, n.value);
    write(std::string_view(digits, static_cast<std::size_t>(result.ptr - digits)));
  }
  void operator()(const Text& n) { write("\"", n.value, "\""); }
  void operator()(const Name& n) { write(n.value); }
  void operator()(const Index& n) {
    expression(n.base, Tightness::postfix);
    indices(n.indices);
  }
  void operator()(const Member& n) {
    expression(n.base, Tightness::postfix);
    write(".", n.name);
  }
  void operator()(const Derivative& n) {
    // (x')' and x'' are different trees.
    const bool bracketed = std::holds_alternative<Derivative>(n.base->node);
    if (bracketed) write("(");
    expression(n.base, Tightness::postfix);
    if (bracketed) write(")");
    text_.append(static_cast<std::size_t>(n.order), '\'');
  }
  void operator()(const Range& n) {
    expression(n.first);
    write("..");
    expression(n.last);
  }
  void operator()(const Negate& n) {
    write("-");
    expression(n.operand, Tightness::sign);
  }
  void operator()(const Not& n) {
    write("not ");
    expression(n.operand, Tightness::negation);
  }
  void operator()(const Chain& n) {
    const Tightness operand = next_tighter(tightness(n));
    expression(n.first, operand);
    for (const auto& [op, e] : n.rest) {
      separate(symbol(op));
      expression(e, operand);
    }
  }
  void operator()(const Power& n) {
    expression(n.base, Tightness::number);
    write("^");
    expression(n.exponent, Tightness::sign);
  }
  void operator()(const Compare& n) {
    expression(n.left, Tightness::sum);
    separate(symbol(n.op));
    expression(n.right, Tightness::sum);
  }
  void operator()(const Quantity& n) {
    expression(n.value);
    unit(n.unit);
  }
  void operator()(const Matrix& n) {
    write("[");
    for (std::size_t i = 0; i < n.rows.size(); ++i) {
      if (i > 0) separate("; ");
      list(n.rows[i], [this](const ExpressionPtr& e) { expression(e); });
    }
    write("]");
  }
  void operator()(const Call& n) {
    if (n.part != nullptr) {
      expression(n.part, Tightness::postfix);
      write(".");
    }
    write(n.function);
    arguments(n.arguments);
  }
  void operator()(const Sum& n) {
    write("sum(");
    binder(n.binder);
    separate(": ");
    expression(n.body);
    write(")");
  }
  void operator()(const If& n) {
    write("if ");
    expression(n.condition);
    separate(" then ");
    expression(n.when_true);
    separate(" else ");
    expression(n.when_false);
  }

  // ---- statements

  void operator()(const Declare& s) {
    write(keyword(s.kind), " ");
    list(s.items, [this](const Declaration& item) { declaration(item); });
  }
  void operator()(const Let& s) {
    write("let ", s.name);
    if (s.function) {
      write("(");
      list(s.parameters, [this](const std::string& name) { write(name); });
      write(")");
    }
    if (s.at) indices({s.at});
    bracketed(s.binder);
    doc(s.doc);
    separate(" = ");
    expression(s.value);
    unit(s.unit);
  }
  void operator()(const Energy& s) {
    write(keyword(s.kind), " ");
    expression(s.value);
  }
  void operator()(const Load& s) {
    write(s.kind == LoadKind::about ? "torque " : "force ");
    expression(s.load);
    write(s.kind == LoadKind::on ? " on " : s.kind == LoadKind::at ? " at " : " about ");
    expression(s.target);
  }
  void operator()(const Relation& s) {
    write(keyword(s.kind), " ");
    if (!s.name.empty()) {
      write(s.name);
      bracketed(s.binder);
      doc(s.doc);
      separate(": ");
    }
    expression(s.left);
    separate(" = ");
    expression(s.right);
    if (s.nonlinear) write(" nonlinear");
  }
  void operator()(const Output& s) {
    header("output", s.name, s.doc);
    separate(" = ");
    expression(s.value);
    unit(s.unit);
  }
  void operator()(const Drive& s) {
    write("drive ");
    expression(s.target);
    write(" by ");
    expression(s.input);
    write(" ", s.law);
    arguments(s.options);
  }
  void operator()(const Initial& s) {
    write("initial ");
    list(s.items, [this](const InitialItem& item) {
      expression(item.target);
      separate(" = ");
      expression(item.value);
      if (item.fixed) write(" fixed");
    });
  }
  void operator()(const Limit& s) {
    write("limit ");
    list(s.items, [this](const LimitItem& item) {
      const auto* low = std::get_if<Quantity>(&item.low->node);
      const auto* high = std::get_if<Quantity>(&item.high->node);
      const bool in_unit = low != nullptr && high != nullptr;  // the parser gives one to both
      expression(item.value);
      write(" in [");
      expression(in_unit ? low->value : item.low);
      separate(", ");
      expression(in_unit ? high->value : item.high);
      write("]");
      if (in_unit) unit(low->unit);
    });
  }
  void operator()(const Event& s) {
    header("event", s.name, s.doc);
    separate(": ");
    write("when ");
    expression(s.condition);
    separate(" then ");
    list(s.actions, [this](const EventAction& action) {
      write(keyword(action.kind), " ");
      expression(action.target);
      if (action.value) {
        separate(" = ");
        expression(action.value);
      }
      if (!action.options.empty()) {
        write(" ");
        arguments(action.options);
      }
    });
  }
  void operator()(const Draw& s) {
    write("draw ");
    list(s.items, [this](const DrawItem& item) {
      write(item.shape, " ");
      for (std::size_t i = 0; i < item.points.size(); ++i) {
        if (i > 0) separate(" -> ");
        expression(item.points[i]);
      }
      for (const Argument& option : item.options) {
        write(" ", option.name, " ");
        expression(option.value);
      }
    });
  }
  void operator()(const Experiment& s) {
    header("experiment", s.name, s.doc);
    separate(": ");
    expression(s.call);
  }
  void operator()(const Part& s) {
    write("part ", s.name);
    bracketed(s.binder);
    doc(s.doc);
    separate(" = ");
    expression(s.call);
  }
  void operator()(const Controller& s) {
    header("controller", s.block->name, s.block->doc);
    if (!s.period) return;
    write(" every ");
    expression(s.period, Tightness::sum);
    if (!s.unit.empty()) write(" ", s.unit);
  }
  void operator()(const Measure& s) {
    write("measure ");
    list(s.items, [this](const Measurement& item) {
      if (!item.name.empty()) {
        write(item.name);
        separate(" = ");
      }
      expression(item.value);
    });
  }
  void operator()(const State& s) {
    header("state", s.name, s.doc);
    separate(" = ");
    expression(s.start);
    separate(" next ");
    expression(s.next);
  }
  void operator()(const Command& s) {
    write("command ");
    expression(s.target);
    separate(" = ");
    expression(s.value);
  }
  void operator()(const Observe& s) {
    write("observe ");
    expression(s.call);
  }
  void operator()(const For& s) {
    write("for ");
    binder(s.binder);
    separate(": ");
    statement(*s.body);
  }

 private:
  template <class... Parts>
  void write(const Parts&... parts) {
    (text_.append(parts), ...);
  }
  // A symbol after which a line may end.
  void separate(std::string_view separator) {
    write(separator);
    breaks_.push_back(text_.size());
  }

  std::string_view symbol(ChainOp op) const {
    switch (op) {
      case ChainOp::add:
        return tight_ > 0 ? "+" : " + ";
      case ChainOp::subtract:
        return tight_ > 0 ? "-" : " - ";
      case ChainOp::multiply:
        return "*";
      case ChainOp::divide:
        return "/";
      case ChainOp::logical_and:
        return " and ";
      case ChainOp::logical_or:
        return " or ";
    }
    return " + ";
  }

  static std::string_view symbol(CompareOp op) {
    switch (op) {
      case CompareOp::less:
        return " < ";
      case CompareOp::less_equal:
        return " <= ";
      case CompareOp::greater:
        return " > ";
      case CompareOp::greater_equal:
        return " >= ";
      case CompareOp::equal:
        return " == ";
      case CompareOp::not_equal:
        return " != ";
    }
    return " < ";
  }

  template <class Item, class Print>
  void list(const std::vector<Item>& items, Print print) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) separate(", ");
      print(items[i]);
    }
  }

  // Sums inside index brackets stay together: q[k-1], 1..N-1.
  void indices(const std::vector<ExpressionPtr>& list_of_indices) {
    ++tight_;
    write("[");
    list(list_of_indices, [this](const ExpressionPtr& e) { expression(e); });
    write("]");
    --tight_;
  }
  void binder(const Binder& b) {
    ++tight_;
    write(b.name, " in ");
    expression(b.first);
    write("..");
    expression(b.last);
    --tight_;
  }
  void bracketed(const std::optional<Binder>& b) {
    if (!b) return;
    write("[");
    binder(*b);
    write("]");
  }
  void arguments(const std::vector<Argument>& list_of_arguments) {
    write("(");
    list(list_of_arguments, [this](const Argument& argument) {
      if (!argument.name.empty()) {
        write(argument.name);
        separate(" = ");
      }
      expression(argument.value);
    });
    write(")");
  }
  void declaration(const Declaration& item) {
    write(item.name);
    if (!item.dimensions.empty()) indices(item.dimensions);
    doc(item.doc);
    if (item.value) {
      separate(" = ");
      expression(item.value);
    }
    unit(item.unit);
    if (!item.options.empty()) {
      write(" ");
      arguments(item.options);
    }
    if (item.fixed) write(" fixed");
  }
  void doc(const std::string& text) {
    if (!text.empty()) write(" \"", text, "\"");
  }
  void unit(const std::string& text) {
    if (!text.empty()) write(" [", text, "]");
  }

  // Fills each line up to the last break that fits.
  std::string wrapped() const {
    std::string out;
    std::uint32_t column = 0;
    std::size_t start = 0;
    const auto place = [&](std::size_t end) {
      std::string_view piece = std::string_view(text_).substr(start, end - start);
      const std::uint32_t width = count_code_points(piece);
      if (column > 0 && column + width > line_width) {
        while (out.ends_with(' ')) out.pop_back();
        out += continuation;
        column = static_cast<std::uint32_t>(continuation.size()) - 1;
      }
      out += piece;
      column += width;
      start = end;
    };
    for (const std::size_t end : breaks_) place(end);
    place(text_.size());
    return out;
  }

  std::string text_;
  std::vector<std::size_t> breaks_;
  int tight_ = 0;
};

}  // namespace

namespace {

void print(const std::vector<Statement>& statements, Printer& printer, std::string& out) {
  for (const Statement& statement : statements) {
    printer.statement(statement);
    out += printer.take_lines() + '\n';
    if (const auto* controller = std::get_if<Controller>(&statement.node))
      print(controller->block->statements, printer, out);
  }
}

}  // namespace

std::string print(const File& file) {
  std::string out;
  for (const Import& import : file.imports) {
    out += "import \"" + import.path + "\"";
    for (std::size_t i = 0; i < import.options.size(); ++i)
      out += (i == 0 ? " (" : ", ") + import.options[i].name + " = " + import.options[i].value;
    out += import.options.empty() ? "\n" : ")\n";
  }
  Printer printer;
  for (const Model& model : file.models) {
    if (!out.empty()) out += '\n';
    printer.header("model", model.name, model.doc);
    out += printer.take_lines() + '\n';
    print(model.statements, printer, out);
  }
  return out;
}

std::string print(const Expression& expression) {
  Printer printer;
  printer.expression(std::shared_ptr<const Expression>(std::shared_ptr<const void>(), &expression));
  return printer.text();
}

}  // namespace daedal::model
