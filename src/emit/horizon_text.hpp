// The C of a receding horizon that is the same for every model; NAME and the like are filled in by c_horizon.cpp.
#pragma once

namespace daedal::emit {

extern const char* const horizon_header;  // the .h file
extern const char* const
    horizon_driver;  // the end of the .c file, after the tables and equations of the model

}  // namespace daedal::emit
