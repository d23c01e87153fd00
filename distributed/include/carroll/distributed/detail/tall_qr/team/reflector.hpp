// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

/// Reflectors as every thread of a team makes them for itself, with its lanes: the same bits, and
/// no barrier between making one and applying it.
namespace carroll::distributed::detail::team {

/// H = I - tau·h·hᵀ with h = [1; inverse·x], which takes [alpha; x] to [beta; 0].
template <class Real>
struct Reflector {
  Real tau = 0, inverse = 0, beta = 0;
};

/// Of alpha and `count` entries x(i). What is that small beside its column, which is within
/// 2^±calm_exponent, counts as zero.
template <class Real, class Member, class Entry>
KOKKOS_INLINE_FUNCTION Reflector<Real> reflector_of(Member const& member, Real alpha, int count,
                                                    Entry const& x) {
  using carroll::detail::lane_max, carroll::detail::lane_sum;
  constexpr Real small = sizeof(Real) == 4 ? Real(0x1p-90) : Real(0x1p-900);
  constexpr Real nothing = sizeof(Real) == 4 ? Real(0x1p-100) : Real(0x1p-960);
  Reflector<Real> result{0, 0, alpha};
  int up = 0;
  Real scaled = alpha;
  Real square = lane_sum<Real>(member, count, [&](int i) { return x(i) * x(i); });
  if (!(alpha * alpha + square > small)) {
    Real const below = lane_max<Real>(member, count, [&](int i) { return Kokkos::abs(x(i)); });
    Real const largest = Kokkos::max(below, Kokkos::abs(alpha));
    if (!(largest > nothing)) {
      result.beta = 0;
      return result;
    }
    up = -carroll::detail::exponent_of(largest);
    scaled = carroll::detail::scale(alpha, up);
    square = lane_sum<Real>(member, count, [&](int i) {
      Real const y = carroll::detail::scale(x(i), up);
      return y * y;
    });
  }
  if (!(square > Real(0))) return result;
  Real const norm = Kokkos::sqrt(scaled * scaled + square);
  Real const beta = scaled < 0 ? norm : -norm;
  result.tau = (beta - scaled) / beta;
  result.inverse = carroll::detail::scale(1 / (scaled - beta), up);
  result.beta = carroll::detail::scale(beta, -up);
  return result;
}

/// A team's threads for columns of so many: warps where there are such.
template <class ExecSpace>
int threads_for(int columns) {
  return carroll::detail::lanes<ExecSpace> > 1 ? Kokkos::clamp(columns, 1, 16) : 1;
}

/// Near scratch if that much is there, else memory.
template <class Policy>
int scratch_level(std::size_t bytes) {
  return bytes <= static_cast<std::size_t>(Policy::scratch_size_max(0)) ? 0 : 1;
}

/// f(i, j) for all entries, with lanes along what lies closest together in x.
template <class Member, class T, class F>
KOKKOS_INLINE_FUNCTION void for_entries(Member const& member,
                                        carroll::detail::StridedMatrix<T> const& x, int rows,
                                        int cols, F const& f) {
  using carroll::detail::lane_for, carroll::detail::thread_for;
  if (x.row_stride <= x.col_stride)
    thread_for(member, cols, [&](int j) { lane_for(member, rows, [&](int i) { f(i, j); }); });
  else
    thread_for(member, rows, [&](int i) { lane_for(member, cols, [&](int j) { f(i, j); }); });
}

}  // namespace carroll::distributed::detail::team
