// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/mesh_jacobian/types.hpp>
#include <carroll/status.hpp>
#include <limits>

/// What the kernels of the direct tracker share, by pointers into its workspace.
namespace carroll::detail {

/// Columns of the Jacobian for the motion itself, and with those for the brightness behind them.
KOKKOS_INLINE_FUNCTION constexpr int pose_columns(TrackerMotion motion) {
  return motion == TrackerMotion::ackermann ? 1 : 6;
}
KOKKOS_INLINE_FUNCTION constexpr int motion_columns(TrackerMotion motion) {
  return pose_columns(motion) + 2;
}
/// Numbers that a motion is given by.
KOKKOS_INLINE_FUNCTION constexpr int motion_numbers(TrackerMotion motion) {
  return motion == TrackerMotion::ackermann ? 1 : 12;
}

/// Those, gain and offset.
KOKKOS_INLINE_FUNCTION constexpr int frame_numbers(TrackerMotion motion) {
  return motion_numbers(motion) + 2;
}

/// c of Huber's weights.
inline float tracker_huber(DirectTrackerOptions const& options) {
  return options.huber > 0 ? static_cast<float>(options.huber) : std::numeric_limits<float>::max();
}

inline constexpr int most_levels = 12;
inline constexpr int most_iterations = 1000;

/// A level of the pyramid of an image: floats, rows first, with a column more on either side: the
/// opposite one where the image goes round, else the nearest. NaN where a pixel does not count.
struct TrackerImage {
  float* pixels = nullptr;
  Camera<float> camera;

  KOKKOS_FUNCTION int pitch() const { return camera.width + 2; }
};

/// The mesh and what is kept of its samples. Samples of a level are every `stride`-th of each
/// triangle.
struct TrackerMesh {
  int vertices = 0, triangles = 0, samples = 0;
  int const* corners = nullptr;    ///< 3·T
  float const* inverse = nullptr;  ///< 9·T: V⁻¹ by rows, of each triangle
  int const* offsets = nullptr;    ///< T+1
  float const* rays[3] = {};       ///< s, of the samples
  float const* weights[3] = {};    ///< w
};

/// The reference image as it is sampled on a level.
struct TrackerReference {
  int const* offsets = nullptr;  ///< T+1: rows of the level
  int stride = 1;                ///< from one to the next sample of a row
  float* grey = nullptr;         ///< I*(s); NaN where the image does not reach
  int* seen = nullptr;           ///< rows that it does reach
  float* gradient[3] = {};       ///< ∂I*/∂s, for ESM
};

/// A pose as the rows of the Jacobian need it.
struct TrackerPose {
  float rotation[3][3];  ///< Rᵀ
  float baseline[3];     ///< t̄ = Rᵀt
  float translation[3];  ///< t
  float turn;            ///< 1/√(1 - ρ²/4), of the arc
  float gain, offset;    ///< the current image is expected to be gain·I* + offset
};

/// Grey levels that the current image can show.
struct TrackerLevels {
  float black = -Kokkos::Experimental::infinity_v<float>;
  float white = Kokkos::Experimental::infinity_v<float>;

  KOKKOS_FUNCTION float shown(float grey) const {
    float const up = grey > black ? grey : black;
    return up < white ? up : white;
  }
};

inline TrackerLevels shown_levels(DirectTrackerOptions const& options) {
  return {static_cast<float>(options.black), static_cast<float>(options.white)};
}

/// Which columns of a pass are free, 1 or 0: all others count as zero, so that the step leaves what
/// they stand for as it is.
struct TrackerColumns {
  float turn = 1;  ///< ω of se3
  float way = 1;   ///< v of se3, and ρ
  float depth = 1;
  float brightness = 1;  ///< gain and offset
};

/// What an iteration hands to the next one, in device memory.
struct TrackerState {
  // Motions, with gain and offset behind them: frame_numbers of each.
  double motion[14];        ///< of the trial
  double kept_motion[14];   ///< of the best so far on this level
  double start_motion[14];  ///< of the caller, with the brightness that goes with it
  double saved_motion[14];  ///< of the trial that waits while the start is looked at
  double kept_cost;         ///< mean loss there
  double promised;          ///< by how much the model says that the trial's is less
  double damping;           ///< λ, while a pass is judged
  double growth;            ///< of the damping, should the trial fail
  double initial_cost;      ///< of the start on this level
  double mean_range;        ///< geometric, of the start
  double best_cost;         ///< of a candidate
  double covariance[6][6];  ///< of the last step kept on the finest level, for a mean loss of 1
  int best_samples;
  int kept_samples;
  int compares;          ///< the trial is to be better than what is kept
  int has_best;          ///< a candidate was good for something
  int searched_depths;   ///< which a search over depths has found
  int has_searched;      ///< of this stage: one has been made for it
  int any_cost_will_do;  ///< of this stage: its way is clearly likelier than that of the best one
  int stopped;           ///< nothing more is done for this frame
  int iterations;        ///< so far
  int longest;  ///< magnitude() of the step that was logged last, the largest of all vertices
  TrackerEnd end;
  TrackerPose pose;  ///< of the trial
};

/// Of a pass, as the solver tells it.
KOKKOS_INLINE_FUNCTION double mean_cost(MeshInfo<float> const& info) {
  return info.rows > 0 ? info.cost / static_cast<double>(info.rows) : 0;
}
KOKKOS_INLINE_FUNCTION bool is_finite(MeshInfo<float> const& info) {
  return info.status != Status::non_finite && info.status != Status::overflow;
}
/// Enough of them, and all with numbers.
KOKKOS_INLINE_FUNCTION bool has_rows(MeshInfo<float> const& info, double least) {
  return is_finite(info) && info.rows > 0 && static_cast<double>(info.rows) >= least;
}

/// Triangles with texture, and those of them that the current image shows, too.
enum TrackerCount : int { count_of_textured, count_of_matched, tracker_counts };

/// Which of the images have NaN or infinities: 1, or 0.
enum TrackerFault : int { fault_of_reference, fault_of_current, tracker_faults };

/// Numbers of both kinds, the faults first.
inline constexpr int tracker_flags = int{tracker_faults} + int{tracker_counts};

}  // namespace carroll::detail
