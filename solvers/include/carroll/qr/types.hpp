// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <carroll/status.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace carroll {

/// The kernels of `qr`. What does not fit the matrix or the device gives way to `team`. The table
/// that chooses is in detail/qr/dispatch.hpp.
enum class QrPath {
  automatic,   ///< the first that fits, by size and device
  team,        ///< a team per matrix; any size, any device
  host_batch,  ///< hosts: a matrix in a lane of the vector registers
  host_block,  ///< hosts: a team per matrix, by products of panels
  warp,        ///< devices with warps: up to 32 rows and columns, in registers
  tiled,       ///< devices with warps: a team per 16 columns, up to 8192 rows, without pivoting
  slim,  ///< devices with warps: up to 512 rows of 4, 256 of 8, 128 of 16 columns, in registers
  tall,  ///< devices with warps: up to 16 columns, 1025 to 524288 rows, without pivoting
};

constexpr char const* to_string(QrPath path) {
  switch (path) {
    case QrPath::automatic: return "automatic";
    case QrPath::team: return "team";
    case QrPath::host_batch: return "host_batch";
    case QrPath::host_block: return "host_block";
    case QrPath::warp: return "warp";
    case QrPath::tiled: return "tiled";
    case QrPath::slim: return "slim";
    case QrPath::tall: return "tall";
  }
  return "unknown";
}
/// All of them.
inline constexpr std::array qr_paths{QrPath::automatic,  QrPath::team, QrPath::host_batch,
                                     QrPath::host_block, QrPath::warp, QrPath::tiled,
                                     QrPath::slim,       QrPath::tall};

/// What is made of an m×n matrix, with k = min(m, n).
enum class QrMode {
  r,     ///< R alone, k×n
  thin,  ///< Q m×k and R k×n
  full,  ///< Q m×m and R m×n
};

struct QrOptions {
  QrPath path = QrPath::automatic;
  /// With pivoting: diagonal entries of R above this times the first one count for the rank.
  /// Negative: max(m, n)·eps. Without pivoting it has no meaning.
  double rank_tolerance = -1;
};

/// What happened to one matrix.
struct QrInfo {
  /// non_finite: A holds NaN or infinity; outputs are NaN, and the permutation is the identity.
  /// overflow: an entry of R is beyond the range, and ±Inf.
  Status status = Status::success;
  /// With pivoting the numerical rank, QrOptions::rank_tolerance; otherwise -1: a factorisation
  /// without pivoting does not reveal it.
  int rank = -1;
};

/// Shape of a uniform batch of `batch` m×n matrices, and what is wanted of it.
struct QrExtents {
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  QrMode mode = QrMode::thin;
  bool pivoted = false;

  /// Columns of Q, 0 where it is not wanted.
  [[nodiscard]] std::int64_t q_cols() const {
    return mode == QrMode::r ? 0 : mode == QrMode::full ? rows : std::min(rows, cols);
  }
  [[nodiscard]] std::int64_t r_rows() const {
    return mode == QrMode::full ? rows : std::min(rows, cols);
  }
};

/// One matrix of a ragged batch: its extents, and where its A, Q, R and P begin in rank-1 Views
/// that hold all members, each matrix column by column without gaps.
struct QrMember {
  std::int64_t rows = 0, cols = 0;
  std::int64_t a = 0, q = 0, r = 0, p = 0;
};

/// The members of a ragged batch packed one behind the other, from their extents {rows, cols}.
/// Where Q or P are not wanted `q` and `p` have no meaning.
[[nodiscard]] inline std::vector<QrMember> qr_members(
    std::span<std::array<std::int64_t, 2> const> extents, QrMode mode = QrMode::thin) {
  std::vector<QrMember> members;
  members.reserve(extents.size());
  QrMember next;
  for (auto const& [rows, cols] : extents) {
    QrExtents const shape{1, rows, cols, mode};
    next.rows = rows;
    next.cols = cols;
    members.push_back(next);
    next.a += rows * cols;
    next.q += rows * shape.q_cols();
    next.r += shape.r_rows() * cols;
    next.p += cols;
  }
  return members;
}

}  // namespace carroll
