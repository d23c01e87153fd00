// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/contender.hpp"

namespace carroll::perf {

/// Problems with n rows, k motion and m depth columns each.
struct ArrowShape {
  int frames = 0;
  int rows = 0;     // n
  int motions = 0;  // k
  int depths = 0;   // m

  std::size_t all_rows() const { return static_cast<std::size_t>(frames) * rows; }
  bool operator==(ArrowShape const&) const = default;
};

/// Nominal operations of the step: those of the sums that structured QR takes over the rows, the
/// same number for every method on a case, so that rates compare as inverse times do.
inline double step_flops(ArrowShape const& shape) {
  double const k = shape.motions;
  return static_cast<double>(shape.all_rows()) * (2 * (k + 2) + 2 * (k + 1) + k * (k + 3));
}

/// Compulsory traffic of the step: each row read once.
template <class Real>
double step_bytes(ArrowShape const& shape) {
  return static_cast<double>(shape.all_rows()) * (shape.motions + 2) * sizeof(Real);
}

/// Of the dense A⁺: each entry written once, and a multiplication and an addition for each.
template <class Real>
double inverse_bytes(ArrowShape const& shape) {
  return static_cast<double>(shape.all_rows()) * (shape.motions + shape.depths) * sizeof(Real);
}
inline double inverse_flops(ArrowShape const& shape) {
  return 2.0 * static_cast<double>(shape.all_rows()) * shape.motions * shape.depths;
}

/// x = (y, ξ) of one frame.
struct ArrowStep {
  std::vector<double> motion, depth;
};

/// Steps bound to one problem.
class StepContender : public Contender {
 public:
  /// Of the last run.
  virtual ArrowStep step(int frame) = 0;
  /// Seconds of the last run by the solver's own clock, where it does more than is asked for; 0
  /// where it does not.
  virtual double own_seconds() { return 0; }
  /// Runs that may be enqueued behind each other without waiting.
  virtual bool is_enqueued() const { return false; }
};

/// Dense A⁺, or a part of the work, bound to one problem of one frame.
class InverseContender : public Contender {
 public:
  /// Column p of A⁺, motion rows first, after the last run.
  virtual std::vector<double> column(int p) = 0;
};

}  // namespace carroll::perf
