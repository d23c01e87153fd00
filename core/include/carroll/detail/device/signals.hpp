// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/memory.hpp>
#include <cstdint>

/// Signals between the teams of one launch: tickets, what is published and waited for, and who
/// arrives last. Waiting is spinning on a word of memory.
///
/// Precondition of progress. A device promises that a team that has begun goes on to its end, and
/// nothing of one that has not begun: how many of a launch run side by side depends on what else
/// runs there, on a share of the device that is set aside, on priorities. So a thread waits only
/// for teams that have begun, and no two teams wait for one another unless both have. What every
/// team works on is therefore given out by ticket, numbers that teams draw as they begin or go on
/// (draw_ticket), in such an order that each piece of work waits for pieces with smaller numbers
/// only: who waits holds a larger number than whom it waits for, who has begun. League ranks say
/// nothing of the kind. Such a launch comes to its end whatever else runs. is_last_arriver waits
/// for nobody. One kernel goes by league rank all the same (pseudoinverse/one_motion/dense/
/// inverse.hpp, with what a ticket costs): it trusts that a device begins teams in that order.
///
/// Teams that wait for one another both ways have to be resident together, which no ticket can
/// bring about: those of a matrix's leader, those that share a row panel, the chunks of a tile of
/// an SVD or a QR, those that sweep a member of an SVD together, those that reduce a symmetric
/// matrix. They hold neighbouring tickets, so that of a launch one such group at most is there in
/// part, and no group is larger than the number of multiprocessors that the device, or the share of
/// it that MPS or MIG gives a process, says it has. Their launch comes to its end where the device
/// begins all teams of one launch before those of the next, as CUDA devices do on instances of
/// equal priority, also after kernels that hold a part of the device for a while. Not promised: two
/// of them at a time on instances of different priority, one of which stands in the way of the
/// other. tests/hostile/instances tries two and four instances, with and without such a kernel.
namespace carroll::detail {

/// The calling thread's number among those that draw from here: 0, 1, … in the order in which they
/// come.
KOKKOS_INLINE_FUNCTION int draw_ticket(int* next) {
  return Kokkos::atomic_fetch_add(next, 1);
}
/// The same, and what those wrote who have drawn smaller numbers may be read.
KOKKOS_INLINE_FUNCTION int draw_ordered_ticket(int* next) {
  return fetch_add_acq_rel(next, 1);
}

/// Tells those who wait for this count, or this word, which is 0 until then: what the calling
/// thread wrote, or its team before a barrier, is there.
KOKKOS_INLINE_FUNCTION void publish(int* count, int more = 1) {
  add_release(count, more);
}
KOKKOS_INLINE_FUNCTION void publish(std::uint64_t* word, std::uint64_t value) {
  store_release(word, value);
}

/// Waits until what is published here is so; returns it. What was written before may be read, by
/// the team behind a barrier.
template <class T, class Predicate>
KOKKOS_FORCEINLINE_FUNCTION T wait_until(T const* published, Predicate const& is_so) {
  T x;
  do {
    x = load_acquire(published);
  } while (!is_so(x));
  return x;
}
/// Until it is not 0.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T wait_for(T const* published) {
  return wait_until(published, [](T x) { return x != 0; });
}
/// Until it is `least` or more.
KOKKOS_FORCEINLINE_FUNCTION int wait_for(int const* count, int least) {
  return wait_until(count, [least](int x) { return x >= least; });
}

/// The same without the promise about what was written before, for a word that is all there is.
template <class Predicate>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t wait_until_relaxed(std::uint64_t const* published,
                                                             Predicate const& is_so) {
  std::uint64_t x;
  do {
    x = load_relaxed(published);
  } while (!is_so(x));
  return x;
}

/// Numbers that pass from team to team without a count: each in a word beside a stamp, which tells
/// that it has arrived. A stamp is never used before in that place.
KOKKOS_FORCEINLINE_FUNCTION void post_stamped(std::uint64_t* word, std::uint32_t stamp,
                                              std::uint32_t number) {
  store_relaxed(word, static_cast<std::uint64_t>(stamp) << 32 | number);
}
/// A first look, which need not find it: loads of several words are then on their way at a time.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t look_at_stamped(std::uint64_t const* from) {
  return load_relaxed(from);
}
/// The number, `word` being what the first look has found.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t wait_for_stamped(std::uint64_t const* from,
                                                           std::uint32_t stamp,
                                                           std::uint64_t word) {
  while (static_cast<std::uint32_t>(word >> 32) != stamp) word = load_relaxed(from);
  return static_cast<std::uint32_t>(word);
}

/// Does the calling thread come last of `expected`, for itself and others `arrivals` of them? What
/// all others wrote before they came may be read then, by the team behind a barrier, and the count
/// is 0 again. What the team wrote comes before a barrier.
KOKKOS_INLINE_FUNCTION bool is_last_arriver(int* arrived, int expected, int arrivals = 1) {
  bool const last = fetch_add_acq_rel(arrived, arrivals) == expected - arrivals;
  if (last) *arrived = 0;
  return last;
}
/// The same for a whole team, with a number of its scratch; begins without a barrier.
template <class Member>
KOKKOS_INLINE_FUNCTION bool is_last_team(Member const& team, int* arrived, int expected,
                                         int arrivals, int& last) {
  Kokkos::single(Kokkos::PerTeam(team),
                 [&] { last = is_last_arriver(arrived, expected, arrivals) ? 1 : 0; });
  team.team_barrier();
  return last != 0;
}

/// Adds what the calling thread brings to what is gathered; returns the sum so far. Who sees that
/// all have come may read what they wrote.
KOKKOS_INLINE_FUNCTION std::uint64_t gather(std::uint64_t* gathered, std::uint64_t mine) {
  return mine + fetch_add_acq_rel(gathered, mine);
}

}  // namespace carroll::detail
