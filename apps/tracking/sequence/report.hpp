// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tracking/sequence/errors.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

/// From one picture to the next.
struct SequenceStep {
  std::string picture;
  TrackSummary found;
  bool again = false;  ///< begun once more as if nothing was known
  int window = 1;      ///< pictures that it was found from, besides its reference
};

/// What `carroll track` tells of a sequence.
struct SequenceReport {
  std::string sequence;
  int frames = 0;
  std::string motion;
  std::string method;
  int window = 1;  ///< pictures that a step is to be found from
  Precision precision = Precision::single_precision;
  std::vector<SequenceStep> steps;
  double seconds = 0;
  std::optional<TrajectoryErrors> errors;
  std::vector<std::string> files;

  [[nodiscard]] int lost() const;
  /// Of the first step that is lost, or success.
  [[nodiscard]] std::string status() const;
};

[[nodiscard]] std::string json(SequenceReport const& report);
[[nodiscard]] std::string table(SequenceReport const& report);

}  // namespace carroll::tool
