// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// SmallSystem of up to `most` unknowns in the registers of one thread: Sy = c by Cholesky's
/// factorisation with pivots, rows and columns divided by the norms of the columns that S stems
/// from. Rows and columns are exchanged, so that every index is a constant.
class FewUnknowns {
 public:
  static constexpr int most = 3;

  int rank = 0;
  double y[most] = {};

  KOKKOS_FUNCTION explicit FewUnknowns(int unknowns) : K_(unknowns) {}

  /// Entry (i, l), l >= i, of [S c], whose column `most` is c.
  KOKKOS_FUNCTION void set(int i, int l, double value) {
    if (l == most)
      c_[i] = value;
    else
      S_[i][l] = S_[l][i] = value;
  }
  /// The square of the norm of column i, and c before what other unknowns took off it.
  KOKKOS_FUNCTION void set_norm(int i, double square, double gradient) {
    square_[i] = square;
    gradient_[i] = gradient;
  }

  KOKKOS_FUNCTION bool finite() const {
    bool all = true;
    CARROLL_UNROLL
    for (int i = 0; i < most; ++i) {
      if (i >= K_) continue;
      all = all && square_[i] >= 0 && Kokkos::isfinite(square_[i]) && Kokkos::isfinite(c_[i]);
      CARROLL_UNROLL
      for (int j = i; j < most; ++j) all = all && (j >= K_ || Kokkos::isfinite(S_[i][j]));
    }
    return all;
  }

  KOKKOS_FUNCTION double gradient_norm() const {
    double square = 0;
    CARROLL_UNROLL
    for (int i = 0; i < most; ++i)
      if (i < K_) square += gradient_[i] * gradient_[i];
    return Kokkos::sqrt(square);
  }

  KOKKOS_FUNCTION void solve(double cutoff) {
    CARROLL_UNROLL
    for (int i = 0; i < most; ++i) {
      at_[i] = i;
      over_norm_[i] = square_[i] > 0 ? 1 / Kokkos::sqrt(square_[i]) : 1.0;
    }
    CARROLL_UNROLL
    for (int i = 0; i < most; ++i) {
      c_[i] *= over_norm_[i];
      CARROLL_UNROLL
      // One after the other: the product of both may overflow.
      for (int j = 0; j < most; ++j) S_[i][j] = S_[i][j] * over_norm_[i] * over_norm_[j];
    }
    CARROLL_UNROLL
    for (int r = 0; r < most; ++r) {
      CARROLL_UNROLL
      for (int q = r + 1; q < most; ++q) exchange(r, q, q < K_ && S_[q][q] > S_[r][r]);
      bool const counts = rank == r && r < K_ && S_[r][r] > cutoff * cutoff;
      over_pivot_[r] = counts ? 1 / Kokkos::sqrt(S_[r][r]) : 0.0;
      rank += counts ? 1 : 0;
      c_[r] *= over_pivot_[r];
      CARROLL_UNROLL
      for (int j = r + 1; j < most; ++j) S_[r][j] *= over_pivot_[r];
      CARROLL_UNROLL
      for (int i = r + 1; i < most; ++i) {
        c_[i] -= S_[r][i] * c_[r];
        CARROLL_UNROLL
        for (int j = r + 1; j < most; ++j) S_[i][j] -= S_[r][i] * S_[r][j];
      }
    }
    double z[most];
    CARROLL_UNROLL
    for (int r = most - 1; r >= 0; --r) {
      z[r] = c_[r];
      CARROLL_UNROLL
      for (int j = r + 1; j < most; ++j) z[r] -= S_[r][j] * z[j];
      z[r] *= over_pivot_[r];
    }
    CARROLL_UNROLL
    for (int r = 0; r < most; ++r) {
      CARROLL_UNROLL
      for (int i = 0; i < most; ++i)
        if (at_[r] == i) y[i] = z[r] * over_norm_[r];
    }
  }

  /// Entry (i, j) of S⁻¹, after solve(), or of the columns that count of that of their part of S.
  KOKKOS_FUNCTION double inverse(int i, int j) const {
    // R⁻¹, whose rows and columns beyond the rank are 0 as their pivots' reciprocals are.
    double R[most][most] = {};
    CARROLL_UNROLL
    for (int e = 0; e < most; ++e) {
      R[e][e] = over_pivot_[e];
      CARROLL_UNROLL
      for (int d = e - 1; d >= 0; --d) {
        double sum = 0;
        CARROLL_UNROLL
        for (int f = d + 1; f <= e; ++f) sum += S_[d][f] * R[f][e];
        R[d][e] = -sum * over_pivot_[d];
      }
    }
    double entry = 0;
    CARROLL_UNROLL
    for (int a = 0; a < most; ++a) {
      CARROLL_UNROLL
      for (int b = 0; b < most; ++b) {
        double sum = 0;
        CARROLL_UNROLL
        for (int e = 0; e < most; ++e) sum += R[a][e] * R[b][e];
        if (at_[a] == i && at_[b] == j) entry = sum * over_norm_[a] * over_norm_[b];
      }
    }
    return entry;
  }

  /// What the motion's part of the step promises.
  KOKKOS_FUNCTION double reduction(double lambda, bool relative) const {
    double const share = lambda / (1 + lambda);
    double sum = 0;
    CARROLL_UNROLL
    for (int j = 0; j < most; ++j) {
      double const damping = relative ? share * square_[j] : lambda;
      if (j < K_) sum += y[j] * (gradient_[j] + damping * y[j]);
    }
    return sum;
  }

 private:
  KOKKOS_FUNCTION static void exchange(double& a, double& b, bool yes) {
    double const x = a, y = b;
    a = yes ? y : x;
    b = yes ? x : y;
  }
  /// Unknowns r and q > r, in rows that are not factorised yet and in columns of all.
  KOKKOS_FUNCTION void exchange(int r, int q, bool yes) {
    CARROLL_UNROLL
    for (int e = 0; e < most; ++e) exchange(S_[e][r], S_[e][q], yes);
    CARROLL_UNROLL
    for (int e = 0; e < most; ++e) exchange(S_[r][e], S_[q][e], yes);
    exchange(c_[r], c_[q], yes);
    exchange(over_norm_[r], over_norm_[q], yes);
    int const first = at_[r], second = at_[q];
    at_[r] = yes ? second : first;
    at_[q] = yes ? first : second;
  }

  int K_;
  int at_[most] = {};
  double S_[most][most] = {}, c_[most] = {}, square_[most] = {}, gradient_[most] = {};
  double over_norm_[most] = {}, over_pivot_[most] = {};
};

}  // namespace carroll::detail
