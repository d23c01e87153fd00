// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/integer_determinant/montgomery.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// residues[k] = det A mod primes[k], by elimination in blocks of b = 8 rows:
///
///   rows of the block, one after the other:
///     l_t := (a_t − Σ_{s<t} l_s·u_st)/u_tt,   row := row − Σ_t l_t·(row t of the block)
///     pivot: the diagonal entry or, where it is 0, the first entry of the row that is not, whose
///     column comes forward; none: det A = 0 mod p
///   rows below:  the same l, and row := row − Σ_{t<b} l_t·(row t of the block)
///
/// det = ±∏ pivots. All is exact, so that a pivot need but not be 0. Multipliers l are kept in
/// Montgomery form, entries plain; each sum of b products is reduced once (see Montgomery).
///
/// One team per slot of the workspace, which takes every (league size)-th prime and holds A mod p
/// row by row; lanes along the columns, team threads over the rows below, in the registers of each
/// the multipliers of several rows, so that the block's rows are read once for these. One inverse
/// per pivot, some 50 products one after the other. Per prime n³/3 products, n³/(3b) reductions,
/// n²·(1 read of A, 1 + n/(3b) reads and writes of 4 bytes of the workspace).
template <class ExecSpace, class Entry>
class ResidueKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  ResidueKernel(StridedMatrix<Entry const> const& a, int n, std::uint32_t* slots,
                std::uint32_t const* primes, int count, std::uint32_t* residues)
      : a_(a), n_(n), slots_(slots), primes_(primes), count_(count), residues_(residues) {}

  /// Distance of rows in a slot: a multiple of 64 bytes.
  KOKKOS_FUNCTION static std::ptrdiff_t row_stride(int n) {
    return (static_cast<std::ptrdiff_t>(n) + 15) / 16 * 16;
  }
  /// Numbers of 32 bits in a slot.
  static std::ptrdiff_t slot_size(int n) { return row_stride(n) * n; }

  /// A warp for each eight rows, up to eight, so that several teams share a multiprocessor; a host
  /// has other primes for its other threads. First choices, not tuned.
  Policy policy(ExecSpace const& exec, int league) const {
    if constexpr (lanes<ExecSpace> == 1) {
      return Policy(exec, league, 1, 1);
    } else {
      int const most =
          Policy(exec, league, 1, lanes<ExecSpace>).team_size_max(*this, Kokkos::ParallelForTag{});
      return Policy(exec, league, std::min(team_threads(n_), most), lanes<ExecSpace>);
    }
  }
  /// How many primes the device works on at a time.
  static int teams_at_once(ExecSpace const& exec, int n) {
    return std::max(1, exec.concurrency() / (team_threads(n) * lanes<ExecSpace>));
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Matrix const w{slots_ + team.league_rank() * row_stride(n_) * n_, row_stride(n_)};
    for (int k = team.league_rank(); k < count_; k += team.league_size()) {
      Montgomery const modulo(primes_[k]);
      load(team, modulo, w);
      std::uint32_t const determinant = eliminate(team, modulo, w);
      Kokkos::single(Kokkos::PerTeam(team), [&] { residues_[k] = determinant; });
      team.team_barrier();  // the slot is free
    }
  }

 private:
  static constexpr int block = Montgomery::products_per_reduction;
#if defined(__AVX2__) || defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  static constexpr int bundle = 4;
#else
  static constexpr int bundle = 1;  // 16 registers of 128 bits hold no more
