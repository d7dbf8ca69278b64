#include "support/tested_program.hpp"

namespace daedal::test {

const char* const tested_program = DAEDAL_PROGRAM;

}  // namespace daedal::test
