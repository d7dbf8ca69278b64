// A file being written.
//
// It is written beside its place, under a name that nothing had before, and takes its place at the end: a full disk, a
// crash or an interruption (stop_point() between two texts) leaves the earlier file alone. A file with further hard links, or of
// another owner, keeps them: its content is replaced instead, once the new one is complete. Standard output, devices and pipes are
// written to directly, and to the end.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace daedal::emit {

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  enum class Way { direct, rename, in_place };

  void discard() const;

  std::string path_;           // as messages call it
  std::string target_, part_;  // where it goes, links resolved; where it is written first
  Way way_ = Way::direct;
  std::FILE* file_ = nullptr;
};

}  // namespace daedal::emit
