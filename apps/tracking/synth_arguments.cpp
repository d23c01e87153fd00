// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <cmath>
#include <filesystem>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* synth_footer =
    R"(Renders what a camera on a car sees: textured scenes without a model file, with
the motion and the range of every pixel known exactly. Step after step the car
goes round an arc with a chord of the same length.

Output in DIR, which is made if it is not there:
  frame_0000.png ...  pictures, 8 bits, grey
  range_0000.npy ...  height x width, f4: metres from the camera; infinity where
                      there is nothing, NaN where the camera has no ray
  camera.json         for carroll track --camera
  truth.json          scene, seed, noise, frames (image, range, position and
                      rotation, whose columns are the camera's axes, in those of
                      the first camera: x forward, y left, z up), steps
                      (reference, current, rho, heading_degrees, baseline)
All of them appear or none.

Output with --json, one object: directory, scene, frames, width, height, camera,
backend, seconds.

Exit status: 0 success, 2 unusable input or usage.

Examples:
  carroll synth-sequence room
  carroll synth-sequence street --scene street --frames 10 --rho 0.02 --noise 2)";

/// "2048x1024"; no value where it is something else.
std::optional<std::pair<int, int>> size_in(std::string const& word) {
  int width = 0, height = 0;
  char const* const end = word.data() + word.size();
  auto const [cross, error] = std::from_chars(word.data(), end, width);
  if (error != std::errc{} || cross == end || *cross != 'x') return std::nullopt;
  auto const [rest, wrong] = std::from_chars(cross + 1, end, height);
  bool const fits = width >= 16 && height >= 16 && width <= 32768 && height <= 32768;
  if (wrong != std::errc{} || rest != end || !fits) return std::nullopt;
  return std::pair(width, height);
}

void add_synth_options(CommandOptions& options, SynthArguments& synth) {
  options.operand("DIR", synth.directory, "Directory for the sequence");
  options.one_of({"box", "street"}, "--scene", synth.scene, "S",
                 "box (default): a room of 10 m x 8 m x 3 m\n"
                 "street: between walls, below a sky without texture");
  options.whole_number_from_one("--frames", synth.frames, "N",
                                "Number of pictures, at most 500 (default: 2)");
  options.text("--size", synth.size, "WxH", "Width and height in pixels (default: 2048x1024)");
  options.text("--camera", synth.camera, "C",
               "equirectangular (default): the whole sphere\n"
               "unified: a fisheye lens\n"
               "otherwise a file such as camera.json, as carroll track\n"
               "reads them: of a lens with distortion, too");
  options.number(
      "--noise", synth.noise, "S", [](double s) { return s >= 0 && s <= 255; },
      "a number from 0 to 255",
      "Standard deviation of the noise in grey levels\n"
      "(default: 2)");
  options.whole_number_from_one("--seed", synth.seed, "N", "Of textures and noise (default: 1)");
  options.number(
      "--rho", synth.rho, "R", [](double r) { return std::abs(r) <= 1.9; },
      "a number from -1.9 to 1.9",
      "Curvature: chord over radius, above 0 to the left\n"
      "(default: 0.05)");
  options.number(
      "--baseline", synth.baseline, "B", [](double b) { return b >= 0 && b <= 100; },
      "a number from 0 to 100", "Length of a chord in metres (default: 0.1)");
  options.json(synth.json);
}

void check_synth_options(CommandOptions const& options, SynthArguments& synth) {
  if (synth.directory.empty()) throw UsageError("DIR: the name of the directory is empty");
  if (synth.frames > 500) {
    throw UsageError("--frames: '" + std::to_string(synth.frames) + "' is more than 500");
  }
  if (auto const size = size_in(synth.size)) {
    synth.width = size->first;
    synth.height = size->second;
  } else {
    throw UsageError("--size: '" + synth.size +
                     "' is no width and height from 16 to 32768, such as 2048x1024");
  }
  bool const file = synth.camera != "equirectangular" && synth.camera != "unified";
  check_file_name("--camera", synth.camera);
  if (file && options.given("--size")) {
    throw UsageError("--size has no meaning for a camera from a file");
  }
}

}  // namespace

CommandLine synth_command_line() {
  return command_line(Command::synth, "synth-sequence", "DIR",
                      "Pictures of synthetic scenes, with exact motion and depth", synth_footer,
                      &Arguments::synth, add_synth_options, check_synth_options);
}

}  // namespace carroll::tool
