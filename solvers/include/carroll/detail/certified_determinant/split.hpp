// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

/// X·C·Y − I with about twice the digits, from plain matrix products.
///
/// Numbers are split into heads of β bits, relative to the largest entry of their row or column,
/// and tails: x = x₁ + x₂ (Ozaki, Ogita, Oishi and Rump, Numer. Algorithms 59, 2012). With 2β +
/// log₂ n <= 53 a product of heads has no rounding error, in whichever order it is summed up (but
/// not by Strassen's method, nor in emulated precision, for which no bound here holds);
/// those of the other products are smaller than the usual ones by 2^-β:
///
///   X·C = X₁C₁ + (X₁C₂ + X₂C) = W₁ + W₂ + error,     W₁ + W₂ the exact sum of the two,
///   W·Y = V₁Y₁ + (V₁Y₂ + V₂Y) + error,               V₁ heads of W₁, V₂ = W₁ − V₁ + W₂.
///
/// Six products, 6n³ flops for X and Y triangular.
namespace carroll::detail {

/// β.
KOKKOS_INLINE_FUNCTION int head_bits(int n) {
  return (53 - exponent_of(static_cast<double>(n))) / 2;
}

/// The distance of heads for numbers of at most `top`: 2^-β times a power of two that is at least
/// top. NaN for numbers so large that this could overflow: then nothing is proved.
KOKKOS_INLINE_FUNCTION double head_unit(double top, int bits) {
  constexpr double largest = 0x1p+900, smallest = 0x1p-900;
  if (!(top <= largest)) return Kokkos::Experimental::quiet_NaN_v<double>;
  return power_of_two<double>((top > smallest ? exponent_of(top) : -900) - bits);
}

/// The multiple of `unit` that is nearest to x, for |x| <= unit·2^50.
KOKKOS_INLINE_FUNCTION double head_of(double x, double unit) {
  double const shift = 0x1.8p+52 * unit;
  return (x + shift) - shift;
}

/// A bound of the relative errors of a sum of `terms` products in any order.
KOKKOS_INLINE_FUNCTION double sum_error(int terms) {
  return unit_roundoff * (static_cast<double>(terms) + 2);
}

/// C into heads and tails, by rows. n² entries read, 2n² written.
struct SplitBalanced {
  template <class Member>
  KOKKOS_FUNCTION void row(Member const& team, CertifiedMemory const& w, int i) const {
    auto const C = w.matrix(CertifiedMatrix::balanced);
    auto const head = w.matrix(CertifiedMatrix::right_head);
    auto const tail = w.matrix(CertifiedMatrix::right_tail);
    double const unit = head_unit(0.5, head_bits(w.n));
    lane_for(team, w.n, [&](int j) {
      head(i, j) = head_of(C(i, j), unit);
      tail(i, j) = C(i, j) - head(i, j);
    });
  }
};

/// X into heads and, in its own place, tails; row i of X is column i of what is stored. Bounds the
/// error of row i of W; NaN ends up in the bound. n² entries read, 2n² written.
struct SplitLeft {
  KOKKOS_FUNCTION void column(CertifiedMemory const& w, int i) const {
    auto const X = w.matrix(CertifiedMatrix::left).transposed();
    auto const head = w.matrix(CertifiedMatrix::factors).transposed();
    double top = 0;
    for (int k = 0; k <= i; ++k) top = Kokkos::max(top, Kokkos::abs(X(i, k)));
    int const bits = head_bits(w.n);
    double const unit = head_unit(top, bits);
    double heads = 0, tails = 0;
    for (int k = 0; k < w.n; ++k) {
      double const x = X(i, k);
      head(i, k) = head_of(x, unit);
      X(i, k) = x - head(i, k);
      heads += Kokkos::abs(head(i, k));
      tails += Kokkos::abs(X(i, k));
    }
    // Tails of C are at most 2^-(β+1), its entries less than 1.
    double const products = heads * power_of_two<double>(-bits - 1) + tails;
    w.vector(CertifiedVector::row_error)[i] =
        sum_error(2 * w.n) * products * bound_inflation + (1 + heads + tails) * underflow_allowance;
  }
};

/// Row i of W, into heads and tails. 2n² entries read, 2n² written twice.
struct SplitProduct {
  template <class Member>
  KOKKOS_FUNCTION void row(Member const& team, CertifiedMemory const& w, int i) const {
    auto const leading = w.matrix(CertifiedMatrix::leading);
    auto const trailing = w.matrix(CertifiedMatrix::trailing);
    auto const head = w.matrix(CertifiedMatrix::factors);
    auto const tail = w.matrix(CertifiedMatrix::left);
    double const top = lane_max<double>(team, w.n, [&](int j) {
      double const size = Kokkos::abs(leading(i, j) + trailing(i, j));
      return size <= Kokkos::Experimental::finite_max_v<double>
                 ? size
                 : Kokkos::Experimental::infinity_v<double>;
    });
    int const bits = head_bits(w.n);
    double const unit = head_unit(top, bits);
    double const heads = lane_sum<double>(team, w.n, [&](int j) {
      auto const sum = DoubleWord<double>::sum(leading(i, j), trailing(i, j));
      double const v = head_of(sum.high, unit);
      head(i, j) = v;
      tail(i, j) = (sum.high - v) + sum.low;
      return Kokkos::abs(v);
    });
    once_per_thread(team, [&] {
      double const error = sum_error(2 * w.n);
      double& row_error = w.vector(CertifiedVector::row_error)[i];
      // Tails are at most `unit`, and rounded.
      row_error = (row_error + unit * (error + unit_roundoff)) * bound_inflation;
      w.vector(CertifiedVector::row_slope)[i] =
          error * heads * power_of_two<double>(-bits - 1) * bound_inflation;
    });
  }
};

/// Y into heads and tails. n² entries read twice, 2n² written.
struct SplitRight {
  KOKKOS_FUNCTION void column(CertifiedMemory const& w, int j) const {
    auto const Y = w.matrix(CertifiedMatrix::right);
    auto const head = w.matrix(CertifiedMatrix::right_head);
    auto const tail = w.matrix(CertifiedMatrix::right_tail);
    double top = 0, sum = 0;
    for (int k = 0; k <= j; ++k) {
      double const size = Kokkos::abs(Y(k, j));
      top = Kokkos::max(top, size);
      sum += size;
    }
    int const bits = head_bits(w.n);
    double const unit = head_unit(top, bits);
    for (int k = 0; k < w.n; ++k) {
      head(k, j) = head_of(Y(k, j), unit);
      tail(k, j) = Y(k, j) - head(k, j);
    }
    w.vector(CertifiedVector::column_sum)[j] = sum * bound_inflation;
    w.vector(CertifiedVector::column_top)[j] = unit * power_of_two<double>(bits);
  }
};

/// Row i of G, and bounds of |G|: (|computed| + bound of its error). 2n² entries read and written.
struct Residual {
  template <class Member>
  KOKKOS_FUNCTION void row(Member const& team, CertifiedMemory const& w, int i) const {
    auto const leading = w.matrix(CertifiedMatrix::leading);
    auto const trailing = w.matrix(CertifiedMatrix::trailing);
    double const* const column_sum = w.vector(CertifiedVector::column_sum);
    double const* const column_top = w.vector(CertifiedVector::column_top);
    double const error = w.vector(CertifiedVector::row_error)[i];
    double const slope = w.vector(CertifiedVector::row_slope)[i];
    lane_for(team, w.n, [&](int j) {
      double const main = leading(i, j) - (i == j ? 1.0 : 0.0);
      double const g = main + trailing(i, j);
      double const rounding = 2 * unit_roundoff * (Kokkos::abs(main) + Kokkos::abs(g));
      double const radius =
          (error * column_sum[j] + slope * column_top[j] + rounding) * bound_inflation +
          underflow_allowance;
      leading(i, j) = g;
      trailing(i, j) = (Kokkos::abs(g) + radius) * bound_inflation;
      if (i == j) {
        w.vector(CertifiedVector::diagonal)[i] = g;
        w.vector(CertifiedVector::radius)[i] = radius;
      }
    });
  }
};

}  // namespace carroll::detail
