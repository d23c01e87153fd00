// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>
#include <carroll/distributed/detail/tall_qr/team/reflector.hpp>

/// Blocks of rows by teams, on any device.
namespace carroll::distributed::detail::team {

using carroll::detail::lane_for;
using carroll::detail::lane_max;
using carroll::detail::lane_sum;
using carroll::detail::once_per_thread;
using carroll::detail::thread_for;

/// Householder QR of each block: a team per block, which stands in its scratch, a column per
/// thread. Each thread makes the reflector of a column for itself and applies it to its own ones; a
/// barrier per column.
///
/// 2mn² flops; scratch is read 2.5mn² times, which is the limit; A is read once, and Q's memory, if
/// it is wanted, written once.
template <class ExecSpace, class Real>
class BlockQrKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit BlockQrKernel(TallProblem<Real> const& problem)
      : p_(problem), level_(scratch_level<Policy>(bytes(problem))) {}

  carroll::detail::TeamLaunch teams() const {
    return {static_cast<int>(p_.count()), threads_for<ExecSpace>(p_.cols), bytes(p_), level_};
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const slot = member.league_rank(), b = p_.first + slot;
    int const n = p_.cols, rows = p_.rows_of(b), all = Kokkos::max(rows, n);
    Real* const scratch = static_cast<Real*>(member.team_scratch(level_).get_shmem_aligned(
        static_cast<std::ptrdiff_t>(entries(p_) * sizeof(Real)), sizeof(Real)));
    Columns<Real> const X{scratch, Kokkos::max(p_.block, n)};
    auto* const made = reinterpret_cast<Reflector<Real>*>(X.col(n));

    auto const a = p_.rows_from(p_.a, b);
    for_entries(member, a, rows, n, [&](int i, int j) { X(i, j) = a(i, j); });
    thread_for(member, n,
               [&](int j) { lane_for(member, all - rows, [&](int i) { X(rows + i, j) = 0; }); });
    member.team_barrier();
    balance(member, X, made, all, slot);
    for (int k = 0; k < n; ++k) {
      Real const* const x = X.col(k);
      auto const H = reflector_of(member, x[k], all - k - 1, [&](int i) { return x[k + 1 + i]; });
      thread_for(member, n - k - 1,
                 [&](int after) { reflect(member, H, x, k, X.col(k + 1 + after), all); });
      if (member.team_rank() == 0) once_per_thread(member, [&] { made[k] = H; });
      member.team_barrier();
    }
    store(member, X, made, rows, slot);
  }

 private:
  KOKKOS_FUNCTION static std::size_t entries(TallProblem<Real> const& p) {
    return static_cast<std::size_t>(Kokkos::max(p.block, p.cols) + 3) *
           static_cast<std::size_t>(p.cols);
  }
  static std::size_t bytes(TallProblem<Real> const& p) { return entries(p) * sizeof(Real) + 16; }

  /// y := H·y. Every lane keeps to its rows.
  KOKKOS_FUNCTION static void reflect(Member const& member, Reflector<Real> const& H, Real const* x,
                                      int k, Real* y, int all) {
    if (H.tau == Real(0)) return;
    auto const h = [&](int i) { return i == 0 ? Real(1) : H.inverse * x[k + i]; };
    Real const w = H.tau * lane_sum<Real>(member, all - k, [&](int i) { return h(i) * y[k + i]; });
    lane_for(member, all - k, [&](int i) { y[k + i] -= w * h(i); });
  }

  /// Takes the powers of two out of the columns; a block with an entry that is not finite := 0.
  KOKKOS_FUNCTION void balance(Member const& member, Columns<Real> const& X,
                               Reflector<Real>* largest, int all, std::int64_t slot) const {
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    int* const exponents = p_.triangles.exponents(slot);
    thread_for(member, p_.cols, [&](int j) {
      Real const* const x = X.col(j);
      Real const most = lane_max<Real>(member, all, [&](int i) {
        Real const y = Kokkos::abs(x[i]);
        return y < infinity ? y : infinity;  // NaN, too
      });
      once_per_thread(member, [&] { largest[j].beta = most; });
    });
    member.team_barrier();
    bool finite = true;
    for (int j = 0; j < p_.cols; ++j) finite = finite && largest[j].beta < infinity;
    thread_for(member, p_.cols, [&](int j) {
      Real* const x = X.col(j);
      int const e = finite ? column_exponent(largest[j].beta) : no_exponent;
      if (!finite)
        lane_for(member, all, [&](int i) { x[i] = 0; });
      else if (e != 0 && e != no_exponent)
        lane_for(member, all, [&](int i) { x[i] = carroll::detail::scale(x[i], -e); });
      once_per_thread(member, [&] { exponents[j] = e; });
    });
    if (member.team_rank() == 0)
      once_per_thread(member, [&] { p_.triangles.non_finite(slot) = finite ? 0 : 1; });
    member.team_barrier();
  }

