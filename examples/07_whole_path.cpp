// The whole path for any class of model: load, analyse, invert, report. Flat, minimum phase or not: the call is the same.
#include <daedal/daedal.hpp>

#include <iostream>

int main(int count, char** arguments) {
  for (int k = 1; k < count; ++k) {
    const daedal::Model model = daedal::load(arguments[k]);
    std::cout << model.name() << ": " << daedal::analyse(model, {.free = {"all"}}).verdict << "\n";
    const daedal::Inversion i = daedal::invert(model);
    std::cout << daedal::summary(i);
    daedal::write(daedal::report(i), model.name() + ".html");
    if (!i.holds) return 1;
  }
}
