// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

namespace carroll::detail {

/// roots(r) := 1/√(Σ of row r), 0 where that is not positive. A thread each, in double precision.
template <class Real, class MemorySpace>
struct InverseRootSums {
  RatingRows<Real, MemorySpace> rows;
  Kokkos::View<double*, MemorySpace> roots;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    double sum = 0;
    for (std::int64_t e = rows.offsets(r); e < rows.offsets(r + 1); ++e)
      sum += static_cast<double>(rows.values(e));
    roots(r) = sum > 0 ? 1 / Kokkos::sqrt(sum) : 0;
  }
};

/// values(e) := r·row_root·column_root: the same bits both ways.
template <class Real, class MemorySpace>
struct NormaliseRatings {
  RatingRows<Real, MemorySpace> rows;
  Kokkos::View<double const*, MemorySpace> row_roots, column_roots;
  Kokkos::View<Real*, Kokkos::LayoutRight, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    for (std::int64_t e = rows.offsets(r); e < rows.offsets(r + 1); ++e)
      values(e) = static_cast<Real>(static_cast<double>(rows.values(e)) *
                                    (row_roots(r) * column_roots(rows.columns(e))));
  }
};

/// Low-pass factors: in(i, :) := V(i, :)·root, of which U is made, and out(i, :) := V(i, :)·α/root.
template <class Real, class MemorySpace>
struct FilterFactors {
  Kokkos::View<Real const**, Kokkos::LayoutRight, MemorySpace> V;
  Kokkos::View<double const*, MemorySpace> roots;
  Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace> in, out;
  double weight;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    auto const width = static_cast<std::int64_t>(V.extent(1));
    std::int64_t const i = entry / width, f = entry % width;
    auto const v = static_cast<double>(V(i, f));
    in(i, f) = static_cast<Real>(v * roots(i));
    out(i, f) = static_cast<Real>(roots(i) > 0 ? v * (weight / roots(i)) : 0);
  }
};

/// scores(t, :) += r_u·R̃ᵀ·R̃ for each row t of a tile, R̃ the normalised ratings: first what the
/// user shares with every other one, over their items in order, then these users' ratings, in
/// order. A team takes one row of the tile after the other, lanes the ratings of an item or a user.
template <class ExecSpace, class Real>
struct AddPathsKernel {
  using Memory = typename ExecSpace::memory_space;

  RatingRows<Real, Memory> ratings;           ///< by user
  RatingRows<Real, Memory> by_user, by_item;  ///< R̃
  std::int32_t const* users;                  ///< of the tile
  std::ptrdiff_t user_stride;
  std::int64_t count;
  Real* scores;
  Real* shared;  ///< users for each team
  std::int64_t* ticket;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const all = by_user.row_count, items = by_item.row_count;
    Real* const share = shared + team.league_rank() * all;
    for (;;) {
      std::int64_t t = 0;
      Kokkos::single(Kokkos::PerTeam(team),
                     [&] { t = Kokkos::atomic_fetch_add(ticket, std::int64_t{1}); });
      team.team_broadcast(t, 0);
      if (t >= count) break;
      std::int64_t const user = users[t * user_stride];
      if (user < 0 || user >= all) continue;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, all),
                           [&](std::int64_t v) { share[v] = Real(0); });
      team.team_barrier();
      for (std::int64_t e = ratings.offsets(user); e < ratings.offsets(user + 1); ++e)
        add_row(team, by_item, ratings.columns(e), ratings.values(e), share);
      for (std::int64_t v = 0; v < all; ++v) {
        Real const weight = share[v];
        if (weight != Real(0)) add_row(team, by_user, v, weight, scores + t * items);
      }
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION static void add_row(TeamMember<ExecSpace> const& team,
                                      RatingRows<Real, Memory> const& rows, std::int64_t row,
                                      Real weight, Real* to) {
    std::int64_t const begin = rows.offsets(row);
    auto const count = static_cast<int>(rows.offsets(row + 1) - begin);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int k) {
      Real& sum = to[rows.columns(begin + k)];
      sum = Kokkos::fma(weight, rows.values(begin + k), sum);
    });
    team.team_barrier();
  }
};

}  // namespace carroll::detail
