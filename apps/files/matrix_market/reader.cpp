// SPDX-License-Identifier: BSD-3-Clause
#include "files/matrix_market/reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "files/limits.hpp"
#include "files/matrix_market/lines.hpp"

namespace carroll::tool {

namespace {

struct Banner {
  bool coordinate = false;
  bool integer = false;
  bool pattern = false;
  bool symmetric = false;       // symmetric or skew-symmetric
  bool skew_symmetric = false;  // A(j, i) = -A(i, j), nothing on the diagonal
};

Banner read_banner(MatrixMarketLines& lines) {
  auto const words = lines.banner();
  if (words.empty() || words[0] != "%%matrixmarket") {
    lines.fail("does not begin with %%MatrixMarket");
  }
  if (words.size() != 5) {
    lines.fail("has " + count_text(std::ssize(words), "word") +
               ", expected 5: %%MatrixMarket matrix FORMAT FIELD SYMMETRY");
  }
  if (words[1] != "matrix") lines.fail("holds a '" + words[1] + "', expected a matrix");
  Banner banner;
  banner.coordinate = words[2] == "coordinate";
  if (!banner.coordinate && words[2] != "array") {
    lines.fail("format '" + words[2] + "', expected array or coordinate");
  }
  banner.integer = words[3] == "integer";
  banner.pattern = words[3] == "pattern";
  // "double" is no official name of a field, but files in circulation have it for real.
  if (!banner.integer && !banner.pattern && words[3] != "real" && words[3] != "double") {
    lines.fail("field '" + words[3] + "', expected real, integer or pattern");
  }
  if (banner.pattern && !banner.coordinate) {
    lines.fail("pattern needs the coordinate format, this file has array");
  }
  banner.skew_symmetric = words[4] == "skew-symmetric";
  banner.symmetric = banner.skew_symmetric || words[4] == "symmetric";
  if (!banner.symmetric && words[4] != "general") {
    lines.fail("symmetry '" + words[4] + "', expected general, symmetric or skew-symmetric");
  }
  if (banner.pattern && banner.skew_symmetric) {
    lines.fail("a pattern has no signs and cannot be skew-symmetric");
  }
  return banner;
}

struct Size {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;
};

Size read_size(MatrixMarketLines& lines, InputFile const& file, Banner const& banner,
               std::int64_t item_size) {
  if (!lines.next()) file.fail("ends before the line with the size of the matrix");
  auto const& words = lines.words();
  std::size_t const expected = banner.coordinate ? 3 : 2;
  if (words.size() != expected) {
    lines.fail("has " + count_text(std::ssize(words), "word") + ", expected " +
               (banner.coordinate ? "3: rows, columns and entries" : "2: rows and columns"));
  }
  Size size;
  size.rows = lines.whole_number(words[0], "the number of rows");
  size.cols = lines.whole_number(words[1], "the number of columns");
  if (size.rows < 0 || size.cols < 0) lines.fail("a matrix cannot have a negative size");
  if (banner.symmetric && size.rows != size.cols) {
    lines.fail("a symmetric matrix must be square, this one is " +
               extents_text(size.rows, size.cols));
  }
  check_extents(file, size.rows, size.cols, item_size);
  if (banner.coordinate) {
    size.entries = lines.whole_number(words[2], "the number of entries");
    if (size.entries < 0) lines.fail("the number of entries cannot be negative");
  } else if (!banner.symmetric) {
    size.entries = size.rows * size.cols;
  } else if (banner.skew_symmetric) {
    size.entries = size.rows > 0 ? size.rows * (size.rows - 1) / 2 : 0;
  } else {
    size.entries = size.rows * (size.rows + 1) / 2;
  }
  return size;
}

/// What entries are read as: integers as they are, everything else in double precision first.
template <class Number>
using ReadAs = std::conditional_t<std::is_same_v<Number, std::int64_t>, std::int64_t, double>;

template <class Value>
struct Entry {
  std::int32_t row;  // counted from 0
  std::int32_t col;
  Value value;
};

template <class Value>
Value read_value(MatrixMarketLines const& lines, std::string_view word, bool integer) {
  if constexpr (std::is_same_v<Value, double>) {
    return lines.value(word, integer);
  } else {
    if (integer) return lines.whole_number(word, "the entry");
    // Larger numbers may have been rounded.
    double const value = lines.value(word, integer);
    if (!(std::fabs(value) <= 0x1p53) || value != std::floor(value)) {
      lines.fail("the entry '" + std::string(word.substr(0, 40)) +
                 "' is no integer of up to 2^53, which --exact needs");
    }
    return static_cast<std::int64_t>(value);
  }
}

[[noreturn]] void fail_too_many(MatrixMarketLines const& lines, Size const& size) {
  lines.fail("more entries than the " + std::to_string(size.entries) + " that were announced");
}

[[noreturn]] void fail_too_few(InputFile const& file, Size const& size, std::int64_t found) {
  file.fail("is truncated: it has " + std::to_string(found) + " entries, expected " +
            std::to_string(size.entries));
}

std::int32_t read_index(MatrixMarketLines const& lines, std::string_view word, char const* what,
                        std::int64_t extent) {
  auto const index = lines.whole_number(word, what);
  if (index < 1 || index > extent) {
    lines.fail(std::string(what) + " " + std::to_string(index) + " is outside 1 to " +
               std::to_string(extent));
  }
  return static_cast<std::int32_t>(index - 1);
}

/// The dense matrix is allocated by the caller only after all announced entries were found:
/// a size line that lies costs no more memory than the file is long.
template <class Value>
std::vector<Entry<Value>> read_coordinates(MatrixMarketLines& lines, InputFile const& file,
                                           Banner const& banner, Size const& size) {
  std::vector<Entry<Value>> entries;
  std::size_t const expected = banner.pattern ? 2 : 3;
  while (lines.next()) {
    auto const& words = lines.words();
    if (std::ssize(entries) == size.entries) fail_too_many(lines, size);
    if (words.size() != expected) {
      lines.fail("has " + count_text(std::ssize(words), "word") + ", expected " +
                 (banner.pattern ? "2: row and column" : "3: row, column and value"));
    }
    Entry<Value> entry{};
    entry.row = read_index(lines, words[0], "row", size.rows);
    entry.col = read_index(lines, words[1], "column", size.cols);
    entry.value = banner.pattern ? Value(1) : read_value<Value>(lines, words[2], banner.integer);
    if (banner.symmetric && entry.col > entry.row) {
      lines.fail("an entry above the diagonal; a symmetric file holds the lower triangle");
    }
    if (banner.skew_symmetric && entry.col == entry.row) {
      lines.fail("an entry on the diagonal, which a skew-symmetric file does not hold");
    }
    entries.push_back(entry);
  }
  if (std::ssize(entries) < size.entries) fail_too_few(file, size, std::ssize(entries));
  return entries;
}

template <class Value>
std::vector<Value> read_array(MatrixMarketLines& lines, InputFile const& file, Banner const& banner,
                              Size const& size) {
  std::vector<Value> values;
  while (lines.next()) {
    for (auto const word : lines.words()) {
      if (std::ssize(values) == size.entries) fail_too_many(lines, size);
      values.push_back(read_value<Value>(lines, word, banner.integer));
    }
  }
  if (std::ssize(values) < size.entries) fail_too_few(file, size, std::ssize(values));
  return values;
}

/// The matrix being put together, with the mirror image of a symmetric one.
template <class Number>
class Assembly {
 public:
  Assembly(InputFile const& file, Banner const& banner, Size const& size)
      : file_(file),
        banner_(banner),
        A_{size.rows, size.cols,
           std::vector<Number>(static_cast<std::size_t>(size.rows * size.cols))} {}

