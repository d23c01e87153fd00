// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/memory.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

/// Blocks by warps, one each, rating after rating. A lane has factors l, l + 32, … of both rows,
/// and nobody else touches them: rows need no barriers.
namespace carroll::detail {

/// A rating that is staged in scratch.
template <class Real>
struct alignas(sizeof(Real) == 4 ? 16 : 8) SgdStaged {
  std::int32_t user, item;
  Real value;
  std::int32_t where;

  /// The rating in whose slot its user's row is: itself, or a last one.
  [[nodiscard]] KOKKOS_FUNCTION int source() const { return where >> 1; }
  /// Is its item another one than before?
  [[nodiscard]] KOKKOS_FUNCTION bool begins_run() const { return (where & 1) != 0; }
};

/// A warp's scratch: some ratings of its block, and the rows of those whose turn is soon.
template <class Real, int Chunks>
struct SgdScratch {
  using Rating = SgdRating<Real>;
  using Staged = SgdStaged<Real>;
  static constexpr int length = 192;  ///< ratings
  static constexpr int width = 32 * Chunks;
  static constexpr int slots = width * sizeof(Real) > 512 ? 8 : 16;  ///< of rows
  static constexpr int ahead = (slots - 1) / 2;  ///< ratings whose rows are on their way

  Staged* ratings;
  Real* users;  ///< slots × width
  Real* items;
  Real* user_biases;  ///< slots × 32, a lane's own each
  Real* item_biases;

  template <class Member>
  KOKKOS_FUNCTION explicit SgdScratch(Member const& team) {
    auto const& scratch = team.team_scratch(0);
    auto const take = [&](std::size_t bytes) { return scratch.get_shmem_aligned(bytes, 16); };
    ratings = static_cast<Staged*>(take(length * sizeof(Staged)));
    users = static_cast<Real*>(take(slots * width * sizeof(Real)));
    items = static_cast<Real*>(take(slots * width * sizeof(Real)));
    user_biases = static_cast<Real*>(take(slots * 32 * sizeof(Real)));
    item_biases = static_cast<Real*>(take(slots * 32 * sizeof(Real)));
  }
  static std::size_t bytes() {
    return length * sizeof(Staged) + slots * (2 * width + 64) * sizeof(Real) + 64;
  }

  /// Returns how many ratings there are.
  KOKKOS_FUNCTION int fill(DeviceWarp const& warp, Rating const* from, std::int64_t left) const {
    int const count = left < length ? static_cast<int>(left) : int{length};
    warp.sync();  // all have read what was here
    for (int k = warp.lane; k < count; k += 32)
      ratings[k] = {from[k].user, from[k].item, from[k].value, 0};
    warp.sync();
    for (int k = warp.lane; k < count; k += 32) {
      int source = k;
      for (int before = ahead; before > 0; --before)
        if (before <= k && ratings[k - before].user == ratings[k].user) source = k - before;
      bool const begins_run = k == 0 || ratings[k - 1].item != ratings[k].item;
      ratings[k].where = 2 * source + (begins_run ? 1 : 0);
    }
    warp.sync();
    return count;
  }
};

/// A whole epoch in one launch: warps draw blocks from a ticket and wait for their turns as the
/// threads of a host do (SgdHostEpoch). With `Chunks` of 32 factors a run's item stays in
/// registers, and rows are copied to scratch `ahead` ratings early: what a rating takes is then how
/// long an inner product takes, and no access to memory. A user who has had one of the last ratings
/// is taken from where that one has left the row. With Chunks = 0 rows are read when it is their
/// turn, for any number of factors.
template <class ExecSpace, class Real, int Chunks>
struct SgdWarpEpoch {
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32, 8>>;
  using Member = typename Policy::member_type;
  using Staged = SgdStaged<Real>;
  using Scratch = SgdScratch<Real, Chunks>;
  static constexpr int held = Chunks > 0 ? Chunks : 1;
  static constexpr int width = Scratch::width, ahead = Scratch::ahead;

