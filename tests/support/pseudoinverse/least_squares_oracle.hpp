// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace carroll::test {

/// A dense matrix of long double, by columns.
struct LongMatrix {
  int rows = 0, cols = 0;
  std::vector<long double> data;

  LongMatrix() = default;
  LongMatrix(int m, int n)
      : rows(m), cols(n), data(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
  long double* column(int j) { return data.data() + static_cast<std::ptrdiff_t>(j) * rows; }
  [[nodiscard]] long double const* column(int j) const {
    return data.data() + static_cast<std::ptrdiff_t>(j) * rows;
  }
  long double& operator()(int i, int j) { return column(j)[i]; }
  long double operator()(int i, int j) const { return column(j)[i]; }
};

/// What testers hold the pseudoinverse against: the singular value decomposition of A·D⁻¹ by
/// Jacobi's rotations in long double, which shares nothing with Carroll. D: the columns' norms, so
/// that kappa is that of columns of equal norm, or the identity, where the shortest of several
/// solutions is asked for. Singular values of at most `cut` times the largest count as zero.
class LeastSquaresOracle {
 public:
  LeastSquaresOracle(LongMatrix A, bool equal_norms, long double cut = 1e-16L);

  [[nodiscard]] int rank() const { return static_cast<int>(order_.size()); }
  /// σ₁/σ_rank of A·D⁻¹.
  [[nodiscard]] long double kappa() const { return kappa_; }
  /// No singular value is within a factor of a hundred of where those end that count.
  [[nodiscard]] bool has_clear_rank() const { return clear_; }
  [[nodiscard]] long double smallest() const { return smallest_; }
  [[nodiscard]] std::vector<long double> const& norms() const { return norms_; }

  struct Solution {
    std::vector<long double> x;
    long double size = 0;      ///< ‖Dx‖
    long double residual = 0;  ///< ‖d - Ax‖
    long double rhs = 0;       ///< ‖d‖
  };
  [[nodiscard]] Solution solve(std::vector<long double> const& d) const;
  /// Entry (i, j) of (AᵀA)⁺.
  [[nodiscard]] long double covariance(int i, int j) const;

 private:
  LongMatrix original_, U_, V_;  ///< U·Σ and V of A·D⁻¹
  std::vector<long double> norms_, sigma_;
  std::vector<int> order_;  ///< columns that count
  long double kappa_ = 1, smallest_ = 0;
  bool clear_ = true;
};

}  // namespace carroll::test
