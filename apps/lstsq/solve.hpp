// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "files/batch_file.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// This header leaves Kokkos out, so that only the file behind it is compiled for the device.
struct LstsqMemberResult {
  int status = 0;  ///< a Status
  int rank = 0;
  double sigma_max = 0;
  double sigma_min = 0;
  double relative_residual = 0;
};

/// Matrices and what is on their right: of the same type, as many members.
template <class Number>
struct LstsqInput {
  HostBatch<Number> A, B;  ///< B without members: the pseudoinverse is wanted
  bool is_vector = false;  ///< B's file has one dimension
  bool inverse = false;

  /// What the files hold.
  [[nodiscard]] std::vector<std::int64_t> shape() const {
    return {A.all, A.rows, A.cols, B.all, B.rows, B.cols, is_vector};
  }
};

template <class Number>
struct LstsqResult {
  std::vector<LstsqMemberResult> members;
  std::vector<Number> X;  ///< members × cols × right-hand sides, if it is to be written
  std::string backend;
  double seconds = 0;
};

/// Copies the problems to the device, solves them there and brings the result back: A⁺·B, without B
/// A⁺. Needs a Runtime.
template <class Number>
[[nodiscard]] LstsqResult<Number> solve(LstsqInput<Number> const& input,
                                        LstsqArguments const& arguments, Progress& progress);

}  // namespace carroll::tool
