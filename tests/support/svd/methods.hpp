// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/svd/types.hpp>
#include <ostream>
#include <vector>

namespace carroll::test {

/// A method of the solver under the name that tests give it.
struct Method {
  char const* name;
  SvdOptions options;

  friend void PrintTo(Method const& method, std::ostream* out) { *out << method.name; }
};

/// Those of the 2020 Jetson study, with every placement.
inline std::vector<Method> plain_methods() {
  auto const round_robin = [](Placement placement) {
    return SvdOptions{.method = SvdMethod::round_robin, .placement = placement};
  };
  return {{"cyclic", {.method = SvdMethod::cyclic}},
          {"round_robin_global", round_robin(Placement::global)},
          {"round_robin_semi_shared", round_robin(Placement::semi_shared)},
          {"round_robin_shared", round_robin(Placement::shared)}};
}

inline std::vector<Method> all_methods() {
  auto methods = plain_methods();
  methods.insert(methods.begin(), {"preconditioned", {}});
  return methods;
}

}  // namespace carroll::test
