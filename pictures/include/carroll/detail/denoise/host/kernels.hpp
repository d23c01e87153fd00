// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/denoise/host/match.hpp>
#include <carroll/detail/denoise/host/stacks.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/workers.hpp>
#include <cstdint>
#include <cstring>

/// Kernels of a host's workers, which take bands of reference rows.
namespace carroll::detail {

/// Numbers that each worker has for itself, for the registers of this processor.
struct HostDenoiseNumbers {
  std::int64_t match = 0, stacks = 0;
  HostDenoiseNumbers(int patch, int members, int window) {
    choose_host_vectors(Body{*this, patch, members, window});
  }
  [[nodiscard]] std::int64_t most() const { return (std::max(match, stacks) + 31) / 32 * 32; }

 private:
  struct Body {
    HostDenoiseNumbers& numbers;
    int patch, members, window;
    template <int Bytes>
    void run() const {
      if (window > 0) numbers.match = HostMatches<Bytes>::numbers(patch, window);
      numbers.stacks = HostStacks<Bytes>::numbers(patch, members);
    }
  };
};

/// Rows of references that a worker takes at a time, and the pixels that their stacks reach.
struct ReferenceBands {
  PatchGrid down;
  int rows = 1;  ///< of references
  int window = 0, patch = 1;

  ReferenceBands(StackProblem const& problem, int workers)
      : down(problem.down), window(problem.window), patch(problem.patch) {
    rows = std::clamp(down.count() / (4 * std::max(workers, 1)), 1, 16);
  }
  [[nodiscard]] int count() const { return (down.count() + rows - 1) / rows; }
  [[nodiscard]] int first(int band) const { return band * rows; }
  [[nodiscard]] int end(int band) const { return std::min((band + 1) * rows, down.count()); }
  /// Rows of pixels from the first that a band's stacks may reach.
  [[nodiscard]] int top(int band) const { return std::max(down.at(first(band)) - window, 0); }
  [[nodiscard]] int bottom(int band) const {
    return std::min(down.at(end(band) - 1) + window, down.places - 1) + patch;
  }
  /// f(band) for those that no other worker has taken.
  template <int Bytes, class F>
  void take(int* ticket, F const& f) const {
    take_items<Bytes>(ticket, 1, count(),
                      [&](std::int64_t band, std::int64_t) { f(static_cast<int>(band)); });
  }
  [[nodiscard]] int most_pixels() const { return (rows - 1) * down.step + 2 * window + patch; }
};

/// Writes the places of all stacks' members.
class HostMatchKernel {
 public:
  HostMatchKernel(StackProblem const& problem, std::int32_t* places, float* memory,
                  std::int64_t numbers, int* ticket, int workers)
      : problem_(problem),
        places_(places),
        memory_(memory),
        numbers_(numbers),
        ticket_(ticket),
        bands_(problem, workers) {}

  void operator()(int worker) const {
    if (!problem_.idle()) run_host_worker(*this, worker);
  }

  template <int Bytes>
  void work(int worker) const {
    HostMatches<Bytes> const matches(problem_, memory_ + worker * numbers_);
    int const columns = problem_.across.count();
    bands_.take<Bytes>(ticket_, [&](int band) {
      for (int row = bands_.first(band); row < bands_.end(band); ++row)
        for (int i = 0; i < columns; i += matches.at_once)
          matches.run(row, i, std::min(i + matches.at_once, columns), places_);
    });
  }

 private:
  StackProblem problem_;
  std::int32_t* places_;
  float* memory_;
  std::int64_t numbers_;
  int* ticket_;
  ReferenceBands bands_;
};

/// Adds all stacks' estimates to sums and hits; each band first in memory of the worker's own.
class HostStackKernel {
 public:
  HostStackKernel(StackProblem const& problem, float* memory, std::int64_t numbers, double* bands,
                  std::int64_t band_numbers, int* ticket, int workers)
      : problem_(problem),
        memory_(memory),
        numbers_(numbers),
        band_memory_(bands),
        band_numbers_(band_numbers),
        ticket_(ticket),
        bands_(problem, workers) {}

  /// Of a worker's own sums and hits.
  static std::int64_t band_numbers(StackProblem const& problem, int workers) {
    return 2 * ReferenceBands(problem, workers).most_pixels() * problem.layout.pitch;
  }

  void operator()(int worker) const {
    if (!problem_.idle()) run_host_worker(*this, worker);
  }

  template <int Bytes>
  void work(int worker) const {
    StackProblem own = problem_;
    own.sums = band_memory_ + worker * band_numbers_;
    own.hits = own.sums + band_numbers_ / 2;
    std::int64_t const columns = problem_.across.count();
    bands_.take<Bytes>(ticket_, [&](int band) {
      own.origin = bands_.top(band) * problem_.layout.pitch;
      std::int64_t const reached = (bands_.bottom(band) - bands_.top(band)) * problem_.layout.pitch;
      std::fill_n(own.sums, reached, 0.0);
      std::fill_n(own.hits, reached, 0.0);
      HostStacks<Bytes> const stacks(own, memory_ + worker * numbers_);
      std::int64_t const end = bands_.end(band) * columns;
      for (std::int64_t s = bands_.first(band) * columns; s < end; s += stacks.at_once)
        stacks.run(s, std::min(s + stacks.at_once, end));
      for (std::int64_t i = 0; i < reached; ++i) {
        if (own.sums[i] != 0) Kokkos::atomic_add(problem_.sums + own.origin + i, own.sums[i]);
        if (own.hits[i] != 0) Kokkos::atomic_add(problem_.hits + own.origin + i, own.hits[i]);
      }
    });
  }

 private:
  StackProblem problem_;
  float* memory_;
  std::int64_t numbers_;
  double* band_memory_;
  std::int64_t band_numbers_;
  int* ticket_;
  ReferenceBands bands_;
};

}  // namespace carroll::detail
