// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/complex_svd/host_batch/work.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/host_batch/work.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/field.hpp>

/// A = Q·D·T·Dᴴ·Qᴴ of complex Hermitian matrices, T tridiagonal and real, D a diagonal of phases;
/// as many matrices as a register has lanes.
namespace carroll::detail::simd {

/// A row whose parts are apart, or a vector.
template <class Pack>
struct ComplexRow {
  Pack *re, *im;

  ComplexPack<Pack> operator[](int j) const { return {re[j], im[j]}; }
  void set(int j, ComplexPack<Pack> const& z) const {
    re[j] = z.re;
    im[j] = z.im;
  }
};
template <class Pack>
ComplexRow<Pack> complex_row(SymmetricWork<Pack> const& at, int i) {
  return {at.row(i), at.imaginary(i)};
}
template <class Pack>
ComplexRow<Pack> reflector_work(SymmetricWork<Pack> const& at) {
  return {at.w, at.w + at.n};
}

/// w := A₂·v, with the lower triangle of rows and columns k + 1 and later, whose diagonal is real.
template <class Pack>
void multiply_hermitian(SymmetricWork<Pack> const& at, int k, ComplexRow<Pack> const& v) {
  auto const w = reflector_work(at);
  for_rows<2>(k + 1, at.n, [&](int i, auto count) {
    constexpr int rows = count();
    ComplexRow<Pack> row[rows];
    ComplexPack<Pack> own[rows], sums[rows];
    for (int r = 0; r < rows; ++r) {
      row[r] = complex_row(at, i + r);
      own[r] = v[i + r];
      Pack const diagonal = row[r].re[i + r];
      sums[r] = {diagonal * own[r].re, diagonal * own[r].im};
    }
    for (int j = k + 1; j < i; ++j) {
      ComplexPack<Pack> const other = v[j];
      ComplexPack<Pack> to_other = w[j];
      for (int r = 0; r < rows; ++r) {
        ComplexPack<Pack> const a = row[r][j];
        add_conjugate_product(to_other, a, own[r]);
        sums[r].add_product(a, other);
      }
      w.set(j, to_other);
    }
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < r; ++q) {
        ComplexPack<Pack> const a = row[r][i + q];
        sums[r].add_product(a, own[q]);
        add_conjugate_product(sums[q], a, own[r]);
      }
    for (int r = 0; r < rows; ++r) w.set(i + r, sums[r]);
  });
}

/// A₂ -= v·wᴴ + w·vᴴ, its lower triangle.
template <class Pack>
void update_hermitian(SymmetricWork<Pack> const& at, int k, ComplexRow<Pack> const& v) {
  auto const w = reflector_work(at);
  for_rows<2>(k + 1, at.n, [&](int i, auto count) {
    constexpr int rows = count();
    ComplexPack<Pack> vi[rows], wi[rows];
    for (int r = 0; r < rows; ++r) {
      auto const x = v[i + r], y = w[i + r];
      vi[r] = {-x.re, -x.im};
      wi[r] = {-y.re, -y.im};
    }
    auto const update = [&](int r, int j) {
      auto const row = complex_row(at, i + r);
      ComplexPack<Pack> a = row[j];
      add_conjugate_product(a, w[j], vi[r]);
      add_conjugate_product(a, v[j], wi[r]);
      row.set(j, a);
    };
    for (int j = k + 1; j <= i; ++j)
      for (int r = 0; r < rows; ++r) update(r, j);
    for (int q = 1; q < rows; ++q)
      for (int r = q; r < rows; ++r) update(r, i + q);
  });
}

