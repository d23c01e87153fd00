// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <array>
#include <carroll/none.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace carroll {

/// The algorithm behind `eigh`.
enum class EighMethod {
  /// Errors of eigenvalues are of order eps·|λ|max. Small matrices, and all by EighPath::team:
  /// Householder reflections to a tridiagonal matrix, then implicit QL steps with Wilkinson's shift
  /// (Martin and Wilkinson, Numer. Math. 12, 1968), or, where there are many rows and a device,
  /// divide and conquer (Cuppen, Numer. Math. 36, 1981). Others: A + shift·I, positive
  /// semidefinite, by the kernels of `svd`.
  backward_stable,
  /// For positive semidefinite matrices: Cholesky with pivoting A = L·Lᴴ, then one-sided Jacobi on
  /// L (Veselić and Hari, Numer. Math. 56, 1989). Every eigenvalue of A = D·H·D, D diagonal, has a
  /// relative error of order eps·cond(H), however far D spreads.
  cholesky_jacobi,
};

/// The kernels that carry out EighMethod::backward_stable. What does not fit the matrix or the
/// device gives way to `team`, of complex matrices to `shifted`. The table that chooses is in
/// detail/eigh/dispatch.hpp.
enum class EighPath {
  automatic,   ///< the first that fits, by size and device
  team,        ///< a team per matrix; any size, any device
  host_batch,  ///< hosts: a matrix in a lane of the vector registers
  warp,        ///< devices with warps: a matrix of order up to 32 in registers
  divided,     ///< reflections, then divide and conquer; any size, any device
  shifted,     ///< by the kernels of `svd`; any size, any device
  vendor,      ///< devices with a vendor's library, whose results are measured; any size
};

constexpr char const* to_string(EighPath path) {
  switch (path) {
    case EighPath::automatic: return "automatic";
    case EighPath::team: return "team";
    case EighPath::host_batch: return "host_batch";
    case EighPath::warp: return "warp";
    case EighPath::divided: return "divided";
    case EighPath::shifted: return "shifted";
    case EighPath::vendor: return "vendor";
  }
  return "unknown";
}
/// All of them.
inline constexpr std::array eigh_paths{EighPath::automatic, EighPath::team,    EighPath::host_batch,
                                       EighPath::warp,      EighPath::divided, EighPath::shifted,
                                       EighPath::vendor};

/// The triangle of a symmetric or Hermitian matrix that is read, its diagonal included.
enum class Triangle { lower, upper };

struct EighOptions {
  EighMethod method = EighMethod::backward_stable;
  EighPath path = EighPath::automatic;
  Triangle triangle = Triangle::lower;
  /// Of QL steps the limit is so many times n; of Jacobi sweeps it is this. Reaching it is
  /// Status::not_converged: W and V are then where the steps stood. `divided` has limits of its
  /// own.
  int max_sweeps = 30;
};

/// What happened to one matrix.
template <class Real>
struct EighInfo {
  /// breakdown: EighMethod::cholesky_jacobi has met a matrix that is not positive semidefinite.
  /// overflow: an eigenvalue is beyond the range, and ±Inf.
  Status status = Status::success;
  /// QL steps, each from one end of an unreduced block to the other, or sweeps; of `divided` the
  /// steps of the first part of T and the levels of merges.
  int sweeps = 0;
  int rank = 0;      ///< eigenvalues above n·eps·|λ|max in modulus
  int negative = 0;  ///< those of them below 0: A is semidefinite to working precision without
};

/// Shape of a uniform batch of `batch` matrices, and whether vectors are wanted.
struct EighExtents {
  std::int64_t batch = 1;
  std::int64_t n = 0;
  bool vectors = true;
};

/// One matrix of a ragged batch: its order, and where its A, W and V begin in rank-1 Views that
/// hold all members, each matrix column by column without gaps.
struct EighMember {
  std::int64_t n = 0;
  std::int64_t a = 0;
  std::int64_t w = 0;
  std::int64_t v = 0;
};

/// The members of a ragged batch packed one behind the other, from their orders. Where vectors are
/// not wanted `v` has no meaning.
[[nodiscard]] inline std::vector<EighMember> eigh_members(std::span<std::int64_t const> orders) {
  std::vector<EighMember> members;
  members.reserve(orders.size());
  EighMember next;
  for (std::int64_t const n : orders) {
    next.n = n;
    members.push_back(next);
    next.a += n * n;
    next.w += n;
    next.v += n * n;
  }
  return members;
}

}  // namespace carroll
