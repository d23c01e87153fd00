// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <utility>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* track_footer =
    R"(Finds the motion of the camera from the first picture to the second, and the
depth of the scene, by aligning their grey levels: no features are matched. The
depths are those of corners of the reference; their triangles are flat.

Input: two pictures of the same size, REFERENCE and CURRENT, PNG (1 to 16 bits,
grey or colour) or JPEG, and the camera as a JSON object: {"model":
"equirectangular", "width": W, "height": H} for the whole sphere, "model":
"unified" and fx, fy, cx, cy and chi, too, or, of lenses with distortion,
"radial_tangential" with fx, fy, cx, cy, k1, k2, p1, p2 and k3 or
"kannala_brandt" with fx, fy, cx, cy, k1, k2, k3 and k4; or as a calibration
file of KITTI, EuRoC, Kalibr (YAML) or TUM (a line fx fy cx cy k1 k2 p1 p2 k3).
Pictures of lenses are rectified first; directions and distances remain right.
The scale of motion and depth is not in the pictures: --baseline sets it. With
--motion se3 and without --baseline it stays that of --start.

A sequence is three pictures or more, a directory of them (in the order of their
names) or a text with a name in each line, after a time or not. Each step begins
with the depths and the motion of the step before. Times are the text's, or
those that names are (seconds, or 16 digits and more in nanoseconds), or 0, 1,
2 and so on. With --window K pictures from before the reference see its depths
again: these get better, and so does the step before, which is told so.

Output with -o PREFIX, for M vertices:
  PREFIX_vertices.npy  M x 3  their directions: x forward, y left, z up
  PREFIX_depth.npy     M      their distance from the reference camera
  PREFIX_depth.ply     M      places in the same axes, with grey levels, and the
                              triangles between them: binary PLY
  PREFIX_depth.png     distance as colour: near is red, far is blue
  PREFIX_residual.png  current minus reference, before (above) and after (below)
                       tracking: white is none, red above, blue below
and with --dense, for pictures of H rows and W columns as they are given:
  PREFIX_dense.npy     H x W  distance of every pixel, on the plane of its
                              triangle; NaN outside the mesh
  PREFIX_dense.png     depth along the axis (of whole spheres distance): 16
                       bits, --depth-scale levels in a unit of length; 0 outside
                       the mesh, to the side, and where 16 bits do not reach
Both are starts (--start), as PREFIX_depth.npy and PREFIX_depth.ply are.
All of them appear or none. With status non_finite none is written. Of a
sequence one file, the trajectory as TUM's data sets have it:
  PREFIX_trajectory.txt  time, place and quaternion of each picture in the axes
                         of the first (right, down, forward)

Output with --json, one object: status, end (converged, iteration_limit,
diverged, too_little_overlap, no_texture, unexplained, ambiguous or non_finite),
motion,
rho (chord over radius; null with se3), heading_degrees (to the left), rotation
and translation (of the current camera in the axes of the reference), vertices,
triangles, samples, valid_samples (seen in the current picture), precision,
backend, method, initial_cost and cost (mean of Huber's loss at full size, of
start and result, grey levels squared), textured_triangles, matched_triangles
(those of them that the current picture shows as the reference does), gain and
offset (of the current picture's brightness), turn_deviation_degrees and
way_deviation_degrees (standard deviations by the noise of samples alone),
searched_depths (whether the search over depths found what was better),
iterations (level, accepted, valid_samples, solver_iterations, cost, damping),
setup_seconds (mesh and reference), seconds (of tracking) and
seconds_per_iteration. Of a sequence: status, frames, lost (steps without
success), motion, precision, backend, method, window, steps (picture, status,
end, again, window, rotation, translation, gain, offset, textured_triangles,
matched_triangles, cost, setup_seconds, seconds), errors (against --truth, in
its lengths: poses, length, scale, ate, rotation_rms_degrees,
rotation_median_degrees, translation_rms, direction_median_degrees, drift; else
null) and seconds.
Numbers that are not finite become null.

Status: success; not_converged (no step lowers the cost, too little of the
reference is seen, it has no texture, what is seen is something else, or leaves
the motion open); non_finite; of a sequence that of the first step that is lost.
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll synth-sequence room
  carroll track room/frame_0000.png room/frame_0001.png \
    --camera room/camera.json --baseline 0.1 -o room/track
  carroll track image_l --camera calib.txt --motion se3 --truth poses.txt -o x)";

bool is_number(std::string const& word) {
  double value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size();
}

