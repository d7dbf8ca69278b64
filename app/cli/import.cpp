// daedal import: a robot description as model text.
#include "commands.hpp"
#include "daedal/model/load_robot.hpp"
#include "pipeline.hpp"
#include "show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace daedal::cli {

int import_robot(const Arguments& a) {
  const robots::ImportedRobot robot =
      model::load_robot(a.file, {.base = a.base == "free"    ? robots::Base::free
                                         : a.base == "fixed" ? robots::Base::fixed
                                                             : robots::Base::unstated,
                                 .motors = a.motors == "all"});
  print_warnings(a, robot.notes);
  if (a.json)
    print_json({{"text", robot.text}});
  else
    fmt::print("{}", robot.text);
  return 0;
}

}  // namespace daedal::cli