  SgdProblem<Real> p;
  std::uint64_t* turns;  ///< blocks done of each row, then the next ticket; 0 to begin with

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    Scratch const scratch(team);
    auto const rows = static_cast<std::uint64_t>(p.blocks);
    for (;;) {
      std::uint64_t ticket = 0;
      if (warp.lane == 0) ticket = Kokkos::atomic_fetch_add(turns + rows, std::uint64_t{1});
      ticket = warp.from(ticket, 0);
      if (ticket >= rows * rows) return;
      std::uint64_t const step = ticket / rows, row = ticket % rows;
      std::int64_t const block = p.block(static_cast<int>(row), static_cast<int>(step));
      std::int64_t const begin = p.begins[block], end = p.begins[block + 1];
      int const count = scratch.fill(warp, p.ratings + begin, end - begin);
      if (warp.lane < 2) {
        std::uint64_t const* const needed =
            turns + (row + static_cast<std::uint64_t>(warp.lane)) % rows;
        (void)wait_until_relaxed(needed, [&](std::uint64_t done) { return done >= step; });
        (void)load_acquire(needed);
      }
      warp.sync();
      descend(warp, scratch, count, begin, end);
      warp.sync();
      if (warp.lane == 0) store_release(turns + row, step + 1);
    }
  }

 private:
  /// The item of a run, and the user of a rating.
  struct Row {
    Real x[held], bias;
  };

  KOKKOS_FUNCTION void descend(DeviceWarp const& warp, Scratch const& scratch, int count,
                               std::int64_t begin, std::int64_t end) const {
    while (count > 0) {
      if constexpr (Chunks > 0)
        visit_ahead(warp, scratch, count);
      else
        for (int t = 0; t < count; ++t) visit(warp, scratch.ratings[t]);
      begin += count;
      count = begin < end ? scratch.fill(warp, p.ratings + begin, end - begin) : 0;
    }
  }

  KOKKOS_FUNCTION void visit_ahead(DeviceWarp const& warp, Scratch const& scratch,
                                   int count) const {
    for (int t = 0; t < ahead; ++t) {
      if (t < count) {
        ask_for_user(warp, scratch, t, scratch.ratings[t]);
        ask_for_item(warp, scratch, t, scratch.ratings[t]);
      }
      end_copy_group();
    }
    wait_for_copy_groups<ahead - 1>();
    Staged rating = scratch.ratings[0];
    Row item, user, next_user;
    read(warp, scratch.items, scratch.item_biases, 0, item);
    read(warp, scratch.users, scratch.user_biases, 0, user);
    for (int t = 0; t < count; ++t) {
      bool const is_last = t + 1 == count, asks = t + ahead < count;
      Staged const next = scratch.ratings[is_last ? t : t + 1];
      Staged const later = scratch.ratings[asks ? t + ahead : t];
      Real const base = p.with_biases ? p.base(user.bias, item.bias) : p.mean;
      Real const above = rating.value - base;
      Real sum = 0;
      CARROLL_UNROLL
      for (int c = 0; c < Chunks; ++c) sum = Kokkos::fma(user.x[c], item.x[c], sum);
      // Halves added as lanes_sum_down does: what has to do with later ratings fills the time that
      // exchanges take. Every lane has the same numbers in its sums of sums: additions commute.
      Real other = warp.across(sum, 16);
      if (asks) ask_for_user(warp, scratch, t + ahead, later);
      sum += other;
      other = warp.across(sum, 8);
      if (asks) ask_for_item(warp, scratch, t + ahead, later);
      end_copy_group();
      sum += other;
      other = warp.across(sum, 4);
      wait_for_copy_groups<ahead - 1>();
      sum += other;
      other = warp.across(sum, 2);
      if (next.source() != t) read(warp, scratch.users, scratch.user_biases, next.source(), next_user);
      sum += other;
      sum += warp.across(sum, 1);
      Real const error = above - sum, along = rounded_product(p.step, error);
      CARROLL_UNROLL
      for (int c = 0; c < Chunks; ++c) {
        Real const x = user.x[c], y = item.x[c];
        user.x[c] = Kokkos::fma(along, y, rounded_product(p.keep, x));
        item.x[c] = Kokkos::fma(along, x, rounded_product(p.keep, y));
      }
      if (p.with_biases) {
        user.bias = p.moved_bias(user.bias, error);
        item.bias = p.moved_bias(item.bias, error);
      }
      leave(warp, p.u, p.user_bias, rating.user, user);
      keep(warp, scratch, t, user);
      if (is_last || next.begins_run()) {
        leave(warp, p.v, p.item_bias, rating.item, item);
        if (!is_last) read(warp, scratch.items, scratch.item_biases, t + 1, item);
      }
      if (next.source() != t) user = next_user;
      rating = next;
    }
  }

