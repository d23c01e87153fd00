// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/svd/types.hpp>

#include "enumerators.hpp"
#include "svd/decompose.hpp"

namespace carroll::tool {

[[nodiscard]] inline SvdOptions solver_options(DecomposeOptions const& options) {
  SvdOptions result;
  result.method = options.method == "cyclic"        ? SvdMethod::cyclic
                  : options.method == "round_robin" ? SvdMethod::round_robin
                                                    : SvdMethod::preconditioned;
  result.placement = options.placement == "global"        ? Placement::global
                     : options.placement == "semi_shared" ? Placement::semi_shared
                                                          : Placement::shared;
  result.path = named<SvdPath>(options.path);
  result.tolerance = options.tolerance;
  result.max_sweeps = options.max_sweeps;
  return result;
}

}  // namespace carroll::tool
