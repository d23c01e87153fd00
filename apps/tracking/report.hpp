// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

/// What `carroll synth-sequence` tells.
struct SynthReport {
  std::string directory;
  std::string scene;
  int frames = 0;
  int width = 0;
  int height = 0;
  std::string model;
  std::string backend;
  double seconds = 0;
};

/// What `carroll track` tells.
struct TrackReport {
  std::string reference;
  std::string current;
  std::string motion;
  std::string method;
  Precision precision = Precision::single_precision;
  TrackSummary result;
  std::vector<std::string> files;
};

/// One JSON object on one line. Numbers that are not finite are null.
[[nodiscard]] std::string json(SynthReport const& report);
[[nodiscard]] std::string json(TrackReport const& report);

/// The same for people.
[[nodiscard]] std::string table(SynthReport const& report);
[[nodiscard]] std::string table(TrackReport const& report);

}  // namespace carroll::tool
