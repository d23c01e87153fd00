// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/sequence/sequence.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "output/run.hpp"
#include "runtime.hpp"
#include "tracking/sequence/frames.hpp"
#include "tracking/sequence/poses.hpp"
#include "tracking/sequence/report.hpp"
#include "tracking/start/camera_pictures.hpp"
#include "tracking/start/start_files.hpp"
#include "tracking/track.hpp"
#include "tracking/track_command.hpp"

namespace carroll::tool {

namespace {

constexpr char const* trajectory_ending = "_trajectory.txt";

/// The true poses of a camera.
Poses read_truth(std::string const& path, CameraPictures const& pictures) {
  Poses truth = read_poses(path);
  if (!truth.of_body) return truth;
  if (!pictures.on_body())
    throw FileError(
        path,
        "has poses of the body (EuRoC), and the camera's file has no T_BS or T_cam_imu, "
        "which says where the camera is on it");
  Pose const camera = pose_of_rows(*pictures.on_body());
  for (Pose& pose : truth.poses) pose = after(pose, camera);
  return truth;
}

/// The true pose of each frame: by order, or the one whose time is nearest, within 20 ms.
std::vector<std::optional<Pose>> true_poses(std::string const& path, SequenceFrames const& frames,
                                            CameraPictures const& pictures) {
  Poses const truth = read_truth(path, pictures);
  std::size_t const count = frames.paths.size();
  std::vector<std::optional<Pose>> found(count);
  if (truth.times.empty() || !frames.timed) {
    if (truth.poses.size() != count)
      throw FileError(path, "has " + count_text(std::ssize(truth.poses), "pose") + ", must have " +
                                std::to_string(count) + ", as there are pictures");
    std::ranges::copy(truth.poses, found.begin());
    return found;
  }
  constexpr double most = 0.02;
  for (std::size_t i = 0; i < count; ++i) {
    double nearest = most;
    for (std::size_t k = 0; k < truth.times.size(); ++k)
      if (double const apart = std::abs(truth.times[k] - frames.times[i]); apart <= nearest) {
        nearest = apart;
        found[i] = truth.poses[k];
      }
  }
  if (std::ranges::count_if(found, [](auto const& pose) { return pose.has_value(); }) < 2)
    throw FileError(path, "has no poses of the times of two of the pictures");
  return found;
}

/// Steps follow each other: what the last one has found is where the next one begins.
class SequenceTracker {
 public:
  SequenceTracker(TrackArguments const& arguments, CameraPictures const& pictures)
      : arguments_(arguments), pictures_(pictures), wishes_(track_wishes(arguments)) {
    input_.baseline = arguments.baseline.value_or(1);
    input_.baseline_known = arguments.baseline.has_value();
    input_.camera = pictures.camera();
    input_.start_range = 30 * input_.baseline;
    read_masks(input_, arguments.mask, arguments.current_mask, pictures);
    current_mask_ = input_.current_mask;
    reference_mask_ = input_.mask;
    if (!arguments.start.empty())
      read_start_ranges(input_, arguments.start, arguments.depth_scale, pictures);
    read_start_motion(input_, arguments.start_motion, wishes_.se3);
  }

  void begin(std::string const& first) { input_.current = pictures_.read(first); }

  SequenceStep step(std::string const& path, std::string const& which, Progress& progress) {
    look_back();
    input_.reference = std::move(input_.current);
    input_.current = pictures_.read(path);
    if (arguments_.mask_clipped) {
      input_.current_mask = current_mask_;
      mask_clipped(input_, path, pictures_);
    }
    wishes_.phase_prefix = which;
    SequenceStep result{path, {}, false};
    TrackOutput output = track(input_, wishes_, progress);
    if (is_doubtful(output.summary) && goes_on_) {
      result.again = true;
      TrackOutput second = begun_anew(output, progress);
      bool const good = output.summary.status == "success";
      if (second.summary.status == "success" &&
          (!good || second.summary.cost < output.summary.cost))
        output = std::move(second);
    }
    result.found = output.summary;
    result.window += static_cast<int>(output.witnesses.size());
    if (output.summary.status == "success") {
      if (goes_on_ && wishes_.se3 && !input_.baseline_known) keep_scale(output);
      result.found.translation = output.summary.translation;
      go_on_from(output);
    } else {
      result.found.rotation = last_.rotation, result.found.translation = last_.translation;
      trusted_ = false;
    }
    return result;
  }

