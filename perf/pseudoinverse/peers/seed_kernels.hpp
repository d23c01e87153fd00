// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "pseudoinverse/arrow_frames.hpp"

/// The thesis' kernels, whose names there stand with each (see seed.hpp).
namespace carroll::perf::seed {

using Memory = Exec::memory_space;
using Policy = Kokkos::TeamPolicy<Exec>;
using Team = Policy::member_type;

/// MAX_BLOCK, MAX_COLS, CUDA_BLOCK_SIZE_1D and BLOCK of the thesis.
inline constexpr int block = 256;
/// A host's thread does the work of a block.
inline constexpr int team_size = on_device ? block : 1;

/// What the kernels work on; cols = m + 1.
template <class Real>
struct Views {
  template <class T>
  using Array = Kokkos::View<T*, Memory>;

  int n, cols;
  Array<Real> a, u;          // n: A, "memorizzata su due righe"
  Array<int const> offsets;  // m+1
  Array<Real> gram;          // 3·cols: a₀ᵢ; aᵢᵢ; shares of a₀₀
  Array<Real> inverse;       // cols·cols, transposed as it is symmetric
  Array<Real> first;         // 1: what a₀₀ becomes
  Array<Real> pinv;          // n·cols
};

template <class Real>
using Scratch = Kokkos::View<Real*, Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

template <class Real>
Policy policy_of(Exec const& exec, int league, int arrays) {
  return Policy(exec, league, team_size)
      .set_scratch_size(0, Kokkos::PerTeam(arrays * Scratch<Real>::shmem_size(block)));
}

/// Entries begin <= t < end, 256 at a time: f(t, t - first), then after a barrier last(count) by
/// one thread of the team.
template <class F, class Last>
KOKKOS_INLINE_FUNCTION void in_blocks(Team const& team, int begin, int end, F const& f,
                                      Last const& last) {
  for (int first = begin; first < end; first += block) {
    int const count = Kokkos::min(int{block}, end - first);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) { f(first + i, i); });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { last(count); });
    team.team_barrier();
  }
}

/// deviceMulJacTJac and deviceSumFirstEl.
template <class Real>
void enqueue_gram(Exec const& exec, Views<Real> const& s) {
  Kokkos::parallel_for(
      "carroll::perf::seed::gram", policy_of<Real>(exec, s.cols - 1, 3),
      KOKKOS_LAMBDA(Team const& team) {
        int const segment = team.league_rank();
        Scratch<Real> const uu(team.team_scratch(0), block), ua(team.team_scratch(0), block),
            aa(team.team_scratch(0), block);
        Real diagonal = 0, symmetric = 0, first = 0;
        in_blocks(
            team, s.offsets(segment), s.offsets(segment + 1),
            [&](int p, int i) {
              uu(i) = s.u(p) * s.u(p);
              ua(i) = s.u(p) * s.a(p);
              aa(i) = s.a(p) * s.a(p);
            },
            [&](int count) {
              for (int i = 0; i < count; ++i) {
                diagonal += uu(i);
                symmetric += ua(i);
                first += aa(i);
              }
            });
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          s.gram(s.cols + segment + 1) = diagonal;
          s.gram(segment + 1) = symmetric;
          s.gram(2 * s.cols + segment + 1) = first;
        });
      });
  Kokkos::parallel_for(
      "carroll::perf::seed::sum_first", policy_of<Real>(exec, 1, 1),
      KOKKOS_LAMBDA(Team const& team) {
        Scratch<Real> const parts(team.team_scratch(0), block);
        Real sum = 0;
        in_blocks(
            team, 1, s.cols, [&](int t, int i) { parts(i) = s.gram(2 * s.cols + t); },
            [&](int count) {
              for (int i = 0; i < count; ++i) sum += parts(i);
            });
        Kokkos::single(Kokkos::PerTeam(team), [&] { s.gram(0) = sum; });
      });
}

/// cvSetIdentity.
template <class Real>
void enqueue_identity(Exec const& exec, Views<Real> const& s) {
  Kokkos::parallel_for(
      "carroll::perf::seed::identity",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(s.inverse.size())),
      KOKKOS_LAMBDA(std::int64_t i) { s.inverse(i) = i % (s.cols + 1) == 0 ? Real(1) : Real(0); });
}

/// deviceJac2InvFirstRow and deviceJac2InvScaleFirstRow.
template <class Real>
void enqueue_first_row(Exec const& exec, Views<Real> const& s) {
  auto const cols = static_cast<std::int64_t>(s.cols);
  Kokkos::parallel_for(
      "carroll::perf::seed::first_row", policy_of<Real>(exec, 1, 1),
      KOKKOS_LAMBDA(Team const& team) {
        Scratch<Real> const parts(team.team_scratch(0), block);
        Real first = s.gram(0);
        in_blocks(
            team, 1, s.cols,
            [&](int t, int i) {
              Real const diagonal = s.gram(s.cols + t), entry = s.gram(t);
              if (diagonal != 0) {
                Real const coefficient = -entry / diagonal;
                s.inverse(cols * t) = coefficient;
                parts(i) = coefficient * entry;
              } else {
                s.inverse(cols * t + t) = 0;
                parts(i) = 0;
              }
            },
            [&](int count) {
              for (int i = 0; i < count; ++i) first += parts(i);
            });
        Kokkos::single(Kokkos::PerTeam(team), [&] { s.first(0) = first; });
      });
  Kokkos::parallel_for(
      "carroll::perf::seed::scale_first_row", policy_of<Real>(exec, 1, 0),
      KOKKOS_LAMBDA(Team const& team) {
        Real const coefficient = 1 / s.first(0);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, s.cols),
                             [&](int t) { s.inverse(cols * t) *= coefficient; });
      });
}

