// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/determinant/types.hpp>
#include <carroll/scaled_number.hpp>
#include <cstddef>
#include <vector>

#include "harness/contender.hpp"

namespace carroll::perf {

/// `batch` matrices of order n, packed one after the other.
struct DeterminantShape {
  int batch = 0;
  int n = 0;

  std::size_t matrix_size() const { return static_cast<std::size_t>(n) * n; }
  std::size_t size() const { return static_cast<std::size_t>(batch) * matrix_size(); }
  bool operator==(DeterminantShape const&) const = default;
};

/// Nominal operations: those of elimination, the same number for every method on a case, so that
/// rates compare as inverse times do.
inline double determinant_flops(DeterminantShape const& shape) {
  double const n = shape.n;
  return shape.batch * 2.0 / 3 * n * n * n;
}

/// Compulsory traffic: each matrix read once, each result written once, whole.
template <class Real>
double determinant_bytes(DeterminantShape const& shape) {
  return static_cast<double>(shape.size()) * sizeof(Real) +
         static_cast<double>(shape.batch) * sizeof(DeterminantInfo<Real>);
}

/// Determinants bound to one problem.
template <class Real>
class DeterminantContender : public Contender {
 public:
  /// Results of the last run, of all members.
  virtual std::vector<ScaledNumber<Real>> values() = 0;
  /// DeterminantInfo::growth, the largest of any member; 0 where the solver does not tell.
  virtual double growth() { return 0; }
  /// Bytes of what the solver asks its caller for beside the matrices.
  virtual std::size_t workspace_bytes() const = 0;
};

}  // namespace carroll::perf
