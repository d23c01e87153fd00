// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace carroll::detail {

/// The dense k×k end of a problem, solved by one thread: S = EᵀE as a triangle R with z, or itself
/// with Eᵀf.
///
/// Columns are divided by their norm in A, then taken in order of what is left of them, until that
/// is at most the cutoff: R = [R₁ R₂; 0 0] in that order. With X = [R₁⁻¹; 0] in terms of the
/// columns of A, X·Xᵀ is a generalised inverse of S, and y = X·z one solution. Y = [-R₁⁻¹R₂; I]
/// spans what E does not see. The null vectors of A are those of Z = [Y; -βY], β the m×k matrix of
/// the groups' β, and the shortest solution is the one orthogonal to them. With Y such that Z has
/// orthonormal columns, and N = X at first:
///
///   y ← y - Y·Zᵀ[y; ξ],  ξ = γ - βy,   N ← N - Y·Zᵀ[N; -βN],   T = YYᵀ.
///
/// Z is made orthonormal by Cholesky's factorisation of ZᵀZ, twice (Yamamoto et al., ETNA 44,
/// 2015), and what is taken off y and N is so, too.
///
/// With these A⁺ = [η; D⁻¹Uᵀ - βη], where η = N·XᵀEᵀ + T·βᵀD⁻¹Uᵀ (D = UᵀU + damping), and
/// (AᵀA)⁺ has the first block C = N·Nᵀ + T·(βᵀD⁻¹β)·T and the further diagonal entries
/// βᵢCβᵢᵀ + (1 - 2βᵢTβᵢᵀ)/dᵢ. T = 0 where columns are independent. 2k³ flops.
struct Core {
  int k;
  double* system;  ///< k×(k+1), row-major: (R | z) or (S | Eᵀf)
  double* scale;   ///< k: norms of columns, 1 for a zero column
  double* X;       ///< k×k from here on, row-major
  double* N;
  double* T;
  double* Y;
  double* gram;      ///< (βV)ᵀ(βV), V = [Y N]
  double* weighted;  ///< βᵀD⁻¹β
  double* work;
  double* cross;  ///< k: (βV)ᵀ(γ - βy)
  double* y;      ///< k
  double* vector;
  double* correction;  ///< k: Yc of the last pass; see correct()
  double* nullity;     ///< 1: columns of Y
  int* pivots;         ///< k: columns in the order in which they were taken

  KOKKOS_FUNCTION Core(int columns, double* data, int* pivot_data)
      : k(columns), pivots(pivot_data) {
    std::ptrdiff_t const square = static_cast<std::ptrdiff_t>(k) * k;
    system = data;
    X = system + square + k;
    N = X + square;
    T = N + square;
    Y = T + square;
    gram = Y + square;
    weighted = gram + square;
    work = weighted + square;
    scale = work + square;
    cross = scale + k;
    y = cross + k;
    vector = y + k;
    correction = vector + k;
    nullity = correction + k;
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

  /// Puts the basic solution into y, X and Y; returns the rank. `is_gram`: the system is S and not
  /// R. smallest: the least pivot that was taken.
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
    return rank;
  }

  /// Entry (c, a) of V = [Y N].
  KOKKOS_FUNCTION double basis(int rank, int c, int a) const {
    int const null = k - rank;
    return a < null ? at(Y, c, a) : at(N, c, a - null);
  }