  /// The step before the last one, if a window has told more of it.
  [[nodiscard]] std::optional<Pose> const& bettered() const { return bettered_; }

 private:
  /// What was the reference becomes the first of the pictures that the next step has besides, which
  /// see the same depths from the new reference's place. After a lost step nobody knows where that
  /// is.
  void look_back() {
    auto& witnesses = input_.witnesses;
    if (arguments_.window < 2 || !wishes_.se3 || !trusted_) {
      witnesses.clear();
    } else {
      for (TrackWitness& witness : witnesses) witness.pose = between(last_, witness.pose);
      witnesses.insert(witnesses.begin(),
                       {std::move(input_.reference), reference_mask_, between(last_, Pose{})});
      auto const most = static_cast<std::size_t>(arguments_.window - 1);
      if (witnesses.size() > most) witnesses.resize(most);
    }
    reference_mask_ = input_.current_mask;
    trusted_ = true;
    bettered_.reset();
  }

  /// Wrong motions with wrong depths, which go on from step to step, explain about half of what is
  /// seen; right ones of cars, from .55 of it on.
  static bool is_doubtful(TrackSummary const& found) {
    constexpr double doubt = 0.6;
    return found.status != "success" || found.matched_triangles < doubt * found.textured_triangles;
  }

  /// The same pictures as if nothing was known but how far things are in the mean: costs of the two
  /// compare.
  TrackOutput begun_anew(TrackOutput const& first, Progress& progress) const {
    TrackInput anew = input_;
    anew.start_motion.clear();
    anew.start_directions.reset();
    anew.start_ranges.reset();
    double logs = 0;
    for (double const range : first.start) logs += std::log(range);
    anew.start_range = std::exp(logs / static_cast<double>(first.start.size()));
    TrackOutput second = track(anew, wishes_, progress);
    second.start = first.start;
    return second;
  }

  /// The tracker keeps the mean of all distances, of those as well that pictures tell nothing of
  /// and that leave the picture; what most of them say is better.
  static void keep_scale(TrackOutput& output) {
    std::vector<double> changes;
    for (std::size_t i = 0; i < output.depth.size(); ++i)
      changes.push_back(output.depth[i] / output.start[i]);
    auto const half = changes.begin() + std::ssize(changes) / 2;
    std::ranges::nth_element(changes, half);
    for (double& range : output.depth) range /= *half;
    for (double& x : output.summary.translation) x /= *half;
    for (Pose& pose : output.witnesses)
      for (double& x : pose.translation) x /= *half;
  }

  void go_on_from(TrackOutput const& output) {
    goes_on_ = true;
    for (std::size_t f = 0; f < output.witnesses.size(); ++f)
      input_.witnesses[f].pose = output.witnesses[f];
    if (!output.witnesses.empty()) {
      bettered_ = between(output.witnesses.front(), Pose{});
      double const way = length(bettered_->translation);
      if (input_.baseline_known && way > 0)
        for (double& x : bettered_->translation) x *= input_.baseline / way;
    }
    last_ = {output.summary.rotation, output.summary.translation};
    auto const m = static_cast<std::int64_t>(output.depth.size());
    HostMatrix<float> directions{m, 3, std::vector<float>(static_cast<std::size_t>(3 * m))};
    HostMatrix<float> ranges{m, 1, std::vector<float>(static_cast<std::size_t>(m))};
    for (std::int64_t i = 0; i < m; ++i) {
      double const range = output.depth[static_cast<std::size_t>(i)];
      Vector3 point{};
      for (std::size_t a = 0; a < 3; ++a)
        point[a] = range * output.vertices(i, static_cast<std::int64_t>(a));
      point = turned_back(last_.rotation, point - last_.translation);
      double const far = length(point);
      ranges(i, 0) = static_cast<float>(far);
      for (std::size_t a = 0; a < 3; ++a)
        directions(i, static_cast<std::int64_t>(a)) =
            static_cast<float>(far > 0 ? point[a] / far : 0);
    }
    input_.start_directions = std::move(directions);
    input_.start_ranges = std::move(ranges);
    if (!wishes_.se3) {
      input_.start_motion = {output.summary.rho.value_or(0)};
      return;
    }
    input_.start_motion.clear();
    for (std::size_t i = 0; i < 3; ++i) {
      for (double const x : last_.rotation[i]) input_.start_motion.push_back(x);
      input_.start_motion.push_back(last_.translation[i] / input_.baseline);
    }
  }

