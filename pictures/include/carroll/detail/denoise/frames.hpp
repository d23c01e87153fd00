// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/bind.hpp>
#include <carroll/detail/denoise/checks.hpp>
#include <carroll/detail/denoise/memory.hpp>
#include <carroll/detail/denoise/planes.hpp>
#include <cstdint>

namespace carroll::detail {

/// Rows of all frames side by side: frame after frame of row 0, then of row 1, so that rows of
/// blocks stay together in memory.
struct FrameLayout {
  PictureLayout rows;  ///< pitch: of all frames' rows
  int frames = 0;
  KOKKOS_INLINE_FUNCTION std::int64_t of_frame(int frame) const {
    return frame * (rows.pitch / frames);
  }
};

/// places[stack·frames + frame] := the block in that frame.
struct FramePlaces {
  StackProblem problem;
  FrameLayout layout;
  std::int32_t* places;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    places[e] = static_cast<std::int32_t>(problem.reference(e / layout.frames) +
                                          layout.of_frame(static_cast<int>(e % layout.frames)));
  }
};

template <class T>
struct LoadFrames {
  PlanesOfCaller<T const> frames;
  FrameLayout layout;
  PictureState const* state;
  float* current;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    int const width = layout.rows.width, height = layout.rows.height;
    auto const x = static_cast<int>(e % width), y = static_cast<int>(e / width % height);
    auto const frame = static_cast<int>(e / width / height);
    current[layout.rows.at(y, x) + layout.of_frame(frame)] =
        static_cast<float>(scale(static_cast<double>(frames(frame, y, x)), state->exponent));
  }
};

template <class T>
struct StoreFrames {
  PlanesOfCaller<T> frames;
  FrameLayout layout;
  PictureState const* state;
  float const* current;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    int const width = layout.rows.width, height = layout.rows.height;
    auto const x = static_cast<int>(e % width), y = static_cast<int>(e / width % height);
    auto const frame = static_cast<int>(e / width / height);
    float const sample = state->range.bad > 0
                             ? Kokkos::Experimental::quiet_NaN_v<float>
                             : current[layout.rows.at(y, x) + layout.of_frame(frame)];
    frames(frame, y, x) = static_cast<T>(scale(static_cast<double>(sample), -state->exponent));
  }
};

/// Blocks of frames of that size.
inline StackProblem blocks_of_frames(char const* function, int frames, int height, int width,
                                     FrameDenoiseOptions const& options) {
  StackProblem problem = patches_of_plane(height, width, options.patch, options.step, 0);
  problem.rule = ShrinkageRule::optimal;
  problem.members = problem.stride = frames;
  problem.layout.pitch *= frames;
  require_places(function, problem.layout.numbers(), problem.stacks() * frames);
  return problem;
}

/// One call of `denoise_frames`, bound and checked.
template <class ExecSpace, class From, class To>
class FrameDenoiseCall {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

 public:
  FrameDenoiseCall(ExecSpace const& exec, BoundPlanes<From, To> const& bound,
                   StackProblem const& problem, StackMemory<ExecSpace> const& memory,
                   FrameDenoiseOptions const& options)
      : exec_(exec),
        bound_(bound),
        problem_(problem),
        layout_{problem.layout, bound.planes},
        memory_(memory),
        options_(options) {}

  /// Without a fence; *info comes with the result.
  void enqueue(DenoiseInfo* info) {
    bool const empty = bound_.samples() == 0;
    if (!empty) {
      find_state(exec_, bound_, options_.noise, 1, memory_.state);
      set_to_zero(exec_, memory_.current, problem_.layout.numbers());
      Kokkos::parallel_for("carroll::denoise_frames::load", Range(exec_, 0, bound_.samples()),
                           LoadFrames<From>{bound_.from, layout_, memory_.state, memory_.current});
      if (options_.noise > 0) shrink();
      Kokkos::parallel_for("carroll::denoise_frames::store", Range(exec_, 0, bound_.samples()),
                           StoreFrames<To>{bound_.to, layout_, memory_.state, memory_.current});
    }
    write_info(exec_, empty ? nullptr : memory_.state, 1, info);
  }

 private:
  void shrink() {
    Kokkos::parallel_for("carroll::denoise_frames::places",
                         Range(exec_, 0, problem_.stacks() * bound_.planes),
                         FramePlaces{problem_, layout_, memory_.places});
    problem_.noise = &memory_.state->noise;
    problem_.current = memory_.current;
    memory_.add_up(exec_, problem_);
    for (int frame = 0; frame < bound_.planes; ++frame) {
      std::int64_t const at = layout_.of_frame(frame);
      Kokkos::parallel_for("carroll::denoise_frames::mean", Range(exec_, 0, bound_.pixels()),
                           MeanOfEstimates{problem_.layout, problem_.patch, memory_.sums + at,
                                           memory_.hits + at, memory_.current + at});
    }
  }

  ExecSpace exec_;
  BoundPlanes<From, To> bound_;
  StackProblem problem_;
  FrameLayout layout_;
  StackMemory<ExecSpace> memory_;
  FrameDenoiseOptions options_;
};

}  // namespace carroll::detail
