// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>
#include <carroll/distributed/detail/tall_qr/team/reflector.hpp>
#include <cstddef>
#include <cstdint>

/// Blocks of rows by teams of 16 warps, on devices that have such.
namespace carroll::distributed::detail::team {

inline constexpr int block_warps = 16;

/// C columns of a block in the registers of a warp, columns warp, warp + 16, …; lane l has rows l,
/// l + 32, ….
template <class Real, int R, int C>
struct WarpColumns {
  carroll::detail::DeviceWarp warp;
  int first;  ///< the warp's number
  Real x[C][R];

  template <class Member>
  KOKKOS_FUNCTION explicit WarpColumns(Member const& member)
      : warp(carroll::detail::warp_of_threads(member)), first(member.team_rank() / 32) {}

  KOKKOS_FUNCTION int column(int c) const { return first + c * block_warps; }
  KOKKOS_FUNCTION int row(int r) const { return warp.lane + 32 * r; }

  /// f(row, column, entry) for those within rows × cols.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_entries(int rows, int cols, F const& f) {
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) CARROLL_UNROLL
    for (int r = 0; r < R; ++r)
      if (row(r) < rows && column(c) < cols) f(row(r), column(c), x[c][r]);
  }

  /// Columns from `from` on := (I - tau·h·hᵀ)·columns. h is read twice for all of them.
  KOKKOS_FORCEINLINE_FUNCTION void reflect(Real const* h, Real tau, int from) {
    if (column(C - 1) < from) return;
    Real sums[C] = {};
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      Real const a = h[row(r)];
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) sums[c] += a * x[c][r];
    }
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      Real const sum = carroll::detail::lanes_sum_up(warp, sums[c]);
      sums[c] = column(c) >= from ? tau * sum : Real(0);
    }
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      Real const a = h[row(r)];
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c) x[c][r] -= sums[c] * a;
    }
  }
};

