// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "pseudoinverse/arrow_frames.hpp"
#include "pseudoinverse/contender.hpp"

namespace carroll::perf {

/// The least-squares solution of one frame, in long double: the depths are eliminated row by row,
/// twice, and what is left of the motion columns is factorised by modified Gram-Schmidt, twice,
/// with the same of the residual. Its errors are those of an A with relative errors of 1e-19.
class ArrowReference {
 public:
  explicit ArrowReference(HostFrame frame);

  ArrowStep const& step() const { return step_; }
  /// Column p of A⁺, motion rows first.
  std::vector<double> column(int p) const;
  /// About the condition number of A with columns of equal norm: the inverse of the least share of
  /// a motion column that is left beside the depths and the columns before.
  double condition() const { return condition_; }
  /// How long y is for a residual without direction, to whose rounding errors a y that happens to
  /// be shorter is no measure: ‖d‖ over the shortest of what is left of the motion columns, over
  /// √n.
  double motion_size() const { return motion_size_; }

 private:
  HostFrame frame_;
  std::vector<long double> q_;          // k columns of n: orthonormal, orthogonal to the depths
  std::vector<long double> inverse_r_;  // k×k: of the triangle
  std::vector<long double> beta_;       // m×k
  std::vector<long double> d_;          // m
  std::vector<int> segment_;            // n
  ArrowStep step_;
  double condition_ = 1, motion_size_ = 0;
};

/// Outcome of the one check that goes before timing.
struct ArrowCheck {
  double error = 0;  // of x, or of columns of A⁺, relative to its norm, the worst that was seen
  double residual = 0;  // the same in units of cond(A)·eps
  std::string fault;    // empty when the result is good
};

/// Where sums over the rows are in the precision of the result their errors grow with the number of
/// terms as those of independent roundings do; otherwise `summed` is 0. The bound on residual is
/// LAPACK's, 30.
template <class Real>
void check_step(ArrowCheck& check, ArrowStep const& found, ArrowReference const& reference,
                double summed = 0);
template <class Real>
void check_column(ArrowCheck& check, std::vector<double> const& found,
                  std::vector<double> const& wanted, ArrowReference const& reference,
                  double summed = 0);

/// Frames, and columns of A⁺, that are checked: the first, the last and some between.
std::vector<int> sampled(int count, int samples);

}  // namespace carroll::perf
