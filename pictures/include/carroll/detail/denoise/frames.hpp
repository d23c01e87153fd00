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
  double scale;
  float* current;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    int const width = layout.rows.width, height = layout.rows.height;
    auto const x = static_cast<int>(e % width), y = static_cast<int>(e / width % height);
    auto const frame = static_cast<int>(e / width / height);
    current[layout.rows.at(y, x) + layout.of_frame(frame)] =
        static_cast<float>(static_cast<double>(frames(frame, y, x)) * scale);
  }
};

template <class T>
struct StoreFrames {
  PlanesOfCaller<T> frames;
  FrameLayout layout;
  double scale;
  float const* current;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    int const width = layout.rows.width, height = layout.rows.height;
    auto const x = static_cast<int>(e % width), y = static_cast<int>(e / width % height);
    auto const frame = static_cast<int>(e / width / height);
    frames(frame, y, x) = static_cast<T>(
        static_cast<double>(current[layout.rows.at(y, x) + layout.of_frame(frame)]) * scale);
  }
};

/// One call of `denoise_frames`, bound and checked.
template <class ExecSpace, class From, class To>
class FrameDenoiseCall {
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

 public:
  FrameDenoiseCall(ExecSpace const& exec, char const* function, BoundPlanes<From, To> const& bound,
                   FrameDenoiseOptions const& options)
      : exec_(exec), bound_(bound), options_(options) {
    problem_ = patches_of_plane(bound.height, bound.width, options.patch, options.step, 0);
    problem_.rule = ShrinkageRule::optimal;
    problem_.members = problem_.stride = bound.planes;
    problem_.layout.pitch *= bound.planes;
    layout_ = {problem_.layout, bound.planes};
    require_places(function, problem_.layout.numbers(), problem_.stacks() * bound.planes);
  }

  DenoiseInfo run() {
    DenoiseInfo info;
    if (samples() == 0) return info;
    SampleRange const range = range_of(exec_, bound_);
    if (range.bad > 0) {
      fill_with_nan(exec_, bound_);
      exec_.fence("carroll::denoise_frames: refused");
      info.status = Status::non_finite;
      return info;
    }
    std::int64_t const numbers = problem_.layout.numbers();
    auto const bytes = allocate_arena(
        exec_, "carroll::denoise_frames::workspace",
        [&](Arena& arena) { memory_.lay_out(arena, exec_, problem_, numbers, numbers); });
    double const scale = picture_scale(range.largest);
    set_to_zero(exec_, memory_.current, numbers);
    Kokkos::parallel_for("carroll::denoise_frames::load", Range(exec_, 0, samples()),
                         LoadFrames<From>{bound_.from, layout_, scale, memory_.current});
    if (options_.noise > 0 && range.largest > 0) {
      shrink(options_.noise * scale);
      info.iterations = 1;
    }
    Kokkos::parallel_for("carroll::denoise_frames::store", Range(exec_, 0, samples()),
                         StoreFrames<To>{bound_.to, layout_, 1 / scale, memory_.current});
    exec_.fence("carroll::denoise_frames: done");
    return info;
  }

 private:
  [[nodiscard]] std::int64_t samples() const { return bound_.planes * bound_.pixels(); }

  void shrink(double noise) {
    Kokkos::parallel_for("carroll::denoise_frames::places",
                         Range(exec_, 0, problem_.stacks() * bound_.planes),
                         FramePlaces{problem_, layout_, memory_.places});
    problem_.noise = static_cast<float>(noise);
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
  FrameDenoiseOptions options_;
  StackProblem problem_;
  FrameLayout layout_;
  StackMemory<ExecSpace> memory_;
};

}  // namespace carroll::detail
