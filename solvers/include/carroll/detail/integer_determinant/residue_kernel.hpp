// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/independent.hpp>
#include <carroll/detail/integer_determinant/montgomery.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// residues[k] = det A mod primes[k], by elimination in blocks of b = 8 rows:
///
///   A = [A11 A12; A21 A22],   [A11 A12] = L11·[U11 U12],   L21 = A21·U11⁻¹,   A22 := A22 − L21·U12
///
/// The rows of a block go one after the other: row s, less its multiples of the s before, gives the
/// pivot, its diagonal entry or, where that is 0, the first entry that is not, whose column comes
/// forward; none: det A = 0 mod p. The pivot gives column s of U11⁻¹. det A = ±∏ pivots. All is
/// exact, so that a pivot need but not be 0. U11⁻¹ and L21 are in Montgomery form, entries plain; a
/// sum of b products is reduced once (see Montgomery).
///
/// One team per slot of the workspace, which takes every (league size)-th prime and holds A mod p
/// row by row. Lanes go along the columns, team threads over the rows below, with the multipliers
/// of several rows in registers, so that U12 is read once for these. One inverse per pivot, some 50
/// products. Per prime n³/3 + bn² products and n³/(3b) + 2n² reductions; A is read once, each
/// entry of the workspace read and written n/(3b) times.
template <class ExecSpace, class Entry>
class ResidueKernel {
 public:
  ResidueKernel(StridedMatrix<Entry const> const& a, int n, std::uint32_t* slots,
                std::uint32_t const* primes, int count, std::uint32_t* residues)
      : a_(a), n_(n), slots_(slots), primes_(primes), count_(count), residues_(residues) {}

  /// Numbers of 32 bits in a slot.
  KOKKOS_FUNCTION static std::ptrdiff_t slot_size(int n) { return row_stride(n) * whole_blocks(n); }

  /// A warp for each eight rows, up to eight, so that several teams share a multiprocessor; a host
  /// has other primes for its other threads. First choices, not tuned.
  [[nodiscard]] TeamLaunch teams(int league) const {
    return {.count = league, .threads = team_threads(n_), .scratch = bytes_per_team};
  }
  /// How many primes the device works on at a time.
  static int teams_at_once(ExecSpace const& exec, int n) {
    return std::max(1, exec.concurrency() / (team_threads(n) * lanes<ExecSpace>));
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Matrix const w{slots_ + team.league_rank() * slot_size(n_), row_stride(n_)};
    Matrix const inverse{
        static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem(int{bytes_per_team})), block};
    for (int k = team.league_rank(); k < count_; k += team.league_size()) {
      Montgomery const modulo(primes_[k]);
      load(team, modulo, w);
      std::uint32_t const determinant = eliminate(team, modulo, w, inverse);
      Kokkos::single(Kokkos::PerTeam(team), [&] { residues_[k] = determinant; });
      team.team_barrier();  // the slot is free
    }
  }

 private:
  static constexpr int block = Montgomery::products_per_reduction;
#if defined(CARROLL_DEVICE_ENABLED)
  static constexpr int bundle = 4;
#else
  static constexpr int bundle = compiled_vector_bytes > 16 ? 4 : 1;  // 16 registers hold no more
