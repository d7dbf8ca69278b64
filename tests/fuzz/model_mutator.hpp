// Models that are almost right: changes of a model's text that leave most of it to be understood.
//
// Bytes changed at random give texts that do not parse; numbers, names, operators and lines changed give models, with singular
// masses, constraints that contradict each other, energies of the size of a galaxy.
#pragma once

#include <random>
#include <string>

namespace daedal::fuzz {

using Chance = std::minstd_rand;

/// The text with one change: a number, a name, an operator, a function, a size or a line.
std::string changed(const std::string& text, Chance& chance);
/// The text with some lines of another one.
std::string crossed(const std::string& text, const std::string& other, Chance& chance);
/// The text with another number in its first line "# ask 123", which selects question and options.
std::string asked(const std::string& text, Chance& chance);
/// That number; 0 when there is none.
unsigned long long question_of(const std::string& text);

}  // namespace daedal::fuzz
