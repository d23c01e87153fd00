// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>

namespace carroll {

struct LstsqOptions {
  /// Singular values of at most this times the largest count as zero. Negative: max(m, n)·eps, the
  /// rule of numpy.linalg.lstsq since NumPy 2 and of the array API's pinv. Must be below 1.
  double rcond = -1;
  /// Of the singular value decomposition: SvdOptions.
  SvdPath path = SvdPath::automatic;
  int max_sweeps = 30;
};

/// What happened to one problem.
template <class Real>
struct LstsqInfo {
  /// success, of deficient rank, too. non_finite: A or B holds NaN or infinity; the output is NaN.
  /// overflow: an entry of the output is beyond the range, and ±Inf. not_converged: the
  /// decomposition reached max_sweeps; the output is made of where it stood.
  Status status = Status::success;
  int rank = 0;        ///< singular values that count
  Real sigma_max = 0;  ///< the largest; +Inf beyond the range
  Real sigma_min = 0;  ///< the smallest that counts; 0 for rank 0
  int sweeps = 0;      ///< of the decomposition
};

/// Shape of a uniform batch of least-squares problems: A is rows×cols, B has `rhs` columns.
struct LstsqExtents {
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t rhs = 1;
};

/// Shape of a uniform batch of rows×cols matrices to be pseudoinverted.
struct PinvExtents {
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
};

}  // namespace carroll