#endif

  static int team_threads(int n) {
    if (lanes<ExecSpace> == 1) return 1;
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::clamp(n / 8, 1, 8))));
  }

  struct Matrix {
    std::uint32_t* data;
    std::ptrdiff_t stride;
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* row(int i) const { return data + i * stride; }
  };
  /// The multipliers of a row by those of the block, in Montgomery form.
  using Multipliers = std::uint32_t[block];

  KOKKOS_FUNCTION void load(Member const& team, Montgomery const& modulo, Matrix const& w) const {
    thread_for(team, n_, [&](int i) {
      std::uint32_t* const row = w.row(i);
      lane_for(team, n_, [&](int j) { row[j] = modulo.residue(a_(i, j)); });
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION std::uint32_t eliminate(Member const& team, Montgomery const& modulo,
                                          Matrix const& w) const {
    std::uint32_t determinant = modulo.r;  // in Montgomery form
    for (int begin = 0; begin < n_; begin += block) {
      int const size = Kokkos::min(int{block}, n_ - begin);
      Multipliers inverses = {};  // of the pivots, times R²
      for (int s = 0; s < size; ++s) {
        int const row = begin + s;
        update_block_row(team, modulo, w, begin, s, inverses);
        team.team_barrier();
        if (w.row(row)[row] == 0) {
          if (!bring_pivot(team, w, begin, row)) return 0;
          determinant = modulo.p - determinant;
        }
        std::uint32_t const pivot = modulo.to_form(w.row(row)[row]);
        determinant = modulo.multiply(determinant, pivot);
        std::uint32_t const inverse = modulo.to_form(modulo.inverse(pivot));
        CARROLL_UNROLL
        for (int t = 0; t < block; ++t) inverses[t] = t == s ? inverse : inverses[t];
      }
      if (size == block) update_rows_below(team, modulo, w, begin, inverses);
    }
    return modulo.from_form(determinant);
  }

  /// The first `count` multipliers of the row at x, from its entries in the block's columns.
  KOKKOS_FORCEINLINE_FUNCTION void find_multipliers(Montgomery const& modulo,
                                                    std::uint32_t const* x, Matrix const& w,
                                                    int begin, int count,
                                                    Multipliers const& inverses,
                                                    Multipliers& l) const {
    CARROLL_UNROLL
    for (int t = 0; t < block; ++t) {
      l[t] = 0;
      if (t < count) {
        std::uint64_t sum = 0;
        CARROLL_UNROLL
        for (int s = 0; s < t; ++s) sum += std::uint64_t{l[s]} * w.row(begin + s)[begin + t];
        l[t] = modulo.multiply(modulo.subtract(x[begin + t], sum), inverses[t]);
      }
    }
  }

  /// Row s of the block less its multiples of those before.
  KOKKOS_FUNCTION void update_block_row(Member const& team, Montgomery const& modulo,
                                        Matrix const& w, int begin, int s,
                                        Multipliers const& inverses) const {
    if (s == 0) return;
    std::uint32_t* const row = w.row(begin + s);
    Multipliers l;
    find_multipliers(modulo, row, w, begin, s, inverses, l);
    std::uint32_t const* const top = w.row(begin);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin + s, n_), [&](int j) {
      std::uint64_t sum = 0;
      for (int t = 0; t < s; ++t) sum += std::uint64_t{l[t]} * top[t * w.stride + j];
      row[j] = modulo.subtract(row[j], sum);
    });
  }

  /// Swaps the first column whose entry of `row` is not 0 with that of the diagonal. False if there
  /// is none.
  KOKKOS_FUNCTION bool bring_pivot(Member const& team, Matrix const& w, int begin, int row) const {
    int found = n_;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, row + 1, n_),
        [&](int j, int& first) {
          if (j < first && w.row(row)[j] != 0) first = j;
        },
        Kokkos::Min<int>(found));
    if (found >= n_) return false;
    team.team_barrier();  // all have seen that the diagonal entry is 0
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, n_),
                         [&](int i) { Kokkos::kokkos_swap(w.row(i)[row], w.row(i)[found]); });
    team.team_barrier();
    return true;
  }

  KOKKOS_FUNCTION void update_rows_below(Member const& team, Montgomery const& modulo,
                                         Matrix const& w, int begin,
                                         Multipliers const& inverses) const {
    int const end = begin + block;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, end, n_), [&](int i) {
      std::uint32_t* const row = w.row(i);
      Multipliers l;
      find_multipliers(modulo, row, w, begin, block, inverses, l);
      CARROLL_UNROLL
      for (int t = 0; t < block; ++t) row[begin + t] = l[t];  // in place of what becomes 0
    });
    team.team_barrier();
    int const bundles = (n_ - end) / bundle;
    thread_for(team, bundles,
               [&](int k) { update_bundle<bundle>(team, modulo, w, begin, end + k * bundle); });
    thread_for(team, n_ - end - bundles * bundle, [&](int k) {
      update_bundle<1>(team, modulo, w, begin, end + bundles * bundle + k);
    });
    team.team_barrier();
  }

  /// `rows` rows, from the first on, less their multiples of the block's rows.
  template <int rows>
  KOKKOS_FUNCTION void update_bundle([[maybe_unused]] Member const& team, Montgomery const modulo,
                                     Matrix const w, int begin, int first) const {
    std::uint32_t* const x = w.row(first) + begin;
    Multipliers l[rows];
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      CARROLL_UNROLL
      for (int t = 0; t < block; ++t) l[r][t] = x[r * w.stride + t];
    }
    Matrix const rest{x + block, w.stride};
    Matrix const top{w.row(begin) + begin + block, w.stride};
    int const count = n_ - begin - block;
    KOKKOS_IF_ON_DEVICE(
        (lane_for(team, count, [&](int j) { subtract_multiples<rows>(modulo, l, top, rest, j); });))
    KOKKOS_IF_ON_HOST((CARROLL_INDEPENDENT for (int j = 0; j < count; ++j)
                           subtract_multiples<rows>(modulo, l, top, rest, j);))
  }

  /// Column j of a bundle.
  template <int rows>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract_multiples(Montgomery const& modulo,
                                                             Multipliers const (&l)[rows],
                                                             Matrix const& top, Matrix const& rest,
                                                             int j) {
    std::uint64_t sum[rows] = {};
    CARROLL_UNROLL
    for (int t = 0; t < block; ++t) {
      std::uint32_t const u = top.row(t)[j];
      CARROLL_UNROLL
      for (int r = 0; r < rows; ++r) sum[r] += std::uint64_t{l[r][t]} * u;
    }
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) rest.row(r)[j] = modulo.subtract(rest.row(r)[j], sum[r]);
  }

  StridedMatrix<Entry const> a_;
  int n_;
  std::uint32_t* slots_;
  std::uint32_t const* primes_;
  int count_;
  std::uint32_t* residues_;
};

}  // namespace carroll::detail
