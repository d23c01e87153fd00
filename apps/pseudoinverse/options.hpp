// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/pseudoinverse/options.hpp>

#include "arguments.hpp"
#include "enumerators.hpp"

namespace carroll::tool {

[[nodiscard]] inline PseudoinverseOptions solver_options(PinvArguments const& arguments) {
  PseudoinverseOptions options;
  options.method = named<PseudoinverseMethod>(arguments.method);
  options.path = named<PseudoinversePath>(arguments.path);
  options.writer = named<PseudoinverseWriter>(arguments.writer);
  options.damping = arguments.damping;
  return options;
}

}  // namespace carroll::tool
