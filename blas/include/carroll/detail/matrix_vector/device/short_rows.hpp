// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/matrix_vector/device/entries.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Few terms that lie side by side, by teams of devices. `Threads` threads of a warp have `Each`
/// rows, which are apart, so that at a time a team reads rows in order; each thread reads `Entries`
/// consecutive terms of a row, in one load, all of them before the first is used. `OneVector`: a
/// batch of one, for whose rows a thread reads its terms of x once. `Rows`: of the tree, whose
/// first lanes the threads have.
///
/// 2 flops a real product and 1 read of A: the time is that of memory.
template <class ExecSpace, class T, int Threads, int Entries, int Rows, bool OneVector>
class ShortRowsKernel {
  using Problem = MatrixVector<T>;
  using Real = typename Problem::Real;
  using Sum = typename Problem::Sum;
  using Some = SomeEntries<T, Entries>;
  static constexpr int threads = 256, side_by_side = threads / Threads;
  static constexpr int bytes = Rows * Entries * int(sizeof(T));
  /// 128 bytes of A for a thread, or 64 of A and as many of x.
  static constexpr int each = (OneVector ? 128 : 64) / bytes > 1 ? (OneVector ? 128 : 64) / bytes
                                                                 : 1;

 public:
  using Policy = BoundedTeams<ExecSpace, threads, 4, 0>;

  explicit ShortRowsKernel(Problem const& problem) : problem_(problem) {}

  [[nodiscard]] std::int64_t teams() const {
    return quotient_up(std::int64_t{problem_.rows} * problem_.members, side_by_side * each);
  }
  static constexpr int team_threads() { return threads; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    int const thread = team.team_rank() % Threads;
    std::int64_t const all = std::int64_t{problem_.rows} * problem_.members;
    std::int64_t const first =
        std::int64_t{team.league_rank()} * (side_by_side * each) + team.team_rank() / Threads;
    T entries[each][Rows][Entries], factors[OneVector ? 1 : each][Rows][Entries];
    if constexpr (OneVector)
      load(factors[0], Some(problem_.vector(0), problem_.x_stride), thread, Real(0));
    CARROLL_UNROLL
    for (int e = 0; e < each; ++e) {
      std::int64_t const row = first + e * side_by_side;
      int member, i;
      place(row < all ? row : all - 1, member, i);
      Some const a(problem_.row(member, i), problem_.term_stride);
      load(entries[e], a, thread, Real(-0.0));
      if constexpr (!OneVector)
        load(factors[e], Some(problem_.vector(member), problem_.x_stride), thread, Real(0));
    }
    CARROLL_UNROLL
    for (int e = 0; e < each; ++e) {
      Sum lanes[1][Entries];
      CARROLL_UNROLL
      for (int r = 0; r < Rows; ++r) CARROLL_UNROLL
      for (int v = 0; v < Entries; ++v)
        Problem::add_term(lanes[0][v], entries[e][r][v], factors[OneVector ? 0 : e][r][v]);
      Sum const sum = halved_lanes<Threads>(warp, lanes);
      std::int64_t const row = first + e * side_by_side;
      if (thread != e % Threads || row >= all) continue;
      int member, i;
      place(row, member, i);
      problem_.store(member, i, sum);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int term(int r, int thread) {
    return r * row_terms<T> + thread * Entries;
  }
  /// All terms of a load are there, or none: a product of absent ones is -0.
  KOKKOS_FORCEINLINE_FUNCTION void load(T (&into)[Rows][Entries], Some const& from, int thread,
                                        Real absent) const {
    CARROLL_UNROLL
    for (int r = 0; r < Rows; ++r) {
      bool const there = term(r, thread) < problem_.terms;
      from.load(into[r], there ? term(r, thread) : 0);
      CARROLL_UNROLL
      for (int v = 0; v < Entries; ++v)
        if (!there) into[r][v] = absent_entry(absent);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static T absent_entry(Real part) {
    if constexpr (is_complex<T>)
      return T(part, part);
    else
      return part;
  }
  KOKKOS_FORCEINLINE_FUNCTION void place(std::int64_t row, int& member, int& i) const {
    member = OneVector ? 0 : static_cast<int>(row / problem_.rows);
    i = static_cast<int>(row - std::int64_t{member} * problem_.rows);
  }

  Problem problem_;
};

}  // namespace carroll::detail
