// A file and what it imports, each file once, imports before their importers.
#include "daedal/language/lexer.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/load_robot.hpp"
#include "daedal/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace daedal::model {

using syntax::File;
using syntax::Import;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t max_file_size = 64 * mebibyte;  // a model is text that somebody wrote

/// The text of a file, or why there is none.
struct FileText {
  std::string text, fault;
};

// Stops one block beyond the limit: a device file has no end.
std::string read_at_most(std::istream& stream, std::size_t limit) {
  std::string text, block(std::size_t{1} << 16, '\0');
  while (stream && text.size() <= limit) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

/// `named_by_user`: the command line may name a pipe or a device, as in  daedal check <(generate).  What a text
/// imports is a file: opening a pipe would wait for ever, and opening a device may do something.
FileText read_file(const fs::path& path, bool named_by_user) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return {{}, "it is a directory"};
  if (!named_by_user && fs::exists(status) && !fs::is_regular_file(status))
    return {{}, "it is not a regular file"};
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return {{}, errno != 0 ? std::strerror(errno) : "it cannot be opened"};
  std::string text = read_at_most(stream, max_file_size);
  if (stream.bad()) return {{}, "it cannot be read"};
  if (text.size() > max_file_size) {
    return {{}, fmt::format("it is larger than {} MiB", max_file_size / mebibyte)};
  }
  return {std::move(text), {}};
}

// One name for a file, however it was reached.
std::string identity(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return (error ? path.lexically_normal() : canonical).string();
}

class Loader {
 public:
  void load_root(const std::string& path) {
    FileText file = read_file(path, true);
    if (!file.fault.empty()) {
      throw ModelError(
          {Severity::error, {}, fmt::format("cannot read '{}': {}", path, file.fault), {}, {}});
    }
    load(path, identity(path), std::move(file.text), {});
  }

  void load_text(const std::string& name, std::string text) {
    load(name, name, std::move(text), {});
  }

  Library finish() {
    report_doubled_models();
    diagnostics_.throw_if_errors();
    const bool empty = std::all_of(library_.files.begin(), library_.files.end(),
                                   [](const File& file) { return file.models.empty(); });
    if (empty) {
      diagnostics_.error({library_.files.back().source, 0, 0, 0}, "there is no model in this file",
                         "start a model with a line such as  model pendulum");
      diagnostics_.throw_if_errors();
    }
    return std::move(library_);
  }

 private:
  void load(const fs::path& path, const std::string& id, std::string text,
            const std::vector<syntax::ImportOption>& options) {
    auto source = std::make_shared<const SourceFile>(path.string(), std::move(text));
    if (robots::is_robot_description(path.string())) return load_robot(source, id, options);
    for (const syntax::ImportOption& option : options)
      diagnostics_.error(
          option.place,
          fmt::format("a model is imported without options, such as '{}'", option.name),
          "they are for robot descriptions (.urdf)");
    File file = parse(std::move(source), diagnostics_);
    open_.push_back({id, path.string()});
    for (const Import& wanted : file.imports) import(wanted, path.parent_path());
    open_.pop_back();
    loaded_.insert(id);
    library_.files.push_back(std::move(file));
  }

  /// Faults have their places in the description; what is wrong with the model made of it, in the text of that model.
  void load_robot(const std::shared_ptr<const SourceFile>& source, const std::string& id,
                  const std::vector<syntax::ImportOption>& given) {
    loaded_.insert(id);
    try {
      robots::ImportedRobot robot = robots::import_robot(source, robot_options(given));
      File file = parse(std::make_shared<const SourceFile>(source->path() + " (as a model)",
                                                           std::move(robot.text)),
                        diagnostics_);
      file.notes = std::move(robot.notes);
      library_.files.push_back(std::move(file));
    } catch (const ModelError& faults) {
      for (const Diagnostic& fault : faults.diagnostics()) diagnostics_.add(fault);
      library_.files.push_back({source, {}, {}, {}});
    }
  }

