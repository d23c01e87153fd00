// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <type_traits>

/// Loops inside a team. One column of a matrix belongs to one thread of the team and is worked on
/// by that thread's vector lanes; sums run over the lanes in an order that depends on the length
/// alone. Results are therefore the same bits for every team size, league size and thread count.
namespace carroll::detail {

/// Lanes per team thread: a warp on a GPU; on a host the compiler vectorises the loops itself.
template <class ExecSpace>
inline constexpr int lanes =
    Kokkos::SpaceAccessibility<ExecSpace, Kokkos::HostSpace>::accessible ? 1 : 32;

/// What a kernel is given of the team that runs it, whatever its bounds are.
template <class ExecSpace>
using TeamMember = typename Kokkos::TeamPolicy<ExecSpace>::member_type;

/// K sums that are formed in one pass.
template <class Real, int K>
struct Sums {
  Real value[K] = {};
  KOKKOS_FUNCTION Sums& operator+=(Sums const& other) {
    for (int k = 0; k < K; ++k) value[k] += other.value[k];
    return *this;
  }
  KOKKOS_FUNCTION Real operator[](int k) const { return value[k]; }
};

/// f(i) for 0 <= i < n, spread over the lanes of the calling thread.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION void lane_for(Member const& team, int n, F const& f) {
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n), f);
}

/// The host's half of lane_sums: independent partial sums, which a compiler may keep in vector
/// registers without being allowed to reorder floating-point additions.
template <class Real, int K, class F>
KOKKOS_INLINE_FUNCTION Sums<Real, K> unrolled_sums(int n, F const& f) {
  constexpr int width = 8;
  Real partial[K][width] = {};
  int i = 0;
  for (; i + width <= n; i += width)
    for (int w = 0; w < width; ++w) {
      Sums<Real, K> const term = f(i + w);
      for (int k = 0; k < K; ++k) partial[k][w] += term.value[k];
    }
  for (int w = 0; w < width && i < n; ++i, ++w) {
    Sums<Real, K> const term = f(i);
    for (int k = 0; k < K; ++k) partial[k][w] += term.value[k];
  }
  Sums<Real, K> total;
  for (int k = 0; k < K; ++k) {
    for (int half = width / 2; half > 0; half /= 2)
      for (int w = 0; w < half; ++w) partial[k][w] += partial[k][w + half];
    total.value[k] = partial[k][0];
  }
  return total;
}

/// Σ f(i) for 0 <= i < n, where f returns Sums<Real, K>; every lane gets the result.
template <class Real, int K, class Member, class F>
KOKKOS_INLINE_FUNCTION Sums<Real, K> lane_sums([[maybe_unused]] Member const& team, int n,
                                               F const& f) {
  Sums<Real, K> total;
  KOKKOS_IF_ON_DEVICE((Kokkos::parallel_reduce(
                           Kokkos::ThreadVectorRange(team, n),
                           [&](int i, Sums<Real, K>& partial) { partial += f(i); }, total);))
  KOKKOS_IF_ON_HOST((total = unrolled_sums<Real, K>(n, f);))
  return total;
}

/// Σ f(i) of a scalar, real or complex.
template <class Value, class Member, class F>
KOKKOS_INLINE_FUNCTION Value lane_sum(Member const& team, int n, F const& f) {
  if constexpr (is_complex<Value>) {
    using Parts = Sums<RealOf<Value>, 2>;
    Parts const sum = lane_sums<RealOf<Value>, 2>(team, n, [&](int i) {
      Value const x = f(i);
      return Parts{{x.real(), x.imag()}};
    });
    return {sum[0], sum[1]};
  } else {
    return lane_sums<Value, 1>(team, n, [&](int i) { return Sums<Value, 1>{{f(i)}}; })[0];
  }
}

/// max f(i), 0 for n = 0; f must not be negative.
template <class Real, class Member, class F>
KOKKOS_INLINE_FUNCTION Real lane_max(Member const& team, int n, F const& f) {
  Real largest = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int i, Real& partial) {
        Real const x = f(i);
        partial = x > partial ? x : partial;
      },
      Kokkos::Max<Real>(largest));
  // Kokkos starts from the lowest number, which an empty range hands back.
  return largest > Real(0) ? largest : Real(0);
}

/// The calling thread's lanes run f once.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION void once_per_thread(Member const& team, F const& f) {
  Kokkos::single(Kokkos::PerThread(team), f);
}

/// f(j) for 0 <= j < n, one j per team thread at a time.
template <class Member, class F>
KOKKOS_INLINE_FUNCTION void thread_for(Member const& team, int n, F const& f) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), f);
}

}  // namespace carroll::detail

template <class Real, int K>
struct Kokkos::reduction_identity<carroll::detail::Sums<Real, K>> {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr carroll::detail::Sums<Real, K> sum() { return {}; }
};
