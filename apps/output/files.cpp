// SPDX-License-Identifier: BSD-3-Clause
#include "output/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "files/file_error.hpp"

namespace carroll::tool {

namespace {

constexpr std::array ending_signals = {SIGHUP, SIGINT, SIGTERM};

/// Names of the temporary files, for the signal handler, which may touch nothing but atomics.
std::array<std::atomic<char const*>, OutputFiles::most_files> temporaries{};
static_assert(std::atomic<char const*>::is_always_lock_free);

extern "C" void remove_temporaries_and_die(int signal) {
  OutputFiles::remove_temporaries();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::string directory_of(std::string const& path) {
  auto const slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// In the directory of `path`, so that the rename stays within one file system; hidden, so that
/// a pattern such as *.npy does not match it.
std::string temporary_name(std::string const& path, int attempt) {
  auto const slash = path.rfind('/');
  std::size_t const name = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(::getpid()) + "-" +
         std::to_string(attempt) + ".tmp";
}

[[noreturn]] void fail(std::string const& path, int error) {
  throw FileError(path, "cannot be written: " + system_message(error));
}

/// 0, or the number of the error.
int write_all(int descriptor, char const* bytes, std::size_t count) {
  while (count > 0) {
    auto const written = ::write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

OutputFiles::OutputFiles() {
  for (int const signal : ending_signals) {
    // A signal that is ignored, as under nohup, stays ignored.
    if (std::signal(signal, remove_temporaries_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

OutputFiles::~OutputFiles() {
  for (auto const& file : files_) ::unlink(file.temporary.c_str());
  for (auto& name : temporaries) name.store(nullptr);
}

void OutputFiles::remove_temporaries() noexcept {
  for (auto const& name : temporaries) {
    if (char const* const path = name.load(); path != nullptr) ::unlink(path);
  }
}

void OutputFiles::check(std::string const& path, std::vector<std::string> const& inputs) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) fail(path, EISDIR);
  std::string const directory = directory_of(path);
  if (::stat(directory.c_str(), &status) != 0) fail(path, errno);
  if (!S_ISDIR(status.st_mode)) fail(path, ENOTDIR);
  if (::access(directory.c_str(), W_OK | X_OK) != 0) fail(path, errno);
  for (auto const& input : inputs) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, input, ignored))
      throw FileError(path, "is the input; choose another prefix");
  }
}

void OutputFiles::write(std::string const& path, std::string_view header,
                        std::span<std::byte const> data) {
  // All memory is taken before the file exists, so that none is left behind when there is none.
  files_.reserve(most_files);
  File file{path, {}};
  int descriptor = -1;
  for (int attempt = 0; descriptor < 0; ++attempt) {
    file.temporary = temporary_name(path, attempt);
    descriptor = ::open(file.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST && errno != EINTR) fail(path, errno);
  }
  files_.push_back(std::move(file));
  temporaries.at(files_.size() - 1).store(files_.back().temporary.c_str());

  int error = write_all(descriptor, header.data(), header.size());
  if (error == 0) {
    error = write_all(descriptor, reinterpret_cast<char const*>(data.data()), data.size());
  }
  // Some file systems allocate late: only fsync and close tell that the disk is full.
  if (error == 0 && ::fsync(descriptor) != 0 && errno != EINVAL) error = errno;
  if (::close(descriptor) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error != 0) fail(path, error);
}

void OutputFiles::commit() {
  for (std::size_t k = 0; k < files_.size(); ++k) {
    if (std::rename(files_[k].temporary.c_str(), files_[k].path.c_str()) != 0) {
      int const error = errno;
      for (std::size_t done = 0; done < k; ++done) ::unlink(files_[done].path.c_str());
      fail(files_[k].path, error);
    }
  }
  for (auto& name : temporaries) name.store(nullptr);
  files_.clear();
}

}  // namespace carroll::tool
