// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "files/host_matrix.hpp"

namespace carroll::tool {

/// Reads the matrix in `path`, a NumPy .npy or a Matrix Market .mtx file; what the file begins with
/// decides which. Without `precision` f2 and f4 are read as single and everything else as double.
/// FileError when the file cannot be read or holds no matrix of real numbers.
/// With `is_vector` an array of one dimension is a matrix of one column, and told there.
[[nodiscard]] AnyMatrix read_matrix(std::string const& path, std::optional<Precision> precision,
                                    bool* is_vector = nullptr);

/// The same for a block of the matrix in a regular file: that which `block` chooses when it is told
/// the extents and the precision. Of a .npy file no more is read than the block.
using BlockChoice = std::function<Block(std::int64_t rows, std::int64_t cols, Precision precision)>;
[[nodiscard]] AnyMatrix read_block(std::string const& path, std::optional<Precision> precision,
                                   BlockChoice const& block);

/// Of something in its order: from `begin` to `end` - 1.
struct EntryRange {
  std::int64_t begin = 0, end = 0;
};

/// The same for some ranges of rows, one below the other.
using RowChoice = std::function<std::vector<EntryRange>(std::int64_t rows, std::int64_t cols,
                                                        Precision precision)>;
[[nodiscard]] AnyMatrix read_rows(std::string const& path, std::optional<Precision> precision,
                                  RowChoice const& ranges);

/// The same for a matrix of integers of 64 bits, none of which is rounded on its way:
/// floating-point numbers pass if they are whole. FileError names the first entry that is none.
[[nodiscard]] HostMatrix<std::int64_t> read_integer_matrix(std::string const& path);

/// The entries of a vector or a matrix, in the order in which a .npy file holds them, and column
/// after column of a .mtx file, those that it does not list among them.
template <class Real>
struct HostEntries {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool by_rows = false;     ///< row after row
  bool is_complex = false;  ///< two values for each
  std::vector<Real> values;

  /// What the file holds.
  [[nodiscard]] std::vector<std::int64_t> shape() const {
    return {rows, cols, by_rows, is_complex};
  }
};
using AnyEntries = std::variant<HostEntries<float>, HostEntries<double>>;

/// Chooses some of the entries in their order.
using EntryChoice = std::function<EntryRange(std::int64_t rows, std::int64_t cols, bool by_rows)>;

/// Reads them as `read_matrix` does, complex ones of .npy files, too. With `part` only those that
/// it chooses when it is told the extents and the order, of a regular file; rows and cols remain
/// the whole's.
[[nodiscard]] AnyEntries read_entries(std::string const& path, std::optional<Precision> precision,
                                      EntryChoice const& part = {});

/// The same, of entries that have been read.
void keep(AnyEntries& entries, EntryChoice const& part);

/// Reads the vector or matrix in the NumPy file `path`; a vector is a matrix of one column, and
/// told in `is_vector`.
[[nodiscard]] AnyMatrix read_array(std::string const& path, std::optional<Precision> precision,
                                   bool* is_vector = nullptr);

}  // namespace carroll::tool
