// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>

/// Between this rank's triangles, those that go to all, and the caller's.
namespace carroll::distributed::detail {

/// Triangles of this rank's subtrees to where they are sent from, or what Q is multiplied by from
/// the top to where the subtrees stand; a thread per entry.
template <class ExecSpace, class Real, bool down>
struct SubtreesKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  TallProblem<Real> p;

  std::int64_t count() const { return p.subtree_count * p.triangles.size(); }
  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    std::int64_t const size = p.triangles.size(), k = entry / size, i = entry % size;
    std::int64_t const slot = p.subtrees[k] - p.first;
    if constexpr (down) {
      p.triangles(slot).data[i] = p.top(p.subtrees_before + k).data[i];
    } else {
      p.sent(k).data[i] = p.triangles(slot).data[i];
      if (i <= p.cols) p.sent.exponents(k)[i] = p.triangles.exponents(slot)[i];
    }
  }
};

/// What the triangle at the top says before its entries are used: are there any that are not
/// finite?
template <class ExecSpace, class Real>
struct OutcomeKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallProblem<Real> p;

  KOKKOS_FUNCTION void operator()(int) const {
    TallOutcome outcome;
    outcome.non_finite = p.top.non_finite(0);
    *p.outcome = outcome;
  }
};

/// And how large are they? A team per column.
template <class ExecSpace, class Real>
struct LargestKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  TallProblem<Real> p;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const j = member.league_rank();
    Real const* const column = p.top(0).col(j);
    Real const largest = carroll::detail::lane_max<Real>(
        member, j + 1, [&](int i) { return Kokkos::abs(column[i]); });
    carroll::detail::once_per_thread(member, [&] {
      if (largest > Real(0))
        Kokkos::atomic_max(&p.outcome->largest,
                           p.top.exponents(0)[j] + carroll::detail::exponent_of(largest));
    });
  }
};

/// R := the triangle at the top with its columns' exponents; its diagonal made >= 0, with the signs
/// for Q in `core`, or times 2^-exponent. A thread per entry.
template <class ExecSpace, class Real>
struct TriangleKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallProblem<Real> p;
  StridedMatrix<Real> R;
  bool signs;

  KOKKOS_FUNCTION void operator()(int entry) const {
    int const n = p.cols, i = entry % n, j = entry / n;
    Columns<Real> const top = p.top(0);
    Real const sign = signs && top(i, i) < 0 ? Real(-1) : Real(1);
    Real const x = i > j ? Real(0) : sign * top(i, j);
    int const e = p.top.exponents(0)[j] - p.outcome->template exponent<Real>();
    Real const scaled = x == Real(0) ? Real(0) : carroll::detail::scale(x, e);
    bool const finite = p.outcome->non_finite == 0;
    R(i, j) = finite ? scaled : Kokkos::Experimental::quiet_NaN_v<Real>;
    if (finite && !(Kokkos::abs(scaled) < Kokkos::Experimental::infinity_v<Real>))
      Kokkos::atomic_store(&p.outcome->overflow, 1);
    if (signs && p.core) p.core[entry] = i == j ? sign : Real(0);
  }
};

/// The root of the tree: top(0) := core. A thread per entry.
template <class ExecSpace, class Real>
struct CoreKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallProblem<Real> p;

  KOKKOS_FUNCTION void operator()(int entry) const {
    int const i = entry % p.top.pitch, j = entry / p.top.pitch;
    p.top(0)(i, j) = i < p.cols ? p.core[i + j * p.cols] : Real(0);
  }
};

}  // namespace carroll::distributed::detail
