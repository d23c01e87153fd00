// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace carroll::perf {

/// Times every Kokkos kernel and deep copy while it lives, by label, through the profiling
/// callbacks. The device is fenced at both ends of each, so kernels run one by one: good for
/// shares, not for totals. One at a time.
class KernelClock {
 public:
  struct Record {
    double seconds = 0;
    std::int64_t launches = 0;
  };

  KernelClock() {
    using namespace Kokkos::Tools::Experimental;
    state() = {};
    set_begin_parallel_for_callback(begin_kernel);
    set_begin_parallel_reduce_callback(begin_kernel);
    set_begin_parallel_scan_callback(begin_kernel);
    set_end_parallel_for_callback(end_kernel);
    set_end_parallel_reduce_callback(end_kernel);
    set_end_parallel_scan_callback(end_kernel);
    set_begin_deep_copy_callback(begin_copy);
    set_end_deep_copy_callback(end_copy);
  }
  ~KernelClock() {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_begin_parallel_scan_callback(nullptr);
    set_end_parallel_for_callback(nullptr);
    set_end_parallel_reduce_callback(nullptr);
    set_end_parallel_scan_callback(nullptr);
    set_begin_deep_copy_callback(nullptr);
    set_end_deep_copy_callback(nullptr);
  }
  KernelClock(KernelClock const&) = delete;
  KernelClock& operator=(KernelClock const&) = delete;

  std::map<std::string, Record> const& records() const { return state().records; }

 private:
  using Clock = std::chrono::steady_clock;
  struct State {
    std::map<std::string, Record> records;
    std::string label;
    Clock::time_point start;
    int depth = 0;  // a copy may launch a kernel: only the outermost of them counts
  };
  static State& state() {
    static State instance;
    return instance;
  }

  static void begin(char const* label) {
    if (state().depth++ > 0) return;
    Kokkos::fence("carroll::perf::KernelClock begins");
    state().label = label;
    state().start = Clock::now();
  }
  static void end() {
    if (--state().depth > 0) return;
    Kokkos::fence("carroll::perf::KernelClock ends");
    std::chrono::duration<double> const elapsed = Clock::now() - state().start;
    Record& record = state().records[state().label];
    record.seconds += elapsed.count();
    ++record.launches;
  }
  static void begin_kernel(char const* label, std::uint32_t, std::uint64_t*) { begin(label); }
  static void end_kernel(std::uint64_t) { end(); }
  static void begin_copy(Kokkos::Tools::SpaceHandle, char const*, void const*,
                         Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t) {
    begin("deep_copy");
  }
  static void end_copy() { end(); }
};

}  // namespace carroll::perf
