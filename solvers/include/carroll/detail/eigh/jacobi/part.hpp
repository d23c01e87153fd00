// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/complex_svd/workspace.hpp>
#include <carroll/detail/complex_svd/either.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/svd/workspace.hpp>

namespace carroll::detail {

/// Members of a bin of the plan whose factors one call of the kernels of `svd` decomposes: all of
/// the bin, or, of a ragged batch of complex matrices, for which these have no ragged call, those
/// of one order.
template <class ExecSpace, class T>
struct EighJacobiPart {
  EighBounds bounds;
  int first = 0;  ///< of them, in the bin
  SvdViewsOf<T> views{};
  SvdWorkspace<ExecSpace, T> workspace;
};

}  // namespace carroll::detail
