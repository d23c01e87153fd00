// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/memory.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/lane_row.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/sgd/warp_scratch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// Blocks by warps, one each, rating after rating. A lane has factors l, l + 32, … of both rows,
/// and nobody else touches them: rows need no barriers.
namespace carroll::detail {

/// A whole epoch in one launch: warps draw blocks from a ticket and wait for their turns as the
/// threads of a host do (SgdHostEpoch). With `Chunks` of 32 factors a run's item stays in
/// registers, and rows are copied to scratch `ahead` ratings early: what a rating takes is then how
/// long an inner product takes, and no access to memory. A user who has had one of the last ratings
/// is taken from where that one has left the row. With Chunks = 0 rows are read when it is their
/// turn, for any number of factors.
template <class ExecSpace, class Real, int Chunks, bool WithBiases>
struct SgdWarpEpoch {
  using Staged = SgdStaged<Real>;
  using Scratch = SgdScratch<Real, Chunks>;
  // Kokkos refuses a kernel that wants more warps at once than a processor has scratch for.
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32, 1>>;
  static constexpr int held = Chunks > 0 ? Chunks : 1;
  static constexpr int width = Scratch::width, ahead = Scratch::ahead;
  static constexpr int vector = SgdLayout::vector_of<Real>(held);
  using Vector = SgdVector<Real, vector>;

  SgdProblem<Real> p;
  std::uint64_t* turns;  ///< blocks done of each row, then the next ticket; 0 to begin with

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
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
    Real x[held], bias = 0;
  };

  KOKKOS_FUNCTION void descend(DeviceWarp const& warp, Scratch const& scratch, int count,
                               std::int64_t begin, std::int64_t end) const {
    while (count > 0) {
      if constexpr (Chunks > 0)
        visit_ahead(warp, scratch, count);
      else
        for (int t = 0; t < count; ++t) {
          if (t + 1 < count) ask_for(warp, scratch.ratings[t + 1]);
          visit(warp, scratch.ratings[t]);
        }
      begin += count;
      count = begin < end ? scratch.fill(warp, p.ratings + begin, end - begin) : 0;
    }
  }

  KOKKOS_FUNCTION void visit_ahead(DeviceWarp const& warp, Scratch const& scratch,
                                   int count) const {
    for (int t = 0; t < ahead; ++t) {
      Staged const rating = scratch.ratings[t < count ? t : 0];
      ask_for_user(warp, scratch, t, t < count, rating);
      ask_for_item(warp, scratch, t, t < count, rating);
      end_copy_group();
    }
    wait_for_copy_groups<ahead - 1>();
    Staged rating = scratch.ratings[0];
    Row item, user, next_user;
    read(warp, scratch.items, scratch.item_biases, 0, item);
    read(warp, scratch.users, scratch.user_biases, 0, user);
    Real const step = p.step, keep = p.keep;
    for (int t = 0; t < count; ++t) {
      bool const is_last = t + 1 == count, asks = t + ahead < count;
      Staged const next = scratch.ratings[is_last ? t : t + 1];
      Staged const later = scratch.ratings[asks ? t + ahead : t];
      Real const base = WithBiases ? p.base(user.bias, item.bias) : p.mean;
      Real const above = rating.value - base;
      Real sum = 0;
      CARROLL_UNROLL
      for (int c = 0; c < Chunks; ++c) sum = Kokkos::fma(user.x[c], item.x[c], sum);
      // Halves added as lanes_sum_down does: what has to do with later ratings fills the time that
      // exchanges take. Every lane has the same numbers in its sums of sums: additions commute.
      Real other = warp.across(sum, 16);
      ask_for_user(warp, scratch, t + ahead, asks, later);
      sum += other;
      other = warp.across(sum, 8);
      ask_for_item(warp, scratch, t + ahead, asks, later);
      end_copy_group();
      sum += other;
      other = warp.across(sum, 4);
      wait_for_copy_groups<ahead - 1>();
      sum += other;
      other = warp.across(sum, 2);
      read(warp, scratch.users, scratch.user_biases, next.source(), next_user);
      sum += other;
      sum += warp.across(sum, 1);
      Real const error = above - sum, along = rounded_product(step, error);
      CARROLL_UNROLL
      for (int c = 0; c < Chunks; ++c) {
        Real const x = user.x[c], y = item.x[c];
        user.x[c] = Kokkos::fma(along, y, rounded_product(keep, x));
        item.x[c] = Kokkos::fma(along, x, rounded_product(keep, y));
      }
      if (WithBiases) {
        user.bias = p.moved_bias(user.bias, error);
        item.bias = p.moved_bias(item.bias, error);
      }
      leave(warp, p.u, p.user_bias, rating.user, user);
      keep_user(warp, scratch, t, user);
      if (is_last || next.begins_run()) {
        leave(warp, p.v, p.item_bias, rating.item, item);
        if (!is_last) read(warp, scratch.items, scratch.item_biases, t + 1, item);
      }
      if (next.source() != t) user = next_user;
      rating = next;
    }
  }

