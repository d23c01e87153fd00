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
    Stored value;
    std::memcpy(&value, element, sizeof(Stored));
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
    case 2: return is_signed ? append_as<std::int16_t, Number> : append_as<std::uint16_t, Number>;
    case 4:
      if (header.kind == 'f') return append_as<float, Number>;
      return is_signed ? append_as<std::int32_t, Number> : append_as<std::uint32_t, Number>;
    default:
      if (header.kind == 'f') return append_as<double, Number>;
      return is_signed ? append_as<std::int64_t, Number> : append_as<std::uint64_t, Number>;
  }
}

/// The stored numbers in the order of the file. A shape that promises more than is there fails
/// before any memory is taken; from a pipe, memory grows with what really comes.
template <class Number>
std::vector<Number> read_elements(InputFile& file, NpyHeader const& header) {
  std::int64_t const count = header.rows * header.cols * header.parts;
  std::int64_t const bytes = count * header.item_size;  // cannot overflow: check_extents
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
    values.reserve(static_cast<std::size_t>(count));
  }
  auto const append = append_function<Number>(header);
  std::vector<char> chunk(64 * 1024);
  for (std::int64_t done = 0; done < bytes;) {
    auto const wanted = std::min<std::int64_t>(bytes - done, std::ssize(chunk));
    auto const got =
        static_cast<std::int64_t>(file.read(chunk.data(), static_cast<std::size_t>(wanted)));
    done += got;
    if (got < wanted) truncated(done);
    append(chunk.data(), static_cast<std::size_t>(got / header.item_size), header.swap_bytes,
           values);
    if (std::ssize(values) < done / header.item_size) {
      auto const read = std::ssize(values) / header.parts;
      auto const minor = header.fortran_order ? header.rows : header.cols;
      auto const row = header.fortran_order ? read % minor : read / minor;
      auto const col = header.fortran_order ? read / minor : read % minor;
      bool const integers = std::is_same_v<Number, std::int64_t>;
      file.fail(std::string("has an entry ") +
                (integers ? "that is no integer of 64 bits" : "beyond single precision") +
                " in row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1) +
                (integers ? ", which --exact needs" : "; --precision double can hold it"));
    }
  }
  if (!file.peek(1).empty()) {
    file.fail("goes on after its " + extents_text(header.rows, header.cols) + " elements");
  }
  return values;
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

template <class Number>
std::vector<Number> read_npy_numbers(InputFile& file, NpyHeader const& header) {
  check_extents(file, header.rows, header.cols, std::int64_t{header.item_size} * header.parts);
  check_extents(file, header.rows, header.cols, std::int64_t{sizeof(Number)} * header.parts);
  return read_elements<Number>(file, header);
}

template <class Number>
HostMatrix<Number> read_npy(InputFile& file, NpyHeader const& header) {
  auto values = read_npy_numbers<Number>(file, header);
  HostMatrix<Number> A = header.fortran_order
                             ? HostMatrix<Number>{header.rows, header.cols, std::move(values)}
                             : from_rows(header.rows, header.cols, values);
  return A;
}

template HostMatrix<float> read_npy<float>(InputFile&, NpyHeader const&);
template HostMatrix<double> read_npy<double>(InputFile&, NpyHeader const&);
template HostMatrix<std::int64_t> read_npy<std::int64_t>(InputFile&, NpyHeader const&);
template std::vector<float> read_npy_numbers<float>(InputFile&, NpyHeader const&);
template std::vector<double> read_npy_numbers<double>(InputFile&, NpyHeader const&);

}  // namespace carroll::tool
