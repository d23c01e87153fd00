// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <limits>
#include <string_view>

namespace carroll {

/// How the camera moves between the reference and the current image.
enum class TrackerMotion : int {
  /// A vehicle on a plane that turns about a point of its rear axle: an arc of radius r whose chord
  /// has length 1. One parameter, ρ = 1/r, |ρ| < 2, positive to the left. State: 1 number, ρ.
  ackermann,
  /// Any motion. State: 12 numbers, the rows of [R | t], the pose of the current camera in the
  /// reference camera's axes, X_reference = R·X_current + t. The scale, of which images tell
  /// nothing,
  /// stays that of the starting depths: the geometric mean of the inverse depths is kept.
  se3,
};

/// The Jacobian of the photometric residual.
enum class TrackerMethod : int {
  /// The gradient of the current image where the sample is seen.
  gauss_newton,
  /// Efficient second-order minimisation (Malis 2004): the mean of that gradient and the reference
  /// image's, carried over; the finest level of the pyramid is left to gauss_newton, because depths
  /// are no group and ESM is only nearly of second order in them.
  esm,
};

/// Why a tracker stopped.
enum class TrackerEnd : int {
  converged,           ///< gains on the finest level are below the tolerance
  iteration_limit,     ///< all iterations are used up; the state is the best found
  diverged,            ///< on the finest level nothing that was found is better than the start
  too_little_overlap,  ///< less than min_valid of the samples are in the current image
  no_texture,          ///< hardly a triangle of the reference has grey levels that differ
  unexplained,         ///< less than min_matched of the others look as they did: see info
  ambiguous,           ///< the images leave turn or way open: see info's deviations
  non_finite,          ///< NaN or infinities in images or state, or ζ <= 0; the state is NaN
};

/// The enumerator's name, as it is printed in reports and JSON.
[[nodiscard]] constexpr std::string_view to_string(TrackerEnd end) noexcept {
  switch (end) {
    case TrackerEnd::converged: return "converged";
    case TrackerEnd::iteration_limit: return "iteration_limit";
    case TrackerEnd::diverged: return "diverged";
    case TrackerEnd::too_little_overlap: return "too_little_overlap";
    case TrackerEnd::no_texture: return "no_texture";
    case TrackerEnd::unexplained: return "unexplained";
    case TrackerEnd::ambiguous: return "ambiguous";
    case TrackerEnd::non_finite: return "non_finite";
  }
  return "unknown";
}

struct DirectTrackerOptions {
  TrackerMotion motion = TrackerMotion::ackermann;
  TrackerMethod method = TrackerMethod::esm;
  /// Of the pyramid; level 0 is the image itself. 0: as many as the image can be halved, at most 7,
  /// while 16 rows are left.
  int levels = 0;
  /// Passes over the samples in all, more of them on coarse levels; at least two per level.
  int iterations = 30;
  /// c of Huber's weight min(1, c/|r|), in grey levels; 0: no weights.
  double huber = 10;
  /// Levenberg and Marquardt's μ at the start of each level: a step x costs μ‖x‖², in grey levels
  /// squared. Textured vertices have 1e4 to 1e6 on the diagonal of JᵀJ.
  double damping = 100;
  /// τ: neighbouring vertices cost τ(ξᵢ - ξⱼ)², ξ = log ζ, in grey levels squared; half of it on
  /// each coarser level, which has fewer samples. Holds depths that the images do not tell, at the
  /// price of rounded edges; more of it makes depths more equal than they are, and bends the motion
  /// until they can be.
  double smoothness = 2000;
  /// δ of se3: on the two finest levels an edge costs τδ²·log(1 + d²/δ²) for d = ξᵢ - ξⱼ, so that
  /// depths may jump where the scene does. Squares are dearest there, and a turn with a way to the
  /// side makes all depths more equal at once. 0: τd² on these, too.
  double smoothness_scale = 0.15;
  /// A step changes no ξ by more than this.
  double max_log_depth_step = 0.5;
  /// Share of the samples the reference image has that the current one must have, too.
  double min_valid = 0.25;
  /// A level ends when the model promises a gain of less than this share of the cost.
  double tolerance = 1e-4;
  /// Share of the triangles with texture that must look in the end as they did in the reference.
  double min_matched = 0.5;
  /// How uncertain the turn, and the direction of the way, may be, in radians.
  double max_turn_deviation = 0.02;
  double max_way_deviation = 0.2;
  /// Gain and offset of the current image against the reference are found with the motion.
  bool brightness = true;
  /// The darkest and the brightest level that the current image can show: what gain and offset send
  /// beyond them is expected to look like them, as an exposure cuts it off.
  double black = -std::numeric_limits<double>::infinity();
  double white = std::numeric_limits<double>::infinity();
  /// The depths of the start are good to a fifth or so, as those of the frame before are: levels
  /// with less than 16 pixels a vertex, too few to tell depths, leave them as they are and find the
  /// motion alone. Depths of which nothing is known need those levels to be found at all.
  bool known_depths = false;
  /// se3: ways along the axes are tried on the coarsest levels, besides the start, and where the
  /// cost is least the finer levels go on. For a motion of which nothing is known; takes 175 passes
  /// more, over few samples.
  bool search = false;
  /// A search goes on over depths, where they are not known: along the epipolar lines of the way
  /// that was found, and of ways up to 24° beside it, each vertex tries 32 inverse depths, whatever
  /// the exposure; four times, each followed by nine passes. What is near, such as a road, may else
  /// end in a wrong place. See docs/tracking/direct-tracker.md for what that takes.
  bool search_depths = true;
};

/// One iteration, for the log.
struct DirectTrackerIteration {
  int level = 0;
  int accepted = 0;           ///< 1 if the state of this iteration was kept, 0 if it was taken back
  int valid_samples = 0;      ///< seen in the current image
  int solver_iterations = 0;  ///< 0 of a pass that holds the depths
  double cost = 0;            ///< mean of Huber's loss over the valid samples, grey levels squared
  double gradient = 0;        ///< of the cost by the motion, its Euclidean norm
  double damping = 0;         ///< μ of the step that starts here
  double step = 0;            ///< the largest |ξ̃| of that step
};

/// How a frame was tracked.
struct DirectTrackerInfo {
  /// success: converged, or at the iteration limit, and the current image is explained; non_finite;
  /// not_converged: all other ends.
  Status status = Status::success;
  TrackerEnd end = TrackerEnd::converged;
  int iterations = 0;       ///< entries of the log
  int valid_samples = 0;    ///< at the end
  double initial_cost = 0;  ///< of the start, on the finest level that was begun
  double cost = 0;          ///< there at the end: mean loss, grey levels squared, not above it
  /// With grey levels that differ in the reference, and those of them whose grey levels in the
  /// current image are correlated with that (0.8 or more).
  int textured_triangles = 0, matched_triangles = 0;
  /// What the search over depths found was better than what was found without.
  bool searched_depths = false;
  /// The current image is gain times the reference, plus offset.
  double gain = 1, offset = 0;
  /// Of the motion's last step, beside free depths and brightness: of (ω, v), which turn and move
  /// the current camera along its own axes, by R·exp[ω]ₓ and t + R·v; of an arc, of ρ alone, the
  /// first entry. The mean loss times the inverse of the normal matrix: what noise of that size
  /// does, if it is another one from sample to sample. In pictures it is not: errors are larger.
  /// The length of the way is the scale's, of which it knows nothing. 0 before a step is kept.
  double covariance[6][6] = {};
  /// Standard deviations in radians that follow: of the turn, and of the direction of the way,
  /// infinite where that has no length.
  double turn_deviation = 0, way_deviation = 0;
};

/// Shape of a tracking problem.
struct DirectTrackerExtents {
  std::int64_t vertices = 0;   ///< M
  std::int64_t triangles = 0;  ///< T
  std::int64_t samples = 0;    ///< N
};

/// An image with pixels that are not to be looked at, in place of an image: of what moves by
/// itself, of the vehicle that the camera is on, or of a lens that does not fill it. Both
/// height×width; a mask is a strided View of float or std::uint8_t, 0 where the pixel does not
/// count: its grey level may be anything, NaN as well. Samples that would be interpolated from it
/// do not count either.
template <class ImageView, class MaskView>
struct MaskedImage {
  ImageView image;
  MaskView mask;
};

template <class I, class M>
MaskedImage(I, M) -> MaskedImage<I, M>;

/// What is tracked, start and result: Views that kernels can read and write.
template <class MotionView, class DepthView>
struct DirectTrackerState {
  MotionView motion;        ///< of double: 1 (ackermann: ρ) or 12 numbers (se3: rows of [R | t])
  DepthView inverse_depth;  ///< of float or double: ζ > 0 of the M vertices, 1/range
};

template <class M, class D>
DirectTrackerState(M, D) -> DirectTrackerState<M, D>;

}  // namespace carroll
