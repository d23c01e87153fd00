// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/async_copy.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define CARROLL_HAS_BULK_COPIES
#endif

namespace carroll::detail {

/// Stretches of memory that a CUDA device copies to a warp's scratch past its registers and its
/// queue of loads: one lane asks for all of a stretch. Older devices copy 16 bytes a lane.
class BulkCopies {
 public:
  /// Where the device counts what has arrived; in scratch that nothing else uses.
  using Arrivals = std::uint64_t;

  KOKKOS_FUNCTION BulkCopies(DeviceWarp const& warp, [[maybe_unused]] Arrivals* arrivals)
      : warp_(warp) {
#ifdef CARROLL_HAS_BULK_COPIES
    arrivals_ = static_cast<unsigned>(__cvta_generic_to_shared(arrivals));
    if (warp.lane == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(arrivals_));
#endif
    hand_over();
  }

  /// Scratch that lanes have written is the device's from here on.
  KOKKOS_FUNCTION void hand_over() const {
#ifdef CARROLL_HAS_BULK_COPIES
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    warp_.sync();
  }

  /// As many bytes, a multiple of 16, for each of `count` pairs of places, to(i) and from(i), all
  /// of them multiples of 16. Nothing else may be under way.
  template <class To, class From>
  KOKKOS_FUNCTION void begin(int count, int bytes, To const& to, From const& from) {
#ifdef CARROLL_HAS_BULK_COPIES
    if (warp_.lane == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrivals_),
                   "r"(count * bytes)
                   : "memory");
      CARROLL_UNROLL
      for (int i = 0; i < count; ++i)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to(i)))),
            "l"(from(i)), "r"(bytes), "r"(arrivals_)
            : "memory");
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
      asm volatile(
          "{\n .reg .pred p;\nwaiting:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
          " @!p bra waiting;\n}" ::"r"(arrivals_),
          "r"(phase_)
          : "memory");
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
