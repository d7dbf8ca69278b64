// daedal docs: where the documentation is on this machine.
#include "commands.hpp"
#include "library.hpp"
#include "request.hpp"
#include "show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace daedal::cli {

int show_docs(const Arguments& a) {
  const auto page = site_page();
  if (!page)
    fault({}, "the documentation is not installed on this machine",
          "build it:  cmake --build --preset release --target site");
  if (a.json)
    print_json({{"page", page->string()}});
  else
    fmt::print("{}\n", page->string());
  return 0;
}

}  // namespace daedal::cli
