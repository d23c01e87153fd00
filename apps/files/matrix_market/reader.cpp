// SPDX-License-Identifier: BSD-3-Clause
#include "files/matrix_market/reader.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "files/limits.hpp"
#include "files/matrix_market/banner.hpp"
#include "files/matrix_market/lines.hpp"

namespace carroll::tool {

namespace {

struct Size {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;
};

Size read_size(MatrixMarketLines& lines, InputFile const& file, MatrixMarketBanner const& banner,
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

template <class Number>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<std::complex<Real>> = true;

/// What entries are read as: integers as they are, everything else in double precision first.
template <class Number>
using ReadAs = std::conditional_t<
    is_complex<Number>, std::complex<double>,
    std::conditional_t<std::is_same_v<Number, std::int64_t>, std::int64_t, double>>;

template <class Value>
struct Entry {
  std::int32_t row;  // counted from 0
  std::int32_t col;
  Value value;
};

/// Words that an entry has.
template <class Value>
inline constexpr std::size_t words_of = is_complex<Value> ? 2 : 1;

/// Of the first of these words.
template <class Value>
Value read_value(MatrixMarketLines const& lines, std::span<std::string_view const> words,
                 bool integer) {
  std::string_view const word = words[0];
  if constexpr (is_complex<Value>) {
    return {lines.value(word, false), lines.value(words[1], false)};
  } else if constexpr (std::is_same_v<Value, double>) {
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
                                           MatrixMarketBanner const& banner, Size const& size) {
  std::vector<Entry<Value>> entries;
  std::size_t const expected = 2 + (banner.pattern ? 0 : words_of<Value>);
  while (lines.next()) {
    auto const& words = lines.words();
    if (std::ssize(entries) == size.entries) fail_too_many(lines, size);
    if (words.size() != expected) {
      lines.fail("has " + count_text(std::ssize(words), "word") + ", expected " +
                 (is_complex<Value> ? "4: row, column, real and imaginary part"
                  : banner.pattern  ? "2: row and column"
                                    : "3: row, column and value"));
    }
    Entry<Value> entry{};
    entry.row = read_index(lines, words[0], "row", size.rows);
    entry.col = read_index(lines, words[1], "column", size.cols);
    entry.value = Value(1);
    if (!banner.pattern)
      entry.value = read_value<Value>(lines, std::span(words).subspan(2), banner.integer);
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
std::vector<Value> read_array(MatrixMarketLines& lines, InputFile const& file,
                              MatrixMarketBanner const& banner, Size const& size) {
  std::vector<Value> values;
  while (lines.next()) {
    std::span<std::string_view const> const words(lines.words());
    if (words.size() % words_of<Value> != 0) {
      lines.fail("has " + count_text(std::ssize(words), "word") +
                 ", expected a real and an imaginary part of each entry");
    }
    for (std::size_t k = 0; k < words.size(); k += words_of<Value>) {
      if (std::ssize(values) == size.entries) fail_too_many(lines, size);
      values.push_back(read_value<Value>(lines, words.subspan(k), banner.integer));
    }
  }
  if (std::ssize(values) < size.entries) fail_too_few(file, size, std::ssize(values));
  return values;
}

/// The matrix being put together, with the mirror image of a symmetric one.
template <class Number>
class Assembly {
 public:
  Assembly(InputFile const& file, MatrixMarketBanner const& banner, Size const& size)
      : file_(file),
        banner_(banner),
        A_{size.rows, size.cols,
           std::vector<Number>(static_cast<std::size_t>(size.rows * size.cols))} {}

  void add(std::int64_t i, std::int64_t j, ReadAs<Number> value) {
    if constexpr (std::is_same_v<Number, float>) check_single(i, j, value);
    if constexpr (std::is_same_v<Number, std::complex<float>>) {
      check_single(i, j, value.real());
      check_single(i, j, value.imag());
    }
    add_to(i, j, value, false);
    if (!banner_.symmetric) return;
    if constexpr (is_complex<Number>) {
      if (banner_.hermitian && i == j && value.imag() != 0) {
        file_.fail("has an imaginary part on the diagonal in row " + std::to_string(i + 1) +
                   ", which no Hermitian matrix has");
      }
      if (banner_.hermitian) value = std::conj(value);
    }
    if (i != j) add_to(j, i, value, banner_.skew_symmetric);
  }

  HostMatrix<Number> take() { return std::move(A_); }

 private:
  void check_single(std::int64_t i, std::int64_t j, double value) const {
    if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max()) {
      file_.fail("has an entry beyond single precision in row " + std::to_string(i + 1) +
                 ", column " + std::to_string(j + 1) + "; --precision double can hold it");
    }
  }

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
  MatrixMarketBanner const& banner_;
  HostMatrix<Number> A_;
};

}  // namespace

template <class Number>
HostMatrix<Number> read_matrix_market(InputFile& file) {
  MatrixMarketLines lines(file);
  MatrixMarketBanner const banner = read_banner(lines, is_complex<Number>);
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
template HostMatrix<std::complex<float>> read_matrix_market<std::complex<float>>(InputFile&);
template HostMatrix<std::complex<double>> read_matrix_market<std::complex<double>>(InputFile&);

}  // namespace carroll::tool
