// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/camera/camera_file.hpp"
#include "files/host_matrix.hpp"
#include "files/picture.hpp"
#include "progress.hpp"
#include "tracking/sequence/poses.hpp"

namespace carroll::tool {

/// A picture from before the reference: with windows what it shows of the depths counts, too.
struct TrackWitness {
  GreyPicture picture;
  std::optional<GreyPicture> mask;  ///< 0: not to be looked at
  Pose pose;                        ///< in the reference's axes, in the unit of ranges
};

/// Two pictures and what is known of them. This header leaves Kokkos out.
struct TrackInput {
  CameraParameters camera;  ///< of the pictures as they are, with its distortion
  GreyPicture reference;
  GreyPicture current;
  std::optional<GreyPicture> mask;          ///< of the reference; 0: not to be looked at
  std::optional<GreyPicture> current_mask;  ///< and of the current picture
  /// Height x width, or M x 1 in the M x 3 start_directions.
  std::optional<HostMatrix<float>> start_ranges;
  std::optional<HostMatrix<float>> start_directions;
  bool start_along_axis = false;        ///< of height x width: distances in front of the camera
  double start_range = 0;               ///< everywhere, without start_ranges
  std::vector<double> start_motion;     ///< of the tracker's kind, in baselines; empty: its own
  std::vector<TrackWitness> witnesses;  ///< in space, the latest first
  double baseline = 1;          ///< length of the way between the pictures, the unit of ranges
  bool baseline_known = false;  ///< in space: the scale is its, not that of the start's ranges
};

struct TrackWishes {
  bool se3 = false;
  bool esm = false;
  bool search_depths = true;
  int vertices = 1000;
  int samples = 120'000;
  int iterations = 30;
  Precision precision = Precision::single_precision;
  bool pictures = false;      ///< make depth_picture and residual_picture
  bool dense = false;         ///< and `dense`
  double depth_scale = 1000;  ///< levels of its picture in a unit of length
  std::string phase_prefix;   ///< of what is told of the progress
};

/// One pass over the samples.
struct TrackIteration {
  int level = 0;
  bool accepted = false;
  int valid_samples = 0;
  int solver_iterations = 0;
  double cost = 0;
  double damping = 0;
};

struct TrackSummary {
  std::string status;
  std::string end;
  std::string backend;
  std::optional<double> rho;                        ///< of planar motion
  double heading_degrees = 0;                       ///< to the left, of the current x axis
  std::array<std::array<double, 3>, 3> rotation{};  ///< the current camera's axes in columns
  std::array<double, 3> translation{};              ///< in the unit of the baseline
  std::int64_t vertices = 0, triangles = 0, samples = 0;
  int valid_samples = 0;
  double initial_cost = 0, cost = 0;
  int textured_triangles = 0, matched_triangles = 0;
  bool searched_depths = false;                  ///< found by the search over depths
  double gain = 1, offset = 0;                   ///< of the current picture against the reference
  double turn_deviation = 0, way_deviation = 0;  ///< standard deviations, rad
  std::vector<TrackIteration> iterations;
  double setup_seconds = 0;  ///< mesh, workspace and reference
  double seconds = 0;        ///< tracking alone
};

/// Of all pixels of the reference as it was read.
struct DenseDepths {
  std::vector<float> ranges;  ///< distance, row after row; NaN outside the mesh
  SamplePicture picture;      ///< 16 bits, along the axis, of a whole sphere distance; 0: none
};

struct TrackOutput {
  TrackSummary summary;
  std::vector<Pose> witnesses;     ///< of the input's, as the window has them; none without one
  HostMatrix<double> vertices;     ///< M x 3 unit rays
  std::vector<double> depth;       ///< range of each vertex, in the unit of the baseline
  std::vector<double> start;       ///< and what it began with
  std::vector<std::uint8_t> grey;  ///< of the reference at each vertex
  std::vector<std::array<std::int32_t, 3>> triangles;
  BytePicture depth_picture;     ///< colour: near is red, far is blue
  BytePicture residual_picture;  ///< above with the start, below with the result
  DenseDepths dense;
};

/// Tracks the current picture against the reference. std::invalid_argument where the picture has
/// too little to look at. Needs a Runtime.
[[nodiscard]] TrackOutput track(TrackInput const& input, TrackWishes const& wishes,
                                Progress& progress);

}  // namespace carroll::tool
