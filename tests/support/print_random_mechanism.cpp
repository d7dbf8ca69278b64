// Prints the random mechanism of a seed as a model:      print_random_mechanism 17 > random.daedal
#include "support/random_mechanism.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::fputs(daedal::test::random_mechanism(std::strtoull(argv[1], nullptr, 10)).text.c_str(),
             stdout);
  return 0;
}
