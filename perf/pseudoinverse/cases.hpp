// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pseudoinverse/contender.hpp"

namespace carroll::perf {

struct PseudoinverseCase {
  std::string group;  // "step", "frames", "dense", "gram", "inverse" or "product"
  ArrowShape shape;

  std::string extents() const {
    return std::to_string(shape.frames) + "x" + std::to_string(shape.rows) + "x" +
           std::to_string(shape.depths) + "x" + std::to_string(shape.motions);
  }
};

/// "step": one frame, n of the figures of Marchese's thesis (see SeedMethod), and m as there up to
/// its 1000. "frames": many of them at once, on a host fewer. "dense": A⁺. "gram", "inverse",
/// "product": the phases of the thesis; "inverse" depends on m alone.
inline std::vector<PseudoinverseCase> pseudoinverse_cases(bool device) {
  std::vector<PseudoinverseCase> cases;
  constexpr std::array depths{128, 256, 512, 768, 1024};
  for (int n = 20000; n <= 120000; n += 20000) {
    cases.push_back({"step", {1, n, 1, 1000}});
    cases.push_back({"step", {1, n, 6, 1000}});
    for (int const m : depths) {
      cases.push_back({"step", {1, n, 1, m}});
      for (char const* const group : {"dense", "gram", "product"})
        cases.push_back({group, {1, n, 1, m}});
    }
  }
  for (int const m : depths) cases.push_back({"inverse", {1, 20000, 1, m}});
  for (int const n : {20000, 120000}) {
    cases.push_back({"step", {1, n, 6, 128}});
    cases.push_back({"dense", {1, n, 6, 1024}});
    for (int const k : {1, 6})
      for (int const frames : {256, 1024})
        if (device || frames == 256)
          cases.push_back({"frames", {device ? frames : 16, n, k, 1000}});
  }
  return cases;
}

}  // namespace carroll::perf