#endif

  static constexpr int bytes_per_team = block * block * int(sizeof(std::uint32_t));

  static int team_threads(int n) {
    if (lanes<ExecSpace> == 1) return 1;
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::clamp(n / 8, 1, 8))));
  }
  KOKKOS_FUNCTION static int whole_blocks(int n) {
    return (n + block - 1) / block * block;
  }
  /// Distance of rows in a slot: a multiple of 64 bytes.
  KOKKOS_FUNCTION static std::ptrdiff_t row_stride(int n) {
    return (static_cast<std::ptrdiff_t>(n) + 15) / 16 * 16;
  }

  struct Matrix {
    std::uint32_t* data;
    std::ptrdiff_t stride;
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* row(int i) const { return data + i * stride; }
  };
  /// Of a row by those of the block, in Montgomery form.
  using Multipliers = std::uint32_t[block];

  /// A mod p; with zeros up to whole blocks, so that no loop need know of a last, smaller one.
  KOKKOS_FUNCTION void load(TeamMember<ExecSpace> const& team, Montgomery const& modulo,
                            Matrix const& w) const {
    int const whole = whole_blocks(n_);
    thread_for(team, n_, [&](int i) {
      std::uint32_t* const row = w.row(i);
      lane_for(team, n_, [&](int j) { row[j] = modulo.residue(a_(i, j)); });
      lane_for(team, whole - n_, [&](int j) { row[n_ + j] = 0; });
    });
    thread_for(team, whole - n_,
               [&](int i) { lane_for(team, whole, [&](int j) { w.row(n_ + i)[j] = 0; }); });
    team.team_barrier();
  }

  KOKKOS_FUNCTION std::uint32_t eliminate(TeamMember<ExecSpace> const& team,
                                          Montgomery const& modulo, Matrix const& w,
                                          Matrix const& inverse) const {
    std::uint32_t determinant = modulo.r;  // in Montgomery form
    for (int begin = 0; begin < n_; begin += block) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, block * block),
                           [&](int k) { inverse.data[k] = 0; });
      team.team_barrier();
      for (int row = begin; row < n_ && row < begin + block; ++row) {
        update_block_row(team, modulo, w, inverse, begin, row);
        team.team_barrier();
        if (w.row(row)[row] == 0) {
          if (!bring_pivot(team, w, begin, row)) return 0;
          determinant = modulo.p - determinant;
        }
        std::uint32_t const pivot = modulo.to_form(w.row(row)[row]);
        determinant = modulo.multiply(determinant, pivot);
        extend_inverse(team, modulo, w, inverse, begin, row, modulo.inverse(pivot));
        team.team_barrier();
      }
      update_rows_below(team, modulo, w, inverse, begin);
    }
    return modulo.from_form(determinant);
  }

  /// Column s = row − begin of U11⁻¹, times R², from those before and u_ss⁻¹·R:
  /// -(Σ_{r<s} (U11⁻¹)_qr·u_rs)/u_ss for q < s, 1/u_ss for q = s.
  KOKKOS_FUNCTION void extend_inverse(TeamMember<ExecSpace> const& team, Montgomery const& modulo,
                                      Matrix const& w, Matrix const& inverse, int begin, int row,
                                      std::uint32_t of_pivot) const {
    int const s = row - begin;
    std::uint32_t const last = modulo.to_form(of_pivot);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, s + 1), [&](int q) {
      std::uint64_t sum = 0;
      for (int r = q; r < s; ++r) sum += std::uint64_t{inverse.row(q)[r]} * w.row(begin + r)[row];
      std::uint32_t const above = modulo.raise(0U - modulo.multiply(modulo.reduce(sum), last));
      inverse.row(q)[s] = q == s ? last : above;
    });
  }

  /// x·U11⁻¹ for the entries x of a row in the first `count` of the block's columns, as many as the
  /// inverse has by now; 0 for the others.
  KOKKOS_FORCEINLINE_FUNCTION static void find_multipliers(Montgomery const& modulo,
                                                           std::uint32_t const* x, int count,
                                                           Matrix const& inverse, Multipliers& l) {
    std::uint64_t sum[block] = {};
    for (int s = 0; s < count; ++s) {
      std::uint64_t const entry = x[s];
      CARROLL_UNROLL
      for (int t = 0; t < block; ++t) sum[t] += entry * inverse.row(s)[t];
    }
    CARROLL_UNROLL
    for (int t = 0; t < block; ++t) l[t] = modulo.reduce(sum[t]);
  }

  /// A row of the block less its multiples of those before.
  KOKKOS_FUNCTION void update_block_row(TeamMember<ExecSpace> const& team, Montgomery const& modulo,
                                        Matrix const& w, Matrix const& inverse, int begin,
                                        int row) const {
    if (row == begin) return;
    Multipliers l[1];
    find_multipliers(modulo, w.row(row) + begin, row - begin, inverse, l[0]);
    Matrix const top{w.row(begin) + row, w.stride};
    Matrix const rest{w.row(row) + row, w.stride};
    subtract_multiples(modulo, l, top, rest, n_ - row, [&](int count, auto const& f) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), f);
    });
  }

  /// Swaps the first column whose entry of `row` is not 0 with that of the diagonal. False if there
  /// is none.
  KOKKOS_FUNCTION bool bring_pivot(TeamMember<ExecSpace> const& team, Matrix const& w, int begin,
                                   int row) const {
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

  KOKKOS_FUNCTION void update_rows_below(TeamMember<ExecSpace> const& team,
                                         Montgomery const& modulo, Matrix const& w,
                                         Matrix const& inverse, int begin) const {
    int const end = begin + block;
    if (end >= n_) return;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, end, n_), [&](int i) {
      std::uint32_t* const x = w.row(i) + begin;
      Multipliers l;
      find_multipliers(modulo, x, block, inverse, l);
      CARROLL_UNROLL
      for (int t = 0; t < block; ++t) x[t] = l[t];  // in place of what becomes 0
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
  KOKKOS_FUNCTION void update_bundle(TeamMember<ExecSpace> const& team, Montgomery const& modulo,
                                     Matrix const& w, int begin, int first) const {
    std::uint32_t* const x = w.row(first) + begin;
    Multipliers l[rows];
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      CARROLL_UNROLL
      for (int t = 0; t < block; ++t) l[r][t] = x[r * w.stride + t];
    }
    Matrix const top{w.row(begin) + begin + block, w.stride};
    Matrix const rest{x + block, w.stride};
    subtract_multiples(modulo, l, top, rest, n_ - begin - block,
                       [&](int count, auto const& f) { lane_for(team, count, f); });
  }

  /// rest := rest − l·top, over `count` columns: on devices by `spread`, on hosts, where a team is
  /// one thread, in a plain loop, which compilers make vector code of.
  template <int rows, class Spread>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract_multiples(
      Montgomery const modulo, Multipliers const (&l)[rows], Matrix const top, Matrix const rest,
      int count, [[maybe_unused]] Spread const& spread) {
    KOKKOS_IF_ON_DEVICE((spread(count, [&](int j) { subtract_column(modulo, l, top, rest, j); });))
    KOKKOS_IF_ON_HOST((CARROLL_INDEPENDENT for (int j = 0; j < count; ++j)
                           subtract_column(modulo, l, top, rest, j);))
  }

  template <int rows>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract_column(Montgomery const& modulo,
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
