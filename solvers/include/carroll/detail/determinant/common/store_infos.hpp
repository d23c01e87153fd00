// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// How kernels with a matrix per thread, or a few lanes of a warp, leave their results.
namespace carroll::detail {

/// Writes a result in whole words, where words and it are aligned: copied member by member it would
/// leave holes, and memory that is written in part is read before.
template <class T>
KOKKOS_INLINE_FUNCTION void store_info(DeterminantInfo<T>& to, DeterminantInfo<T> const& info) {
  if constexpr (sizeof(DeterminantInfo<T>) % 16 == 0) {
    if (reinterpret_cast<std::uintptr_t>(&to) % 16 == 0) {
      constexpr int chunks = sizeof(DeterminantInfo<T>) / 16;
      struct Words {
        RegisterChunk<std::uint32_t> chunk[chunks];
      };
      auto words = Kokkos::bit_cast<Words>(info);
      // Or the compiler leaves out the words between members.
      CARROLL_UNROLL
      for (auto& chunk : words.chunk) CARROLL_UNROLL
      for (auto& word : chunk.entry) word = opaque_register(word);
      CARROLL_UNROLL
      for (int k = 0; k < chunks; ++k)
        reinterpret_cast<RegisterChunk<std::uint32_t>*>(&to)[k] = words.chunk[k];
      return;
    }
  }
  to = info;
}

/// A warp writes the results of members `first` … first+31, as far as there are so many.
/// Neighbouring lanes exchange halves, and write one and then the other side by side.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_infos(DeviceWarp const& warp,
                                             DeterminantBatch<T> const& batch, int first,
                                             DeterminantInfo<T> const& info) {
  int const member = first + warp.lane;
  using Half = RegisterChunk<std::uint32_t>;
  struct Halves {
    Half half[2];
  };
  if constexpr (sizeof(Halves) == sizeof info) {
    bool const together = batch.slots == nullptr && batch.info_stride == 1 &&
                          reinterpret_cast<std::uintptr_t>(batch.infos) % alignof(Half) == 0 &&
                          first + 32 <= batch.members;
    if (together) {
      auto const mine = Kokkos::bit_cast<Halves>(info);
      bool const odd = warp.lane % 2 != 0;
      Half one, two;
      CARROLL_UNROLL
      for (int k = 0; k < 4; ++k) {
        std::uint32_t const low = opaque_register(mine.half[0].entry[k]);
        std::uint32_t const high = opaque_register(mine.half[1].entry[k]);
        std::uint32_t const other = warp.across(odd ? low : high, 1);
        one.entry[k] = odd ? other : low;
        two.entry[k] = odd ? high : other;
      }
      auto* const to = reinterpret_cast<Half*>(&batch.infos[member & ~1]);
      to[odd] = one;
      to[2 + odd] = two;
      return;
    }
  }
  if (member < batch.members) store_info(batch.info_of(member), info);
}

}  // namespace carroll::detail
