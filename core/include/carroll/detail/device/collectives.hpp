// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// What the lanes of a warp find out together, by exchanges from register to register. `Warp` is
/// DeviceWarp.
///
/// A butterfly gives all lanes the same result in log₂ steps: at each, a lane joins what it has
/// with what the lane has whose number differs by one bit. Sums of floating-point numbers depend on
/// the order of the bits: `up` is from the lowest on, `down` from the highest on.
namespace carroll::detail {

/// f(step) for step = First, 2·First, …, below End.
template <int First, int End, class F>
KOKKOS_FORCEINLINE_FUNCTION void butterfly_up(F const& f) {
  CARROLL_UNROLL
  for (int step = First; step < End; step *= 2) f(step);
}
/// f(step) for step = First, First/2, …, 1.
template <int First, class F>
KOKKOS_FORCEINLINE_FUNCTION void butterfly_down(F const& f) {
  CARROLL_UNROLL
  for (int step = First; step > 0; step /= 2) f(step);
}
/// The same as butterfly_up<1, 32>, with the code of one step only: for what is done once, where
/// the time goes into fetching instructions.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void rolled_butterfly_up(F const& f) {
  CARROLL_NO_UNROLL
  for (int step = 1; step < 32; step *= 2) f(step);
}

/// What join(x, y) makes of all x, over groups of lanes whose numbers differ in the bits First, …,
/// End/2, on each of them. A plain loop: a lambda that changes x costs functions of many such calls
/// their place in the caller, and with it registers (ptxas 13.0).
template <int First = 1, int End = 32, class Warp, class T, class Join>
KOKKOS_INLINE_FUNCTION T lanes_join(Warp const& warp, T x, Join const& join) {
  for (int step = First; step < End; step *= 2) x = join(x, warp.from(x, warp.lane ^ step));
  return x;
}
/// Sums and maxima over such groups; `down`: of the bits First, …, 1.
template <int First = 1, int End = 32, class Warp, class T>
KOKKOS_INLINE_FUNCTION T lanes_sum_up(Warp const& warp, T x) {
  for (int step = First; step < End; step *= 2) x += warp.from(x, warp.lane ^ step);
  return x;
}
template <int First = 16, class Warp, class T>
KOKKOS_INLINE_FUNCTION T lanes_sum_down(Warp const& warp, T x) {
  for (int step = First; step > 0; step /= 2) x += warp.from(x, warp.lane ^ step);
  return x;
}
template <int First = 1, int End = 32, class Warp, class T>
KOKKOS_INLINE_FUNCTION T lanes_max(Warp const& warp, T x) {
  return lanes_join<First, End>(warp, x, [](T a, T b) { return Kokkos::max(a, b); });
}

/// N sums over the 32 lanes of a warp, dealt out to the lanes: the lane gets the one with index
/// lane / (32 / N). At each step half of the lanes give the first half of what they have to the
/// others for the second half, so that a value crosses between lanes N - 1 + log₂(32 / N) times
/// instead of 5·N times. `distance`: of the first step, and of the last.
template <int N, int distance = 16, int last = 1, class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION T scattered_sums(Warp const& warp, T const (&x)[N]) {
  if constexpr (N == 1) {
    if constexpr (distance < last) return x[0];
    return lanes_sum_down<distance>(warp, x[0]);
  } else {
    bool const upper = (warp.lane & distance) != 0;
    T kept[N / 2];
    CARROLL_UNROLL
    for (int k = 0; k < N / 2; ++k) {
      T const low = x[k], high = x[k + N / 2];
      T const mine = upper ? T{high} : T{low}, given = upper ? T{low} : T{high};
      kept[k] = mine + warp.from(given, warp.lane ^ distance);
    }
    return scattered_sums<N / 2, distance / 2, last>(warp, kept);
  }
}

/// Σ x over the lanes up to and with this one.
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION T inclusive_scan(Warp const& warp, T x) {
  butterfly_up<1, 32>([&](int step) {
    T const other = warp.from(x, warp.lane - step);
    if (warp.lane >= step) x += other;
  });
  return x;
}

/// The first lane with the largest x, x >= 0, as if lanes were asked one after the other.
template <class Warp>
KOKKOS_INLINE_FUNCTION int lane_of_largest(Warp const& warp, float x) {
  int const size = magnitude(x);
  return Kokkos::Experimental::countr_zero_builtin(warp.ballot(size == warp.max(size)));
}
template <class Warp>
KOKKOS_INLINE_FUNCTION int lane_of_largest(Warp const& warp, double x) {
  int const upper = magnitude(x);
  int const top = warp.max(upper);
  // The lower halves of those that are equal so far, shifted into the order of signed numbers.
  auto const bits = static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x));
  int const lower = upper == top ? static_cast<int>(bits ^ 0x80000000U) : -0x7fffffff - 1;
  int const rest = warp.max(lower);
  return Kokkos::Experimental::countr_zero_builtin(warp.ballot(upper == top && lower == rest));
}

}  // namespace carroll::detail
