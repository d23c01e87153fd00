// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>

namespace carroll::detail {

/// A matrix as lines, its columns, or its rows where these lie closer together in memory, cut into
/// pieces, so that there is work for many teams also where there are few lines.
template <class T>
struct Pieces {
  static constexpr int length = 1024;

  StridedMatrix<T> lines;  ///< line l is its column l
  int line_length, per_line, count;

  Pieces(StridedMatrix<T> const& x, int rows, int cols) {
    bool const by_columns = x.row_stride <= x.col_stride;
    lines = by_columns ? x : x.transposed();
    line_length = by_columns ? rows : cols;
    per_line = (line_length + length - 1) / length;
    count = per_line * (by_columns ? cols : rows);
  }
  KOKKOS_FUNCTION int begin(int piece) const { return piece % per_line * length; }
  KOKKOS_FUNCTION int size(int piece) const {
    return Kokkos::min(int{length}, line_length - begin(piece));
  }
  KOKKOS_FUNCTION StridedVector<T> operator()(int piece) const {
    auto const line = lines.col(piece / per_line);
    return {line.data + begin(piece) * line.stride, line.stride};
  }
};

/// Clears what an earlier call has left.
template <class Real>
struct StartKernel {
  TruncatedState<Real>* state;

  KOKKOS_FUNCTION void operator()(std::int64_t) const { *state = {0, 0}; }
};

/// The largest |entry| of A, or a NaN or an infinity if there is one: of positive numbers the order
/// of the bits is that of the values. A team per piece; A is read once.
template <class ExecSpace, class Real>
struct LargestEntryKernel {
  Pieces<Real const> pieces;
  TruncatedState<Real>* state;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    auto const piece = pieces(team.league_rank());
    Real const largest = lane_max<Real>(team, pieces.size(team.league_rank()), [&](int i) {
      Real const x = Kokkos::abs(piece(i));
      return x < infinity ? x : infinity;  // NaN too
    });
    once_per_thread(team, [&] {
      Kokkos::atomic_max(&state->largest, Kokkos::bit_cast<BitsOf<Real>>(largest));
    });
  }
};

/// scaled := A·2^-exponent, or 0 if an entry is not finite, so that nothing after it has to ask. A
/// team per piece; A is read and written once.
template <class ExecSpace, class Real>
struct ScaledCopyKernel {
  Pieces<Real const> sources;
  Pieces<Real> targets;
  TruncatedState<Real> const* state;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto const from = sources(team.league_rank());
    auto const to = targets(team.league_rank());
    bool const finite = state->finite();
    int const e = state->exponent();
    lane_for(team, sources.size(team.league_rank()),
             [&](int i) { to(i) = finite ? scale(from(i), -e) : Real(0); });
  }
};

/// Independent standard normal numbers in a block without gaps; a thread per entry.
template <class Real>
struct RandomBlockKernel {
  Real* block;
  std::uint64_t seed;
  std::uint32_t stream;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    block[entry] = random_normal<Real>(seed, stream, static_cast<std::uint64_t>(entry));
  }
};

/// Streams of random numbers.
enum : std::uint32_t { sketch_stream, test_stream, fresh_stream };

template <class ExecSpace, class Real>
void enqueue_random(char const* label, ExecSpace const& exec, Real* block, std::int64_t size,
                    std::uint64_t seed, std::uint32_t stream) {
  launch_each(label, exec, size, RandomBlockKernel<Real>{block, seed, stream});
}

/// The scaled copy of A that everything after works on.
template <class ExecSpace, class Real>
void enqueue_load(ExecSpace const& exec, TruncatedProblem<Real> const& problem) {
  launch_each("carroll::truncated_svd::start", exec, 1, StartKernel<Real>{problem.state});
  Pieces<Real const> const from(problem.a, problem.rows, problem.cols);
  Pieces<Real> const to(problem.scaled, problem.rows, problem.cols);
  if (from.count == 0) return;
  launch_fitting_teams("carroll::truncated_svd::largest_entry", exec,
                       LargestEntryKernel<ExecSpace, Real>{from, problem.state}, {from.count, 1});
  launch_fitting_teams("carroll::truncated_svd::scaled_copy", exec,
                       ScaledCopyKernel<ExecSpace, Real>{from, to, problem.state}, {from.count, 1});
}

}  // namespace carroll::detail
