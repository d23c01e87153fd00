// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/error.hpp>
#include <span>
#include <string>

/// What a multiprocessor of each compute capability has, as far as it decides how many blocks of
/// threads live on it at a time.
///
/// Sources. Threads, warps, blocks, registers and shared memory: table "Technical Specifications
/// per Compute Capability" of the CUDA C++ Programming Guide, release 13.0 from 7.5 on, earlier
/// ones before; where libcu++'s arch_traits has them, they are the same. Units of allocation, parts
/// of a multiprocessor and sizes of the shared part of the cache: the occupancy calculators of CUDA
/// 8.0, 12.5 and 13.0 (cuda_occupancy.h). Memory that the driver keeps in each block:
/// cudaDeviceProp, reservedSharedMemPerBlock.
namespace carroll {

struct ComputeCapability {
  int major = 0;
  int minor = 0;
  /// Written out: nvcc 13.0 declares a defaulted one and does not define it.
  friend constexpr bool operator==(ComputeCapability const& a, ComputeCapability const& b) {
    return a.major == b.major && a.minor == b.minor;
  }
};

/// "9.0"
[[nodiscard]] inline std::string to_string(ComputeCapability capability) {
  return std::to_string(capability.major) + "." + std::to_string(capability.minor);
}

/// Scratch is Kokkos' word for shared memory; it is counted in bytes. A block is a team, with its
/// vector lanes.
struct MultiprocessorLimits {
  static constexpr int threads_per_warp = 32;
  static constexpr int threads_per_block = 1024;
  static constexpr int scratch_per_block_at_first = 48 * 1024;  ///< without asking for more

  ComputeCapability capability;
  char const* architecture;
  int warps;
  int blocks;
  int registers;
  int registers_per_block;
  int registers_per_thread;
  int register_unit;      ///< a warp's registers are a multiple of it; see register_unit_for
  int parts;              ///< each has a share of the registers, and takes whole warps
  int scratch;            ///< of all blocks together
  int scratch_per_block;  ///< at most, where it is asked for
  int scratch_reserved;   ///< by the driver, in each block
  int scratch_unit;       ///< a block's scratch, with what is reserved, is a multiple of it
  /// What scratch can have of the memory that it shares with the cache, ascending, and 0 behind the
  /// last: the driver takes one of them. The last alone where scratch has memory of its own.
  std::array<int, 10> carveouts;

  [[nodiscard]] constexpr int threads() const { return warps * threads_per_warp; }

  /// Launches are checked as if a multiprocessor had so many parts. On 6.0, which has two, for
  /// four, as on the rest of its generation.
  [[nodiscard]] constexpr int parts_of_check() const {
    return capability == ComputeCapability{6, 0} ? 4 : parts;
  }

