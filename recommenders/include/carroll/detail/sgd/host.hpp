// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cstdint>
#include <thread>

namespace carroll::detail {

/// A block's ratings, one after the other, by one thread of a host: steps, or measures of them.
/// `Chunks` of 32 factors, 0 for any number. 8k flops a rating; rows of ratings to come are asked
/// for early, as their places are anywhere.
template <class Real, int Chunks, bool Measure>
struct SgdBlockOnHost {
  SgdProblem<Real> const& p;
  std::int64_t block;

  template <int Bytes>
  void run() const {
    using P = Pack<Real, Bytes>;
    constexpr int parts = SgdProblem<Real>::lanes / P::width;
    int const packs = (Chunks > 0 ? Chunks : p.chunks) * parts;
    std::int64_t const width = std::int64_t{packs} * P::width;
    std::int64_t const begin = p.begins[block], end = p.begins[block + 1];
    double measured[2] = {0, 0};
    for (std::int64_t t = begin; t < end; ++t) {
      SgdRating<Real> const rating = p.ratings[t];
      if (t + ahead < end) fetch(p.ratings[t + ahead], width);
      Real* const u = p.u + rating.user * width;
      Real* const v = p.v + rating.item * width;
      P sums[parts];
      for (int s = 0; s < parts; ++s) sums[s] = P(Real(0));
      for (int c = 0; c < packs; c += parts)
        for (int s = 0; s < parts; ++s)
          sums[s] = fma(P::load(u + (c + s) * P::width), P::load(v + (c + s) * P::width), sums[s]);
      Real const error = (rating.value - p.base(rating)) - joined(sums);
      if constexpr (Measure) {
        for (int s = 0; s < parts; ++s) sums[s] = P(Real(0));
        for (int c = 0; c < packs; c += parts)
          for (int s = 0; s < parts; ++s) {
            P const x = P::load(u + (c + s) * P::width), y = P::load(v + (c + s) * P::width);
            sums[s] = fma(y, y, fma(x, x, sums[s]));
          }
        p.measure(rating, error, joined(sums), measured);
      } else {
        P const along(p.step * error), keep(p.keep);
        for (int c = 0; c < packs; ++c) {
          P const x = P::load(u + c * P::width), y = P::load(v + c * P::width);
          store(u + c * P::width, fma(along, y, rounded_product(keep, x)));
          store(v + c * P::width, fma(along, x, rounded_product(keep, y)));
        }
        if (p.with_biases) p.move_biases(rating, error);
      }
    }
    if constexpr (Measure) {
      p.measures[2 * block] = measured[0];
      p.measures[2 * block + 1] = measured[1];
    }
  }

 private:
  /// Ratings between a request and the use: 4 to 12 were alike on a Zen 4, 2026-11, k = 128.
  static constexpr int ahead = 6;

  void fetch(SgdRating<Real> const& rating, std::int64_t width) const {
#ifdef __GNUC__
    constexpr int line = 64 / int(sizeof(Real));
    int const lines = static_cast<int>(width < 16 * line ? width : 16 * line);
    for (int f = 0; f < lines; f += line) {
      __builtin_prefetch(p.u + rating.user * width + f, 1);
      __builtin_prefetch(p.v + rating.item * width + f, 1);
    }
#endif
  }
  template <class P, int Parts>
  static Real joined(P (&sums)[Parts]) {
    for (int half = Parts / 2; half > 0; half /= 2)
      for (int s = 0; s < half; ++s) sums[s] = sums[s] + sums[s + half];
    return sum_of(sums[0]);
  }
};

/// All blocks measured: a thread per block.
template <class ExecSpace, class Real, int Chunks>
struct SgdHostMeasures {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::IndexType<std::int64_t>>;

  SgdProblem<Real> p;

  void operator()(std::int64_t block) const {
    with_host_vectors(SgdBlockOnHost<Real, Chunks, true>{p, block});
  }
};

/// A whole epoch in one launch, since a launch for each step would have all threads wait for the
/// slowest p times. Threads draw blocks in the order of steps from a ticket. Block (i, i + s) has
/// its turn when s blocks of row i are done, and s of row i + 1, of which the last was in its
/// column: blocks with lower tickets, so that whoever is waited for has begun.
template <class ExecSpace, class Real, int Chunks>
struct SgdHostEpoch {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  using Count = std::atomic_ref<std::uint64_t>;

  SgdProblem<Real> p;
  std::uint64_t* turns;  ///< blocks done of each row, then the next ticket; 0 to begin with

  void operator()(std::int64_t /*worker*/) const {
    auto const rows = static_cast<std::uint64_t>(p.blocks);
    for (;;) {
      std::uint64_t const ticket = Count(turns[rows]).fetch_add(1, std::memory_order_relaxed);
      if (ticket >= rows * rows) return;
      std::uint64_t const step = ticket / rows, row = ticket % rows;
      for (std::uint64_t const needed : {row, (row + 1) % rows})
        while (Count(turns[needed]).load(std::memory_order_acquire) < step)
          std::this_thread::yield();
      std::int64_t const block = p.block(static_cast<int>(row), static_cast<int>(step));
      with_host_vectors(SgdBlockOnHost<Real, Chunks, false>{p, block});
      Count(turns[row]).store(step + 1, std::memory_order_release);
    }
  }
};

}  // namespace carroll::detail
