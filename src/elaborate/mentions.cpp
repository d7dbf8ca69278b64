#include "elaborate/mentions.hpp"

#include <algorithm>

namespace daedal::model {

namespace {

class Mentions {
 public:
  std::vector<std::string> take() { return std::move(found_); }

  void visit(const syntax::ExpressionPtr& e) {
    if (e == nullptr) return;
    std::visit([this](const auto& node) { see(node); }, e->node);
  }
  void visit(const std::vector<syntax::ExpressionPtr>& list) {
    for (const syntax::ExpressionPtr& e : list) visit(e);
  }
  void visit(const std::vector<syntax::Argument>& list) {
    for (const syntax::Argument& argument : list) visit(argument.value);
  }
  /// Inside the range of an index, its name does not refer to a name of the model.
  template <class Inside>
  void visit(const syntax::Binder& binder, Inside inside) {
    visit(binder.first);
    visit(binder.last);
    bound_.push_back(binder.name);
    inside();
    bound_.pop_back();
  }
  void visit(const std::vector<std::string>& parameters, const syntax::ExpressionPtr& body) {
    bound_.insert(bound_.end(), parameters.begin(), parameters.end());
    visit(body);
    bound_.resize(bound_.size() - parameters.size());
  }

 private:
  void add(const std::string& name) {
    if (std::find(bound_.begin(), bound_.end(), name) == bound_.end()) found_.push_back(name);
  }

  void see(const syntax::Number&) {}
  void see(const syntax::Text&) {}
  void see(const syntax::Name& node) { add(node.value); }
  void see(const syntax::Index& node) {
    visit(node.base);
    visit(node.indices);
  }
  void see(const syntax::Member& node) { visit(node.base); }
  void see(const syntax::Derivative& node) { visit(node.base); }
  void see(const syntax::Range& node) {
    visit(node.first);
    visit(node.last);
  }
  void see(const syntax::Negate& node) { visit(node.operand); }
  void see(const syntax::Not& node) { visit(node.operand); }
  void see(const syntax::Chain& node) {
    visit(node.first);
    for (const auto& [op, operand] : node.rest) visit(operand);
  }
  void see(const syntax::Power& node) {
    visit(node.base);
    visit(node.exponent);
  }
  void see(const syntax::Compare& node) {
    visit(node.left);
    visit(node.right);
  }
  void see(const syntax::Quantity& node) { visit(node.value); }
  void see(const syntax::Matrix& node) {
    for (const auto& row : node.rows) visit(row);
  }
  void see(const syntax::Call& node) {
    if (node.part != nullptr)
      visit(node.part);
    else
      add(node.function);
    visit(node.arguments);
  }
  void see(const syntax::Sum& node) {
    visit(node.binder, [&] { visit(node.body); });
  }
  void see(const syntax::If& node) {
    visit(node.condition);
    visit(node.when_true);
    visit(node.when_false);
  }

  std::vector<std::string> bound_;
  std::vector<std::string> found_;
};

void visit(Mentions& mentions, const syntax::Declaration& item) {
  mentions.visit(item.dimensions);
  mentions.visit(item.value);
  mentions.visit(item.options);
}

void visit(Mentions& mentions, const std::vector<const syntax::Let*>& pieces) {
  for (const syntax::Let* piece : pieces) {
    mentions.visit(piece->at);
    if (piece->binder) {
      mentions.visit(*piece->binder, [&] { mentions.visit(piece->value); });
    } else {
      mentions.visit(piece->parameters, piece->value);
    }
  }
}

void visit(Mentions& mentions, const syntax::Relation& relation) {
  const auto sides = [&] {
    mentions.visit(relation.left);
    mentions.visit(relation.right);
  };
  if (relation.binder)
    mentions.visit(*relation.binder, sides);
  else
    sides();
}

void visit(Mentions& mentions, const syntax::Output& output) { mentions.visit(output.value); }

void visit(Mentions& mentions, const syntax::Part& part) {
  if (part.binder)
    mentions.visit(*part.binder, [&] { mentions.visit(part.call); });
  else
    mentions.visit(part.call);
}

}  // namespace

std::vector<std::string> mentions(const Definition& definition) {
  Mentions found;
  if (const auto* pieces = std::get_if<std::vector<const syntax::Let*>>(&definition)) {
    visit(found, *pieces);
  } else {
    std::visit(
        [&](const auto& statement) {
          if constexpr (std::is_pointer_v<std::decay_t<decltype(statement)>>)
            visit(found, *statement);
        },
        definition);
  }
  return found.take();
}

std::vector<std::string> mentions(const syntax::ExpressionPtr& expression) {
  Mentions found;
  found.visit(expression);
  return found.take();
}

}  // namespace daedal::model