/// deviceJac2Inv_T_coalescente: a team per row, whose threads write side by side.
template <class Real>
void enqueue_coalesced_rows(Exec const& exec, Views<Real> const& s) {
  Kokkos::parallel_for(
      "carroll::perf::seed::inverse_coalesced", policy_of<Real>(exec, s.cols, 0),
      KOKKOS_LAMBDA(Team const& team) {
        auto const row = static_cast<std::int64_t>(s.cols) * team.league_rank();
        Real const coefficient = s.inverse(row);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1, s.cols), [&](int t) {
          Real const diagonal = s.gram(s.cols + t);
          if (diagonal != 0)
            s.inverse(row + t) = (s.inverse(row + t) - coefficient * s.gram(t)) / diagonal;
        });
      });
}

/// deviceJac2Inv_T: a team per column, whose threads write `cols` entries from each other.
template <class Real>
void enqueue_uncoalesced_columns(Exec const& exec, Views<Real> const& s) {
  Kokkos::parallel_for(
      "carroll::perf::seed::inverse_uncoalesced", policy_of<Real>(exec, s.cols - 1, 0),
      KOKKOS_LAMBDA(Team const& team) {
        int const column = team.league_rank() + 1;
        Real const coefficient = -s.gram(column), diagonal = s.gram(s.cols + column);
        if (diagonal == 0) return;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, s.cols), [&](int t) {
          auto const row = static_cast<std::int64_t>(s.cols) * t;
          s.inverse(row + column) =
              (s.inverse(row + column) + s.inverse(row) * coefficient) / diagonal;
        });
      });
}

/// MulJ2invJac_First and MulJ2invJac_second: A⁺ row after row.
template <class Real>
void enqueue_naive_product(Exec const& exec, Views<Real> const& s) {
  auto const n = static_cast<std::int64_t>(s.n), cols = static_cast<std::int64_t>(s.cols);
  Kokkos::parallel_for(
      "carroll::perf::seed::product_naive_first", policy_of<Real>(exec, s.n, 0),
      KOKKOS_LAMBDA(Team const& team) {
        int const p = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, s.cols),
                             [&](int t) { s.pinv(n * t + p) = s.a(p) * s.inverse(cols * t); });
      });
  Kokkos::parallel_for(
      "carroll::perf::seed::product_naive_second", policy_of<Real>(exec, s.cols, 0),
      KOKKOS_LAMBDA(Team const& team) {
        std::int64_t const row = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1, s.cols), [&](int t) {
          Real const entry = s.inverse(cols * row + t);
          for (int p = s.offsets(t - 1); p < s.offsets(t); ++p)
            s.pinv(n * row + p) += entry * s.u(p);
        });
      });
}

/// deviceMulJ2invJac: A⁺ column after column.
template <class Real>
void enqueue_tiled_product(Exec const& exec, Views<Real> const& s) {
  auto const cols = static_cast<std::int64_t>(s.cols);
  int const tiles = (s.cols + block - 1) / block;
  Kokkos::parallel_for(
      "carroll::perf::seed::product_tiled", policy_of<Real>(exec, tiles * (s.cols - 1), 4),
      KOKKOS_LAMBDA(Team const& team) {
        int const segment = team.league_rank() / tiles;
        int const x = team.league_rank() % tiles * block;
        int const width = Kokkos::min(int{block}, s.cols - x);
        Scratch<Real> const first(team.team_scratch(0), block), own(team.team_scratch(0), block),
            a(team.team_scratch(0), block), u(team.team_scratch(0), block);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, width), [&](int i) {
          first(i) = s.inverse(x + i);
          own(i) = s.inverse(cols * (segment + 1) + x + i);
        });
        int const end = s.offsets(segment + 1);
        for (int begin = s.offsets(segment); begin < end; begin += block) {
          int const count = Kokkos::min(int{block}, end - begin);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) {
            a(i) = s.a(begin + i);
            u(i) = s.u(begin + i);
          });
          team.team_barrier();
          if (on_device) {
            Kokkos::parallel_for(Kokkos::TeamThreadRange(team, width), [&](int i) {
              for (int y = 0; y < count; ++y)
                s.pinv(cols * (begin + y) + x + i) = first(i) * a(y) + own(i) * u(y);
            });
          } else {  // the order in which a host writes side by side
            for (int y = 0; y < count; ++y)
              Kokkos::parallel_for(Kokkos::TeamThreadRange(team, width), [&](int i) {
                s.pinv(cols * (begin + y) + x + i) = first(i) * a(y) + own(i) * u(y);
              });
          }
          team.team_barrier();
        }
      });
}

template <class Real>
void copy_entries(Exec const& exec, Kokkos::View<Real*, Memory> const& source, std::size_t first,
                  std::size_t stride, Kokkos::View<Real*, Memory> const& target) {
  Kokkos::parallel_for(
      "carroll::perf::seed::entries", Kokkos::RangePolicy<Exec>(exec, 0, target.size()),
      KOKKOS_LAMBDA(std::size_t i) { target(i) = source(first + i * stride); });
}

}  // namespace carroll::perf::seed
