// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/error.hpp>
#include <carroll/occupancy/devices.hpp>
#include <carroll/occupancy/limits.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Theoretical occupancy: the warps that a kernel keeps on a multiprocessor of an NVIDIA GPU, of
/// those for which there is room.
///
///   auto const found = carroll::occupancy({9, 0}, {.threads = 256, .registers_per_thread = 64,
///                                                  .scratch_bytes = 16 * 1024});
///   found.fraction();  // 0.5, by the registers: four blocks of eight warps
///
/// With w warps in a block, of which each takes ρ registers and the block σ bytes of scratch, both
/// rounded up to their units of allocation, a multiprocessor of W warps, B blocks, p parts, R
/// registers and S bytes has room for
///
///   min(⌊W/w⌋, B, ⌊p⌊R/(pρ)⌋/w⌋, ⌊S/σ⌋)
///
/// blocks: a part takes whole warps alone, so that what is left of its registers is lost. It is an
/// upper bound that tells nothing of speed: kernels that do enough at once in each thread are
/// fastest at a low one. carroll/occupancy/launch.hpp measures a kernel of Kokkos.
///
/// Plain C++ of the host, without Kokkos. A launch that is impossible is a result, with its reason;
/// numbers without sense throw std::invalid_argument.
namespace carroll {

/// What a block of a kernel needs.
struct KernelResources {
  int threads = 0;                 ///< team size times vector length
  int registers_per_thread = 0;    ///< 0: not counted
  std::int64_t scratch_bytes = 0;  ///< static and dynamic, without what the driver reserves
};

/// What there is least of.
enum class OccupancyLimiter {
  warps,   ///< threads: the multiprocessor is full, or a block more would not fit
  blocks,  ///< as many as it can count
  registers,
  scratch,
  does_not_fit,  ///< not one block; Occupancy::reason says why
};

[[nodiscard]] constexpr std::string_view to_string(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::warps: return "warps";
    case OccupancyLimiter::blocks: return "blocks";
    case OccupancyLimiter::registers: return "registers";
    case OccupancyLimiter::scratch: return "scratch";
    case OccupancyLimiter::does_not_fit: return "does_not_fit";
  }
  return "unknown";
}

struct Occupancy {
  /// The blocks that each resource alone has room for; unlimited where the kernel takes none of it.
  struct Room {
    int warps = 0;
    int blocks = 0;
    int registers = 0;
    int scratch = 0;
  };
  static constexpr int unlimited = 1 << 30;

  KernelResources kernel;
  int warps_per_block = 0;
  int blocks = 0;        ///< on a multiprocessor at a time; 0: the launch would fail
  int active_warps = 0;  ///< of all of them
  int warps = 0;         ///< for which the multiprocessor has room
  int registers_per_block = 0;
  std::int64_t allocated_scratch = 0;  ///< of a block, with what is reserved, rounded up
  std::int64_t carveout =
      0;  ///< bytes for scratch with which the blocks fit; the cache has the rest
  Room room;
  OccupancyLimiter limiter = OccupancyLimiter::does_not_fit;  ///< the first, if there are several
  std::string reason;                                         ///< why it does not fit

  [[nodiscard]] double fraction() const {
    return warps > 0 ? static_cast<double>(active_warps) / warps : 0.0;
  }
  /// Whether `what` has room for no more blocks than there are.
  [[nodiscard]] bool limited_by(OccupancyLimiter what) const {
    switch (what) {
      case OccupancyLimiter::warps: return blocks > 0 && room.warps == blocks;
      case OccupancyLimiter::blocks: return blocks > 0 && room.blocks == blocks;
      case OccupancyLimiter::registers: return blocks > 0 && room.registers == blocks;
      case OccupancyLimiter::scratch: return blocks > 0 && room.scratch == blocks;
      case OccupancyLimiter::does_not_fit: return blocks == 0;
    }
    return false;
  }
};

