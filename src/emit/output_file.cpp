#include "output_file.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/emit/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace daedal::emit {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw std::runtime_error(path == "-" ? fmt::format("cannot write to standard output: {}", reason)
                                       : fmt::format("cannot write '{}': {}", path, reason));
}

/// The target of a path; nothing where there is no file yet.
struct Status {
  struct stat data = {};
  bool exists = false;

  explicit Status(const std::string& path) { exists = ::stat(path.c_str(), &data) == 0; }
  bool is_regular() const { return exists && S_ISREG(data.st_mode); }
  bool is_same(const Status& other) const {
    return data.st_dev == other.data.st_dev && data.st_ino == other.data.st_ino;
  }
};

/// Where symbolic links lead in the end, also to a file that does not exist yet.
std::string followed(const std::string& path) {
  constexpr int most_links = 40;  // as the kernel allows
  fs::path at = path;
  std::error_code error;
  for (int k = 0; k < most_links && fs::is_symlink(fs::symlink_status(at, error)); ++k) {
    const fs::path to = fs::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / to;
  }
  return at.string();
}

struct Part {
  std::string path;
  int descriptor = -1;
};

/// A new file in the folder of `target`, never an existing one: whoever may write to the folder could have put a link in its
/// place. Its name does not grow with that of the target, which may be as long as names can be.
Part new_part(const std::string& target) {
  constexpr int most_tries = 1000;
  Part part;
  for (int k = 0; k < most_tries; ++k) {
    const std::string name = fmt::format("daedal-{}-{}.part", ::getpid(), k);
    part.path = (fs::path(target).parent_path() / name).string();
    part.descriptor =
        ::open(part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (part.descriptor >= 0 || errno != EEXIST) break;
  }
  return part;
}

/// The new file that becomes `path`, with the mode of the one it replaces.
Part part_of(const std::string& path, const std::string& target, const Status& before) {
  if (before.exists && ::access(path.c_str(), W_OK) != 0) cannot_write(path, std::strerror(errno));
  const Part part = new_part(target);
  if (part.descriptor < 0) cannot_write(path, std::strerror(errno));
  constexpr mode_t permissions = 07777;
  if (before.exists && ::fchmod(part.descriptor, before.data.st_mode & permissions) != 0) {
    const int reason = errno;
    ::close(part.descriptor);
    ::unlink(part.path.c_str());
    cannot_write(path, std::strerror(reason));
  }
  return part;
}

/// Replaces the content of `to`; 0, or what was wrong.
int copy_content(const std::string& from, const std::string& to) {
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return errno;
  const int out = ::open(to.c_str(), O_WRONLY | O_CLOEXEC);
  int fault = out < 0 ? errno : 0;
  off_t size = 0;
  std::array<char, 1 << 16> block;
  while (fault == 0) {
    const ssize_t got = ::read(in, block.data(), block.size());
    if (got < 0) fault = errno;
    if (got <= 0) break;
    for (ssize_t done = 0; fault == 0 && done < got;) {
      const ssize_t written =
          ::write(out, block.data() + done, static_cast<std::size_t>(got - done));
      if (written < 0)
        fault = errno;
      else
        done += written;
    }
    size += got;
  }
  if (fault == 0 && ::ftruncate(out, size) != 0) fault = errno;
  ::close(in);
  if (out >= 0 && ::close(out) != 0 && fault == 0) fault = errno;
  return fault;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    std::fflush(stdout);
    const int descriptor = ::dup(STDOUT_FILENO);
    file_ = descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb");
    if (file_ == nullptr) cannot_write(path_, std::strerror(errno));
    return;
  }
  const Status before(path);
  if (before.exists && S_ISDIR(before.data.st_mode)) cannot_write(path_, "it is a directory");
  if (before.exists && !before.is_regular()) {
    file_ = std::fopen(path.c_str(), "wb");
    if (file_ == nullptr) cannot_write(path_, std::strerror(errno));
    return;
  }
  target_ = followed(path);
  way_ = before.exists && (before.data.st_nlink > 1 || before.data.st_uid != ::geteuid())
             ? Way::in_place
             : Way::rename;
  const Part part = part_of(path, target_, before);
  part_ = part.path;
  file_ = ::fdopen(part.descriptor, "wb");
  if (file_ == nullptr) cannot_write(path_, std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;  // finished
  std::fclose(file_);
  discard();
}

void OutputFile::write(std::string_view text) {
  if (way_ != Way::direct) stop_point();  // else what is written would be cut
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size())
    cannot_write(path_, std::strerror(errno));
}

void OutputFile::finish() {
  const bool complete = std::fclose(std::exchange(file_, nullptr)) == 0;
  int fault = complete ? 0 : errno;
  if (fault == 0 && way_ == Way::rename && std::rename(part_.c_str(), target_.c_str()) != 0)
    fault = errno;
  if (fault == 0 && way_ == Way::in_place) {
    if (const int reason = copy_content(part_, target_); reason != 0)
      cannot_write(path_, fmt::format("{}; all of it is in '{}'", std::strerror(reason), part_));
  }
  if (fault != 0 || way_ == Way::in_place) discard();
  if (fault != 0) cannot_write(path_, std::strerror(fault));
}

void OutputFile::discard() const {
  if (way_ != Way::direct) ::unlink(part_.c_str());
}

void write_text(const std::string& text, const std::string& path) {
  OutputFile output(path);
  output.write(text);
  output.finish();
}

void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const Status before(path);
  if (before.exists && S_ISDIR(before.data.st_mode)) cannot_write(path, "it is a directory");
  if (before.exists && !before.is_regular()) return;
  const Part part = part_of(path, followed(path), before);
  ::close(part.descriptor);
  ::unlink(part.path.c_str());
}

bool same_file(const std::string& a, const std::string& b) {
  const Status first(a), second(b);
  if (first.exists != second.exists) return false;
  if (first.exists) return first.is_same(second) && !S_ISCHR(first.data.st_mode);
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(followed(a), ignored), ignored) ==
         fs::weakly_canonical(fs::absolute(followed(b), ignored), ignored);
}

bool is_standard_output(const std::string& path) {
  struct stat output = {};
  const Status status(path), nowhere("/dev/null");
  return status.exists && !status.is_same(nowhere) && ::fstat(STDOUT_FILENO, &output) == 0 &&
         status.data.st_dev == output.st_dev && status.data.st_ino == output.st_ino;
}

}  // namespace daedal::emit
