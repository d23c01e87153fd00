// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/input_file.hpp"

namespace carroll::tool {

/// The words of a Matrix Market file, line by line, without comments and blank lines.
class MatrixMarketLines {
 public:
  explicit MatrixMarketLines(InputFile& file) : file_(file) {}

  /// The words of the first line, in lower case. It alone begins with %%.
  std::vector<std::string> banner();

  /// Moves on to the next line that has words; false at the end of the file.
  bool next();
  [[nodiscard]] std::vector<std::string_view> const& words() const { return words_; }

  /// Of the current line, from 1.
  [[nodiscard]] std::int64_t number() const { return number_; }

  /// `word` as an extent, a count or an index. `what` names it in the message of the FileError.
  [[nodiscard]] std::int64_t whole_number(std::string_view word, std::string_view what) const;
  /// `word` as a value; with `integer` only whole numbers pass.
  [[nodiscard]] double value(std::string_view word, bool integer) const;

  /// FileError that begins with the number of the current line.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void split();

  InputFile& file_;
  std::int64_t number_ = 0;
  std::string line_;
  std::vector<std::string_view> words_;  // into line_
};

}  // namespace carroll::tool
