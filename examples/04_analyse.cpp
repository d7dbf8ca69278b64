// Analyses a model at its equilibrium, once for each of its outputs: which of them can be inverted forwards in time?
#include <daedal/analyse/portrait.hpp>
#include <daedal/derive/dae.hpp>
#include <daedal/model/parse.hpp>

#include <cstdio>
#include <memory>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count != 2) return 2;
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load(arguments[1])));
  const auto dae = std::make_shared<const derive::Dae>(derive::derive(model));
  for (const char* output : {"tip", "joint"}) {
    analyse::PortraitOptions options;
    options.outputs = {output};
    const analyse::Portrait portrait = analyse::portrait(dae, options);
    if (!portrait.input_output || !portrait.disagreements.empty()) return 1;
    std::printf("%s against u\n", output);
    for (const analyse::Eigenvalue& zero : portrait.input_output->zeros.values)
      std::printf("  zero %.6f %+.6fi 1/s\n", zero.value.real(), zero.value.imag());
    std::printf("  %s\n", portrait.verdict.c_str());
  }
}
