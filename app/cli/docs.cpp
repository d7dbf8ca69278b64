// daedal docs: opens the documentation on this machine; where there is no display, prints its path.
#include "commands.hpp"
#include "library.hpp"
#include "request.hpp"
#include "show.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>

namespace daedal::cli {

int show_docs(const Arguments& a) {
  const auto page = site_page();
  if (!page)
    fault({}, "the documentation is not installed on this machine",
          "build it:  cmake --build --preset release --target site");
  std::string path = page->string();
  if (a.json)
    print_json({{"page", path}});
  else
    fmt::print("{}\n", path);
  if (a.json || ::isatty(STDOUT_FILENO) != 1) return 0;
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return 0;
  std::string program = "xdg-open";  // the browser goes on when this program ends
  char* const command[] = {program.data(), path.data(), nullptr};
  ::posix_spawnp(nullptr, program.data(), nullptr, nullptr, command, environ);
  return 0;
}

}  // namespace daedal::cli
