// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/track_command.hpp"

#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "files/file_error.hpp"
#include "files/npy/writer.hpp"
#include "files/ply/writer.hpp"
#include "files/png/writer.hpp"
#include "output/run.hpp"
#include "runtime.hpp"
#include "tracking/report.hpp"
#include "tracking/sequence/sequence.hpp"
#include "tracking/start/camera_pictures.hpp"
#include "tracking/start/start_files.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

namespace {

TrackInput read_input(TrackArguments const& arguments) {
  CameraPictures pictures(arguments.camera, arguments.reference);
  if (!arguments.vignette.empty()) pictures.divide_by(arguments.vignette);
  TrackInput input;
  input.baseline = arguments.baseline.value_or(1);
  input.baseline_known = arguments.baseline.has_value();
  input.camera = pictures.camera();
  input.reference = pictures.read(arguments.reference);
  input.current = pictures.read(arguments.current);
  read_masks(input, arguments.mask, arguments.current_mask, pictures);
  if (arguments.mask_clipped) mask_clipped(input, arguments.current, pictures);
  input.start_range = 30 * input.baseline;
  if (!arguments.start.empty())
    read_start_ranges(input, arguments.start, arguments.depth_scale, pictures);
  read_start_motion(input, arguments.start_motion, arguments.motion == "se3");
  return input;
}

/// Of the files; the last two with --dense alone.
constexpr char const* endings[] = {"_vertices.npy", "_depth.npy", "_depth.ply", "_depth.png",
                                   "_residual.png", "_dense.npy", "_dense.png"};
constexpr std::size_t without_dense = 5;

std::span<char const* const> endings_of(TrackArguments const& arguments) {
  return std::span(endings).first(arguments.dense ? std::size(endings) : without_dense);
}

/// What can be known about the output before the work is done.
void check_output(TrackArguments const& arguments) {
  for (char const* ending : endings_of(arguments)) {
    OutputFiles::check(
        arguments.output + ending,
        {arguments.reference, arguments.current, arguments.camera, arguments.mask,
         arguments.current_mask, arguments.vignette, arguments.start, arguments.start_motion});
  }
}

/// The vertices in space.
PointCloud cloud_of(TrackOutput const& result) {
  PointCloud cloud{{}, result.grey, result.triangles};
  for (std::size_t i = 0; i < result.depth.size(); ++i) {
    auto const along = [&](std::int64_t axis) {
      return static_cast<float>(result.depth[i] *
                                result.vertices(static_cast<std::int64_t>(i), axis));
    };
    cloud.points.push_back({along(0), along(1), along(2)});
  }
  return cloud;
}

std::vector<std::string> write_results(OutputFiles& files, TrackArguments const& arguments,
                                       Precision precision, TrackOutput const& result) {
  std::vector<std::string> names;
  for (char const* ending : endings_of(arguments)) names.push_back(arguments.output + ending);
  write_npy(files, names[0], result.vertices);
  if (precision == Precision::single_precision) {
    write_npy(files, names[1], std::vector<float>(result.depth.begin(), result.depth.end()));
  } else {
    write_npy(files, names[1], result.depth);
  }
  write_ply(files, names[2], cloud_of(result), "x forward, y left, z up");
  write_png(files, names[3], result.depth_picture);
  write_png(files, names[4], result.residual_picture);
  if (arguments.dense) {
    SamplePicture const& picture = result.dense.picture;
    write_npy(files, names[5], {picture.height, picture.width}, result.dense.ranges);
    write_png(files, names[6], picture);
  }
  return names;
}

int track_and_report(TrackInput const& input, TrackArguments const& arguments, Progress& progress) {
  TrackWishes wishes = track_wishes(arguments);
  wishes.pictures = !arguments.output.empty();
  wishes.dense = arguments.dense;
  wishes.depth_scale = arguments.depth_scale;
  TrackOutput const result = track(input, wishes, progress);

  TrackReport report;
  report.reference = arguments.reference;
  report.current = arguments.current;
  report.motion = arguments.motion;
  report.method = arguments.method;
  report.precision = wishes.precision;
  report.result = result.summary;
  return print_and_write(arguments, report, result.summary.status, progress, "_*",
                         [&](OutputFiles& files) {
                           return write_results(files, arguments, wishes.precision, result);
                         });
}

}  // namespace

TrackWishes track_wishes(TrackArguments const& arguments) {
  TrackWishes wishes;
  wishes.se3 = arguments.motion == "se3";
  wishes.esm = arguments.method == "esm";
  wishes.search_depths = !arguments.keep_depths;
  wishes.vertices = arguments.vertices;
  wishes.samples = arguments.samples;
  wishes.iterations = arguments.iterations.value_or(wishes.se3 ? 60 : 30);
  wishes.precision = arguments.precision.value_or(Precision::single_precision);
  return wishes;
}

int run_track(TrackArguments const& arguments, KokkosFlags const& flags) {
  if (arguments.pictures.size() != 2) return run_track_sequence(arguments, flags);
  return run_on(arguments.reference, [&](Progress& progress) {
    progress.phase("reading " + arguments.reference);
    TrackInput const input = read_input(arguments);
    if (!arguments.output.empty()) check_output(arguments);
    Runtime const runtime(flags);
    return track_and_report(input, arguments, progress);
  });
}

}  // namespace carroll::tool
