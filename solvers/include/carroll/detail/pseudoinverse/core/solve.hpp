// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <cstddef>

namespace carroll::detail {

/// The dense k×k end of a problem, solved by one thread: S = EᵀE as a triangle R with z, or itself
/// with Eᵀf.
///
/// Columns are divided by their norm in A, then taken in order of what is left of them, until that
/// is at most the cutoff: R = [R₁ R₂; 0 0] in that order. With X = [R₁⁻¹; 0] in terms of the
/// columns of A, X·Xᵀ is a generalised inverse of S, and y = X·z one solution. With independent
/// columns, N = X and D = UᵀU + damping, A⁺ = [η; D⁻¹Uᵀ - βη], where η = N·XᵀEᵀ, and (AᵀA)⁺ has the
/// first block C = N·Nᵀ and the further diagonal entries βᵢCβᵢᵀ + 1/dᵢ.
///
/// Otherwise Y = [-R₁⁻¹R₂; I] spans what E does not see, and the null vectors of A are those of
/// Z = [Y; -βY], β the m×k matrix of the groups' β. ShortestSolution makes Z orthonormal, takes it
/// off [N; -βN] and [y; γ - βy], and keeps all of them in full: Z and N are of k + m rows from then
/// on. With P = I - ZZᵀ
///
///   A⁺ = N·(AN)ᵀ + P·[0; D⁻¹Uᵀ],   (AᵀA)⁺ = N·Nᵀ + P·diag(0, D⁻¹)·P.
///
/// 2k³ flops.
struct Core {
  int k;
  double* system;  ///< k×(k+1), row-major: (R | z) or (S | Eᵀf)
  double* scale;   ///< k: norms of columns, 1 for a zero column
  double* X;       ///< k×k from here on, row-major
  double* N;       ///< X; of dependent columns the upper rows of [N Z], column j in place pivots[j]
  double* copy;    ///< k×(k+1): the system, before it is reduced
  double* gram;    ///< Zᵀ[Z N]
  double* weighted;  ///< see ShortestSolution::weigh
  double* work;
  double* cross;  ///< k: Zᵀx
  double* y;      ///< k
  double* vector;
  double* nullity;  ///< 1: columns of Z; and one more for ShortestSolution
  int* pivots;      ///< k: columns in the order in which they were taken, those of Z at the end

  KOKKOS_FUNCTION Core(int columns, double* data, int* pivot_data)
      : k(columns), pivots(pivot_data) {
    std::ptrdiff_t const square = static_cast<std::ptrdiff_t>(k) * k;
    system = data;
    X = system + square + k;
    N = X + square;
    copy = N + square;
    gram = copy + square + k;
    weighted = gram + square;
    work = weighted + square;
    scale = work + square;
    cross = scale + k;
    y = cross + k;
    vector = y + k;
    nullity = vector + k;
  }

  KOKKOS_FUNCTION double& at(double* M, int i, int j) const {
    return M[static_cast<std::ptrdiff_t>(i) * k + j];
  }
  KOKKOS_FUNCTION double& entry(int i, int j) const {
    return system[static_cast<std::ptrdiff_t>(i) * (k + 1) + j];
  }

  KOKKOS_FUNCTION bool finite() const {
    bool all = true;
    for (int i = 0; i < k; ++i) {
      all = all && Kokkos::isfinite(scale[i]);
      for (int j = i; j <= k; ++j) all = all && Kokkos::isfinite(entry(i, j));
    }
    return all;
  }

