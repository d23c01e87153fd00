// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

/// How carroll::apply_pseudoinverse and carroll::pseudoinverse are to solve a problem.
namespace carroll {

/// How the motion columns are reduced to a k×k problem once the depths are eliminated. Errors are
/// relative, of y, for columns of A of equal norm; eps is that of double precision, also for rows
/// of float.
enum class PseudoinverseMethod {
  /// As good as structured_qr, of rows of float to two or three of its eps, and as fast as can be:
  /// normal_equations for six columns of float without weights on GPUs that have tensor cores for
  /// double precision, otherwise cholesky_qr for three and six columns on GPUs with warps, and
  /// structured_qr for all else; for one column with sums of products where they do not cancel.
  /// Rows of float go by the first two down to the default cutoff, which keeps eps·cond(A)² that
  /// small; where the caller's is smaller they go by structured_qr, too.
  automatic,
  /// EᵀE = BᵀB - (UᵀB)ᵀ(UᵀU)⁻¹(UᵀB), what is left of the motion columns beside the depth columns,
  /// from sums over the rows, in double precision, as the 2010s' GPU codes have it: one pass less
  /// over rows that are in cache, eps·cond(A)².
  normal_equations,
  /// E = B - U·U⁺B is formed row by row, and R is Cholesky's factor of EᵀE, whose sums have twice
  /// the digits of the rows (Yamazaki, Tomov and Dongarra's mixed-precision Cholesky QR, SIAM J.
  /// Sci. Comput. 37, 2015): eps·cond(A) for rows of double, eps·cond(E)² for those of float. For
  /// one motion column, which makes it structured_qr, and for three and six on GPUs with warps.
  cholesky_qr,
  /// E is formed row by row and factorised, E = QR, by modified Gram-Schmidt (Björck, BIT 7, 1967):
  /// eps·cond(A).
  structured_qr,
};

/// Which kernels take the step: for measurements and tests, since every path is chosen where it is
/// the fastest. detail/pseudoinverse/dispatch.hpp tells where each can run; elsewhere
/// std::invalid_argument says so.
enum class PseudoinversePath : std::uint8_t {
  automatic,
  one_motion,              ///< one column; a single kernel
  one_motion_shared_core,  ///< the same on hosts, whose threads share the core in a second kernel
  tensor_sums,             ///< six columns of float: tensor cores multiply the rows
  segment_sums,            ///< three or six columns: lanes of a warp have runs of rows
  row_tiles,               ///< any number of columns, anywhere: rows are factorised in scratch
};

/// Which kernels write a dense A⁺; as PseudoinversePath. All but the first come after the step.
enum class PseudoinverseWriter : std::uint8_t {
  automatic,
  one_motion,  ///< one column: a single kernel eliminates and writes
  products,    ///< one, three or six columns, where rows or columns of A⁺ are contiguous
  entries,     ///< every number of columns and layout, on devices
  stretches,   ///< the same on hosts
};

/// Weights of rows by the size of their residual d, multiplied into A and d on the way.
enum class RobustWeight {
  uniform,  ///< none
  huber,    ///< 1 up to the scale c, c/|d| beyond
  tukey,    ///< (1 - (d/c)²)² up to c, 0 beyond
};

struct PseudoinverseOptions {
  PseudoinverseMethod method = PseudoinverseMethod::automatic;
  PseudoinversePath path = PseudoinversePath::automatic;
  PseudoinverseWriter writer = PseudoinverseWriter::automatic;
  /// Levenberg-Marquardt: λ >= 0 of ‖Ax - d‖² + λ‖x‖². ArrowJacobian::damping adds one per column.
  double damping = 0;
  RobustWeight weight = RobustWeight::uniform;
  double weight_scale = 0;  ///< c > 0, in units of the residual; only with a weight
  /// Motion columns count as dependent from here on; see PseudoinverseInfo::cutoff. 0: the default.
  double cutoff = 0;
};

/// The enumerators' names, as they stand in messages, reports and JSON.
[[nodiscard]] constexpr std::string_view to_string(PseudoinverseMethod method) noexcept {
  switch (method) {
    case PseudoinverseMethod::automatic: return "automatic";
    case PseudoinverseMethod::normal_equations: return "normal_equations";
    case PseudoinverseMethod::cholesky_qr: return "cholesky_qr";
    case PseudoinverseMethod::structured_qr: return "structured_qr";
  }
  return "unknown";
}
[[nodiscard]] constexpr std::string_view to_string(PseudoinversePath path) noexcept {
  switch (path) {
    case PseudoinversePath::automatic: return "automatic";
    case PseudoinversePath::one_motion: return "one_motion";
    case PseudoinversePath::one_motion_shared_core: return "one_motion_shared_core";
    case PseudoinversePath::tensor_sums: return "tensor_sums";
    case PseudoinversePath::segment_sums: return "segment_sums";
    case PseudoinversePath::row_tiles: return "row_tiles";
  }
  return "unknown";
}
[[nodiscard]] constexpr std::string_view to_string(PseudoinverseWriter writer) noexcept {
  switch (writer) {
    case PseudoinverseWriter::automatic: return "automatic";
    case PseudoinverseWriter::one_motion: return "one_motion";
    case PseudoinverseWriter::products: return "products";
    case PseudoinverseWriter::entries: return "entries";
    case PseudoinverseWriter::stretches: return "stretches";
  }
  return "unknown";
}

}  // namespace carroll
