// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/neighbours/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// A row that is like another one.
template <class Real>
struct Neighbour {
  Real similarity;
  std::int32_t index;

  /// The more similar comes first, and of equals that with the smaller index.
  KOKKOS_FUNCTION bool before(Neighbour const& other) const {
    return similarity > other.similarity || (similarity == other.similarity && index < other.index);
  }
};

/// What is compared, as kernels see it: rows, and the same ratings by column.
///
/// A pair of rows has `width` sums, to which a common column adds terms(f, :)·weights, where f is
/// the rating of one row and the weights are made of the other's:
///   pearson, cosine    x, 1, x², 1              with  w, w², 1, 1
///   pearson_corated    x, 1, x², 1, 1, x, 0, 0  with  w, w², 1, 1, w, 1, 0, 0
/// so that they are Σwx, Σw², Σx², n, Σw, Σx; for euclid (x − w)² and 1 are added.
template <class Real>
struct NeighbourProblem {
  std::int64_t const* row_offsets;
  std::int32_t const* row_columns;
  Real const* row_values;  ///< w
  std::int64_t const* column_offsets;
  std::int32_t const* column_rows;
  Real const* terms;    ///< of the ratings by column, `width` of each
  double const* norms;  ///< of whole rows, for cosine_rows
  std::int32_t rows, columns;
  int width;
  Similarity similarity;
  bool signed_weights;
  double shrinkage;
  std::int32_t least_common;

  /// Less than every similarity: of rows that are no neighbours.
  KOKKOS_FUNCTION static Real none() { return -Kokkos::Experimental::infinity_v<Real>; }

  /// Of two rows with these sums.
  KOKKOS_FUNCTION Real of(Real const* sums, std::int32_t row, std::int32_t other) const {
    auto const n = static_cast<double>(sums[similarity == Similarity::euclid ? 1 : 3]);
    if (!(n >= least_common) || !(n > 0) || row == other) return none();
    double s = raw(sums, n, row, other) * (n / (n + shrinkage));
    s = s > 1 ? 1 : s < -1 ? -1 : s;
    auto const rounded = static_cast<Real>(s);
    return signed_weights || rounded > Real(0) ? rounded : none();
  }

 private:
  KOKKOS_FUNCTION static double ratio(double product, double a, double b) {
    return a > 0 && b > 0 ? product / (Kokkos::sqrt(a) * Kokkos::sqrt(b)) : 0;
  }
  KOKKOS_FUNCTION double raw(Real const* sums, double n, std::int32_t row,
                             std::int32_t other) const {
    auto const first = static_cast<double>(sums[0]);
    if (similarity == Similarity::euclid) return 1 / (1 + Kokkos::sqrt(first));
    if (similarity == Similarity::cosine_rows) {
      double const norm = norms[row] * norms[other];
      return norm > 0 ? first / norm : 0;
    }
    auto const a = static_cast<double>(sums[1]), b = static_cast<double>(sums[2]);
    if (similarity != Similarity::pearson_corated) return ratio(first, a, b);
    // Products of sums that nobody fuses. What is left of equal ratings by rounding is 0.
    auto const sum_a = static_cast<double>(sums[4]), sum_b = static_cast<double>(sums[5]);
    double const square_a = rounded_product(n, a), square_b = rounded_product(n, b);
    double const spread_a = square_a - rounded_product(sum_a, sum_a);
    double const spread_b = square_b - rounded_product(sum_b, sum_b);
    double const tiny = 16 * static_cast<double>(Kokkos::Experimental::epsilon_v<Real>);
    if (spread_a <= tiny * square_a || spread_b <= tiny * square_b) return 0;
    return ratio(rounded_product(n, first) - rounded_product(sum_a, sum_b), spread_a, spread_b);
  }
};

/// How many sums a pair of rows has.
inline int sums_of_pair(Similarity similarity) {
  switch (similarity) {
    case Similarity::euclid: return 2;
    case Similarity::pearson_corated: return 8;
    default: return 4;
  }
}

}  // namespace carroll::detail