  /// Puts a solution into y, X and N, Y of dependent columns, too; returns the rank. `is_gram`: the
  /// system is S and not R. smallest: the least pivot that was taken.
  KOKKOS_FUNCTION int solve(bool is_gram, double cutoff, double& smallest) const {
    if (k == 1 && is_gram && solve_single(cutoff, smallest)) return 1;
    double* const R = work;
    for (int i = 0; i < k; ++i) {
      pivots[i] = i;
      scale[i] = scale[i] > 0 ? scale[i] : 1;
      for (int j = 0; j < i; ++j) entry(i, j) = is_gram ? entry(j, i) : 0;
    }
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < k; ++j) entry(i, j) /= is_gram ? scale[i] * scale[j] : scale[j];
      if (is_gram) entry(i, k) /= scale[i];
    }
    for (int i = 0; i < k * (k + 1); ++i) copy[i] = system[i];
    int rank = 0;
    for (; rank < k; ++rank) {
      double largest = 0;
      int pivot = rank;
      for (int c = rank; c < k; ++c) {
        double const left = is_gram ? entry(pivots[c], pivots[c]) : square_of(pivots[c]);
        if (left > largest) {
          largest = left;
          pivot = c;
        }
      }
      double const r = Kokkos::sqrt(largest);
      if (!(r > cutoff)) break;
      smallest = r < smallest ? r : smallest;
      int const column = pivots[pivot];
      pivots[pivot] = pivots[rank];
      pivots[rank] = column;
      for (int c = 0; c < rank; ++c) {  // R's rows above have moved with their column
        double const held = at(R, c, pivot);
        at(R, c, pivot) = at(R, c, rank);
        at(R, c, rank) = held;
      }
      at(R, rank, rank) = r;
      y[rank] = is_gram ? reduce_gram(R, rank, r) : reduce_columns(R, rank, r);
    }
    invert(R, rank);
    *nullity = k - rank;
    if (rank < k) find_null_vectors(is_gram, rank, cutoff);
    return rank;
  }

  /// Zᵀ[Z N] = L[Lᵀ G] in gram, Zᵀx = Lc in cross: leaves Lᵀ, G and c.
  KOKKOS_FUNCTION void factorise_products(int rank) const {
    int const null = k - rank;
    for (int a = 0; a < null; ++a) {
      double const root = Kokkos::sqrt(at(gram, a, a));
      for (int b = a; b < k; ++b) at(gram, a, b) /= root;
      cross[a] /= root;
      for (int b = a + 1; b < null; ++b) {
        double const l = at(gram, a, b);
        for (int c = b; c < k; ++c) at(gram, b, c) -= l * at(gram, a, c);
        cross[b] -= l * cross[a];
      }
    }
  }

  /// C of the covariance, into `work`, which has what the null vectors give where columns are
  /// dependent.
  KOKKOS_FUNCTION void covariance(int rank) const {
    for (int r = 0; r < k; ++r)
      for (int c = 0; c < k; ++c) {
        double sum = rank < k ? at(work, r, c) : 0;
        for (int t = 0; t < rank; ++t) {
          int const j = rank < k ? pivots[t] : t;
          sum += at(N, r, j) * at(N, c, j);
        }
        at(work, r, c) = sum;
      }
  }

 private:
  /// What solve() comes to for one independent column, the case of which a GPU would otherwise wait
  /// most of all for instructions. False where it counts as dependent.
  KOKKOS_FUNCTION bool solve_single(double cutoff, double& smallest) const {
    double const norm = scale[0] > 0 ? scale[0] : 1;
    double const r = Kokkos::sqrt(system[0] / (norm * norm));
    if (!(r > cutoff)) return false;
    smallest = r < smallest ? r : smallest;
    double const x = 1 / r / norm;
    scale[0] = norm;
    pivots[0] = 0;
    X[0] = N[0] = x;
    *nullity = 0;
    y[0] = x * (system[1] / norm / r);
    return true;
  }

  KOKKOS_FUNCTION double square_of(int column) const {
    double sum = 0;
    for (int i = 0; i < k; ++i) sum += entry(i, column) * entry(i, column);
    return sum;
  }

  /// Takes pivot column `rank` off the columns behind it and off z, by modified Gram-Schmidt.
  KOKKOS_FUNCTION double reduce_columns(double* R, int rank, double r) const {
    int const column = pivots[rank];
    for (int i = 0; i < k; ++i) entry(i, column) /= r;
    for (int c = rank + 1; c <= k; ++c) {
      int const other = c < k ? pivots[c] : k;
      double dot = 0;
      for (int i = 0; i < k; ++i) dot += entry(i, column) * entry(i, other);
      for (int i = 0; i < k; ++i) entry(i, other) -= dot * entry(i, column);
      if (c == k) return dot;
      at(R, rank, c) = dot;
    }
    return 0;
  }

  /// The same for S: a step of Cholesky's factorisation.
  KOKKOS_FUNCTION double reduce_gram(double* R, int rank, double r) const {
    int const row = pivots[rank];
    double const z = entry(row, k) / r;
    for (int c = rank + 1; c < k; ++c) at(R, rank, c) = entry(row, pivots[c]) / r;
    for (int c = rank + 1; c < k; ++c) {
      for (int d = rank + 1; d < k; ++d)
        entry(pivots[c], pivots[d]) -= at(R, rank, c) * at(R, rank, d);
      entry(pivots[c], k) -= at(R, rank, c) * z;
    }
    return z;
  }

  /// X, N = X and y from R and from z in y.
  KOKKOS_FUNCTION void invert(double* R, int rank) const {
    for (int i = 0; i < k * k; ++i) X[i] = N[i] = 0;
    for (int j = 0; j < rank; ++j)
      for (int i = j; i >= 0; --i) {
        double sum = i == j ? 1 : 0;
        for (int t = i + 1; t <= j; ++t) sum -= at(R, i, t) * at(X, pivots[t], j);
        at(X, pivots[i], j) = sum / at(R, i, i);
      }
    for (int i = 0; i < k; ++i) vector[i] = i < rank ? y[i] : 0;
    for (int i = 0; i < k; ++i) {
      double sum = 0;
      for (int j = 0; j < rank; ++j) {
        at(X, i, j) /= scale[i];
        at(N, i, j) = at(X, i, j);
        sum += at(X, i, j) * vector[j];
      }
      y[i] = sum;
    }
  }

  /// [N Y], column j in place pivots[j], from X and from the copy of the system. A null vector of
  /// columns that are equal, or powers of two times each other, is exact: it comes from quotients
  /// by a pivot's square, 1 for an equal column, not from R, which is rounded. What an error of a
  /// null vector costs is divided by the square of the shortest depth that it should not touch.
  KOKKOS_FUNCTION void find_null_vectors(bool is_gram, int rank, double cutoff) const {
    // What is left of a column that is no more than rounding; see rank_cutoff().
    double const rounding = 32.0 * (k + 1) * Kokkos::Experimental::epsilon_v<double>;
    double const least = is_gram ? rounding : Kokkos::min(rounding, cutoff);
    double* const Q = work;  // quotients: unit upper triangular, columns in the order of pivots
    for (int t = 0; t < rank; ++t) {
      int const p = pivots[t];
      double const square = is_gram ? copy_at(p, p) : copied_product(p, p);
      // R's pivot may have been rounding, of which there is nothing here.
      for (int c = t + 1; c < k; ++c) {
        double const product = is_gram ? copy_at(p, pivots[c]) : copied_product(p, pivots[c]);
        at(Q, t, c) = square > 0 ? product / square : 0;
      }
      for (int c = t + 1; c < k; ++c) {
        int const column = pivots[c];
        for (int d = is_gram ? t + 1 : 0; d < k; ++d) {
          int const i = is_gram ? pivots[d] : d;
          double const x = copy_at(is_gram ? p : i, is_gram ? i : p);
          double& left = copy_at(is_gram ? column : i, is_gram ? i : column);
          left = multiply_add(-at(Q, t, c), x, left);
        }
      }
      for (int c = Kokkos::max(t + 1, rank); c < k; ++c) {
        int const column = pivots[c];
        double const left = is_gram ? copy_at(column, column) : copied_product(column, column);
        if (!(left <= (is_gram ? least : least * least))) continue;
        for (int i = 0; i < k; ++i) {
          copy_at(i, column) = 0;
          if (is_gram) copy_at(column, i) = 0;
        }
      }
    }
    for (int j = 0; j < rank; ++j)
      for (int i = 0; i < k; ++i) at(N, i, pivots[j]) = at(X, i, j);
    for (int c = rank; c < k; ++c) {
      int const own = pivots[c];
      for (int i = 0; i < k; ++i) at(N, i, own) = 0;
      at(N, own, own) = 1;
      for (int t = rank - 1; t >= 0; --t) {
        double w = at(Q, t, c);
        for (int s = t + 1; s < rank; ++s) w = multiply_add(-at(Q, t, s), at(Q, s, c), w);
        at(Q, t, c) = w;
        at(N, pivots[t], own) = -w * (scale[own] / scale[pivots[t]]);
      }
    }
  }
  KOKKOS_FUNCTION double& copy_at(int i, int j) const {
    return copy[static_cast<std::ptrdiff_t>(i) * (k + 1) + j];
  }
  KOKKOS_FUNCTION double copied_product(int a, int b) const {
    double sum = 0;
    for (int i = 0; i < k; ++i) sum = multiply_add(copy_at(i, a), copy_at(i, b), sum);
    return sum;
  }
};

}  // namespace carroll::detail