  void add(std::int64_t i, std::int64_t j, ReadAs<Number> value) {
    if constexpr (std::is_same_v<Number, float>) {
      if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max()) {
        file_.fail("has an entry beyond single precision in row " + std::to_string(i + 1) +
                   ", column " + std::to_string(j + 1) + "; --precision double can hold it");
      }
    }
    add_to(i, j, value, false);
    if (banner_.symmetric && i != j) add_to(j, i, value, banner_.skew_symmetric);
  }

  HostMatrix<Number> take() { return std::move(A_); }

 private:
  void add_to(std::int64_t i, std::int64_t j, ReadAs<Number> value, bool negative) {
    Number& entry = A_(i, j);
    if constexpr (std::is_same_v<Number, std::int64_t>) {
      if (negative ? __builtin_sub_overflow(entry, value, &entry)
                   : __builtin_add_overflow(entry, value, &entry)) {
        file_.fail("has an entry beyond 64 bits in row " + std::to_string(i + 1) + ", column " +
                   std::to_string(j + 1));
      }
    } else {
      entry += static_cast<Number>(negative ? -value : value);
    }
  }

  InputFile const& file_;
  Banner const& banner_;
  HostMatrix<Number> A_;
};

}  // namespace

template <class Number>
HostMatrix<Number> read_matrix_market(InputFile& file) {
  MatrixMarketLines lines(file);
  Banner const banner = read_banner(lines);
  Size const size = read_size(lines, file, banner, sizeof(Number));
  if (banner.coordinate) {
    auto const entries = read_coordinates<ReadAs<Number>>(lines, file, banner, size);
    Assembly<Number> assembly(file, banner, size);
    for (auto const& entry : entries) assembly.add(entry.row, entry.col, entry.value);
    return assembly.take();
  }
  auto const values = read_array<ReadAs<Number>>(lines, file, banner, size);
  Assembly<Number> assembly(file, banner, size);
  std::size_t k = 0;
  for (std::int64_t j = 0; j < size.cols; ++j) {
    std::int64_t const first = !banner.symmetric ? 0 : banner.skew_symmetric ? j + 1 : j;
    for (std::int64_t i = first; i < size.rows; ++i) assembly.add(i, j, values[k++]);
  }
  return assembly.take();
}

template HostMatrix<float> read_matrix_market<float>(InputFile&);
template HostMatrix<double> read_matrix_market<double>(InputFile&);
template HostMatrix<std::int64_t> read_matrix_market<std::int64_t>(InputFile&);

}  // namespace carroll::tool
