// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/detail/svd/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>

namespace carroll::detail {

/// A matrix as lines: its columns, or its rows where these lie closer together in memory.
template <class T>
struct Lines {
  StridedMatrix<T> matrix;  ///< line l is its column l
  int length, count;

  Lines(StridedMatrix<T> const& x, int rows, int cols) : matrix(x), length(rows), count(cols) {
    if (x.col_stride < x.row_stride) {
      matrix = x.transposed();
      length = cols;
      count = rows;
    }
  }
};

/// Clears what an earlier call has left.
template <class ExecSpace, class Real>
class StartKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  explicit StartKernel(TruncatedState<Real>* state) : state_(state) {}
  KOKKOS_FUNCTION void operator()(int) const { *state_ = {0, 0}; }

 private:
  TruncatedState<Real>* state_;
};

/// The largest |entry| of A, or a NaN or an infinity if there is one: of positive numbers the order
/// of the bits is that of the values. A team per line; A is read once.
template <class ExecSpace, class Real>
class LargestEntryKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  LargestEntryKernel(Lines<Real const> const& lines, TruncatedState<Real>* state)
      : lines_(lines), state_(state) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
    auto const line = lines_.matrix.col(team.league_rank());
    Real const largest = lane_max<Real>(team, lines_.length, [&](int i) {
      Real const x = Kokkos::abs(line(i));
      return x < infinity ? x : infinity;  // NaN too
    });
    once_per_thread(team, [&] {
      Kokkos::atomic_max(&state_->largest, Kokkos::bit_cast<BitsOf<Real>>(largest));
    });
  }

 private:
  Lines<Real const> lines_;
  TruncatedState<Real>* state_;
};

/// scaled := A·2^-exponent, or 0 if an entry is not finite, so that nothing after it has to ask. A
/// team per line; A is read and written once.
template <class ExecSpace, class Real>
class ScaledCopyKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  ScaledCopyKernel(Lines<Real const> const& from, Lines<Real> const& to,
                   TruncatedState<Real> const* state)
      : from_(from), to_(to), state_(state) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const from = from_.matrix.col(team.league_rank());
    auto const to = to_.matrix.col(team.league_rank());
    bool const finite = state_->finite();
    int const e = state_->exponent();
    lane_for(team, from_.length, [&](int i) { to(i) = finite ? scale(from(i), -e) : Real(0); });
  }

 private:
  Lines<Real const> from_;
  Lines<Real> to_;
  TruncatedState<Real> const* state_;
};

/// Independent standard normal numbers in a block without gaps; a thread per entry.
template <class ExecSpace, class Real>
class RandomBlockKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  RandomBlockKernel(Real* block, std::uint64_t seed, std::uint32_t stream)
      : block_(block), seed_(seed), stream_(stream) {}

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    block_[entry] = random_normal<Real>(seed_, stream_, static_cast<std::uint64_t>(entry));
  }

 private:
  Real* block_;
  std::uint64_t seed_;
  std::uint32_t stream_;
};

/// Streams of random numbers.
enum : std::uint32_t { sketch_stream, test_stream, fresh_stream };

template <class ExecSpace, class Real>
void enqueue_random(char const* label, ExecSpace const& exec, Real* block, std::int64_t size,
                    std::uint64_t seed, std::uint32_t stream) {
  using Kernel = RandomBlockKernel<ExecSpace, Real>;
  Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, size), Kernel(block, seed, stream));
}

/// The scaled copy of A that everything after works on.
template <class ExecSpace, class Real>
void enqueue_load(ExecSpace const& exec, TruncatedProblem<Real> const& problem) {
  using Start = StartKernel<ExecSpace, Real>;
  Kokkos::parallel_for("carroll::truncated_svd::start", typename Start::Policy(exec, 0, 1),
                       Start(problem.state));
  Lines<Real const> const from(problem.a, problem.rows, problem.cols);
  Lines<Real> const to(problem.scaled, problem.rows, problem.cols);
  if (from.length == 0 || from.count == 0) return;
  launch("carroll::truncated_svd::largest_entry", exec,
         LargestEntryKernel<ExecSpace, Real>(from, problem.state), from.count, 1);
  launch("carroll::truncated_svd::scaled_copy", exec,
         ScaledCopyKernel<ExecSpace, Real>(from, to, problem.state), from.count, 1);
}

}  // namespace carroll::detail
