// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/allocate.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include "gemm/problem.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

template <class T>
struct FillShared {
  T* data;
  std::uint64_t first, operand;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    data[i] = gemm_entry<T>(first + static_cast<std::uint64_t>(i), operand);
  }
};

/// Entries first, first + 1, … of what ranks share, in [-1, 1).
template <class T>
Kokkos::View<T*, Exec> shared_entries(Exec const& exec, std::int64_t first, std::int64_t count,
                                      std::uint64_t operand) {
  auto const view = detail::allocate<Kokkos::View<T*, Exec>>(exec, "carroll::perf::entries", count);
  Kokkos::parallel_for("carroll::perf::fill",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                       FillShared<T>{view.data(), static_cast<std::uint64_t>(first), operand});
  return view;
}

/// A number of these bytes (FNV-1a), never 0.
inline std::uint64_t digest_of(void const* bytes, std::size_t count) {
  auto const* const byte = static_cast<unsigned char const*>(bytes);
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ byte[i]) * 0x100000001b3ULL;
  return hash == 0 ? 1 : hash;
}

/// Throws where so many bytes are not free, before an allocation takes what is there.
inline void require_memory([[maybe_unused]] Exec const& exec, double bytes) {
  double free = 0;
#ifdef KOKKOS_ENABLE_CUDA
  std::size_t of_device = 0, all = 0;
  if (cudaSetDevice(exec.cuda_device()) != cudaSuccess ||
      cudaMemGetInfo(&of_device, &all) != cudaSuccess)
    return;
  free = static_cast<double>(of_device);
#else
  if constexpr (on_device) return;
  free = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
#endif
  if (bytes <= free) return;
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "skipped: %.0f GB are needed, %.0f GB are there",
                1e-9 * bytes, 1e-9 * free);
  throw std::runtime_error(text.data());
}

}  // namespace carroll::perf
