// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/determinant.hpp>
#include <map>
#include <string>

#include "enumerators.hpp"

namespace carroll::tool {

[[nodiscard]] inline DeterminantMethod method_named(std::string const& name) {
  static std::map<std::string, DeterminantMethod> const methods{
      {"blocked", DeterminantMethod::blocked},
      {"condensation", DeterminantMethod::condensation},
      {"salem_said", DeterminantMethod::salem_said},
      {"dodgson", DeterminantMethod::dodgson},
      {"condensation_in_place", DeterminantMethod::condensation_in_place},
      {"condensation_ping_pong", DeterminantMethod::condensation_ping_pong},
      {"condensation_read_only", DeterminantMethod::condensation_read_only},
      {"condensation_read_only_column", DeterminantMethod::condensation_read_only_column}};
  return methods.at(name);
}

[[nodiscard]] inline DeterminantOptions determinant_options(std::string const& method,
                                                            std::string const& path) {
  return {method_named(method), named<DeterminantPath>(path)};
}

}  // namespace carroll::tool