  /// The rows of rating t are on their way to its slot, if there is one: its user's unless another
  /// slot has it, its item's if it begins a run.
  KOKKOS_FUNCTION void ask_for_user(DeviceWarp const& warp, Scratch const& scratch, int t,
                                    bool is_one, Staged const& rating) const {
    copy(warp, is_one && rating.source() == t, p.u, p.user_bias, rating.user, scratch.users,
         scratch.user_biases, t);
  }
  KOKKOS_FUNCTION void ask_for_item(DeviceWarp const& warp, Scratch const& scratch, int t,
                                    bool is_one, Staged const& rating) const {
    copy(warp, is_one && rating.begins_run(), p.v, p.item_bias, rating.item, scratch.items,
         scratch.item_biases, t);
  }
  KOKKOS_FUNCTION void copy(DeviceWarp const& warp, bool yes, Real const* rows, Real const* biases,
                            std::int64_t row, Real* slots, Real* slot_biases, int t) const {
    auto const* const from = reinterpret_cast<Vector const*>(rows + row * width) + warp.lane;
    auto* const to = vectors_of(slots, t) + warp.lane;
    CARROLL_UNROLL
    for (int c = 0; c < Chunks / vector; ++c) copy_async_if(yes, to + 32 * c, from + 32 * c);
    if (WithBiases) copy_async_if(yes, bias_of(slot_biases, t) + warp.lane, biases + row);
  }
  KOKKOS_FUNCTION static Vector* vectors_of(Real* slots, int t) {
    return reinterpret_cast<Vector*>(slots) + slot_of(t) * (width / vector);
  }
  KOKKOS_FUNCTION static Real* bias_of(Real* biases, int t) { return biases + slot_of(t) * 32; }
  KOKKOS_FUNCTION static unsigned slot_of(int t) {
    return static_cast<unsigned>(t) % Scratch::slots;
  }
  KOKKOS_FUNCTION void read(DeviceWarp const& warp, Real* slots, Real* slot_biases, int t,
                            Row& row) const {
    get(vectors_of(slots, t) + warp.lane, row);
    if (WithBiases) row.bias = bias_of(slot_biases, t)[warp.lane];
  }
  KOKKOS_FUNCTION void keep_user(DeviceWarp const& warp, Scratch const& scratch, int t,
                                 Row const& user) const {
    put(vectors_of(scratch.users, t) + warp.lane, user);
    if (WithBiases) bias_of(scratch.user_biases, t)[warp.lane] = user.bias;
  }
  /// Each lane writes the bias that it reads again, all of them the same.
  KOKKOS_FUNCTION void leave(DeviceWarp const& warp, Real* rows, Real* biases, std::int64_t number,
                             Row const& row) const {
    put(reinterpret_cast<Vector*>(rows + number * width) + warp.lane, row);
    if (WithBiases) biases[number] = row.bias;
  }
  KOKKOS_FUNCTION static void get(Vector const* from, Row& row) {
    CARROLL_UNROLL
    for (int c = 0; c < Chunks; c += vector) {
      Vector const some = from[32 * (c / vector)];
      CARROLL_UNROLL
      for (int e = 0; e < vector; ++e) row.x[c + e] = some.x[e];
    }
  }
  KOKKOS_FUNCTION static void put(Vector* to, Row const& row) {
    CARROLL_UNROLL
    for (int c = 0; c < Chunks; c += vector) {
      Vector some;
      CARROLL_UNROLL
      for (int e = 0; e < vector; ++e) some.x[e] = row.x[c + e];
      to[32 * (c / vector)] = some;
    }
  }

  /// Half of the warp asks for the user's row, a line each, half for the item's.
  KOKKOS_FUNCTION void ask_for(DeviceWarp const& warp, Staged const& rating) const {
    constexpr int line = 128 / int(sizeof(Real));
    std::int64_t const at = std::int64_t{warp.lane % 16} * line;
    if (at < p.width())
      prefetch_line(warp.lane < 16 ? p.u + rating.user * p.width() + at
                                   : p.v + rating.item * p.width() + at);
  }
  KOKKOS_FUNCTION void visit(DeviceWarp const& warp, Staged const& staged) const {
    SgdRating<Real> const rating{staged.user, staged.item, staged.value};
    SgdLaneRow<Real> const u(p, p.u, rating.user, warp), v(p, p.v, rating.item, warp);
    Real sum = 0;
    u.for_each([&](std::int64_t f) { sum = Kokkos::fma(u[f], v[f], sum); });
    Real const error = (rating.value - p.base(rating)) - lanes_sum_down(warp, sum);
    warp.sync();  // all have read the biases
    Real const along = rounded_product(p.step, error);
    u.for_each([&](std::int64_t f) {
      Real const x = u[f], y = v[f];
      u[f] = Kokkos::fma(along, y, rounded_product(p.keep, x));
      v[f] = Kokkos::fma(along, x, rounded_product(p.keep, y));
    });
    if (p.with_biases && warp.lane == 0) p.move_biases(rating, error);
    warp.sync();
  }
};

}  // namespace carroll::detail