void add_track_options(CommandOptions& options, TrackArguments& track) {
  options.operands("PICTURES", track.pictures,
                   "The picture that depth is found for, and the one that\n"
                   "the camera takes afterwards; or a sequence");
  options.text("--camera", track.camera, "FILE",
               "Camera of all pictures, JSON or a calibration (has to\n"
               "be given)");
  options.one_of({"ackermann", "se3"}, "--motion", track.motion, "M",
                 "ackermann (default): an arc in the plane\n"
                 "se3: any motion");
  options.whole_number_from_one("--vertices", track.vertices, "M",
                                "Number of depths (default: 1000)");
  options.whole_number_from_one("--samples", track.samples, "N",
                                "Number of points that are compared (default: 120000)");
  options.whole_number_from_one("--iterations", track.iterations, "K",
                                "Passes over the samples at most (default: 30, or 60\n"
                                "with se3, besides those that try ways)");
  options.one_of({"gauss_newton", "esm"}, "--method", track.method, "J",
                 "esm (default): mean of both pictures' gradients at\n"
                 "coarse levels, which reaches farther\n"
                 "gauss_newton: gradient of the current picture alone");
  options.positive_number("--baseline", track.baseline, "B", "1e9",
                          "Length of the way between the pictures, the unit of\n"
                          "all lengths (default: 1; with se3, that of --start)");
  options.text("--start", track.start, "D",
               "Distances to start with: a number for all of them, or\n"
               "a .npy file, height x width, or PREFIX_depth.npy of a\n"
               "track before, or points in space, PLY, such as its\n"
               "PREFIX_depth.ply, or a PNG picture of 16 bits with\n"
               "depths along the axis (default: 30 baselines); those\n"
               "of a file stay, with --start-motion, until pictures\n"
               "are fine enough to tell them");
  options.positive_number("--depth-scale", track.depth_scale, "S", "1e9",
                          "Levels of that picture, and of PREFIX_dense.png, in a\n"
                          "unit of length (default: 1000; TUM's have 5000)");
  options.text("--start-motion", track.start_motion, "S",
               "Motion to start with: still, forward, or the JSON file\n"
               "of a track before (default: none, and with se3 several\n"
               "ways are tried)");
  options.flag("--no-depth-search", track.keep_depths,
               "Without --start-motion and with se3, try no depths\n"
               "along the epipolar lines of the ways (default: they\n"
               "are tried, in a second on a core of a host)");
  options.text("--mask", track.mask, "FILE",
               "Picture: 0 where the reference is not to be looked at");
  options.text("--mask-current", track.current_mask, "FILE",
               "The same for the current picture; of a sequence for\n"
               "all of them but the first");
  options.flag("--mask-clipped", track.mask_clipped,
               "Nor is the current picture looked at where it is black\n"
               "or white, cut off by its exposure");
  options.text("--vignette", track.vignette, "FILE",
               "Picture of the light that the lens lets through, by\n"
               "which pictures are divided: its brightest pixel is 1");
  options.text("--truth", track.truth, "FILE",
               "Of a sequence the true poses, lines of TUM or KITTI,\n"
               "or EuRoC's data.csv: errors are told");
  options.whole_number_from_one("--window", track.window, "K",
                                "With se3, of a sequence: pictures that a step is found\n"
                                "from besides its reference, 1 to 8: the next one\n"
                                "(default: 1) and K - 1 before");
  options.flag("--dense", track.dense,
               "Write the depths of all pixels, too: PREFIX_dense.npy\n"
               "and PREFIX_dense.png");
  options.precision(track.precision, "(default: single)");
  options.output_prefix(track.output, "Write PREFIX_depth.npy and so on");
  options.json(track.json);
}

void check_track_options(CommandOptions const& options, TrackArguments& track) {
  for (auto const& name : track.pictures)
    if (name.empty()) throw UsageError("PICTURES: the name of a file is empty");
  if (track.pictures.size() == 2) {
    track.reference = track.pictures[0];
    track.current = track.pictures[1];
    for (char const* const name : {"--truth", "--window"})
      if (options.given(name))
        throw UsageError(std::string(name) + ": two pictures are no sequence");
  }
  if (track.window > 8)
    throw UsageError("--window: '" + std::to_string(track.window) + "' is not from 1 to 8");
  if (track.window > 1 && track.motion != "se3")
    throw UsageError(
        "--window needs --motion se3: with ackermann every step is one --baseline long");
  if (track.dense && track.pictures.size() != 2)
    throw UsageError("--dense has no meaning for a sequence");
  if (track.camera.empty())
    throw UsageError("--camera: the camera's file has to be given (see carroll track --help)");
  if (track.vertices < 3) throw UsageError("--vertices: a mesh has at least 3 of them");
  if (track.iterations && (*track.iterations < 2 || *track.iterations > 1000)) {
    throw UsageError("--iterations: '" + std::to_string(*track.iterations) +
                     "' is not from 2 to 1000");
  }
  for (auto const& [name, word] :
       {std::pair{"--start", &track.start}, std::pair{"--start-motion", &track.start_motion},
        std::pair{"--mask", &track.mask}, std::pair{"--mask-current", &track.current_mask},
        std::pair{"--vignette", &track.vignette}, std::pair{"--truth", &track.truth}})
    if (options.given(name) && word->empty()) throw UsageError(std::string(name) + ": is empty");
  if (is_number(track.start) && !(std::stod(track.start) > 0 && std::stod(track.start) <= 1e12)) {
    throw UsageError("--start: '" + track.start + "' is not a number above 0, at most 1e12");
  }
  check_output_prefix(options, track.output);
  if (track.dense && track.output.empty())
    throw UsageError("--dense needs -o: the depths of all pixels go to files");
}

}  // namespace

CommandLine track_command_line() {
  return command_line(Command::track, "track", "REFERENCE CURRENT | DIRECTORY | LIST",
                      "Motion and depth from pictures", track_footer, &Arguments::track,
                      add_track_options, check_track_options);
}

}  // namespace carroll::tool
