// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/random.hpp"

namespace carroll::test {

/// Symmetric matrices that hurt: as LAPACK's DDRVST has them, and more.
enum class SymmetricType {
  random,
  uniform01,
  integers,
  diagonal,
  zero,
  ones,
  clustered,
  geometric,
  one_small,
  one_large,
  signs,
  low_rank,
  wilkinson,
  tridiagonal,
  block_diagonal,
  arrow,
  skew_like,
  graded,
  scattered_zeros,
  nearly_diagonal,
};
inline constexpr int symmetric_types = static_cast<int>(SymmetricType::nearly_diagonal) + 1;

[[nodiscard]] std::string_view to_string(SymmetricType type);

/// Both triangles, exactly symmetric, with entries of size 1 or below.
template <class Real>
[[nodiscard]] HostMatrix<Real> symmetric_matrix(Random& random, SymmetricType type, int n);

/// Q·diag(λ)·Qᵀ, Q random orthogonal, rounded once.
template <class Real>
[[nodiscard]] HostMatrix<Real> with_eigenvalues(Random& random, std::vector<double> const& lambda);

/// Positive definite A = D·H·D: H with a diagonal of ones and condition of order `condition`, D
/// powers of two 2^e with |e| <= spread.
template <class Real>
struct ScaledDefinite {
  HostMatrix<Real> A, H;
};
template <class Real>
[[nodiscard]] ScaledDefinite<Real> scaled_definite(Random& random, int n, double condition,
                                                   int spread);

/// B·Bᵀ with small whole numbers, exact; B has `rank` columns.
template <class Real>
[[nodiscard]] HostMatrix<Real> whole_gram(Random& random, int n, int rank);

}  // namespace carroll::test
