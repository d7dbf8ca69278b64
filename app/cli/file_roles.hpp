// Which files a command reads and which it writes: no output may be an input or another output.
#pragma once

#include "arguments.hpp"
#include "pipeline.hpp"

#include <string>
#include <vector>

namespace daedal::cli {

/// A file to be written and the option that requests it.
struct Written {
  std::string option, path;  // --csv, out.csv
};

/// --csv, --report and --mat, as far as they are given.
std::vector<Written> written_files(const Arguments& arguments);

/// Paths of standard output become "-". Throws ModelError where two results would go there.
void settle_standard_output(Arguments& arguments);

/// Throws ModelError where a file to be written is one that the model is read from or names, or is to be written twice: before
/// anything runs.
void refuse_overwriting(const std::vector<Written>& written, const model::Library& library,
                        const model::Overrides& overrides);

}  // namespace daedal::cli