  TrackArguments const& arguments_;
  CameraPictures const& pictures_;
  TrackWishes wishes_;
  TrackInput input_;
  std::optional<GreyPicture> current_mask_;    ///< of the caller, for all pictures
  std::optional<GreyPicture> reference_mask_;  ///< of the reference, when it was current
  Pose last_;
  std::optional<Pose> bettered_;
  bool goes_on_ = false;
  bool trusted_ = false;  ///< the last step's pose
};

void set_pose(TrackSummary& step, Pose const& pose) {
  step.rotation = pose.rotation;
  step.translation = pose.translation;
  step.heading_degrees = heading_degrees(pose.rotation);
}

std::vector<std::string> write_trajectory(OutputFiles& files, std::string const& path,
                                          Poses const& poses) {
  std::string const text = tum_text(poses);
  files.write(path, {}, std::as_bytes(std::span(text)));
  return {path};
}

int track_frames(TrackArguments const& arguments, SequenceFrames const& frames,
                 std::vector<std::optional<Pose>> const& truth, CameraPictures const& pictures,
                 Progress& progress) {
  auto const begin = std::chrono::steady_clock::now();
  SequenceReport report;
  report.sequence = arguments.pictures.front();
  report.frames = static_cast<int>(frames.paths.size());
  report.motion = arguments.motion;
  report.method = arguments.method;
  report.window = arguments.window;
  report.precision = arguments.precision.value_or(Precision::single_precision);
  SequenceTracker tracker(arguments, pictures);
  tracker.begin(frames.paths.front());
  for (std::size_t k = 1; k < frames.paths.size(); ++k) {
    report.steps.push_back(tracker.step(
        frames.paths[k],
        "picture " + std::to_string(k + 1) + " of " + std::to_string(frames.paths.size()) + ": ",
        progress));
    if (tracker.bettered()) set_pose(report.steps[k - 2].found, *tracker.bettered());
  }
  Poses trajectory{{Pose{}}, frames.times};
  for (SequenceStep const& step : report.steps)
    trajectory.poses.push_back(after(
        trajectory.poses.back(), in_optical_axes({step.found.rotation, step.found.translation})));
  if (!truth.empty()) report.errors = trajectory_errors(trajectory.poses, truth);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return print_and_write(
      arguments, report, report.status(), progress, trajectory_ending, [&](OutputFiles& files) {
        return write_trajectory(files, arguments.output + trajectory_ending, trajectory);
      });
}

}  // namespace

int run_track_sequence(TrackArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.pictures.front(), [&](Progress& progress) {
    progress.phase("reading " + arguments.pictures.front());
    SequenceFrames const frames = sequence_frames(arguments.pictures);
    std::vector<std::optional<Pose>> truth;
    CameraPictures pictures(arguments.camera, frames.paths.front());
    if (!arguments.vignette.empty()) pictures.divide_by(arguments.vignette);
    if (!arguments.truth.empty()) truth = true_poses(arguments.truth, frames, pictures);
    if (!arguments.output.empty())
      OutputFiles::check(arguments.output + trajectory_ending,
                         {arguments.camera, arguments.truth, arguments.mask, arguments.current_mask,
                          arguments.vignette, arguments.start, arguments.start_motion});
    Runtime const runtime(flags);
    return track_frames(arguments, frames, truth, pictures, progress);
  });
}

}  // namespace carroll::tool
