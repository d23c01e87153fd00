// SPDX-License-Identifier: BSD-3-Clause
#include "files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "files/file_error.hpp"

namespace carroll::tool {

namespace {
constexpr std::size_t buffer_size = 64 * 1024;
}

InputFile::InputFile(std::string path, std::string const& expected) : path_(std::move(path)) {
  // O_NONBLOCK would keep a FIFO without a writer from blocking, but the writer of a shell's
  // process substitution may well come late: waiting is what its user wants.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(system_message(errno));
  struct stat status {};
  std::string refusal;
  if (::fstat(descriptor_, &status) != 0) {
    refusal = "cannot be examined";
  } else if (S_ISDIR(status.st_mode)) {
    refusal = "is a directory, expected " + expected;
  } else if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    refusal = "is a device, expected " + expected;
  }
  if (!refusal.empty()) {
    ::close(descriptor_);
    fail(refusal);
  }
  if (S_ISREG(status.st_mode)) size_ = status.st_size;
  buffer_.resize(buffer_size);
}

InputFile::InputFile(std::string path, std::vector<char> content)
    : path_(std::move(path)),
      size_(static_cast<std::int64_t>(content.size())),
      buffer_(std::move(content)),
      end_(buffer_.size()) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t InputFile::fill() {
  if (descriptor_ < 0) return 0;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  for (;;) {
    auto const got = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
    if (got >= 0) {
      end_ += static_cast<std::size_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) fail("cannot be read: " + system_message(errno));
  }
}

std::string_view InputFile::peek(std::size_t bytes) {
  while (end_ - begin_ < bytes && fill() > 0) {
  }
  return {buffer_.data() + begin_, std::min(bytes, end_ - begin_)};
}

std::size_t InputFile::read(void* out, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    if (begin_ == end_ && fill() == 0) break;
    std::size_t const part = std::min(bytes - done, end_ - begin_);
    std::memcpy(static_cast<char*>(out) + done, buffer_.data() + begin_, part);
    begin_ += part;
    done += part;
  }
  consumed_ += static_cast<std::int64_t>(done);
  return done;
}

void InputFile::skip(std::int64_t bytes) {
  auto const buffered = std::min<std::int64_t>(bytes, static_cast<std::int64_t>(end_ - begin_));
  begin_ += static_cast<std::size_t>(buffered);
  consumed_ += bytes;
  if (bytes > buffered && ::lseek(descriptor_, bytes - buffered, SEEK_CUR) < 0)
    fail("cannot be read: " + system_message(errno));
}

bool InputFile::next_line(std::string& line) {
  line.clear();
  bool any = false;
  while (begin_ != end_ || fill() > 0) {
    any = true;
    char const* const from = buffer_.data() + begin_;
    void const* const newline = std::memchr(from, '\n', end_ - begin_);
    std::size_t const part =
        newline != nullptr ? static_cast<std::size_t>(static_cast<char const*>(newline) - from)
                           : end_ - begin_;
    line.append(from, part);
    std::size_t const taken = part + (newline != nullptr ? 1 : 0);
    begin_ += taken;
    consumed_ += static_cast<std::int64_t>(taken);
    if (newline != nullptr) break;
  }
  return any;
}

std::optional<std::int64_t> InputFile::remaining() const {
  if (!size_) return std::nullopt;
  return std::max<std::int64_t>(0, *size_ - consumed_);
}

void InputFile::fail(std::string_view what) const {
  throw FileError(path_, what);
}

}  // namespace carroll::tool
