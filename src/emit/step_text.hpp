// The text of an exported stepper: stepper/stepper.cpp and stepper/signal_transition.cpp in C; NAME and the like are filled in.
#pragma once

namespace daedal::emit {

extern const char* const step_header;
extern const char* const transition_state;  // in its struct
extern const char* const step_driver;
extern const char* const predict_text;
extern const char* const linear_predict_text;
extern const char* const hold_text;
extern const char* const second_guess_text;
extern const char* const init_transition_text;
extern const char* const transition_text;  // where signals are differentiated
extern const char* const follow_text;      // elsewhere
extern const char* const step_in_transition_text;
extern const char* const step_text;

}  // namespace daedal::emit
