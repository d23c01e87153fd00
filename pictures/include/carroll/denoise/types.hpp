// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <numbers>

namespace carroll {

/// How much work is put into a picture.
enum class DenoiseEffort {
  thorough,  ///< as published: the quality of weighted nuclear norms
  fast,      ///< a fifth of the time, for 0.1 to 0.3 dB
};

/// What `denoise` does; `denoise_options` sets all of it for a noise level.
struct DenoiseOptions {
  double noise = 0;  ///< standard deviation, in the picture's units; 0: nothing to do
  int patch = 7;     ///< pixels along a patch's side, 1 to 12; less where the picture is smaller
  int step = 3;      ///< pixels from one reference to the next
  int window = 30;   ///< pixels from a reference to the patches it is compared with, at most
  int members = 80;  ///< patches of a stack, 1 to 256, and how many
  int fewer = 10;    ///< less they are with every new search, at least a quarter
  int iterations = 12;
  int searched_every = 2;                   ///< iterations, similar patches are searched anew
  double weight = 2 * std::numbers::sqrt2;  ///< c of the weights c·√members·τ²/σ
  double feedback = 0.1;   ///< part of what was removed that each iteration begins with
  double residual = 0.56;  ///< λ: from the second iteration on τ = λ·√|noise² − removed²|
};

/// What `denoise_frames` does.
struct FrameDenoiseOptions {
  double noise = 0;  ///< standard deviation; 0: nothing to do
  int patch = 8;     ///< pixels along a block's side, 1 to 12; less where the frames are smaller
  int step = 4;      ///< pixels from one block to the next
};

struct DenoiseInfo {
  Status status = Status::success;  ///< non_finite: the input is, and the output is all NaN
  int iterations = 0;
};

/// The options for a noise level. `peak` is the largest number that samples can have. Patches,
/// members and iterations by noise are those of the authors of the method; references are three
/// pixels apart.
[[nodiscard]] inline DenoiseOptions denoise_options(double noise,
                                                    DenoiseEffort effort = DenoiseEffort::thorough,
                                                    double peak = 255) {
  struct Level {
    double up_to;
    int patch, members, iterations;
    double residual;
  };
  constexpr Level levels[] = {
      {20, 6, 60, 8, 0.54}, {40, 7, 80, 12, 0.56}, {60, 8, 110, 14, 0.58}, {0, 9, 130, 14, 0.58}};
  int l = 0;
  while (l < 3 && !(noise * 255 / peak <= levels[l].up_to)) ++l;
  DenoiseOptions options;
  options.noise = noise;
  options.patch = levels[l].patch;
  options.members = levels[l].members;
  options.iterations = levels[l].iterations;
  options.residual = levels[l].residual;
  if (effort == DenoiseEffort::fast) {
    options.step = 4;
    options.window = 20;
    options.iterations = 4;
    options.fewer = 15;
    options.weight = 4;
  }
  return options;
}

}  // namespace carroll
