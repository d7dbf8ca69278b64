// One inversion, for daedal invert and for experiments.
#pragma once

#include "arguments.hpp"
#include "pipeline.hpp"
#include "report.hpp"
#include "request.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace daedal::cli {

/// Inverts and writes what was asked for: a summary under `title`, or an entry of `collect`. The exit code.
int invert_model(const Loaded& loaded, const Request& request, const Arguments& arguments,
                 const std::string& title, const Files& files, nlohmann::ordered_json* collect);

}  // namespace daedal::cli
