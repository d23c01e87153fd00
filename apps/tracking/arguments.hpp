// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"

namespace carroll::tool {

/// What `carroll synth-sequence` was asked to do.
struct SynthArguments {
  std::string directory;
  std::string scene = "box";
  int frames = 2;
  std::string size = "2048x1024";
  int width = 0;  ///< of size
  int height = 0;
  std::string camera = "equirectangular";  ///< or "unified", or a file
  double noise = 2;
  int seed = 1;
  double rho = 0.05;
  double baseline = 0.1;
  bool json = false;
};

/// What `carroll track` was asked to do.
struct TrackArguments {
  std::vector<std::string> pictures;  ///< two, or what a sequence is made of
  std::string reference;              ///< of two
  std::string current;
  std::string camera;
  std::string motion = "ackermann";
  std::string method = "esm";
  int vertices = 1000;
  int samples = 120'000;
  std::optional<int> iterations;
  std::optional<double> baseline;
  std::string start;         ///< a number or a file; empty: none
  std::string start_motion;  ///< a word or a file; empty: none
  bool keep_depths = false;  ///< no search over depths
  std::string mask;          ///< of the reference; empty: none
  std::string current_mask;  ///< of the current picture; empty: none
  bool mask_clipped = false;
  std::string vignette;       ///< empty: none
  double depth_scale = 1000;  ///< of pictures of depths, read and written
  bool dense = false;         ///< depths of all pixels, too
  std::string truth;          ///< of a sequence; empty: none
  int window = 1;  ///< pictures of a sequence that a step is found from, beside its reference
  std::optional<Precision> precision;
  std::string output;  ///< prefix of the files to write; empty: none
  bool json = false;
};

}  // namespace carroll::tool