/// d, e, the phases and the reflectors I - τ·v·vᴴ, of which τ is real: a reflector takes the column
/// to a multiple of its first entry's phase, and those phases are left to D. What is negligible
/// below the subdiagonal, or there, is dropped. 16n³/3 flops.
template <class Pack>
void tridiagonalise_hermitian(SymmetricWork<Pack> const& at) {
  using Real = typename Pack::Number;
  using Mask = typename Pack::Mask;
  by_itself<Pack::bytes>([&] {
    constexpr int negligible = 2 * negligible_coupling<Real>;
    Pack const least = carroll::detail::power_of_two<Real>(negligible);
    int const n = at.n;
    ComplexRow<Pack> const w = reflector_work(at), phases{at.phases, at.phases + n};
    phases.set(0, {Pack(1), Pack(0)});
    for (int k = 0; k + 1 < n; ++k) {
      at.d[k] = at.row(k)[k];
      ComplexRow<Pack> const v = complex_row(at, k);
      ComplexPack<Pack> const alpha = complex_row(at, k + 1)[k];
      Pack square = Pack(0);
      for (int i = k + 2; i < n; ++i) {
        ComplexPack<Pack> const z = complex_row(at, i)[k];
        v.set(i, z);
        square = accumulate(accumulate(square, z.re, z.re), z.im, z.im);
      }
      v.set(k + 1, {Pack(1), Pack(0)});
      Pack const own = accumulate(alpha.re * alpha.re, alpha.im, alpha.im);
      Mask const reflects = square > least, has_phase = own > least;
      Pack const size = select(has_phase, sqrt(select(has_phase, own, Pack(1))), Pack(0));
      Pack const divisor = select(has_phase, size, Pack(1));
      ComplexPack<Pack> const phase{select(has_phase, alpha.re / divisor, Pack(1)),
                                    select(has_phase, alpha.im / divisor, Pack(0))};
      Pack const norm = sqrt(select(reflects, square + select(has_phase, own, Pack(0)), Pack(1)));
      at.e[k] = select(reflects, norm, size);
      Pack const tau = select(reflects, Pack(1) + size / norm, Pack(0));
      at.tau[k] = tau;
      // e = -phase·norm where there is a reflector, and alpha itself where there is none.
      Pack const sign = select(reflects, Pack(-1), Pack(1));
      ComplexPack<Pack> next{Pack(0), Pack(0)};
      next.add_product(phases[k], {sign * phase.re, sign * phase.im});
      phases.set(k + 1, next);
      Pack const inverse = select(reflects, Pack(1) / (size + norm), Pack(0));
      ComplexPack<Pack> const by{phase.re * inverse, phase.im * inverse};
      for (int i = k + 2; i < n; ++i) {
        ComplexPack<Pack> scaled{Pack(0), Pack(0)};
        add_conjugate_product(scaled, by, v[i]);
        v.set(i, scaled);
      }
      if (!any(reflects)) continue;
      multiply_hermitian(at, k, v);
      Pack product = Pack(0);
      for (int i = k + 1; i < n; ++i) {
        ComplexPack<Pack> const p{w.re[i] * tau, w.im[i] * tau};
        w.set(i, p);
        product = accumulate(accumulate(product, p.re, v.re[i]), p.im, v.im[i]);
      }
      Pack const half = tau * product * Pack(Real(-0.5));
      for (int i = k + 1; i < n; ++i) {
        w.re[i].add_product(half, v.re[i]);
        w.im[i].add_product(half, v.im[i]);
      }
      update_hermitian(at, k, v);
    }
    at.d[n - 1] = at.row(n - 1)[n - 1];
  });
}

/// A := Q·D, Q the product of the reflectors, the last first. 16n³/3 flops.
template <class Pack>
void form_complex_vectors(SymmetricWork<Pack> const& at) {
  by_itself<Pack::bytes>([&] {
    int const n = at.n;
    ComplexRow<Pack> const w = reflector_work(at), phases{at.phases, at.phases + n};
    ComplexPack<Pack> const zero{Pack(0), Pack(0)}, one{Pack(1), Pack(0)};
    complex_row(at, n - 1).set(n - 1, one);
    // Rows and columns from k + 2 on hold the product of the later reflectors.
    for (int k = n - 2; k >= 0; --k) {
      ComplexRow<Pack> const v = complex_row(at, k), first = complex_row(at, k + 1);
      Pack const tau = -at.tau[k];
      for (int j = k + 2; j < n; ++j) w.set(j, zero);
      for_rows<2>(k + 2, n, [&](int i, auto count) {
        constexpr int rows = count();
        for (int j = k + 2; j < n; ++j) {
          ComplexPack<Pack> sum = w[j];
          for (int r = 0; r < rows; ++r)
            add_conjugate_product(sum, v[i + r], complex_row(at, i + r)[j]);
          w.set(j, sum);
        }
      });
      first.set(k + 1, {Pack(1) + tau, Pack(0)});
      for (int j = k + 2; j < n; ++j) {
        w.set(j, {w.re[j] * tau, w.im[j] * tau});
        first.set(j, w[j]);
      }
      for_rows<2>(k + 2, n, [&](int i, auto count) {
        constexpr int rows = count();
        ComplexPack<Pack> vi[rows];
        for (int r = 0; r < rows; ++r) {
          vi[r] = v[i + r];
          complex_row(at, i + r).set(k + 1, {tau * vi[r].re, tau * vi[r].im});
        }
        for (int j = k + 2; j < n; ++j) {
          ComplexPack<Pack> const own = w[j];
          for (int r = 0; r < rows; ++r) {
            ComplexPack<Pack> z = complex_row(at, i + r)[j];
            z.add_product(vi[r], own);
            complex_row(at, i + r).set(j, z);
          }
        }
      });
    }
    // The first row and column are those of the identity.
    for (int j = 1; j < n; ++j) {
      complex_row(at, 0).set(j, zero);
      complex_row(at, j).set(0, zero);
    }
    complex_row(at, 0).set(0, one);
    for (int i = 1; i < n; ++i)
      for (int j = 1; j < n; ++j) {
        ComplexPack<Pack> z = zero;
        z.add_product(complex_row(at, i)[j], phases[j]);
        complex_row(at, i).set(j, z);
      }
  });
}

}  // namespace carroll::detail::simd
