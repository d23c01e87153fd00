// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <carroll/svd/types.hpp>

namespace carroll::distributed {

/// What became of a QR factorisation: the same on all ranks.
struct TallQrInfo {
  Status status = Status::success;  ///< or non_finite, or overflow: entries of R are infinite
};

/// What became of a decomposition: the same on all ranks.
template <class Real>
struct TallSvdInfo {
  Status status = Status::success;  ///< non_finite, not_converged and overflow as with `svd`
  SvdInfo<Real> triangle;           ///< of the decomposition of R
};

/// Does a call want what has as many rows as A?
struct TallOptions {
  bool left = true;   ///< Q, or U
  bool right = true;  ///< V
};

}  // namespace carroll::distributed
