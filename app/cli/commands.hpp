// The commands. Each returns the exit code: 0 done, 1 the answer is "no" or did not converge; bad input is thrown as
// ModelError and becomes 2.
#pragma once

#include "arguments.hpp"

namespace daedal::cli {

int check(const Arguments& arguments);
int explain(const Arguments& arguments);
int analyse(const Arguments& arguments);
int simulate(const Arguments& arguments);
int control(const Arguments& arguments);
int invert(const Arguments& arguments);
int compare(const Arguments& arguments);
int export_code(const Arguments& arguments);
int run_experiments(const Arguments& arguments);
int new_model(const Arguments& arguments);
int import_robot(const Arguments& arguments);
int list_models(const Arguments& arguments);
int show_docs(const Arguments& arguments);

}  // namespace daedal::cli
