#include "redundancy.hpp"

#include "daedal/start/cut_joints.hpp"
#include "daedal/structure/examine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal {
inline namespace task {

namespace {

std::string advice(const solve::CutJoint& joint) {
  if (joint.text.empty())
    return fmt::format("leave out '{}' (line {}): the motion is the same without it", joint.part,
                       joint.place.line);
  return fmt::format(
      "write instead of line {}, with {} equation{} less and the same motion:\n      {}\n   ",
      joint.place.line, joint.equations_less, joint.equations_less == 1 ? "" : "s", joint.text);
}

/// The diagnostic of the joint that is replaced, else the first one.
Diagnostic& place_for(const solve::CutJoint& joint, std::vector<Diagnostic>& faults) {
  const auto own = std::find_if(faults.begin(), faults.end(), [&](const Diagnostic& d) {
    return d.message.find(fmt::format("'{}'", joint.part)) != std::string::npos;
  });
  return own != faults.end() ? *own : faults.front();
}

std::vector<Diagnostic> with_proposals(std::vector<Diagnostic> faults,
                                       const std::vector<solve::CutJoint>& joints) {
  for (const solve::CutJoint& joint : joints) {
    std::string& help = place_for(joint, faults).help;
    const std::size_t rest = help.find(", or keep ");
    const std::string or_keep = rest == std::string::npos ? "" : help.substr(rest);
    help = advice(joint) + (joint.text.empty() || or_keep.empty() ? or_keep : or_keep.substr(1));
  }
  return faults;
}

Diagnostic not_looked_for(const derive::Dae& dae, const ModelError& why) {
  const Diagnostic& first = why.diagnostics().front();
  return {Severity::warning,
          first.place,
          fmt::format("model '{}': whether constraints are redundant was not examined, since no "
                      "start was found",
                      dae.model->name),
          {first.message},
          first.help};
}

}  // namespace

void with_cut_joints(const Model& model, const std::function<void()>& work) {
  try {
    work();
  } catch (const solve::RedundantConstraintsError& error) {
    throw ModelError(
        with_proposals(error.diagnostics(), solve::cut_joints(model.library(), model.overrides())));
  }
}

Independent independent_constraints(const Model& model, const Mechanism& mechanism,
                                    solve::RedundantConstraints allowed) {
  Independent result{mechanism.dae, {}, {}};
  if (mechanism.model->constraints.empty()) return result;
  solve::PrepareOptions options;
  options.redundant_constraints = allowed;
  with_cut_joints(model, [&] {
    try {
      solve::Prepared prepared = solve::prepare(mechanism.dae, {}, options);
      result = {prepared.dae, std::move(prepared.start.warnings), std::move(prepared.shared)};
    } catch (const solve::RedundantConstraintsError&) {
      throw;
    } catch (const ModelError& error) {
      try {
        structure::examine(mechanism.dae, {.derivative_array = false});
      } catch (const ModelError&) {
        throw ModelError(error.diagnostics());  // no equations to count
      }
      result.warnings.push_back(not_looked_for(*mechanism.dae, error));
    }
  });
  return result;
}

}  // namespace task
}  // namespace daedal
