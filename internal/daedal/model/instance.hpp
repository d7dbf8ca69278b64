// Models during elaboration: their instances, the names in each, and the meaning of the names.
//
// A name is resolved when it is first needed, so a model may be written in any order.
#pragma once

#include "daedal/language/syntax.hpp"
#include "daedal/model/value.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace daedal::model {

struct Array;
struct Instance;
struct Postponed;

/// A function and the instance whose names its body uses.
struct FunctionOf {
  const syntax::Let* let = nullptr;
  Instance* home = nullptr;
};

/// The meaning of a name. `role` determines what `.force` means.
struct Thing {
  enum class Role : std::uint8_t { plain, coordinate, multiplier } role = Role::plain;
  /// Nothing at all: an equation, a servo or a function, which have names but no value. A parameter may be given a function.
  std::variant<std::monostate, Value, std::shared_ptr<const Array>, Instance*, FunctionOf> what;

  const Value* value() const { return std::get_if<Value>(&what); }
  const Array* array() const {
    const auto* found = std::get_if<std::shared_ptr<const Array>>(&what);
    return found != nullptr ? found->get() : nullptr;
  }
  Instance* part() const {
    const auto* found = std::get_if<Instance*>(&what);
    return found != nullptr ? *found : nullptr;
  }
  const FunctionOf* function() const { return std::get_if<FunctionOf>(&what); }
};

/// Entries at any integers: let P[0], P[1..N], parts arm[1..3], constraints pin[1..N].
struct Array {
  std::map<long, Thing> entries;
};

enum class NameKind : std::uint8_t {
  size,
  parameter,
  coordinate,
  variable,
  input,
  signal,
  let,
  function,
  constraint,
  equation,
  servo,
  output,
  part,
};
std::string_view text(NameKind kind);
/// "a coordinate", "an input"
std::string with_article(NameKind kind);

/// The statement that introduces a name. P[0] and P[k in 1..N] are pieces of one array.
using Definition =
    std::variant<const syntax::Declaration*, std::vector<const syntax::Let*>,
                 const syntax::Relation*, const syntax::Output*, const syntax::Part*>;

/// A name of an instance.
struct Entry {
  /// scheduled: waits for the names it mentions; running: being resolved, and part of a cycle when
  /// it is requested, unless it is an array with some entries defined (P[k] = P[k-1] + ...).
  enum class State : std::uint8_t { waiting, scheduled, running, done, failed };

  std::string_view name;  // the key it is found by
  NameKind kind = NameKind::let;
  State state = State::waiting;
  Place place;
  Definition definition;
  Thing thing;

  /// The function of this name, or nullptr.
  const syntax::Let* function() const;
};

/// What the model around a part gives to one of its parameters, sizes or inputs: a value, or, for a
/// parameter, another part or a function.
struct Given {
  Value value;
  Place place;
  Instance* part = nullptr;
  FunctionOf function = {};
  bool in_si = false;                      // its numbers are not in the declared unit
  std::shared_ptr<const Postponed> later;  // of an input that depends on the part itself
};

/// One model, or one part of one, with its prefix ("arm[2].").
struct Instance {
  const syntax::Model* model = nullptr;
  const Instance* parent = nullptr;
  /// Of a controller: the mechanism, whose names it uses beside its own.
  Instance* around = nullptr;
  Place use;  // where the part is made
  std::string prefix;
  std::string directory;  // of the file the model is in, with a slash at the end, or ""
  int depth = 0;
  std::unordered_map<std::string, Entry> names;
  std::map<std::string, Given> given;
  const syntax::Part* made_by = nullptr;  // the statement, null for the model that runs
  long index = 0;                         // of a part of an array
  std::vector<std::unique_ptr<Instance>> parts;
  Instance* carried_by = nullptr;  // of a fixed link: the link whose inertia contains its own
  std::vector<Instance*> carries;
};

/// A loop index or a function's argument, and those around it.
struct Local {
  std::string_view name;
  Thing thing;
  const Local* outer = nullptr;
};

/// Where an expression is evaluated.
struct Scope {
  Instance* instance = nullptr;
  std::string context;  // "constraint 'cable'", for messages
  const Local* locals = nullptr;
  bool command_line = false;  // relative file names start in the current folder

  const Thing* local(std::string_view name) const;
  Scope in(std::string new_context) const {
    return {instance, std::move(new_context), locals, command_line};
  }
};

/// An expression that is evaluated when all names have a meaning.
struct Postponed {
  syntax::ExpressionPtr value;
  Scope scope;                // but for its locals
  std::vector<Local> locals;  // the innermost first
};

}  // namespace daedal::model