  KOKKOS_FUNCTION void store(Member const& member, Columns<Real> const& X,
                             Reflector<Real> const* made, int rows, std::int64_t slot) const {
    Columns<Real> const R = p_.triangles(slot);
    thread_for(member, p_.cols, [&](int j) {
      lane_for(member, R.rows, [&](int i) {
        R(i, j) = i < j ? X(i, j) : i == j ? made[j].beta : Real(0);
      });
      if (p_.factors)
        once_per_thread(member, [&] { p_.factors[slot * p_.cols + j] = made[j].tau; });
    });
    if (!p_.q.data) return;
    auto const q = p_.rows_from(p_.q, p_.first + slot);
    for_entries(member, q, rows, p_.cols, [&](int i, int j) {
      q(i, j) = i < j ? Real(0) : i == j ? Real(1) : X(i, j) * made[j].inverse;
    });
  }

  TallProblem<Real> p_;
  int level_;
};

/// Q·core of each block: a team per block, whose reflectors stand in its scratch; a thread per
/// column, by itself. 4mn² flops; Q is read and written once.
template <class ExecSpace, class Real>
class BlockExpandKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit BlockExpandKernel(TallProblem<Real> const& problem) : p_(problem) {
    auto const launch = teams();
    level_ = scratch_level<Policy>(launch.scratch + static_cast<std::size_t>(launch.threads) *
                                                        launch.thread_scratch);
  }

  carroll::detail::TeamLaunch teams() const {
    std::size_t const rows = static_cast<std::size_t>(std::max(p_.block, p_.cols));
    return {static_cast<int>(p_.count()), threads_for<ExecSpace>(p_.cols),
            rows * static_cast<std::size_t>(p_.cols) * sizeof(Real) + 16, level_,
            rows * sizeof(Real) + 16};
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const slot = member.league_rank();
    int const n = p_.cols, rows = p_.rows_of(p_.first + slot), all = Kokkos::max(rows, n);
    int const pitch = Kokkos::max(p_.block, n);
    auto const take = [](auto const& scratch, std::ptrdiff_t count) {
      return static_cast<Real*>(scratch.get_shmem_aligned(
          count * static_cast<std::ptrdiff_t>(sizeof(Real)), sizeof(Real)));
    };
    Columns<Real> const V{take(member.team_scratch(level_), std::ptrdiff_t{pitch} * n), pitch};
    Real* const x = take(member.thread_scratch(level_), pitch);
    auto const q = p_.rows_from(p_.q, p_.first + slot);
    if (p_.outcome->non_finite != 0) {
      for_entries(member, q, rows, n,
                  [&](int i, int j) { q(i, j) = Kokkos::Experimental::quiet_NaN_v<Real>; });
      return;
    }
    for_entries(member, q, rows, n, [&](int i, int j) { V(i, j) = q(i, j); });
    thread_for(member, n,
               [&](int j) { lane_for(member, all - rows, [&](int i) { V(rows + i, j) = 0; }); });
    member.team_barrier();
    Columns<Real> const core = p_.triangles(slot);
    Real const* const taus = p_.factors + slot * n;
    thread_for(member, n, [&](int j) {
      // Every lane keeps to its rows.
      lane_for(member, all, [&](int i) { x[i] = i < n ? core(i, j) : Real(0); });
      for (int k = n - 1; k >= 0; --k) {
        Real const* const v = V.col(k);
        Real const w = taus[k] * lane_sum<Real>(member, all, [&](int i) { return v[i] * x[i]; });
        lane_for(member, all, [&](int i) { x[i] -= w * v[i]; });
      }
      lane_for(member, rows, [&](int i) { q(i, j) = x[i]; });
    });
  }

 private:
  TallProblem<Real> p_;
  int level_ = 0;
};

}  // namespace carroll::distributed::detail::team
