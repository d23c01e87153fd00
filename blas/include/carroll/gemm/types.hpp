// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/matrix_op.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <string_view>

namespace carroll {

/// How `gemm` multiplies.
enum class GemmMethod {
  automatic,  ///< blocked
  /// A thread per entry of C, which reads its row of A and its column of B from memory: for
  /// comparison.
  naive,
  /// The same with 32×32 tiles of A and B in scratch, which 32 threads read each: for comparison.
  tiled,
  /// Blocks of sums in registers: on devices teams with tiles in scratch, on tensor cores where
  /// there are any for double precision; on hosts packed panels in the caches.
  blocked,
  /// The vendor's by KokkosKernels, where Carroll is built with it: rows or columns without gaps.
  /// It may multiply alpha into A or B first, which overflows or underflows sooner.
  vendor,
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(GemmMethod method) noexcept {
  switch (method) {
    case GemmMethod::automatic: return "automatic";
    case GemmMethod::naive: return "naive";
    case GemmMethod::tiled: return "tiled";
    case GemmMethod::blocked: return "blocked";
    case GemmMethod::vendor: return "vendor";
  }
  return "unknown";
}

/// The kernel that a method comes to. Which for what stands in detail/matrix_product/dispatch.hpp;
/// one that is asked for and is not there is misuse.
enum class GemmKernel {
  automatic,
  scale,      ///< nothing to multiply: C := beta·C
  packed,     ///< on hosts, packed blocks
  registers,  ///< on devices, sums in registers
  tensors,    ///< the same by tensor cores, double precision only
  naive,
  tiled,
  vendor,
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(GemmKernel kernel) noexcept {
  switch (kernel) {
    case GemmKernel::automatic: return "automatic";
    case GemmKernel::scale: return "scale";
    case GemmKernel::packed: return "packed";
    case GemmKernel::registers: return "registers";
    case GemmKernel::tensors: return "tensors";
    case GemmKernel::naive: return "naive";
    case GemmKernel::tiled: return "tiled";
    case GemmKernel::vendor: return "vendor";
  }
  return "unknown";
}

struct GemmOptions {
  MatrixOp op_a = MatrixOp::identity;
  MatrixOp op_b = MatrixOp::identity;
  GemmMethod method = GemmMethod::automatic;
  /// Of GemmMethod::blocked, for measurements: `registers` in double precision where there are
  /// tensor cores.
  GemmKernel kernel = GemmKernel::automatic;
};

/// What was done. A product has no numerical status of its own: NaN, infinities and overflow go
/// their way through C as in IEEE arithmetic.
struct GemmInfo {
  Status status = Status::success;
  GemmMethod method = GemmMethod::blocked;  ///< never automatic
  GemmKernel kernel = GemmKernel::scale;    ///< never automatic
  /// Ranges into which sums were cut to keep a device busy; their sums are added in ascending
  /// order.
  int parts = 1;
};

/// Shape of a problem: rows and columns of C, terms of a sum, and members of the batch.
struct GemmExtents {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t terms = 0;
  std::int64_t batch = 1;
};

}  // namespace carroll
