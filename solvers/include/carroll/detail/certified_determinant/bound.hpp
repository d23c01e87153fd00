// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/certified_determinant/enclose.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

/// det(I + G) from bounds of |G|; see problem.hpp.
namespace carroll::detail {

/// Sums of rows of |G| without the diagonal. n² entries read.
struct SumRows {
  template <class Member>
  KOKKOS_FUNCTION void row(Member const& team, CertifiedMemory const& w, int i) const {
    auto const size = w.matrix(CertifiedMatrix::trailing);
    double const sum =
        lane_sum<double>(team, w.n, [&](int j) { return i == j ? 0.0 : size(i, j); });
    once_per_thread(team, [&] { w.vector(CertifiedVector::row_sum)[i] = sum; });
  }
};

/// S: powers of two next to √(row sum / column sum), which makes S⁻¹|G|S symmetric where G has
/// rank 1, as it nearly has for ill-conditioned A (Osborne, J. ACM 7, 1960). n² entries read.
struct ChooseScaling {
  KOKKOS_FUNCTION void column(CertifiedMemory const& w, int j) const {
    auto const size = w.matrix(CertifiedMatrix::trailing);
    double sum = 0;
    for (int i = 0; i < w.n; ++i) sum += i == j ? 0.0 : size(i, j);
    double const row_sum = w.vector(CertifiedVector::row_sum)[j];
    bool const usable = sum > 0 && row_sum > 0 && sum < 0x1p+900 && row_sum < 0x1p+900;
    int const e = usable ? (exponent_of(row_sum) - exponent_of(sum)) / 2 : 0;
    w.vector(CertifiedVector::scale)[j] = power_of_two<double>(Kokkos::clamp(e, -400, 400));
  }
};

/// Row i's share of ρ, of |S⁻¹NS|_F² and of Hadamard's bound of det(I + G). n² entries read.
struct BoundRows {
  template <class Member>
  KOKKOS_FUNCTION void row(Member const& team, CertifiedMemory const& w, int i) const {
    auto const size = w.matrix(CertifiedMatrix::trailing);
    double const* const scale = w.vector(CertifiedVector::scale);
    double const one_over = 1 / scale[i];
    auto const sums = lane_sums<double, 2>(team, w.n, [&](int j) {
      double const x = i == j ? 0.0 : size(i, j) * (scale[j] * one_over);
      return Sums<double, 2>{{x, x * x}};
    });
    once_per_thread(team, [&] {
      double const g = w.vector(CertifiedVector::diagonal)[i];
      double const radius = w.vector(CertifiedVector::radius)[i];
      double const rounding = 4 * unit_roundoff * (1 + Kokkos::abs(g));
      double const least = (1 + g) - (radius * bound_inflation + rounding);
      double const most = (Kokkos::abs(1 + g) + radius) * bound_inflation;
      // Where a pivot may be 0, nothing is below 1/0.
      double const over = least > 0 ? 1 / least : Kokkos::Experimental::infinity_v<double>;
      double const sum = sums[0] * bound_inflation + underflow_allowance;
      double const square = sums[1] * bound_inflation + underflow_allowance;
      w.vector(CertifiedVector::row_sum)[i] = sum * over * bound_inflation;
      w.vector(CertifiedVector::row_square)[i] = square * over * over * bound_inflation;
      w.vector(CertifiedVector::row_hadamard)[i] = (square + most * most) * bound_inflation;
      w.vector(CertifiedVector::radius)[i] = radius * over * bound_inflation;
    });
  }
};

/// A bound that always holds: the smaller one of Hadamard's for C and for I + G, the latter divided
/// by ∏ y_jj.
template <class Real>
KOKKOS_INLINE_FUNCTION CertifiedDeterminantInfo<Real> bound_without_proof(
    CertifiedMemory const& w, LongProduct const& value) {
  auto const Y = w.matrix(CertifiedMatrix::right);
  LongProduct plain, corrected;
  for (int i = 0; i < w.n; ++i) {
    double const entries = w.vector(CertifiedVector::row_norm)[i] + underflow_allowance;
    plain.multiply({Kokkos::sqrt(entries) * bound_inflation});
    corrected.multiply(
        {Kokkos::sqrt(w.vector(CertifiedVector::row_hadamard)[i]) * bound_inflation});
    corrected.divide({Kokkos::abs(Y(i, i))});
  }
  bool const better =
      corrected.mantissa.high > 0 &&
      (corrected.exponent < plain.exponent ||
       (corrected.exponent == plain.exponent && corrected.mantissa.high < plain.mantissa.high));
  LongProduct const& bound = better ? corrected : plain;
  std::int64_t const exponent = bound.exponent + w.state->exponent;
  double const radius = bound.mantissa.high * bound_inflation * bound_inflation;
  auto info = enclose<Real>({0.0}, radius, exponent, w.state->integer != 0);
  // The best guess, where it is one and the bound lets it stand.
  ScaledNumber<Real> const guess(static_cast<Real>(w.state->sign * value.mantissa.high),
                                 value.exponent + w.state->exponent);
  if (info.lower <= guess && guess <= info.upper) info.value = guess;
  return info;
}

/// The result. By one thread; O(n).
template <class Real>
KOKKOS_INLINE_FUNCTION CertifiedDeterminantInfo<Real> conclude_certified(CertifiedMemory const& w) {
  auto const Y = w.matrix(CertifiedMatrix::right);
  LongProduct value;
  double rho = 0, square = 0, diagonal = 0;
  bool proved = true;
  for (int i = 0; i < w.n; ++i) {
    value.multiply(DoubleWord<double>::sum(1, w.vector(CertifiedVector::diagonal)[i]));
    value.divide({Y(i, i)});
    double const sum = w.vector(CertifiedVector::row_sum)[i];
    proved = proved && sum < 0.5;
    rho = sum > rho ? sum : rho;
    square += w.vector(CertifiedVector::row_square)[i];
    diagonal += w.vector(CertifiedVector::radius)[i];
  }
  // log|det(I + G)| is within omega of that of the product; e^omega - 1 <= omega + omega².
  double const products = (4.0 * w.n + 8) * 0x1p-98;
  double const omega =
      (diagonal + square / (2 * (1 - rho)) + products) * bound_inflation * bound_inflation;
  double const size = Kokkos::abs(value.mantissa.high);
  if (!(proved && omega < 0.5 && size > 0)) return bound_without_proof<Real>(w, value);
  double const radius = (omega + omega * omega) * size * bound_inflation;
  return enclose<Real>(w.state->sign < 0 ? -value.mantissa : value.mantissa, radius,
                       value.exponent + w.state->exponent, w.state->integer != 0);
}

}  // namespace carroll::detail
