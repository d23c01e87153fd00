// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/matrix_op.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <string_view>

namespace carroll {

/// The kernels of `gemv`. Which for what stands in detail/matrix_vector/dispatch.hpp.
enum class GemvKernel {
  automatic,
  scale,          ///< nothing to multiply: y := beta·y
  short_columns,  ///< on devices, a thread an entry of y, few terms
  columns,       ///< on devices, for entries of y whose terms lie side by side with those of others
  short_rows,    ///< on devices, some threads an entry of y, few terms
  rows,          ///< on devices, for terms that lie side by side
  threads,       ///< on devices without warps
  host_columns,  ///< on hosts, vectors of entries of y
  host_rows,     ///< on hosts, vectors of terms
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(GemvKernel kernel) noexcept {
  switch (kernel) {
    case GemvKernel::automatic: return "automatic";
    case GemvKernel::scale: return "scale";
    case GemvKernel::short_columns: return "short_columns";
    case GemvKernel::columns: return "columns";
    case GemvKernel::short_rows: return "short_rows";
    case GemvKernel::rows: return "rows";
    case GemvKernel::threads: return "threads";
    case GemvKernel::host_columns: return "host_columns";
    case GemvKernel::host_rows: return "host_rows";
  }
  return "unknown";
}

struct GemvOptions {
  MatrixOp op = MatrixOp::identity;
};

/// What was done. A product has no numerical status of its own: NaN, infinities and overflow go
/// their way through y as in IEEE arithmetic.
struct GemvInfo {
  Status status = Status::success;
  GemvKernel kernel = GemvKernel::scale;  ///< never automatic
  /// Pieces into which sums were cut to keep a device busy; they leave no trace in the bits.
  int groups = 1;
};

/// Shape of a problem: entries of y, terms of a sum, and members of the batch.
struct GemvExtents {
  std::int64_t rows = 0;
  std::int64_t terms = 0;
  std::int64_t batch = 1;
};

}  // namespace carroll
