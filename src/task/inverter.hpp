// One inversion in progress.
#pragma once

#include "daedal/task/invert.hpp"
#include "inversion.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

enum class InversionMethod : std::uint8_t {
  series,    // jets where the inverse is flat, Taylor series where it is minimum phase
  stepping,  // a method of fixed step
  stable,    // the bounded solution of a boundary value problem
  receding,  // the same sample by sample
};

class Inverter {
 public:
  Inverter(const Model& model, const InvertOptions& options);

  Inversion invert();
  /// Why there are no inputs: the message, the zeros as far as they are known, the alternatives.
  emit::Report refusal(const std::vector<Diagnostic>& why) const;

  /// Parts of it, for questions about the inverse model alone.
  void redefine();
  void find_class();
  const Inversion::Details& details() const { return *details_; }
  Inversion& answer() { return answer_; }

 private:
  void settle_options();
  void share_inputs();
  void finish_sharing();
  InversionMethod method() const;
  void find_rows();
  void prove();
  void judge();
  std::string verdict() const;
  void warn(const std::vector<Diagnostic>& warnings);

  const InvertOptions& asked_;
  Inversion answer_;
  std::shared_ptr<Inversion::Details> details_;
  std::optional<Model> other_plant_;
};

}  // namespace task
}  // namespace daedal