namespace detail {

template <class Integer>
constexpr Integer whole_units(Integer amount, Integer unit) {
  return (amount + unit - 1) / unit * unit;
}

inline void check_resources(KernelResources const& kernel) {
  char const* const function = "carroll::occupancy";
  auto const told = [](char const* what, auto actual, char const* least) {
    return [=] { return what + (" is " + std::to_string(actual)) + ", must be at least " + least; };
  };
  require(kernel.threads >= 1, function, told("threads", kernel.threads, "1"));
  require(kernel.registers_per_thread >= 0, function,
          told("registers_per_thread", kernel.registers_per_thread, "0"));
  require(kernel.scratch_bytes >= 0, function, told("scratch_bytes", kernel.scratch_bytes, "0"));
}

/// Why a block of the kernel fits on no multiprocessor of that kind; empty where it does.
inline std::string why_it_does_not_fit(MultiprocessorLimits const& limits,
                                       KernelResources const& kernel) {
  auto const too_many = [](std::string const& what, std::int64_t most) {
    return what + ", at most " + std::to_string(most);
  };
  if (kernel.threads > limits.threads_per_block) {
    return too_many("a block of " + std::to_string(kernel.threads) + " threads",
                    limits.threads_per_block);
  }
  if (kernel.registers_per_thread > limits.registers_per_thread) {
    return too_many(std::to_string(kernel.registers_per_thread) + " registers in a thread",
                    limits.registers_per_thread);
  }
  // The check of a launch takes the warps to be the same number in all parts.
  int const warps = (kernel.threads + limits.threads_per_warp - 1) / limits.threads_per_warp;
  int const registers = whole_units(kernel.registers_per_thread * limits.threads_per_warp,
                                    limits.register_unit_for(kernel.registers_per_thread)) *
                        whole_units(warps, limits.parts_of_check());
  if (registers > limits.registers_per_block) {
    return too_many(std::to_string(registers) + " registers in a block",
                    limits.registers_per_block);
  }
  if (kernel.scratch_bytes > limits.scratch_per_block) {
    return too_many(std::to_string(kernel.scratch_bytes) + " bytes of scratch in a block",
                    limits.scratch_per_block);
  }
  return {};
}

/// The smallest part of the memory that scratch shares with the cache that holds so many bytes.
inline std::int64_t carveout_for(MultiprocessorLimits const& limits, std::int64_t bytes) {
  for (int const carveout : limits.carveouts)
    if (carveout >= bytes) return carveout;
  return limits.scratch;
}

}  // namespace detail

/// The occupancy of a kernel by what its blocks need.
[[nodiscard]] inline Occupancy occupancy(ComputeCapability capability,
                                         KernelResources const& kernel) {
  MultiprocessorLimits const& limits = limits_of(capability);
  detail::check_resources(kernel);
  Occupancy found;
  found.kernel = kernel;
  found.warps = limits.warps;
  found.reason = detail::why_it_does_not_fit(limits, kernel);
  if (!found.reason.empty()) return found;

  int const warps = (kernel.threads + limits.threads_per_warp - 1) / limits.threads_per_warp;
  int const warp_registers =
      detail::whole_units(kernel.registers_per_thread * limits.threads_per_warp,
                          limits.register_unit_for(kernel.registers_per_thread));
  found.warps_per_block = warps;
  found.registers_per_block = warps * warp_registers;
  found.allocated_scratch = detail::whole_units<std::int64_t>(
      kernel.scratch_bytes + limits.scratch_reserved, limits.scratch_unit);

  found.room.warps = limits.warps / warps;
  found.room.blocks = limits.blocks;
  int const warps_of_part =
      warp_registers > 0 ? limits.registers / limits.parts / warp_registers : 0;
  found.room.registers =
      warp_registers > 0 ? warps_of_part * limits.parts / warps : Occupancy::unlimited;
  found.room.scratch = found.allocated_scratch > 0
                           ? static_cast<int>(limits.scratch / found.allocated_scratch)
                           : Occupancy::unlimited;

  auto const& room = found.room;
  found.blocks = std::min({room.warps, room.blocks, room.registers, room.scratch});
  found.active_warps = found.blocks * warps;
  found.carveout = detail::carveout_for(limits, found.blocks * found.allocated_scratch);
  for (auto const what : {OccupancyLimiter::scratch, OccupancyLimiter::registers,
                          OccupancyLimiter::blocks, OccupancyLimiter::warps}) {
    if (found.limited_by(what)) found.limiter = what;
  }
  return found;
}

/// The occupancy over block sizes, all multiples of a warp up to what the device takes.
/// `scratch_of(threads)` is the scratch of a block of that size; kernel.threads and
/// kernel.scratch_bytes are not looked at.
template <class ScratchOf>
[[nodiscard]] std::vector<Occupancy> occupancy_curve(ComputeCapability capability,
                                                     KernelResources kernel,
                                                     ScratchOf const& scratch_of) {
  MultiprocessorLimits const& limits = limits_of(capability);
  std::vector<Occupancy> curve;
  for (int warps = 1; warps * limits.threads_per_warp <= limits.threads_per_block; ++warps) {
    kernel.threads = warps * limits.threads_per_warp;
    kernel.scratch_bytes = scratch_of(kernel.threads);
    curve.push_back(occupancy(capability, kernel));
  }
  return curve;
}

/// The same where the scratch of a block does not depend on its size.
[[nodiscard]] inline std::vector<Occupancy> occupancy_curve(ComputeCapability capability,
                                                            KernelResources const& kernel) {
  return occupancy_curve(capability, kernel, [&](int /*threads*/) { return kernel.scratch_bytes; });
}

/// The block sizes of a curve with the most active warps, ascending; none where no size fits.
[[nodiscard]] inline std::vector<int> best_team_sizes(std::vector<Occupancy> const& curve) {
  int most = 1;
  for (auto const& point : curve) most = std::max(most, point.active_warps);
  std::vector<int> sizes;
  for (auto const& point : curve)
    if (point.active_warps == most) sizes.push_back(point.kernel.threads);
  return sizes;
}

}  // namespace carroll
