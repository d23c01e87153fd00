// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Few terms of rows that lie side by side, by teams of devices. A thread has a row, or some, which
/// are apart, so that at a time a team reads rows side by side. It has the first lanes of the tree,
/// up to 128 bytes, and reads all entries of these before it uses the first; where the Width is
/// twice that, it does so twice. `OneVector`: a batch of one.
///
/// 2 flops a real product and 1 read of A: the time is that of memory.
template <class ExecSpace, class T, int Width, bool OneVector>
class ShortColumnsKernel {
  using Problem = MatrixVector<T>;
  using Real = typename Problem::Real;
  using Sum = typename Problem::Sum;
  static constexpr int threads = 256;
  static constexpr int most = 128 / int(sizeof(T)), lanes = Width < most ? Width : most;
  static_assert(Width <= 2 * lanes);
  static constexpr int bytes = lanes * int(sizeof(T));
  static constexpr int each = OneVector && 128 / bytes > 1 ? 128 / bytes : 1;
  /// Teams of a multiprocessor, for which there are registers.
  static constexpr int at_once = is_complex<T> || Width > lanes ? 2 : Width == 8 ? 4 : 3;

 public:
  using Policy = BoundedTeams<ExecSpace, threads, at_once, 0>;

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

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const all = std::int64_t{problem_.rows} * problem_.members;
    int const side_by_side = team.team_size();
    std::int64_t const first =
        std::int64_t{team.league_rank()} * (side_by_side * each) + team.team_rank();
    Sum sums[each][lanes];
    CARROLL_NO_UNROLL
    for (int begin = 0; begin < Width; begin += lanes)
      add_terms(sums, first, side_by_side, all, begin);
    CARROLL_UNROLL
    for (int e = 0; e < each; ++e) {
      Sum const sum = halved_sums(sums[e]);
      std::int64_t const row = first + e * side_by_side;
      if (row >= all) continue;
      int member, i;
      place(row, member, i);
      problem_.store(member, i, sum);
    }
  }

 private:
  /// Terms from `begin` on, in that order: of one lane, or of two that are halved first. A product
  /// of absent ones is -0.
  KOKKOS_FORCEINLINE_FUNCTION void add_terms(Sum (&sums)[each][lanes], std::int64_t first,
                                             int side_by_side, std::int64_t all, int begin) const {
    T a[each][lanes];
    T const* x[each];
    int const left = problem_.terms - begin;
    CARROLL_UNROLL
    for (int e = 0; e < each; ++e) {
      std::int64_t const row = first + e * side_by_side;
      int member, i;
      place(row < all ? row : all - 1, member, i);
      T const* const entries = problem_.row(member, i) + begin * problem_.term_stride;
      x[e] = problem_.vector(member) + begin * problem_.x_stride;
      CARROLL_UNROLL
      for (int l = 0; l < lanes; ++l)
        a[e][l] = l < left ? entries[l * problem_.term_stride] : absent(Real(-0.0));
    }
    CARROLL_UNROLL
    for (int l = 0; l < lanes; ++l) {
      T factor = absent(Real(0));
      CARROLL_UNROLL
      for (int e = 0; e < each; ++e) {
        if (l < left && (!OneVector || e == 0)) factor = x[e][l * problem_.x_stride];
        Problem::add_term(sums[e][l], a[e][l], factor);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static T absent(Real part) {
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
