// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>
#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 900
#include <carroll/detail/device/cuda/bulk_copy.hpp>
#define CARROLL_HAS_BULK_COPIES
#endif

namespace carroll::detail {

/// Stretches of memory that a device copies to a warp's scratch past its registers and its queue of
/// loads: one lane asks for all of a stretch. CUDA devices before compute capability 9.0, and other
/// backends, copy 16 bytes a lane.
class BulkCopies {
 public:
  /// Where the device counts what has arrived; in scratch that nothing else uses.
  using Arrivals = std::uint64_t;

  KOKKOS_FUNCTION BulkCopies(DeviceWarp const& warp, [[maybe_unused]] Arrivals* arrivals)
      : warp_(warp) {
#ifdef CARROLL_HAS_BULK_COPIES
    arrivals_ = scratch_address(arrivals);
    if (warp.lane == 0) init_arrivals(arrivals_);
#endif
    hand_over();
  }

  /// Scratch that lanes have written is the device's from here on.
  KOKKOS_FUNCTION void hand_over() const {
#ifdef CARROLL_HAS_BULK_COPIES
    order_before_bulk_copies();
#endif
    warp_.sync();
  }

  /// As many bytes, a multiple of 16, for each of `count` pairs of places, to(i) and from(i), all
  /// of them multiples of 16. Nothing else may be under way.
  template <class To, class From>
  KOKKOS_FUNCTION void begin(int count, int bytes, To const& to, From const& from) {
#ifdef CARROLL_HAS_BULK_COPIES
    if (warp_.lane == 0) {
      expect_bytes(arrivals_, count * bytes);
      CARROLL_UNROLL
      for (int i = 0; i < count; ++i) copy_bulk(to(i), from(i), bytes, arrivals_);
    }
    under_way_ = true;
#else
    struct alignas(16) Part {
      double half[2];
    };
    for (int i = 0; i < count; ++i)
      for (int x = warp_.lane; x < bytes / 16; x += 32)
        copy_async(reinterpret_cast<Part*>(to(i)) + x, reinterpret_cast<Part const*>(from(i)) + x);
#endif
  }

  /// For these and for what lanes have asked for by copy_async(): all lanes may read it then.
  KOKKOS_FUNCTION void wait() {
    wait_for_copies();
#ifdef CARROLL_HAS_BULK_COPIES
    if (under_way_) {
      wait_for_phase(arrivals_, phase_);
      phase_ ^= 1U;
      under_way_ = false;
    }
#endif
    warp_.sync();
  }

 private:
  DeviceWarp const& warp_;
  bool under_way_ = false;
  unsigned phase_ = 0, arrivals_ = 0;
};

}  // namespace carroll::detail
