// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Few terms of rows that lie side by side, by teams of devices. A thread has a row, or some, which
/// are apart, so that at a time a team reads rows side by side. It has the first `Width` lanes of
/// the tree; terms are up to 2·Width, all entries of which it reads before it uses the first.
/// `OneVector`: a batch of one, for whose rows a thread reads x once.
///
/// 2 flops a real product and 1 read of A: the time is that of memory.
template <class ExecSpace, class T, int Width, bool OneVector>
class ShortColumnsKernel {
  using Problem = MatrixVector<T>;
  using Sum = typename Problem::Sum;
  static constexpr int threads = 256;
  static constexpr int bytes = Width * int(sizeof(T));
  static constexpr int each = OneVector && 128 / bytes > 1 ? 128 / bytes : 1;

 public:
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads, bytes * each <= 128 ? 4 : 2>>;
  using Member = typename Policy::member_type;

  explicit ShortColumnsKernel(Problem const& problem) : problem_(problem) {}

  [[nodiscard]] std::int64_t teams() const {
    return quotient_up(std::int64_t{problem_.rows} * problem_.members,
                       std::int64_t{team_threads()} * each);
  }
  /// Fewer for few rows.
  [[nodiscard]] int team_threads() const {
    std::int64_t const rows = std::int64_t{problem_.rows} * problem_.members;
    return rows <= 32 ? 32 : rows < 64 * 1024 ? 64 : threads;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::int64_t const all = std::int64_t{problem_.rows} * problem_.members;
    int const side_by_side = team.team_size();
    std::int64_t const first =
        std::int64_t{team.league_rank()} * (side_by_side * each) + team.team_rank();
    Sum lanes[each][Width];
    add_terms(lanes, first, side_by_side, all, 0);
    if (problem_.terms > Width) add_terms(lanes, first, side_by_side, all, Width);
    CARROLL_UNROLL
    for (int e = 0; e < each; ++e) {
      Sum const sum = halved_sums(lanes[e]);
      std::int64_t const row = first + e * side_by_side;
      if (row >= all) continue;
      int member, i;
      place(row, member, i);
      problem_.store(member, i, sum);
    }
  }

 private:
  /// Terms from `begin` on, in that order: of one lane, or of two that are halved first.
  KOKKOS_FORCEINLINE_FUNCTION void add_terms(Sum (&lanes)[each][Width], std::int64_t first,
                                             int side_by_side, std::int64_t all, int begin) const {
    T const* rows[each];
    T const* x = nullptr;
    CARROLL_UNROLL
    for (int e = 0; e < each; ++e) {
      std::int64_t const row = first + e * side_by_side;
      int member, i;
      place(row < all ? row : all - 1, member, i);
      rows[e] = problem_.row(member, i) + begin * problem_.term_stride;
      x = problem_.vector(member) + begin * problem_.x_stride;
    }
    T a[each][Width], factors[Width];
    CARROLL_UNROLL
    for (int l = 0; l < Width; ++l) {
      if (begin + l >= problem_.terms) continue;
      CARROLL_UNROLL
      for (int e = 0; e < each; ++e) a[e][l] = rows[e][l * problem_.term_stride];
      factors[l] = x[l * problem_.x_stride];
    }
    CARROLL_UNROLL
    for (int l = 0; l < Width; ++l) {
      if (begin + l >= problem_.terms) continue;
      CARROLL_UNROLL
      for (int e = 0; e < each; ++e) Problem::add_term(lanes[e][l], a[e][l], factors[l]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void place(std::int64_t row, int& member, int& i) const {
    member = OneVector ? 0 : static_cast<int>(row / problem_.rows);
    i = static_cast<int>(row - std::int64_t{member} * problem_.rows);
  }

  Problem problem_;
};

}  // namespace carroll::detail
