#include "file_roles.hpp"

#include "daedal/emit/files.hpp"
#include "daedal/language/syntax.hpp"
#include "request.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace daedal::cli {

namespace {

[[noreturn]] void would_be_lost(const Written& written, const std::string& what) {
  fault({}, fmt::format("{} {}: this is {}, and would be lost", written.option, written.path, what),
        "give the new file another name");
}

/// What was read: a robot description becomes a model with a path of its own (model/load.cpp).
std::string path_of(const model::syntax::File& file) {
  const std::string& path = file.source->path();
  return path.substr(0, path.rfind(" (as a model)"));
}

/// The files of  spline(file = "...")  in a text: also of inputs and experiments that this run does not use.
void add_signal_files(std::vector<std::string>& files, const std::string& text,
                      const std::filesystem::path& folder) {
  const auto behind = [&](std::size_t at, char wanted) {  // blanks and that character, or npos
    at = at == text.npos ? at : text.find_first_not_of(" \t\r\n", at);
    return at != text.npos && text[at] == wanted ? at + 1 : text.npos;
  };
  const std::string word = "file";
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos;) {
    at += word.size();
    const std::size_t begin = behind(behind(at, '='), '"');
    if (begin == text.npos) continue;
    const std::size_t end = text.find_first_of("\"\n", begin);
    files.push_back((folder / text.substr(begin, end - begin)).string());
  }
}

/// Signals that the model or the command line names.
std::vector<std::string> signal_files(const model::Library& library,
                                      const model::Overrides& overrides) {
  std::vector<std::string> files;
  for (const model::syntax::File& file : library.files)
    add_signal_files(files, std::string(file.source->text()),
                     std::filesystem::path(file.source->path()).parent_path());
  for (const auto& [name, text] : overrides.inputs)
    if (text.starts_with("@"))
      files.push_back(text.substr(1));
    else
      add_signal_files(files, text, {});
  return files;
}

}  // namespace

std::vector<Written> written_files(const Arguments& a) {
  std::vector<Written> files;
  for (const Written& file :
       {Written{"--csv", a.csv}, Written{"--report", a.report}, Written{"--mat", a.questions.mat}})
    if (!file.path.empty()) files.push_back(file);
  return files;
}

void settle_standard_output(Arguments& a) {
  std::string first = a.json ? "--json" : "";
  for (std::string* path : {&a.csv, &a.report, &a.questions.mat}) {
    if (!path->empty() && emit::is_standard_output(*path)) *path = "-";
    if (*path != "-") continue;
    const std::string option = path == &a.csv      ? "--csv -"
                               : path == &a.report ? "--report -"
                                                   : "--mat -";
    if (!first.empty())
      fault({}, fmt::format("{} and {} would be mixed on standard output", first, option),
            "write one of them to a file, as in  --csv out.csv");
    first = option;
  }
}

void refuse_overwriting(const std::vector<Written>& written, const model::Library& library,
                        const model::Overrides& overrides) {
  if (written.empty()) return;
  const std::vector<std::string> signals = signal_files(library, overrides);
  for (std::size_t k = 0; k < written.size(); ++k) {
    const Written& one = written[k];
    if (one.path == "-") continue;
    for (const model::syntax::File& file : library.files)
      if (emit::same_file(one.path, path_of(file)))
        would_be_lost(one, &file == &library.files.back()
                               ? "the model file"
                               : fmt::format("a file that the model imports, '{}'", path_of(file)));
    for (const std::string& path : signals)
      if (emit::same_file(one.path, path))
        would_be_lost(one, fmt::format("the file of a signal, '{}'", path));
    for (std::size_t j = 0; j < k; ++j)
      if (emit::same_file(one.path, written[j].path))
        fault({},
              fmt::format("{} {} and {} {} are the same file", written[j].option, written[j].path,
                          one.option, one.path),
              "give each of them a name of its own");
  }
}

}  // namespace daedal::cli
