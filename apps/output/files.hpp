// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carroll::tool {

/// Files that appear together or not at all. Each is written to a temporary file in the directory
/// where it belongs; commit() renames them all. Whatever has not been committed is removed by the
/// destructor, and when SIGINT, SIGTERM or SIGHUP ends the process. Use one object at a time.
class OutputFiles {
 public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(OutputFiles const&) = delete;
  OutputFiles& operator=(OutputFiles const&) = delete;

  /// FileError when a file at `path` could not be created, as far as that can be told before the
  /// work begins: no such directory, no permission, a directory of that name, or one of the inputs.
  static void check(std::string const& path, std::vector<std::string> const& inputs = {});

  /// Writes `header`, then `data`, to the temporary file for `path`, down to the disk. FileError
  /// when that fails, for instance because the disk is full. At most `most_files` files.
  void write(std::string const& path, std::string_view header, std::span<std::byte const> data);

  /// Gives every file its name. When one cannot have it, those before it are removed again.
  void commit();

  /// What the destructor would do, for a process that ends without: nothing but atomics is touched.
  static void remove_temporaries() noexcept;

  static constexpr std::size_t most_files = 1024;

 private:
  struct File {
    std::string path;
    std::string temporary;
  };
  std::vector<File> files_;
};

}  // namespace carroll::tool
