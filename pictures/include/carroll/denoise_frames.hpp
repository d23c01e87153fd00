// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/denoise/types.hpp>
#include <carroll/denoise/workspace.hpp>
#include <carroll/detail/denoise/bind.hpp>

/// Frames of one scene without their white noise: videos, series of magnetic resonance images.
///
///   auto info = carroll::denoise_frames(exec, frames, result, {.noise = 25});
///
///   frames   frames×height×width; read only
///   result   the same extents; overwritten whole
///
/// Strided Views of rank 3, each its own layout, over float or double; they must not overlap.
///
/// The blocks that stand at one place in all frames, less their mean, are a matrix of patch² by
/// `frames` (Casorati), of low rank where what changes does so in few ways. Its singular values are
/// shrunk by what is best for the Frobenius norm in white noise (Gavish and Donoho 2017): to 0 up
/// to the edge of Marchenko and Pastur's law, (1 + √β)·noise·√(larger extent). Blocks overlap;
/// pixels are the means of all estimates of them. Nothing is known of motion: it must be slow, or
/// periodic.
///
/// One pass: m·n² + 4/3·n³ + 4·m·n·r + 2·n²·r flops for each block, n = patch², m frames, r values
/// kept. Bits, status and misuse as of `denoise`.
namespace carroll {

namespace detail {

template <class ExecSpace, class Frames, class Result>
consteval void assert_frame_views() {
  static_assert(
      ReadableView<Frames, ExecSpace, 3> && WritableView<Result, ExecSpace, 3>,
      "carroll::denoise_frames: frames and result must be strided Views of float or double, of "
      "rank 3, in memory that the execution space can access, the result writable");
}

}  // namespace detail

/// Enqueues it all on `exec` and returns: never fences, allocates nothing; as `denoise_async`.
template <ExecutionSpace ExecSpace, class Frames, class Result, class InfoView>
void denoise_frames_async(ExecSpace const& exec, Frames const& frames, Result const& result,
                          InfoView const& info, FrameDenoiseWorkspace<ExecSpace> const& workspace) {
  detail::assert_frame_views<ExecSpace, Frames, Result>();
  static_assert(detail::is_info_view<InfoView, ExecSpace, DenoiseInfo, 0>,
                "carroll::denoise_frames_async: info must be a View of DenoiseInfo of rank 0 in "
                "memory that the execution space can access, writable");
  constexpr char const* function = "carroll::denoise_frames_async";
  detail::DenoiseAccess::enqueue(function, exec, detail::bind_planes(function, frames, result),
                                 info.data(), workspace);
}

/// With a workspace that was made for so many frames of this size: allocates nothing, and fences
/// `exec` once, to return the info.
template <ExecutionSpace ExecSpace, class Frames, class Result>
[[nodiscard]] DenoiseInfo denoise_frames(ExecSpace const& exec, Frames const& frames,
                                         Result const& result,
                                         FrameDenoiseWorkspace<ExecSpace> const& workspace) {
  detail::assert_frame_views<ExecSpace, Frames, Result>();
  constexpr char const* function = "carroll::denoise_frames";
  using Access = detail::DenoiseAccess;
  auto const bound = detail::bind_planes(function, frames, result);
  Access::enqueue(function, exec, bound, Access::info(workspace), workspace);
  return Access::fetch(exec, "carroll::denoise_frames: info", workspace);
}

/// The same without a workspace: allocates one, and frees it, for which Kokkos waits for the whole
/// device on CUDA.
template <ExecutionSpace ExecSpace, class Frames, class Result>
[[nodiscard]] DenoiseInfo denoise_frames(ExecSpace const& exec, Frames const& frames,
                                         Result const& result, FrameDenoiseOptions const& options) {
  detail::assert_frame_views<ExecSpace, Frames, Result>();
  constexpr char const* function = "carroll::denoise_frames";
  auto const bound = detail::bind_planes(function, frames, result);  // before memory is asked for
  return denoise_frames(exec, frames, result,
                        detail::DenoiseAccess::make(exec, function, bound.planes, bound.height,
                                                    bound.width, options));
}

}  // namespace carroll
