// SPDX-License-Identifier: BSD-3-Clause
#include "files/npy/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "files/limits.hpp"

namespace carroll::tool {

namespace {

/// f2, as it is stored: IEEE binary16, of which the host's compiler need not have a type.
struct Half {
  std::uint16_t bits;

  /// Exact.
  explicit operator float() const {
    int const exponent = bits >> 10 & 31, digits = bits & 1023;
    float const size = exponent == 31 ? (digits == 0 ? std::numeric_limits<float>::infinity()
                                                     : std::numeric_limits<float>::quiet_NaN())
                       : exponent == 0
                           ? std::ldexp(static_cast<float>(digits), -24)
                           : std::ldexp(static_cast<float>(1024 + digits), exponent - 25);
    return bits >> 15 != 0 ? -size : size;
  }
};

/// As the language knows it.
template <class Stored>
auto value_of(Stored stored) {
  if constexpr (std::is_same_v<Stored, Half>)
    return static_cast<float>(stored);
  else
    return stored;
}

/// Does value, finite or not, become a Number without becoming infinite or losing a fraction?
template <class Number, class Stored>
bool can_hold(Stored value) {
  if constexpr (std::is_same_v<Number, std::int64_t>) {
    if constexpr (std::is_floating_point_v<Stored>)
      return value >= -0x1p63 && value < 0x1p63 && value == std::floor(value);
    else
      return std::in_range<std::int64_t>(value);
  } else if constexpr (std::is_same_v<Stored, double> && std::is_same_v<Number, float>) {
    return !std::isfinite(value) || std::fabs(value) <= std::numeric_limits<float>::max();
  } else {
    return true;
  }
}

/// Converts `count` elements of type Stored at `bytes`, appending them to `values`. Stops before a
/// number that Number cannot hold.
template <class Stored, class Number>
void append_as(char const* bytes, std::size_t count, bool swap_bytes, std::vector<Number>& values) {
  for (std::size_t k = 0; k < count; ++k) {
    char element[sizeof(Stored)];
    std::memcpy(element, bytes + k * sizeof(Stored), sizeof(Stored));
    if (swap_bytes) std::reverse(element, element + sizeof(Stored));
    Stored stored;
    std::memcpy(&stored, element, sizeof(Stored));
    auto const value = value_of(stored);
    if (!can_hold<Number>(value)) return;
    values.push_back(static_cast<Number>(value));
  }
}

template <class Number>
using Append = void (*)(char const*, std::size_t, bool, std::vector<Number>&);

template <class Number>
Append<Number> append_function(NpyHeader const& header) {
  bool const is_signed = header.kind == 'i';
  switch (header.item_size) {
    case 1:
      // NumPy stores False as 0 and True as 1, so that a boolean is read as a small integer.
      return is_signed ? append_as<std::int8_t, Number> : append_as<std::uint8_t, Number>;
    case 2:
      if (header.kind == 'f') return append_as<Half, Number>;
      return is_signed ? append_as<std::int16_t, Number> : append_as<std::uint16_t, Number>;
    case 4:
      if (header.kind == 'f') return append_as<float, Number>;
      return is_signed ? append_as<std::int32_t, Number> : append_as<std::uint32_t, Number>;
    default:
      if (header.kind == 'f') return append_as<double, Number>;
      return is_signed ? append_as<std::int64_t, Number> : append_as<std::uint64_t, Number>;
  }
}

/// Where the element of the runs that comes after `done` others is in the array.
std::int64_t element_after(NpyRuns const& runs, std::int64_t done) {
  return runs.first + done / runs.length * runs.stride + done % runs.length;
}

/// Reads `count` elements and appends their numbers, in pieces, so that from a pipe memory grows
/// with what really comes. `truncated(bytes)` is called where they are not there, `wrong()` where
/// one cannot be held.
template <class Number, class Truncated, class Wrong>
void append_elements(InputFile& file, NpyHeader const& header, std::int64_t count,
                     std::vector<Number>& values, Truncated const& truncated, Wrong const& wrong) {
  auto const append = append_function<Number>(header);
  std::vector<char> chunk(64 * 1024);
  std::int64_t const bytes = count * header.parts * header.item_size;
  std::int64_t const before = std::ssize(values);
  for (std::int64_t done = 0; done < bytes;) {
    auto const wanted = std::min<std::int64_t>(bytes - done, std::ssize(chunk));
    auto const got =
        static_cast<std::int64_t>(file.read(chunk.data(), static_cast<std::size_t>(wanted)));
    done += got;
    if (got < wanted) truncated(done);
    append(chunk.data(), static_cast<std::size_t>(got / header.item_size), header.swap_bytes,
           values);
    if (std::ssize(values) - before < done / header.item_size) wrong();
  }
}

/// The stored numbers in the order of the file. A shape that promises more than is there fails
/// before any memory is taken.
template <class Number>
std::vector<Number> read_elements(InputFile& file, NpyHeader const& header, NpyRuns const& runs) {
  std::int64_t const count = header.rows * header.cols;
  std::int64_t const element = std::int64_t{header.item_size} * header.parts;
  std::int64_t const bytes = count * element;  // cannot overflow: check_extents
  auto const truncated = [&](std::int64_t there) {
    file.fail("is truncated: " + extents_text(header.rows, header.cols) + " elements need " +
              std::to_string(bytes) + " bytes, " + std::to_string(there) + " are there");
  };
  std::vector<Number> values;
  if (auto const left = file.remaining()) {
    if (*left < bytes) truncated(*left);
    if (*left > bytes) {
      file.fail("has " + count_text(*left - bytes, "byte") + " more than its " +
                extents_text(header.rows, header.cols) + " elements need");
    }
    values.reserve(static_cast<std::size_t>(runs.length * runs.count * header.parts));
  }
  auto const wrong = [&] {
    auto const at = element_after(runs, std::ssize(values) / header.parts);
    auto const minor = header.fortran_order ? header.rows : header.cols;
    auto const row = header.fortran_order ? at % minor : at / minor;
    auto const col = header.fortran_order ? at / minor : at % minor;
    bool const integers = std::is_same_v<Number, std::int64_t>;
    file.fail(std::string("has an entry ") +
              (integers ? "that is no integer of 64 bits" : "beyond single precision") +
              " in row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1) +
              (integers ? ", which --exact needs" : "; --precision double can hold it"));
  };
  std::int64_t position = 0;
  for (std::int64_t run = 0; run < (runs.length > 0 ? runs.count : 0); ++run) {
    std::int64_t const begin = runs.first + run * runs.stride;
    if (begin > position) file.skip((begin - position) * element);
    append_elements(file, header, runs.length, values, truncated, wrong);
    position = begin + runs.length;
  }
  if (position == count && !file.peek(1).empty()) {
    file.fail("goes on after its " + extents_text(header.rows, header.cols) + " elements");
  }
  return values;
}

template <class Number>
void check_memory(InputFile const& file, NpyHeader const& header) {
  check_extents(file, header.rows, header.cols, std::int64_t{header.item_size} * header.parts);
  check_extents(file, header.rows, header.cols, std::int64_t{sizeof(Number)} * header.parts);
}

/// Row after row to column after column, in square tiles so that both sides stay in cache.
template <class Number>
HostMatrix<Number> from_rows(std::int64_t rows, std::int64_t cols,
                             std::vector<Number> const& source) {
  constexpr std::int64_t tile = 32;
  HostMatrix<Number> A{rows, cols, std::vector<Number>(source.size())};
  for (std::int64_t i0 = 0; i0 < rows; i0 += tile) {
    for (std::int64_t j0 = 0; j0 < cols; j0 += tile) {
      for (std::int64_t j = j0; j < std::min(j0 + tile, cols); ++j) {
        for (std::int64_t i = i0; i < std::min(i0 + tile, rows); ++i) {
          A(i, j) = source[static_cast<std::size_t>(i * cols + j)];
        }
      }
    }
  }
  return A;
}

}  // namespace

// Column after column or row after row, as the file has them; those of whole columns or rows are
// one run.
NpyRuns runs_of(NpyHeader const& header, Block const& block) {
  bool const by_columns = header.fortran_order;
  std::int64_t const minor = by_columns ? header.rows : header.cols;
  std::int64_t const minor_begin = by_columns ? block.row_begin : block.col_begin;
  std::int64_t const length = by_columns ? block.rows() : block.cols();
  std::int64_t const major_begin = by_columns ? block.col_begin : block.row_begin;
  std::int64_t const count = by_columns ? block.cols() : block.rows();
  std::int64_t const first = major_begin * minor + minor_begin;
  if (length == minor) return {first, length * count, 1, 0};
  return {first, length, count, minor};
}

template <class Number>
std::vector<Number> read_npy_numbers(InputFile& file, NpyHeader const& header,
                                     NpyRuns const& runs) {
  check_memory<Number>(file, header);
  return read_elements<Number>(file, header, runs);
}

template <class Number>
std::vector<Number> read_npy_numbers(InputFile& file, NpyHeader const& header) {
  check_memory<Number>(file, header);
  return read_elements<Number>(file, header, {0, header.rows * header.cols});
}

template <class Number>
HostMatrix<Number> read_npy(InputFile& file, NpyHeader const& header, Block const& block) {
  check_memory<Number>(file, header);
  auto values = read_elements<Number>(file, header, runs_of(header, block));
  return header.fortran_order ? HostMatrix<Number>{block.rows(), block.cols(), std::move(values)}
                              : from_rows(block.rows(), block.cols(), values);
}

template <class Number>
HostMatrix<Number> read_npy(InputFile& file, NpyHeader const& header) {
  return read_npy<Number>(file, header, {0, header.rows, 0, header.cols});
}

#define CARROLL_TOOL_READ_NPY(Number)                                               \
  template HostMatrix<Number> read_npy(InputFile&, NpyHeader const&);               \
  template HostMatrix<Number> read_npy(InputFile&, NpyHeader const&, Block const&); \
  template std::vector<Number> read_npy_numbers(InputFile&, NpyHeader const&);      \
  template std::vector<Number> read_npy_numbers(InputFile&, NpyHeader const&, NpyRuns const&)
CARROLL_TOOL_READ_NPY(float);
CARROLL_TOOL_READ_NPY(double);
CARROLL_TOOL_READ_NPY(std::int64_t);

}  // namespace carroll::tool
