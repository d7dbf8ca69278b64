// A controller with a clock as one C99 function: measurements in, commands out; no allocation, bounded time.
//
// A step is what solve::SampledRun does at a sample, with the same operations in the same order: the same bits. What a `measure`
// line states is the sensor's, noise, lost samples and filters in it included; the function gets what it delivers.
#pragma once

#include "daedal/emit/c_code.hpp"
#include "daedal/model/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace daedal::emit {

struct CController {
  CCode code;
  std::vector<std::string> measured, commands;  // arguments, in order
  std::size_t tables = 0;                       // of time: the desired motion of `path`
};

/// `name` is a C identifier, the prefix of everything. Throws ModelError: a controller without a clock, random numbers outside
/// its measure lines, observers whose models are too large to be written out.
CController c_controller(const model::Model& model, const model::Controller& controller,
                         const std::string& name);

/// What its sensors would measure without noise, as results of the mechanism: the arguments of the function, flags aside. Throws
/// ModelError where a sensor remembers: filters, delays, lost samples.
CResults c_sensed(const model::Model& model, const model::Controller& controller);

}  // namespace daedal::emit
