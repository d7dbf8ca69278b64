// A controller while it is added to a model.
#pragma once

#include "daedal/model/designer.hpp"
#include "daedal/model/instance.hpp"
#include "daedal/model/model.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace daedal::model {

/// What a command becomes some time after its sample.
struct Late {
  expr::Expr value;
  double time = 0;  // [s]
  Place place;
};

/// An entry of what is measured: for observers.
struct Seen {
  std::string name;
  expr::Expr quantity;            // of the mechanism, without noise and filters
  expr::SymbolId held = 0;        // what the controller knows
  std::vector<expr::Expr> noise;  // standard deviations of independent noises in it
  expr::SymbolId fresh = 0;       // holds 0 where the sample is lost or old; 0: always new
  std::string filtered;           // by which block, that changes what is measured; "" none
  std::string output;             // of the model, as it is named there; "" something else
};

struct ActiveController {
  const syntax::Controller* text = nullptr;
  Controller made;
  std::set<std::string> inputs;        // that it commands, as its text names them
  std::vector<std::string> commanded;  // entries of them, in the order of the text
  std::unique_ptr<Instance> instance;
  bool measures = false;                   // it knows what it measures, and nothing else
  std::set<std::string> faulty;            // measured quantities whose fault was reported
  std::map<std::string, Value> channels;   // by the text of the quantity: "x_T", "cable.force"
  std::map<expr::Leaf, expr::Expr> known;  // leaves of the mechanism, as they are measured
  std::map<expr::SymbolId, Late> late;     // by the symbol that stands for it
  /// What remembers the commands of 1, 2, ... samples ago, by input: for a filter that knows that they act late.
  std::map<expr::SymbolId, std::vector<expr::Expr>> issued;
  std::map<std::string, int> counts;  // of names made up: "lowpass" -> 2
  /// Start values of states of continuous blocks: what their inputs are at the start of the mechanism.
  std::vector<std::pair<expr::SymbolId, expr::Expr>> starts;
  std::vector<Seen> seen;
  std::vector<Value> item_noise;  // of the item that is measured
  expr::SymbolId item_fresh = 0;  // of that
  std::string item_filtered;      // of that
  /// inverse.x: by name of an unknown of the inverse model its value and derivatives at a sample.
  std::map<std::string, std::vector<expr::Expr>> stepped;
  bool ideal = false;      // what is evaluated is a measurement by an ideal sensor
  bool measuring = false;  // what is evaluated is measured: quantities are those of the mechanism
};

}  // namespace daedal::model
