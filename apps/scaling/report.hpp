// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "scaling/measure.hpp"

namespace carroll::tool {

[[nodiscard]] std::string json(ScalingReport const& report);
[[nodiscard]] std::string table(ScalingReport const& report);

}  // namespace carroll::tool
