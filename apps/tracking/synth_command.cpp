// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/synth_command.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <span>

#include "files/camera/camera_file.hpp"
#include "files/file_error.hpp"
#include "files/npy/writer.hpp"
#include "files/png/writer.hpp"
#include "output/json.hpp"
#include "output/run.hpp"
#include "runtime.hpp"
#include "tracking/report.hpp"
#include "tracking/synthesize.hpp"

namespace carroll::tool {

namespace {

/// The directory, made if there is none, and removed again unless it is kept.
class NewDirectory {
 public:
  explicit NewDirectory(std::string path) : path_(std::move(path)) {
    std::error_code error;
    made_ = std::filesystem::create_directory(path_, error);
    if (error) throw FileError(path_, "cannot be made: " + error.message());
  }
  ~NewDirectory() {
    std::error_code ignored;
    if (made_) std::filesystem::remove(path_, ignored);
  }
  NewDirectory(NewDirectory const&) = delete;
  NewDirectory& operator=(NewDirectory const&) = delete;

  void keep() { made_ = false; }
  [[nodiscard]] std::string file(std::string const& name) const {
    return (std::filesystem::path(path_) / name).string();
  }

 private:
  std::string path_;
  bool made_ = false;
};

/// "frame_0007.png"
std::string numbered(char const* stem, int index, char const* extension) {
  std::string const digits = std::to_string(index);
  return stem + std::string(4 - std::min<std::size_t>(4, digits.size()), '0') + digits + extension;
}

CameraParameters camera_of(SynthArguments const& arguments) {
  if (arguments.camera != "equirectangular" && arguments.camera != "unified") {
    CameraParameters const camera = read_camera(arguments.camera);
    if (camera.width == 0)
      throw FileError(arguments.camera,
                      "does not say how large pictures are, as a camera.json does");
    return camera;
  }
  CameraParameters camera;
  camera.model = arguments.camera;
  camera.width = arguments.width;
  camera.height = arguments.height;
  // A fisheye lens that sees a half sphere in a circle as wide as the picture is high: straight
  // ahead's right angle is at m = 1/χ.
  camera.chi = 0.9;
  camera.fx = camera.fy = camera.chi * 0.5 * camera.height;
  camera.cx = 0.5 * (camera.width - 1);
  camera.cy = 0.5 * (camera.height - 1);
  return camera;
}

Json frame_json(SequenceFrame const& frame) {
  return {{"image", numbered("frame_", frame.index, ".png")},
          {"range", numbered("range_", frame.index, ".npy")},
          {"position", frame.position},
          {"rotation", frame.rotation}};
}

Json truth_json(SequenceWishes const& wishes, Json frames) {
  double const heading = 2 * std::asin(wishes.rho / 2) * 180 / std::numbers::pi;
  Json steps = Json::array();
  for (int k = 0; k + 1 < wishes.frames; ++k) {
    Json step{{"reference", numbered("frame_", k, ".png")},
              {"current", numbered("frame_", k + 1, ".png")},
              {"rho", wishes.rho},
              {"heading_degrees", heading},
              {"baseline", wishes.baseline}};
    steps.push_back(std::move(step));
  }
  return {{"scene", wishes.scene},
          {"seed", wishes.seed},
          {"noise", wishes.noise},
          {"frames", std::move(frames)},
          {"steps", std::move(steps)}};
}

void write_json(OutputFiles& files, std::string const& path, Json const& object) {
  std::string const text = object.dump(1) + "\n";
  files.write(path, text, {});
}

/// What can be known about the output before the work is done.
void check_output(NewDirectory const& directory, int frames) {
  for (int k = 0; k < frames; ++k) {
    OutputFiles::check(directory.file(numbered("frame_", k, ".png")));
    OutputFiles::check(directory.file(numbered("range_", k, ".npy")));
  }
  for (char const* name : {"camera.json", "truth.json"}) OutputFiles::check(directory.file(name));
}

int render_and_report(SynthArguments const& arguments, SequenceWishes const& wishes,
                      Progress& progress) {
  NewDirectory directory(arguments.directory);
  check_output(directory, wishes.frames);
  OutputFiles files;
  Json frames = Json::array();
  auto const start = std::chrono::steady_clock::now();
  auto const take = [&](SequenceFrame const& frame) {
    Json object = frame_json(frame);
    write_png(files, directory.file(object["image"]), frame.image);
    write_npy(files, directory.file(object["range"]), {frame.image.height, frame.image.width},
              frame.range);
    frames.push_back(std::move(object));
  };
  SynthReport report;
  report.backend = synthesize(wishes, take, progress);
  write_json(files, directory.file("camera.json"), camera_json(wishes.camera));
  write_json(files, directory.file("truth.json"), truth_json(wishes, std::move(frames)));
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
  report.directory = arguments.directory;
  report.scene = wishes.scene;
  report.frames = wishes.frames;
  report.width = wishes.camera.width;
  report.height = wishes.camera.height;
  report.model = camera_json(wishes.camera)["model"];
  report.seconds = elapsed.count();
  progress.stop();
  print(arguments.json ? json(report) : table(report));
  files.commit();
  directory.keep();
  return 0;
}

}  // namespace

int run_synth(SynthArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.directory, [&](Progress& progress) {
    SequenceWishes wishes;
    wishes.scene = arguments.scene;
    wishes.frames = arguments.frames;
    wishes.camera = camera_of(arguments);
    wishes.noise = arguments.noise;
    wishes.seed = static_cast<std::uint64_t>(arguments.seed);
    wishes.rho = arguments.rho;
    wishes.baseline = arguments.baseline;
    Runtime const runtime(flags);
    return render_and_report(arguments, wishes, progress);
  });
}

}  // namespace carroll::tool
