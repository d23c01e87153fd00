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

/// Of alpha and what is below it, given square(up), the sum of its squares, each entry times 2^up
/// before, and largest(). What is that small beside its column, which is within 2^±calm_exponent,
/// counts as zero.
template <class Real, class Square, class Largest>
KOKKOS_FORCEINLINE_FUNCTION Reflector<Real> reflector_by(Real alpha, Square const& square,
                                                         Largest const& largest) {
  constexpr Real small = sizeof(Real) == 4 ? Real(0x1p-90) : Real(0x1p-900);
  constexpr Real nothing = sizeof(Real) == 4 ? Real(0x1p-100) : Real(0x1p-960);
  Reflector<Real> result{0, 0, alpha};
  int up = 0;
  Real scaled = alpha;
  Real below = square(0);
  if (!(alpha * alpha + below > small)) {
    Real const most = Kokkos::max(largest(), Kokkos::abs(alpha));
    if (!(most > nothing)) {
      result.beta = 0;
      return result;
    }
    up = -carroll::detail::exponent_of(most);
    scaled = carroll::detail::scale(alpha, up);
    below = square(up);
  }
  if (!(below > Real(0))) return result;
  Real const norm = Kokkos::sqrt(scaled * scaled + below);
  Real const beta = scaled < 0 ? norm : -norm;
  result.tau = (beta - scaled) / beta;
  result.inverse = carroll::detail::scale(1 / (scaled - beta), up);
  result.beta = carroll::detail::scale(beta, -up);
  return result;
}

/// Of alpha and `count` entries x(i), by the lanes of a thread.
template <class Real, class Member, class Entry>
KOKKOS_INLINE_FUNCTION Reflector<Real> reflector_of(Member const& member, Real alpha, int count,
                                                    Entry const& x) {
  return reflector_by(
      alpha,
      [&](int up) {
        return carroll::detail::lane_sum<Real>(member, count, [&](int i) {
          Real const y = up == 0 ? x(i) : carroll::detail::scale(x(i), up);
          return y * y;
        });
      },
      [&] {
        return carroll::detail::lane_max<Real>(member, count,
                                               [&](int i) { return Kokkos::abs(x(i)); });
      });
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
