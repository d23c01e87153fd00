// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/host_batch/work.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/choice.hpp>

/// A = Q·T·Qᵀ, T tridiagonal, of as many matrices as a register has lanes.
namespace carroll::detail::simd {

/// w := A₂·v, with the lower triangle of rows and columns k + 1 and later.
template <class Pack>
void multiply_symmetric(SymmetricWork<Pack> const& at, int k, Pack const* v) {
  Pack* const w = at.w;
  for_rows(k + 1, at.n, [&](int i, auto count) {
    constexpr int rows = count();
    Pack const* row[rows];
    Pack own[rows], sums[rows];
    for (int r = 0; r < rows; ++r) {
      row[r] = at.row(i + r);
      own[r] = v[i + r];
      sums[r] = Pack(0);
    }
    for (int j = k + 1; j < i; ++j) {
      Pack const other = v[j];
      Pack to_other = w[j];
      for (int r = 0; r < rows; ++r) {
        Pack const a = row[r][j];
        to_other.add_product(a, own[r]);
        sums[r].add_product(a, other);
      }
      w[j] = to_other;
    }
    for (int r = 0; r < rows; ++r) {
      for (int q = 0; q < r; ++q) {
        Pack const a = row[r][i + q];
        sums[r].add_product(a, own[q]);
        sums[q].add_product(a, own[r]);
      }
      sums[r].add_product(row[r][i + r], own[r]);
    }
    for (int r = 0; r < rows; ++r) w[i + r] = sums[r];
  });
}

/// A₂ -= v·wᵀ + w·vᵀ, its lower triangle.
template <class Pack>
void update_symmetric(SymmetricWork<Pack> const& at, int k, Pack const* v) {
  Pack const* const w = at.w;
  for_rows(k + 1, at.n, [&](int i, auto count) {
    constexpr int rows = count();
    Pack vi[rows], wi[rows];
    for (int r = 0; r < rows; ++r) {
      vi[r] = -v[i + r];
      wi[r] = -w[i + r];
    }
    auto const update = [&](int r, int j, Pack const& vj, Pack const& wj) {
      Pack a = at.row(i + r)[j];
      a.add_product(vi[r], wj);
      a.add_product(wi[r], vj);
      at.row(i + r)[j] = a;
    };
    for (int j = k + 1; j <= i; ++j) {
      Pack const vj = v[j], wj = w[j];
      for (int r = 0; r < rows; ++r) update(r, j, vj, wj);
    }
    for (int q = 1; q < rows; ++q)
      for (int r = q; r < rows; ++r) update(r, i + q, v[i + q], w[i + q]);
  });
}

/// d, e and the reflectors of A = Q·T·Qᵀ. What is negligible below the subdiagonal is dropped. The
/// steps are those of LAPACK's xSYTD2 with the lower triangle. 4n³/3 flops.
template <class Pack>
void tridiagonalise(SymmetricWork<Pack> const& at) {
  using Real = typename Pack::Number;
  using Mask = typename Pack::Mask;
  by_itself<Pack::bytes>([&] {
    constexpr int negligible = 2 * negligible_coupling<Real>;
    Pack const least = carroll::detail::power_of_two<Real>(negligible);
    int const n = at.n;
    for (int k = 0; k + 1 < n; ++k) {
      at.d[k] = at.row(k)[k];
      Pack* const v = at.row(k);
      Pack const alpha = at.row(k + 1)[k];
      Pack square = Pack(0);
      for (int i = k + 2; i < n; ++i) {
        v[i] = at.row(i)[k];
        square.add_product(v[i], v[i]);
      }
      v[k + 1] = Pack(1);
      Mask const reflects = square > least;
      if (!any(reflects)) {
        at.e[k] = alpha;
        at.tau[k] = Pack(0);
        for (int i = k + 2; i < n; ++i) v[i] = Pack(0);
        continue;
      }
      Pack const norm = sqrt(accumulate(square, alpha, alpha));
      Pack const beta = select(reflects, select(alpha < Pack(0), norm, -norm), Pack(1));
      Pack const tau = select(reflects, (beta - alpha) / beta, Pack(0));
      Pack const inverse = select(reflects, Pack(1) / (alpha - beta), Pack(0));
      for (int i = k + 2; i < n; ++i) v[i] = v[i] * inverse;
      at.e[k] = select(reflects, beta, alpha);
      at.tau[k] = tau;
      multiply_symmetric(at, k, v);
      Pack product = Pack(0);
      for (int i = k + 1; i < n; ++i) {
        at.w[i] = at.w[i] * tau;
        product.add_product(at.w[i], v[i]);
      }
      Pack const half = tau * product * Pack(Real(-0.5));
      for (int i = k + 1; i < n; ++i) at.w[i].add_product(half, v[i]);
      update_symmetric(at, k, v);
    }
    at.d[n - 1] = at.row(n - 1)[n - 1];
  });
}

/// A := Q, the product of the reflectors, the last first. 4n³/3 flops.
template <class Pack>
void form_vectors(SymmetricWork<Pack> const& at) {
  by_itself<Pack::bytes>([&] {
    int const n = at.n;
    at.row(n - 1)[n - 1] = Pack(1);
    // Rows and columns from k + 2 on hold the product of the later reflectors.
    for (int k = n - 2; k >= 0; --k) {
      Pack const* const v = at.row(k);
      Pack const tau = -at.tau[k];
      Pack* const first = at.row(k + 1);
      for (int j = k + 2; j < n; ++j) at.w[j] = Pack(0);
      for_rows(k + 2, n, [&](int i, auto count) {
        constexpr int rows = count();
        for (int j = k + 2; j < n; ++j) {
          Pack sum = at.w[j];
          for (int r = 0; r < rows; ++r) sum.add_product(v[i + r], at.row(i + r)[j]);
          at.w[j] = sum;
        }
      });
      first[k + 1] = Pack(1) + tau;
      for (int j = k + 2; j < n; ++j) {
        at.w[j] = at.w[j] * tau;
        first[j] = at.w[j];
      }
      for_rows(k + 2, n, [&](int i, auto count) {
        constexpr int rows = count();
        Pack vi[rows];
        for (int r = 0; r < rows; ++r) {
          vi[r] = v[i + r];
          at.row(i + r)[k + 1] = tau * vi[r];
        }
        for (int j = k + 2; j < n; ++j) {
          Pack const w = at.w[j];
          for (int r = 0; r < rows; ++r) at.row(i + r)[j].add_product(vi[r], w);
        }
      });
    }
    // The first row and column are those of the identity.
    for (int j = 1; j < n; ++j) at.row(0)[j] = at.row(j)[0] = Pack(0);
    at.row(0)[0] = Pack(1);
  });
}

}  // namespace carroll::detail::simd
