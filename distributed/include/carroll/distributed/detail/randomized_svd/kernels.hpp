// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// What a randomised SVD does besides products and factorisations.
namespace carroll::distributed::detail {

using carroll::detail::StridedMatrix;
using carroll::detail::StridedVector;

/// Independent standard normal numbers, entry (i, j) those of i + j·rows: functions of the seed and
/// the place in the whole block. A thread per entry.
template <class ExecSpace, class Real>
struct SketchKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  StridedMatrix<Real> block;
  std::int64_t rows;
  std::uint64_t seed;
  std::uint32_t stream;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    block(static_cast<int>(entry % rows), static_cast<int>(entry / rows)) =
        carroll::detail::random_normal<Real>(seed, stream, static_cast<std::uint64_t>(entry));
  }
};

template <class ExecSpace, class Real>
struct AddToKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  Real* to;
  Real const* from;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const { to[entry] += from[entry]; }
};

/// *sum := Σ of `count` numbers. One team.
template <class ExecSpace, class Real>
struct SumOfLinesKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  Real const* lines;
  int count;
  Real* sum;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Real const all = carroll::detail::lane_sum<Real>(team, count, [&](int l) { return lines[l]; });
    carroll::detail::once_per_thread(team, [&] { *sum = all; });
  }
};

/// squares(j) := Σ (w(i, j) − s(j)·u(i, j))² over the rows of a stretch. A team per column.
template <class ExecSpace, class Real>
struct ResidualSquaresKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  StridedMatrix<Real> w, u;
  StridedVector<Real> s;
  int rows;
  Real* squares;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const j = team.league_rank();
    Real const sigma = s(j);
    Real const square = carroll::detail::lane_sum<Real>(team, rows, [&](int i) {
      Real const d = w(i, j) - sigma * u(i, j);
      return d * d;
    });
    carroll::detail::once_per_thread(team, [&] { squares[j] = square; });
  }
};

/// to := the leading columns of from, or NaN. A thread per entry.
template <class ExecSpace, class Real>
struct LeadingKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  StridedMatrix<Real> from, to;
  std::int64_t rows;
  bool finite;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    int const i = static_cast<int>(entry % rows), j = static_cast<int>(entry / rows);
    to(i, j) = finite ? from(i, j) : Kokkos::Experimental::quiet_NaN_v<Real>;
  }
};

}  // namespace carroll::distributed::detail
