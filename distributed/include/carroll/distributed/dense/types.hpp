// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstdint>
#include <string_view>

namespace carroll::distributed {

/// What works on a large dense matrix over ranks.
enum class DenseEngine {
  automatic,  ///< ScaLAPACK, the only one so far
  scalapack,  ///< p?gesvd, p?gels: on hosts
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(DenseEngine engine) noexcept {
  switch (engine) {
    case DenseEngine::automatic: return "automatic";
    case DenseEngine::scalapack: return "scalapack";
  }
  return "unknown";
}

/// The same on all ranks.
struct DenseOptions {
  DenseEngine engine = DenseEngine::automatic;
  std::int64_t block = 64;  ///< rows and columns of a block of what the engine works on
};

/// The same on all ranks.
struct DenseInfo {
  Status status = Status::success;
  DenseEngine engine = DenseEngine::automatic;  ///< never that
};

}  // namespace carroll::distributed
