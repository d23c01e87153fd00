// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "files/host_matrix.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// A least-squares problem with an arrow Jacobian, as `carroll pinv` reads it.
template <class Real>
struct ArrowInput {
  HostMatrix<Real> motion;
  HostMatrix<Real> depth;
  HostMatrix<Real> residual;
  std::vector<int> offsets;
};

/// What is told of its solution, column after column. This header leaves Kokkos out, so that only
/// the file behind it is compiled for the device.
struct ArrowSummary {
  std::string status;
  std::string backend;
  std::string path;
  std::int64_t rank = 0;
  double cutoff = 0;
  std::int64_t right_hand_sides = 1;
  bool is_vector = true;            ///< the residual has one dimension
  std::vector<double> motion_step;  ///< k × right_hand_sides
  std::vector<double> covariance;   ///< k × k, or empty
  double relative_gradient = 0;
  double seconds = 0;
};

template <class Real>
struct ArrowOutput {
  HostMatrix<Real> motion;
  HostMatrix<Real> depth;
  HostMatrix<Real> inverse;
  HostMatrix<Real> covariance;
  std::vector<Real> variances;
  ArrowSummary summary;
};

/// ‖Aᵀ(Ax - d) + λx‖/(‖A‖‖d‖), the largest of all right-hand sides; 0 where A or d is.
template <class Real>
[[nodiscard]] double relative_gradient(ArrowInput<Real> const& input, ArrowOutput<Real> const& x,
                                       double lambda);

/// Copies the problem to the device and solves it there. Needs a Runtime.
template <class Real>
[[nodiscard]] ArrowOutput<Real> pseudoinvert(ArrowInput<Real> const& input,
                                             PinvArguments const& arguments, Progress& progress);

}  // namespace carroll::tool
