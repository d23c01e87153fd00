// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "progress.hpp"
#include "pseudoinverse/pseudoinvert.hpp"

namespace carroll::tool {

/// Frames of one shape, some of those of a directory: frame after frame, row after row.
template <class Real>
struct FramesInput {
  std::int64_t all = 0;  ///< in the files
  std::int64_t frames = 0;
  std::int64_t rows = 0;
  std::int64_t motions = 0;
  std::int64_t depths = 0;
  std::vector<Real> motion;    ///< rows × motions of each
  std::vector<Real> depth;     ///< rows of each
  std::vector<Real> residual;  ///< rows of each
  std::vector<int> offsets;    ///< depths + 1 of each

  /// What the files hold.
  [[nodiscard]] std::vector<std::int64_t> shape() const { return {all, rows, motions, depths}; }
};

/// What is told of one frame, in numbers that ranks can send each other.
struct FrameSolution {
  int status = 0;  ///< of carroll::Status
  int rank = 0;
  double cutoff = 0;
  double relative_gradient = 0;
};

/// Frame after frame.
template <class Real>
struct FramesOutput {
  std::string backend;
  std::string path;
  std::vector<FrameSolution> frames;
  std::vector<Real> motion;      ///< k of each
  std::vector<Real> depth;       ///< m of each
  std::vector<Real> inverse;     ///< (k + m) × n of each, or none
  std::vector<Real> covariance;  ///< k × k of each, or none
  std::vector<Real> variances;   ///< m of each, or none
  double seconds = 0;
};

/// As `pseudoinvert`, of every frame. Needs a Runtime.
template <class Real>
[[nodiscard]] FramesOutput<Real> solve_frames(FramesInput<Real> const& input,
                                              PinvArguments const& arguments, Progress& progress);

}  // namespace carroll::tool
