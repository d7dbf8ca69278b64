// The program that the tests of the command line run: that of the build tree they are linked in.
#pragma once

namespace daedal::test {

extern const char* const tested_program;

}  // namespace daedal::test
