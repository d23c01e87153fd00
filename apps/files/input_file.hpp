// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carroll::tool {

/// A regular file or a pipe, read once from its beginning to its end. Every failure is a FileError.
class InputFile {
 public:
  /// `expected` is what the file should be, for messages.
  explicit InputFile(std::string path, std::string const& expected = "a .npy or .mtx file");
  /// One that is in memory already, part of the file at `path`.
  InputFile(std::string path, std::vector<char> content);
  ~InputFile();
  InputFile(InputFile const&) = delete;
  InputFile& operator=(InputFile const&) = delete;

  /// The next bytes, at most `bytes` of them (fewer only at the end of the file), not consumed.
  /// `bytes` must not exceed the size of the buffer, 64 KiB.
  std::string_view peek(std::size_t bytes);

  /// Consumes up to `bytes` bytes into `out`; returns how many, fewer only at the end of the file.
  std::size_t read(void* out, std::size_t bytes);

  /// Consumes `bytes` bytes of a regular file unread; the end of the file is no limit.
  void skip(std::int64_t bytes);

  /// Consumes the next line into `line`, without its end; false at the end of the file.
  bool next_line(std::string& line);

  /// Bytes not yet consumed, known for regular files only. Readers compare it with what a header
  /// promises before they allocate anything.
  [[nodiscard]] std::optional<std::int64_t> remaining() const;

  [[nodiscard]] std::string const& path() const { return path_; }

  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::size_t fill();  // reads more into the buffer; returns how many bytes came

  std::string path_;
  int descriptor_ = -1;
  std::optional<std::int64_t> size_;
  std::int64_t consumed_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace carroll::tool
