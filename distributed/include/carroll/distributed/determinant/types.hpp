// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/determinant/types.hpp>
#include <string_view>

namespace carroll::distributed {

/// What works out a determinant over ranks. Which of them is taken where nobody asks stands in
/// detail/determinant/dispatch.hpp.
enum class DeterminantEngine {
  automatic,
  one_rank,      ///< the plain solver, on the only rank there is
  gathered,      ///< the plain solver on rank 0, which is sent all rows
  host_blocks,   ///< blocks of packed panels, on hosts: real numbers
  outer_blocks,  ///< the plain solver's outer blocks, on devices with warps: large real matrices
  panels,        ///< panels and matrix products, on any device
  scalapack,     ///< ScaLAPACK's p?getrf, on hosts
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(DeterminantEngine engine) noexcept {
  switch (engine) {
    case DeterminantEngine::automatic: return "automatic";
    case DeterminantEngine::one_rank: return "one_rank";
    case DeterminantEngine::gathered: return "gathered";
    case DeterminantEngine::host_blocks: return "host_blocks";
    case DeterminantEngine::outer_blocks: return "outer_blocks";
    case DeterminantEngine::panels: return "panels";
    case DeterminantEngine::scalapack: return "scalapack";
  }
  return "unknown";
}

/// The same on all ranks.
struct DeterminantOptions {
  DeterminantEngine engine = DeterminantEngine::automatic;
};

/// What carroll::determinant tells, and who has found it; the same on all ranks.
template <class T>
struct DeterminantInfo : carroll::DeterminantInfo<T> {
  DeterminantEngine engine = DeterminantEngine::automatic;  ///< never that
};

}  // namespace carroll::distributed
