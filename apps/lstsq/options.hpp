// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "command_line.hpp"

namespace carroll::tool {

/// --rcond, which `lstsq` and `pinv --general` have; `when` begins its text.
void add_rcond(CommandOptions& options, double& rcond, std::string const& when);

}  // namespace carroll::tool