  /// The rows of rating t are on their way to its slot: its user's unless another slot has it, its
  /// item's if it begins a run.
  KOKKOS_FUNCTION void ask_for_user(DeviceWarp const& warp, Scratch const& scratch, int t,
                                    Staged const& rating) const {
    if (rating.source() == t)
      copy(warp, p.u, p.user_bias, rating.user, scratch.users, scratch.user_biases, t);
  }
  KOKKOS_FUNCTION void ask_for_item(DeviceWarp const& warp, Scratch const& scratch, int t,
                                    Staged const& rating) const {
    if (rating.begins_run())
      copy(warp, p.v, p.item_bias, rating.item, scratch.items, scratch.item_biases, t);
  }
  KOKKOS_FUNCTION void copy(DeviceWarp const& warp, Real const* rows, Real const* biases,
                            std::int64_t row, Real* slots, Real* slot_biases, int t) const {
    int const slot = t % Scratch::slots;
    Real const* const from = rows + row * width + warp.lane;
    Real* const to = slots + slot * width + warp.lane;
    CARROLL_UNROLL
    for (int c = 0; c < Chunks; ++c) copy_async(to + 32 * c, from + 32 * c);
    if (p.with_biases) copy_async(slot_biases + slot * 32 + warp.lane, biases + row);
  }
  KOKKOS_FUNCTION void read(DeviceWarp const& warp, Real const* slots, Real const* slot_biases,
                            int t, Row& row) const {
    int const slot = t % Scratch::slots;
    CARROLL_UNROLL
    for (int c = 0; c < Chunks; ++c) row.x[c] = slots[slot * width + 32 * c + warp.lane];
    row.bias = slot_biases[slot * 32 + warp.lane];
  }
  KOKKOS_FUNCTION void keep(DeviceWarp const& warp, Scratch const& scratch, int t,
                            Row const& user) const {
    int const slot = t % Scratch::slots;
    CARROLL_UNROLL
    for (int c = 0; c < Chunks; ++c) scratch.users[slot * width + 32 * c + warp.lane] = user.x[c];
    scratch.user_biases[slot * 32 + warp.lane] = user.bias;
  }
  /// Each lane writes the bias that it reads again, all of them the same.
  KOKKOS_FUNCTION void leave(DeviceWarp const& warp, Real* rows, Real* biases, std::int64_t number,
                             Row const& row) const {
    Real* const to = rows + number * width + warp.lane;
    CARROLL_UNROLL
    for (int c = 0; c < Chunks; ++c) to[32 * c] = row.x[c];
    if (p.with_biases) biases[number] = row.bias;
  }

  KOKKOS_FUNCTION void visit(DeviceWarp const& warp, Staged const& staged) const {
    SgdRating<Real> const rating{staged.user, staged.item, staged.value};
    Real* const u = p.u + rating.user * p.width() + warp.lane;
    Real* const v = p.v + rating.item * p.width() + warp.lane;
    Real sum = 0;
    for (int c = 0; c < p.chunks; ++c) sum = Kokkos::fma(u[32 * c], v[32 * c], sum);
    Real const error = (rating.value - p.base(rating)) - lanes_sum_down(warp, sum);
    warp.sync();  // all have read the biases
    Real const along = rounded_product(p.step, error);
    for (int c = 0; c < p.chunks; ++c) {
      Real const x = u[32 * c], y = v[32 * c];
      u[32 * c] = Kokkos::fma(along, y, rounded_product(p.keep, x));
      v[32 * c] = Kokkos::fma(along, x, rounded_product(p.keep, y));
    }
    if (p.with_biases && warp.lane == 0) p.move_biases(rating, error);
    warp.sync();
  }
};

/// All blocks measured, one by a warp.
template <class ExecSpace, class Real>
struct SgdWarpMeasures {
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32, 16>>;
  using Member = typename Policy::member_type;

  SgdProblem<Real> p;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    std::int64_t const block = team.league_rank();
    double measured[2] = {0, 0};
    for (std::int64_t t = p.begins[block]; t < p.begins[block + 1]; ++t)
      measure(warp, p.ratings[t], measured);
    if (warp.lane != 0) return;
    p.measures[2 * block] = measured[0];
    p.measures[2 * block + 1] = measured[1];
  }

 private:
  KOKKOS_FUNCTION void measure(DeviceWarp const& warp, SgdRating<Real> const& rating,
                               double* measured) const {
    Real const* const u = p.u + rating.user * p.width() + warp.lane;
    Real const* const v = p.v + rating.item * p.width() + warp.lane;
    Real sum = 0, squares = 0;
    for (int c = 0; c < p.chunks; ++c) {
      Real const x = u[32 * c], y = v[32 * c];
      sum = Kokkos::fma(x, y, sum);
      squares = Kokkos::fma(y, y, Kokkos::fma(x, x, squares));
    }
    Real const error = (rating.value - p.base(rating)) - lanes_sum_down(warp, sum);
    p.measure(rating, error, lanes_sum_down(warp, squares), measured);
  }
};

}  // namespace carroll::detail
