// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/simd/choice.hpp>
#include <cstdint>

/// Workers of a host: threads that take items as they come to them. Which thread takes what leaves
/// no trace.
namespace carroll::detail {

template <class Kernel>
struct HostWorker {
  Kernel const& kernel;
  int worker;
  template <int Bytes>
  void run() const {
    kernel.template work<Bytes>(worker);
  }
};

/// kernel.work<Bytes>(worker) for the widest registers of this processor.
template <class Kernel>
void run_host_worker(Kernel const& kernel, int worker) {
  choose_host_vectors(HostWorker<Kernel>{kernel, worker});
}

/// f(first, end) for runs of at most `at_once` of `count` items that no other worker has taken, by
/// itself each (see choice.hpp). `ticket` begins with 0, and is the same for all workers.
template <int Bytes, class Ticket, class F>
void take_items(Ticket* ticket, std::int64_t at_once, std::int64_t count, F const& f) {
  for (;;) {
    auto const first =
        static_cast<std::int64_t>(Kokkos::atomic_fetch_add(ticket, static_cast<Ticket>(at_once)));
    if (first >= count) return;
    std::int64_t const end = std::min(first + at_once, count);
    by_itself<Bytes>([&] { f(first, end); });
  }
}

}  // namespace carroll::detail