  /// Fermi's unit depends on the registers of a thread, as the calculator of CUDA 8.0 has it.
  [[nodiscard]] constexpr int register_unit_for(int registers_of_thread) const {
    if (capability.major != 2) return register_unit;
    bool const pairs = registers_of_thread >= 21 && registers_of_thread <= 46;
    int const place = registers_of_thread % 8;
    return pairs && (place == 5 || place == 6) ? 2 * register_unit : register_unit;
  }
};

namespace detail {

inline constexpr int kib = 1024;
using Carveouts = std::array<int, 10>;
inline constexpr Carveouts volta_carveouts{8 * kib, 16 * kib, 32 * kib, 64 * kib, 96 * kib};
inline constexpr Carveouts small_carveouts{8 * kib, 16 * kib, 32 * kib, 64 * kib, 100 * kib};
inline constexpr Carveouts ampere_carveouts{8 * kib,   16 * kib,  32 * kib, 64 * kib,
                                            100 * kib, 132 * kib, 164 * kib};
inline constexpr Carveouts hopper_carveouts{8 * kib,   16 * kib,  32 * kib,  64 * kib, 100 * kib,
                                            132 * kib, 164 * kib, 196 * kib, 228 * kib};

// clang-format off
inline constexpr std::array multiprocessor_limits = {
  //                                                registers of a             parts  scratch of a
  //                               warps blocks   SM     block    thread unit     SM        block   reserved unit
  MultiprocessorLimits{{2, 0}, "Fermi",     48,  8,  32*kib, 32*kib,  63,  64, 2,  48*kib,  48*kib,    0, 128, {16*kib, 48*kib}},
  MultiprocessorLimits{{2, 1}, "Fermi",     48,  8,  32*kib, 32*kib,  63,  64, 2,  48*kib,  48*kib,    0, 128, {16*kib, 48*kib}},
  MultiprocessorLimits{{3, 0}, "Kepler",    64, 16,  64*kib, 64*kib,  63, 256, 4,  48*kib,  48*kib,    0, 256, {16*kib, 32*kib, 48*kib}},
  MultiprocessorLimits{{3, 2}, "Kepler",    64, 16,  64*kib, 32*kib, 255, 256, 4,  48*kib,  48*kib,    0, 256, {16*kib, 32*kib, 48*kib}},
  MultiprocessorLimits{{3, 5}, "Kepler",    64, 16,  64*kib, 64*kib, 255, 256, 4,  48*kib,  48*kib,    0, 256, {16*kib, 32*kib, 48*kib}},
  MultiprocessorLimits{{3, 7}, "Kepler",    64, 16, 128*kib, 64*kib, 255, 256, 4, 112*kib,  48*kib,    0, 256, {80*kib, 96*kib, 112*kib}},
  MultiprocessorLimits{{5, 0}, "Maxwell",   64, 32,  64*kib, 64*kib, 255, 256, 4,  64*kib,  48*kib,    0, 256, {64*kib}},
  MultiprocessorLimits{{5, 2}, "Maxwell",   64, 32,  64*kib, 64*kib, 255, 256, 4,  96*kib,  48*kib,    0, 256, {96*kib}},
  MultiprocessorLimits{{5, 3}, "Maxwell",   64, 32,  64*kib, 32*kib, 255, 256, 4,  64*kib,  48*kib,    0, 256, {64*kib}},
  MultiprocessorLimits{{6, 0}, "Pascal",    64, 32,  64*kib, 64*kib, 255, 256, 2,  64*kib,  48*kib,    0, 256, {64*kib}},
  MultiprocessorLimits{{6, 1}, "Pascal",    64, 32,  64*kib, 64*kib, 255, 256, 4,  96*kib,  48*kib,    0, 256, {96*kib}},
  MultiprocessorLimits{{6, 2}, "Pascal",    64, 32,  64*kib, 32*kib, 255, 256, 4,  64*kib,  48*kib,    0, 256, {64*kib}},
  MultiprocessorLimits{{7, 0}, "Volta",     64, 32,  64*kib, 64*kib, 255, 256, 4,  96*kib,  96*kib,    0, 256, volta_carveouts},
  MultiprocessorLimits{{7, 2}, "Volta",     64, 32,  64*kib, 64*kib, 255, 256, 4,  96*kib,  96*kib,    0, 256, volta_carveouts},
  MultiprocessorLimits{{7, 5}, "Turing",    32, 16,  64*kib, 64*kib, 255, 256, 4,  64*kib,  64*kib,    0, 256, {32*kib, 64*kib}},
  MultiprocessorLimits{{8, 0}, "Ampere",    64, 32,  64*kib, 64*kib, 255, 256, 4, 164*kib, 163*kib, 1024, 128, ampere_carveouts},
  MultiprocessorLimits{{8, 6}, "Ampere",    48, 16,  64*kib, 64*kib, 255, 256, 4, 100*kib,  99*kib, 1024, 128, small_carveouts},
  MultiprocessorLimits{{8, 7}, "Ampere",    48, 16,  64*kib, 64*kib, 255, 256, 4, 164*kib, 163*kib, 1024, 128, ampere_carveouts},
  MultiprocessorLimits{{8, 9}, "Ada",       48, 24,  64*kib, 64*kib, 255, 256, 4, 100*kib,  99*kib, 1024, 128, small_carveouts},
  MultiprocessorLimits{{9, 0}, "Hopper",    64, 32,  64*kib, 64*kib, 255, 256, 4, 228*kib, 227*kib, 1024, 128, hopper_carveouts},
  MultiprocessorLimits{{10, 0}, "Blackwell", 64, 32, 64*kib, 64*kib, 255, 256, 4, 228*kib, 227*kib, 1024, 128, hopper_carveouts},
  MultiprocessorLimits{{10, 3}, "Blackwell", 64, 32, 64*kib, 64*kib, 255, 256, 4, 228*kib, 227*kib, 1024, 128, hopper_carveouts},
  MultiprocessorLimits{{11, 0}, "Blackwell", 48, 24, 64*kib, 64*kib, 255, 256, 4, 228*kib, 227*kib, 1024, 128, hopper_carveouts},
  MultiprocessorLimits{{12, 0}, "Blackwell", 48, 24, 64*kib, 64*kib, 255, 256, 4, 100*kib,  99*kib, 1024, 128, small_carveouts},
  MultiprocessorLimits{{12, 1}, "Blackwell", 48, 24, 64*kib, 64*kib, 255, 256, 4, 100*kib,  99*kib, 1024, 128, small_carveouts},
};
// clang-format on

}  // namespace detail

/// All that are known, ascending.
[[nodiscard]] inline std::span<MultiprocessorLimits const> known_capabilities() {
  return detail::multiprocessor_limits;
}

/// Those of one compute capability. std::invalid_argument, which names the known ones, where it is
/// none of them.
[[nodiscard]] inline MultiprocessorLimits const& limits_of(ComputeCapability capability) {
  std::string known;
  for (auto const& limits : known_capabilities()) {
    if (limits.capability == capability) return limits;
    known += (known.empty() ? "" : ", ") + to_string(limits.capability);
  }
  detail::require(false, "carroll::limits_of", [&] {
    return "compute capability " + to_string(capability) + " is none of " + known;
  });
  return known_capabilities().front();
}

}  // namespace carroll
