// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "files/matrix_file.hpp"

namespace carroll::tool {

/// Matrices of one shape from a .npy file of three dimensions, the first of which counts them: some
/// of them, one after the other, row after row.
template <class Number>
struct HostBatch {
  std::int64_t all = 0;  ///< in the file
  std::int64_t members = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<Number> values;

  /// What the file holds.
  [[nodiscard]] std::vector<std::int64_t> shape() const { return {all, rows, cols}; }
};
using AnyBatch = std::variant<HostBatch<float>, HostBatch<double>>;
/// For commands that take complex matrices, too.
using AnyFieldBatch = std::variant<HostBatch<float>, HostBatch<double>,
                                   HostBatch<std::complex<float>>, HostBatch<std::complex<double>>>;

/// Has the regular file `path` three dimensions? What is wrong with it is for others to tell.
[[nodiscard]] bool is_batch(std::string const& path);

/// Reads those members that `part` chooses when it is told how many there are, else as
/// `read_matrix` does.
using MemberChoice = std::function<EntryRange(std::int64_t members)>;
[[nodiscard]] AnyBatch read_batch(std::string const& path, std::optional<Precision> precision,
                                  MemberChoice const& part);
/// The same of real or complex numbers: c8 is read in single precision, c16 in double.
[[nodiscard]] AnyFieldBatch read_field_batch(std::string const& path,
                                             std::optional<Precision> precision,
                                             MemberChoice const& part);

/// The one matrix of a file that is no batch, as a batch of one. With `is_vector` an array of one
/// dimension is a matrix of one column, and told there.
[[nodiscard]] AnyBatch read_batch_of_one(std::string const& path,
                                         std::optional<Precision> precision,
                                         bool* is_vector = nullptr);

/// The same as `read_real_or_complex` reads it.
[[nodiscard]] AnyFieldBatch read_field_batch_of_one(std::string const& path,
                                                    std::optional<Precision> precision,
                                                    bool* is_vector = nullptr);

}  // namespace carroll::tool