  /// After sums over the groups into gram and cross: one step towards the shortest solution. To be
  /// taken twice.
  KOKKOS_FUNCTION void shorten(int rank) const {
    int const null = k - rank;
    // The parts of y and N come in beside those of β: gram becomes Zᵀ[V; -βV], cross Zᵀ[y; ξ].
    for (int a = 0; a < null; ++a) {
      for (int b = 0; b < k; ++b)
        for (int c = 0; c < k; ++c) at(gram, a, b) += at(Y, c, a) * basis(rank, c, b);
      cross[a] = -cross[a];
      for (int c = 0; c < k; ++c) cross[a] += at(Y, c, a) * y[c];
    }
    // ZᵀZ = LLᵀ, column by column; all rows are divided by L on the way.
    for (int a = 0; a < null; ++a) {
      double const root = Kokkos::sqrt(at(gram, a, a));
      for (int b = a; b < k; ++b) at(gram, a, b) /= root;
      cross[a] /= root;
      for (int r = 0; r < k; ++r) at(Y, r, a) /= root;
      for (int b = a + 1; b < null; ++b) {
        double const l = at(gram, a, b);
        for (int c = b; c < k; ++c) at(gram, b, c) -= l * at(gram, a, c);
        cross[b] -= l * cross[a];
        for (int r = 0; r < k; ++r) at(Y, r, b) -= l * at(Y, r, a);
      }
    }
    for (int r = 0; r < k; ++r)
      for (int a = 0; a < null; ++a) {
        y[r] -= at(Y, r, a) * cross[a];
        for (int j = 0; j < rank; ++j) at(N, r, j) -= at(Y, r, a) * at(gram, a, null + j);
      }
    for (int r = 0; r < k; ++r)
      for (int c = 0; c < k; ++c) {
        at(T, r, c) = 0;
        for (int a = 0; a < null; ++a) at(T, r, c) += at(Y, r, a) * at(Y, c, a);
      }
  }

  /// After the same sums once more: Yc, with c = Zᵀ[y; ξ] of the x that is there. Where u/d and βy
  /// cancel in a depth, ξ has errors of their size along Z, which y - Yc and ξ + βYc have not.
  KOKKOS_FUNCTION void correct(int rank) const {
    for (int r = 0; r < k; ++r) correction[r] = 0;
    for (int a = 0; a < k - rank; ++a) {
      double c = -cross[a];
      for (int j = 0; j < k; ++j) c += at(Y, j, a) * y[j];
      for (int r = 0; r < k; ++r) correction[r] += at(Y, r, a) * c;
    }
  }

  /// C of the covariance, into `work`; `deficient`: T is not 0.
  KOKKOS_FUNCTION void covariance(bool deficient) const {
    for (int r = 0; r < k; ++r)
      for (int c = 0; c < k; ++c) {
        double sum = 0;
        for (int t = 0; t < k; ++t) sum += at(N, r, t) * at(N, c, t);
        at(work, r, c) = sum;
      }
    if (!deficient) return;
    for (int r = 0; r < k; ++r) {
      for (int c = 0; c < k; ++c) {
        vector[c] = 0;
        for (int t = 0; t < k; ++t) vector[c] += at(T, r, t) * at(weighted, t, c);
      }
      for (int c = 0; c < k; ++c)
        for (int t = 0; t < k; ++t) at(work, r, c) += vector[t] * at(T, t, c);
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
    T[0] = Y[0] = correction[0] = *nullity = 0;
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

  /// X, N = X, Y, T = 0 and y from R and from z in y.
  KOKKOS_FUNCTION void invert(double* R, int rank) const {
    for (int i = 0; i < k * k; ++i) X[i] = N[i] = T[i] = Y[i] = 0;
    for (int i = 0; i < k; ++i) correction[i] = 0;
    for (int j = 0; j < rank; ++j)
      for (int i = j; i >= 0; --i) {
        double sum = i == j ? 1 : 0;
        for (int t = i + 1; t <= j; ++t) sum -= at(R, i, t) * at(X, pivots[t], j);
        at(X, pivots[i], j) = sum / at(R, i, i);
      }
    for (int c = rank; c < k; ++c) {
      at(Y, pivots[c], c - rank) = 1;
      for (int i = 0; i < rank; ++i) {
        double sum = 0;
        for (int t = i; t < rank; ++t) sum -= at(X, pivots[i], t) * at(R, t, c);
        at(Y, pivots[i], c - rank) = sum;
      }
    }
    for (int i = 0; i < k; ++i) vector[i] = i < rank ? y[i] : 0;
    for (int i = 0; i < k; ++i) {
      double sum = 0;
      for (int j = 0; j < rank; ++j) {
        at(X, i, j) /= scale[i];
        at(N, i, j) = at(X, i, j);
        sum += at(X, i, j) * vector[j];
      }
      for (int c = 0; c < k - rank; ++c) at(Y, i, c) /= scale[i];
      y[i] = sum;
    }
  }
};

}  // namespace carroll::detail
