// SPDX-License-Identifier: BSD-3-Clause
#include "harness/bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "harness/harness.hpp"

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#define CARROLL_PERF_STREAMS
#endif

namespace carroll::perf {
namespace {

/// What one load or store of a thread moves.
struct alignas(16) Word {
  double part[2];
};
using Words = Kokkos::View<Word*, Exec::memory_space>;
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// Words that a host's work item moves, and that a GPU's thread reads.
constexpr std::int64_t host_item = 4096, device_item = 16;

/// The median of fenced runs after one to warm up, as solvers are timed.
template <class Enqueue>
double typical_seconds(Exec const& exec, Enqueue const& enqueue) {
  std::vector<double> times;
  double total = 0;
  for (int repetition = 0; repetition < 10 || (total < 0.02 && repetition < 1000); ++repetition) {
    exec.fence("carroll::perf::bandwidth begins");
    auto const start = std::chrono::steady_clock::now();
    enqueue();
    exec.fence("carroll::perf::bandwidth ends");
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
    if (repetition > 0) times.push_back(elapsed.count());
    total += elapsed.count();
  }
  return median(times);
}

/// A GPU's thread writes one word, a host's work item many of them, past the caches.
struct Fill {
  Words words;
  std::int64_t count;

  static constexpr std::int64_t item_words = on_device ? 1 : host_item;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const end = Kokkos::min((item + 1) * item_words, count);
    for (std::int64_t i = item * item_words; i < end; ++i) {
#ifdef CARROLL_PERF_STREAMS
      _mm_stream_pd(words(i).part, _mm_set_pd(2.5, 1.5));
#else
      words(i) = Word{{1.5, 2.5}};
#endif
    }
  }
};

/// Sums of words, on a GPU of one in `items`; only a sum that is not a number is written: none is.
struct Read {
  Words words;
  std::int64_t count;

  static constexpr std::int64_t item_words = on_device ? device_item : host_item;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    constexpr int chains = 8;  // sums that do not wait for each other
    std::int64_t const items = (count + item_words - 1) / item_words;
    std::int64_t const first = on_device ? item : item * item_words;
    std::int64_t const stride = on_device ? items : 1;
    double even[chains] = {}, odd[chains] = {};
    for (std::int64_t block = 0; block < item_words; block += chains)
      for (int j = 0; j < chains; ++j)
        if (std::int64_t const i = first + (block + j) * stride; i < count) {
          Word const word = words(i);
          even[j] += word.part[0];
          odd[j] += word.part[1];
        }
    double sum = 0;
    for (int j = 0; j < chains; ++j) sum += even[j] + odd[j];
    if (sum != sum) words(item).part[0] = sum;
  }
};

template <class Kernel>
void enqueue(char const* label, Exec const& exec, Words const& words) {
  Kernel const kernel{words, static_cast<std::int64_t>(words.size())};
  std::int64_t const items = (kernel.count + Kernel::item_words - 1) / Kernel::item_words;
  Kokkos::parallel_for(label, Range(exec, 0, items), kernel);
}

void enqueue_fill(Exec const& exec, Words const& words) {
  enqueue<Fill>("carroll::perf::fill", exec, words);
}

Words make_words(Exec const& exec, std::size_t bytes) {
  Words const words(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "words"),
                    (bytes + sizeof(Word) - 1) / sizeof(Word));
  enqueue_fill(exec, words);
  return words;
}

}  // namespace

double fill_seconds(Exec const& exec, std::size_t bytes) {
  Words const words = make_words(exec, bytes);
  Kokkos::View<double*, Exec::memory_space, Kokkos::MemoryUnmanaged> const flat(
      &words.data()->part[0], 2 * words.size());
  double const kernel = typical_seconds(exec, [&] { enqueue_fill(exec, words); });
  double const kokkos = typical_seconds(exec, [&] { Kokkos::deep_copy(exec, flat, 0.0); });
  return std::min(kernel, kokkos);
}

double read_seconds(Exec const& exec, std::size_t bytes) {
  Words const words = make_words(exec, bytes);
  return typical_seconds(exec, [&] { enqueue<Read>("carroll::perf::read", exec, words); });
}

double copy_seconds(Exec const& exec, std::size_t bytes) {
  Words const source = make_words(exec, bytes / 2);
  Words const target = make_words(exec, bytes / 2);
  double const kernel = typical_seconds(exec, [&] {
    Kokkos::parallel_for(
        "carroll::perf::copy", Range(exec, 0, static_cast<std::int64_t>(source.size())),
        KOKKOS_LAMBDA(std::int64_t i) { target(i) = source(i); });
  });
  double const kokkos = typical_seconds(exec, [&] { Kokkos::deep_copy(exec, target, source); });
  return std::min(kernel, kokkos);
}

}  // namespace carroll::perf
