// Reads a model, derives its equations and says what kind of problem they are: index, free initial values, and the
// equations that hold although nobody wrote them down. Links daedal::structure, and so no integrator.
#include <daedal/derive/dae.hpp>
#include <daedal/model/model.hpp>
#include <daedal/model/parse.hpp>
#include <daedal/structure/examine.hpp>

#include <cstdio>
#include <memory>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count != 2) return 2;
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load(arguments[1])));
  const auto dae = std::make_shared<const derive::Dae>(derive::derive(model));
  const structure::Structure structure = structure::examine(dae);
  std::printf("%s: %zu equations, index %d, %d free initial values\n", model->name.c_str(),
              dae->equations.size(), structure.index, structure.degrees_of_freedom);
  for (std::size_t i = 0; i < dae->equations.size(); ++i)
    if (structure.differentiations[i] > 0)
      std::printf("  '%s' holds with %d of its derivatives\n", dae->equations[i].name.c_str(),
                  structure.differentiations[i]);
  return structure.solvable() ? 0 : 1;
}