  robots::ImportOptions robot_options(const std::vector<syntax::ImportOption>& given) {
    robots::ImportOptions options;
    for (const syntax::ImportOption& option : given) {
      const bool free = option.value == "free", fixed = option.value == "fixed";
      if (option.name == "base" && (free || fixed))
        options.base = free ? robots::Base::free : robots::Base::fixed;
      else if (option.name == "motors" && (option.value == "none" || option.value == "all"))
        options.motors = option.value == "all";
      else if (option.name == "base" || option.name == "motors")
        diagnostics_.error(
            option.value_place, fmt::format("'{}' cannot be '{}'", option.name, option.value),
            option.name == "base" ? "it is  free  or  fixed" : "it is  all  or  none");
      else
        diagnostics_.error(option.place,
                           fmt::format("a robot is imported without an option '{}'", option.name),
                           "the options are  base  and  motors");
    }
    return options;
  }

  void import(const Import& wanted, const fs::path& folder) {
    const fs::path path = folder / wanted.path;
    const std::string id = identity(path);
    if (loaded_.contains(id)) return;
    const auto same_file = [&](const OpenFile& file) { return file.id == id; };
    const auto start = std::find_if(open_.begin(), open_.end(), same_file);
    if (start != open_.end()) return report_cycle(wanted, start);
    if (open_.size() > max_nesting) {
      return diagnostics_.error(
          wanted.place, fmt::format("imports are nested deeper than {} files", max_nesting));
    }
    FileText file = read_file(path, false);
    if (!file.fault.empty()) {
      return diagnostics_.error(
          wanted.place, fmt::format("cannot import '{}': {}", path.string(), file.fault),
          "imports are searched for in the folder of the file that names them");
    }
    load(path, id, std::move(file.text), wanted.options);
  }

  struct OpenFile {
    std::string id, path;
  };

  void report_cycle(const Import& wanted, std::vector<OpenFile>::const_iterator start) {
    std::string cycle;
    for (auto it = start; it != open_.end(); ++it) cycle += it->path + " -> ";
    diagnostics_.error(wanted.place, "imports form a cycle: " + cycle + start->path,
                       "move what both need into a third file");
  }

  void report_doubled_models() {
    std::map<std::string, Place> seen;
    for (const File& file : library_.files) {
      for (const syntax::Model& model : file.models) {
        const auto [first, fresh] = seen.emplace(model.name, model.place);
        if (fresh) continue;
        diagnostics_.error(
            model.place, fmt::format("a second model is named '{}'", model.name),
            fmt::format("rename one of them; the first is at {}", first->second.text()));
      }
    }
  }

  Diagnostics diagnostics_;
  Library library_;
  std::set<std::string> loaded_;
  std::vector<OpenFile> open_;  // from the root to the file being read
};

}  // namespace

Library::Library() = default;
Library::Library(const Library&) = default;
Library::Library(Library&&) noexcept = default;
Library& Library::operator=(const Library&) = default;
Library& Library::operator=(Library&&) noexcept = default;
Library::~Library() = default;

Library load(const std::string& path) {
  Loader loader;
  loader.load_root(path);
  return loader.finish();
}

robots::ImportedRobot load_robot(const std::string& path, const robots::ImportOptions& options) {
  FileText file = read_file(path, true);
  if (!file.fault.empty()) {
    throw ModelError(
        {Severity::error, {}, fmt::format("cannot read '{}': {}", path, file.fault), {}, {}});
  }
  robots::ImportedRobot robot =
      robots::import_robot(std::make_shared<const SourceFile>(path, std::move(file.text)), options);
  Diagnostics diagnostics;
  robot.text = print(
      parse(std::make_shared<const SourceFile>(path + " (as a model)", robot.text), diagnostics));
  diagnostics.throw_if_errors();
  return robot;
}

Library load_text(std::string text, const std::string& name) {
  Loader loader;
  loader.load_text(name, std::move(text));
  return loader.finish();
}

}  // namespace daedal::model