/// Householder QR of each block in the registers of a team: the warp that has column k makes its
/// reflector and leaves it in scratch, one of two places by turns, where all others find it behind
/// the one barrier of a step.
///
/// 2mn² flops; each reflector is read from scratch twice by each warp; A is read once, Q's memory,
/// if it is wanted, written once.
template <class ExecSpace, class Real, int R, int C>
class RegisterQrKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * block_warps, 1>>;
  using Member = typename Policy::member_type;

  explicit RegisterQrKernel(TallProblem<Real> const& problem) : p_(problem) {}

  carroll::detail::TeamLaunch teams() const {
    return {.count = static_cast<int>(p_.count()),
            .threads = 32 * block_warps,
            .scratch = words * sizeof(Real) + 16};
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const slot = member.league_rank(), b = p_.first + slot;
    int const n = p_.cols, rows = p_.rows_of(b);
    Real* const scratch = static_cast<Real*>(
        member.team_scratch(0).get_shmem_aligned(words * sizeof(Real), sizeof(Real)));
    Real* const tau = scratch + 2 * all;  // of the reflectors in the two places
    WarpColumns<Real, R, C> X(member);
    auto const a = p_.rows_from(p_.a, b);
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) CARROLL_UNROLL
    for (int r = 0; r < R; ++r)
      X.x[c][r] = X.row(r) < rows && X.column(c) < n ? a(X.row(r), X.column(c)) : Real(0);
    balance(member, X, scratch, slot);

    Real taus[C] = {};
    for (int k = 0; k < n; ++k) {
      Real* const h = scratch + (k % 2) * all;
      if (k % block_warps == X.first) {
        Real const made = make(X, k, h);
        if (X.warp.lane == 0) tau[k % 2] = made;
        CARROLL_UNROLL
        for (int c = 0; c < C; ++c)
          if (X.column(c) == k) taus[c] = made;
      }
      carroll::detail::fast_team_barrier(member);
      X.reflect(h, tau[k % 2], k + 1);
    }
    store(X, taus, rows, slot);
  }

 private:
  static constexpr int all = 32 * R;
  static constexpr std::size_t words = 2 * all + 2;

  /// The reflector of column k, which the warp has: in place from row k + 1 on, R's entry in row k,
  /// and with a one and zeros in h. Returns tau.
  KOKKOS_FORCEINLINE_FUNCTION static Real make(WarpColumns<Real, R, C>& X, int k, Real* h) {
    // Through one array whose indices are all known: else the columns leave their registers.
    if constexpr (C == 1) return make(X, X.x[0], k, h);
    Real y[R];
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) CARROLL_UNROLL
    for (int r = 0; r < R; ++r)
      if (c == 0 || X.column(c) == k) y[r] = X.x[c][r];
    Real const tau = make(X, y, k, h);
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) CARROLL_UNROLL
    for (int r = 0; r < R; ++r) X.x[c][r] = X.column(c) == k ? y[r] : X.x[c][r];
    return tau;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Real make(WarpColumns<Real, R, C> const& X, Real (&x)[R],
                                               int k, Real* h) {
    Real alpha = 0;
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r)
      if (r == k / 32) alpha = x[r];
    alpha = X.warp.from(alpha, k % 32);
    Real sum = 0, largest = 0;
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      Real const y = X.row(r) > k ? x[r] : Real(0);
      sum += y * y;
      largest = Kokkos::max(largest, Kokkos::abs(y));
    }
    sum = carroll::detail::lanes_sum_up(X.warp, sum);
    auto const H = reflector_by(
        alpha,
        [&](int up) {
          if (up == 0) return sum;
          Real scaled = 0;
          CARROLL_UNROLL
          for (int r = 0; r < R; ++r) {
            Real const y = X.row(r) > k ? carroll::detail::scale(x[r], up) : Real(0);
            scaled += y * y;
          }
          return carroll::detail::lanes_sum_up(X.warp, scaled);
        },
        [&] { return carroll::detail::lanes_max(X.warp, largest); });
    CARROLL_UNROLL
    for (int r = 0; r < R; ++r) {
      int const i = X.row(r);
      x[r] = i < k ? x[r] : i == k ? H.beta : x[r] * H.inverse;
      h[i] = i < k ? Real(0) : i == k ? Real(1) : x[r];
    }
    return H.tau;
  }

  /// Takes the powers of two out of the columns; a block with an entry that is not finite := 0.
  KOKKOS_FORCEINLINE_FUNCTION void balance(Member const& member, WarpColumns<Real, R, C>& X,
                                           Real* largest, std::int64_t slot) const {
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      Real most = 0;
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        Real const y = Kokkos::abs(X.x[c][r]);
        most = Kokkos::max(most, y < infinity ? y : infinity);  // NaN, too
      }
      most = carroll::detail::lanes_max(X.warp, most);
      if (X.warp.lane == 0 && X.column(c) < p_.cols) largest[X.column(c)] = most;
    }
    member.team_barrier();
    bool finite = true;
    for (int j = 0; j < p_.cols; ++j) finite = finite && largest[j] < infinity;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      int const j = X.column(c);
      int const e = j < p_.cols && finite ? column_exponent(largest[j]) : no_exponent;
      if (j < p_.cols && X.warp.lane == 0) p_.triangles.exponents(slot)[j] = e;
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r) {
        if (!finite) X.x[c][r] = 0;
        if (e != 0 && e != no_exponent) X.x[c][r] = carroll::detail::scale(X.x[c][r], -e);
      }
    }
    if (member.team_rank() == 0) p_.triangles.non_finite(slot) = finite ? 0 : 1;
    member.team_barrier();  // the first reflector takes their place
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(WarpColumns<Real, R, C>& X, Real const (&taus)[C],
                                         int rows, std::int64_t slot) const {
    Columns<Real> const triangle = p_.triangles(slot);
    X.for_entries(triangle.rows, p_.cols,
                  [&](int i, int j, Real x) { triangle(i, j) = i <= j ? x : Real(0); });
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      if (p_.factors && X.column(c) < p_.cols && X.warp.lane == 0)
        p_.factors[slot * p_.cols + X.column(c)] = taus[c];
    if (!p_.q.data) return;
    auto const q = p_.rows_from(p_.q, p_.first + slot);
    X.for_entries(rows, p_.cols, [&](int i, int j, Real x) {
      q(i, j) = i < j ? Real(0) : i == j ? Real(1) : x;
    });
  }

  TallProblem<Real> p_;
};

