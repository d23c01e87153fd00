// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/track_command.hpp"

#include <charconv>
#include <variant>

#include "files/camera_file.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "files/npy/writer.hpp"
#include "files/png/reader.hpp"
#include "files/png/writer.hpp"
#include "output/run.hpp"
#include "runtime.hpp"
#include "tracking/report.hpp"
#include "tracking/track.hpp"

namespace carroll::tool {

namespace {

GreyPicture read_picture(std::string const& path, CameraParameters const& camera) {
  GreyPicture picture = read_png(path);
  if (picture.width != camera.width || picture.height != camera.height)
    throw FileError(path, "is " + extents_text(picture.width, picture.height) +
                              " pixels, must be " + extents_text(camera.width, camera.height) +
                              " as the camera says");
  return picture;
}

/// The number in --start, or the array in the file of that name.
void read_start(TrackInput& input, TrackArguments const& arguments) {
  input.start_range = 30 * arguments.baseline;
  if (arguments.start.empty()) return;
  char const* const end = arguments.start.data() + arguments.start.size();
  auto const [rest, error] = std::from_chars(arguments.start.data(), end, input.start_range);
  if (error == std::errc{} && rest == end) return;
  auto ranges =
      std::get<HostMatrix<float>>(read_array(arguments.start, Precision::single_precision));
  if (ranges.rows != input.camera.height || ranges.cols != input.camera.width)
    throw FileError(arguments.start, "is " + extents_text(ranges.rows, ranges.cols) + ", must be " +
                                         extents_text(input.camera.height, input.camera.width) +
                                         " as the camera says");
  input.start_ranges = std::move(ranges);
}

TrackInput read_input(TrackArguments const& arguments) {
  TrackInput input;
  input.baseline = arguments.baseline;
  input.camera = read_camera(arguments.camera);
  input.reference = read_picture(arguments.reference, input.camera);
  input.current = read_picture(arguments.current, input.camera);
  if (!arguments.mask.empty()) input.mask = read_picture(arguments.mask, input.camera);
  read_start(input, arguments);
  return input;
}

constexpr char const* endings[] = {"_vertices.npy", "_depth.npy", "_depth.png", "_residual.png"};

/// What can be known about the output before the work is done.
void check_output(TrackArguments const& arguments) {
  for (char const* ending : endings) {
    OutputFiles::check(arguments.output + ending,
                       {arguments.reference, arguments.current, arguments.camera, arguments.mask,
                        arguments.start});
  }
}

std::vector<std::string> write_results(OutputFiles& files, TrackArguments const& arguments,
                                       Precision precision, TrackOutput const& result) {
  std::vector<std::string> names;
  for (char const* ending : endings) names.push_back(arguments.output + ending);
  write_npy(files, names[0], result.vertices);
  if (precision == Precision::single_precision) {
    write_npy(files, names[1], std::vector<float>(result.depth.begin(), result.depth.end()));
  } else {
    write_npy(files, names[1], result.depth);
  }
  write_png(files, names[2], result.depth_picture);
  write_png(files, names[3], result.residual_picture);
  return names;
}

int track_and_report(TrackInput const& input, TrackArguments const& arguments, Progress& progress) {
  TrackWishes wishes;
  wishes.se3 = arguments.motion == "se3";
  wishes.esm = arguments.method == "esm";
  wishes.vertices = arguments.vertices;
  wishes.samples = arguments.samples;
  wishes.iterations = arguments.iterations;
  wishes.precision = arguments.precision.value_or(Precision::single_precision);
  wishes.pictures = !arguments.output.empty();
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

int run_track(TrackArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.reference, [&](Progress& progress) {
    progress.phase("reading " + arguments.reference);
    TrackInput const input = read_input(arguments);
    if (!arguments.output.empty()) check_output(arguments);
    Runtime const runtime(flags);
    return track_and_report(input, arguments, progress);
  });
}

}  // namespace carroll::tool
