// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

struct RobustPcaOptions {
  double sparsity = 0;      ///< λ of ‖S‖₁; 0: 1/√(larger extent)
  double tolerance = 1e-7;  ///< of ‖D − L − S‖ / ‖D‖
  double growth = 1.5;      ///< of the penalty from one iteration to the next, above 1
  int max_iterations = 200;
  std::int64_t block =
      0;  ///< numbers that are worked on at a time; 0: 2^18 on hosts, 2^24 on devices
};

struct RobustPcaInfo {
  /// not_converged: the limit on iterations came first; non_finite: D is, and L and S are NaN.
  Status status = Status::success;
  int iterations = 0;
  int rank = 0;               ///< of L
  std::int64_t nonzeros = 0;  ///< of S
  double residual = 0;        ///< ‖D − L − S‖ / ‖D‖, Frobenius
  double largest_value = 0;   ///< ‖D‖₂
};

}  // namespace carroll