/// Q·core of each block, whose reflectors stand in a team's scratch, its columns in registers: a
/// warp goes through the reflectors by itself. 4mn² flops; each reflector is read from scratch
/// twice by each warp; Q is read and written once.
template <class ExecSpace, class Real, int R, int C>
class RegisterExpandKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * block_warps, 1>>;
  using Member = typename Policy::member_type;

  explicit RegisterExpandKernel(TallProblem<Real> const& problem) : p_(problem) {}

  static std::size_t bytes(int cols) {
    return static_cast<std::size_t>(cols) * (32 * R + 1) * sizeof(Real) + 16;
  }
  carroll::detail::TeamLaunch teams() const {
    return {.count = static_cast<int>(p_.count()),
            .threads = 32 * block_warps,
            .scratch = bytes(p_.cols)};
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const slot = member.league_rank();
    int const n = p_.cols, rows = p_.rows_of(p_.first + slot);
    constexpr int all = 32 * R;
    Real* const V = static_cast<Real*>(member.team_scratch(0).get_shmem_aligned(
        static_cast<std::size_t>(n) * (all + 1) * sizeof(Real), sizeof(Real)));
    Real* const taus = V + static_cast<std::ptrdiff_t>(n) * all;
    auto const q = p_.rows_from(p_.q, p_.first + slot);
    WarpColumns<Real, R, C> X(member);
    if (p_.outcome->non_finite != 0) {
      X.for_entries(rows, n,
                    [&](int i, int j, Real) { q(i, j) = Kokkos::Experimental::quiet_NaN_v<Real>; });
      return;
    }
    for (int j = X.first; j < n; j += block_warps) {
      CARROLL_UNROLL
      for (int r = 0; r < R; ++r)
        V[j * all + X.row(r)] = X.row(r) < rows ? q(X.row(r), j) : Real(0);
      if (X.warp.lane == 0) taus[j] = p_.factors[slot * n + j];
    }
    member.team_barrier();
    Columns<Real> const core = p_.triangles(slot);
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) CARROLL_UNROLL
    for (int r = 0; r < R; ++r)
      X.x[c][r] = X.row(r) < n && X.column(c) < n ? core(X.row(r), X.column(c)) : Real(0);
    for (int k = n - 1; k >= 0; --k) X.reflect(V + k * all, taus[k], 0);
    X.for_entries(rows, n, [&](int i, int j, Real x) { q(i, j) = x; });
  }

 private:
  TallProblem<Real> p_;
};

/// f.operator()<R, C>() for blocks that fit: 32 numbers of 8 bytes or 64 of 4 in a thread. False
/// for others.
template <class Real, class F>
bool with_register_block(int block, int cols, F const& f) {
  constexpr int numbers = sizeof(Real) == 4 ? 64 : 32;
  if (block == 8 * numbers && cols <= 4 * block_warps) {
    f.template operator()<numbers / 4, 4>();
  } else if (block == 16 * numbers && cols <= 2 * block_warps) {
    f.template operator()<numbers / 2, 2>();
  } else if (block == 32 * numbers && cols <= block_warps) {
    f.template operator()<numbers, 1>();
  } else {
    return false;
  }
  return true;
}

}  // namespace carroll::distributed::detail::team
