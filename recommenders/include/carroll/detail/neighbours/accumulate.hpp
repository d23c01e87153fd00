// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/neighbours/problem.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/vectors.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// sums(j, :) of one row with every other row j: over the row's ratings, ascending by column, and
/// over the ratings of each of these columns. Every sum grows in that order, whoever adds to it.
///
/// A team has a row. On devices its lanes have the ratings of one column, which are of different
/// rows, and come to the next column together; on hosts a thread goes through all of them with the
/// sums of a pair in a register. Σ_u d_u² steps for all rows, d_u ratings in column u, of 2·width
/// flops and 2·width numbers each, which caches hold.
namespace carroll::detail {

/// What a common column adds, by `w`, the row's rating.
template <class Real, int Width>
struct PairWeights {
  Real w[Width];

  KOKKOS_FUNCTION explicit PairWeights(Real x) {
    w[0] = x;
    if constexpr (Width >= 4) {
      w[1] = rounded_product(x, x);
      w[2] = w[3] = Real(1);
    } else {
      w[1] = Real(0);
    }
    if constexpr (Width == 8) {
      w[4] = x;
      w[5] = Real(1);
      w[6] = w[7] = Real(0);
    }
  }
  KOKKOS_FUNCTION void add(Real* sums, Real const* terms) const {
    if constexpr (Width == 2) {
      Real const d = w[0] - terms[0];
      sums[0] += rounded_product(d, d);
      sums[1] += Real(1);
    } else {
      for (int s = 0; s < Width; ++s) sums[s] += rounded_product(terms[s], w[s]);
    }
  }
};

template <class Real, int Width, class Member>
KOKKOS_FUNCTION void accumulate_by_lanes(Member const& team, NeighbourProblem<Real> const& p,
                                         std::int32_t row, Real* sums) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, p.rows), [&](std::int32_t j) {
    for (int s = 0; s < Width; ++s) sums[std::int64_t{j} * Width + s] = Real(0);
  });
  team.team_barrier();
  for (std::int64_t e = p.row_offsets[row]; e < p.row_offsets[row + 1]; ++e) {
    std::int32_t const column = p.row_columns[e];
    std::int64_t const begin = p.column_offsets[column];
    auto const count = static_cast<std::int32_t>(p.column_offsets[column + 1] - begin);
    PairWeights<Real, Width> const weights(p.row_values[e]);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::int32_t k) {
      std::int64_t const f = begin + k;
      weights.add(sums + std::int64_t{p.column_rows[f]} * Width, p.terms + f * Width);
    });
    team.team_barrier();
  }
}

/// The same by one thread of a host.
template <class Real, int Width>
struct AccumulateOnHost {
  NeighbourProblem<Real> const& p;
  std::int32_t row;
  Real* sums;

  template <int Bytes>
  void run() const {
    using Registers = HostVector<Real, Width* int(sizeof(Real))>;
    std::int64_t const numbers = std::int64_t{p.rows} * Width;
    for (std::int64_t j = 0; j < numbers; ++j) sums[j] = Real(0);
    for (std::int64_t e = p.row_offsets[row]; e < p.row_offsets[row + 1]; ++e) {
      std::int32_t const column = p.row_columns[e];
      std::int64_t const end = p.column_offsets[column + 1];
      PairWeights<Real, Width> const weights(p.row_values[e]);
      if constexpr (Width == 2) {
        for (std::int64_t f = p.column_offsets[column]; f < end; ++f)
          weights.add(sums + std::int64_t{p.column_rows[f]} * Width, p.terms + f * Width);
      } else {
        typename Registers::Type const w = Registers::loose(weights.w);
        for (std::int64_t f = p.column_offsets[column]; f < end; ++f)
          Registers::loose(sums + std::int64_t{p.column_rows[f]} * Width) +=
              Registers::loose(p.terms + f * Width) * w;
      }
    }
  }
};

template <class ExecSpace, class Real, int Width, class Member>
KOKKOS_FUNCTION void accumulate_pairs([[maybe_unused]] Member const& team,
                                      NeighbourProblem<Real> const& p, std::int32_t row,
                                      Real* sums) {
  if constexpr (lanes<ExecSpace> == 1)
    KOKKOS_IF_ON_HOST((with_host_vectors(AccumulateOnHost<Real, Width>{p, row, sums});))
  else
    accumulate_by_lanes<Real, Width>(team, p, row, sums);
}

}  // namespace carroll::detail
