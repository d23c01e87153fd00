// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/bind.hpp>
#include <carroll/detail/denoise/checks.hpp>
#include <carroll/detail/denoise/frames.hpp>
#include <carroll/error.hpp>

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
/// kept. Holds 24 bytes a sample and some more. Bits, fences, status and misuse as of `denoise`.
namespace carroll {

template <ExecutionSpace ExecSpace, class Frames, class Result>
[[nodiscard]] DenoiseInfo denoise_frames(ExecSpace const& exec, Frames const& frames,
                                         Result const& result, FrameDenoiseOptions const& options) {
  static_assert(
      ReadableView<Frames, ExecSpace, 3> && WritableView<Result, ExecSpace, 3>,
      "carroll::denoise_frames: frames and result must be strided Views of float or double, of "
      "rank 3, in memory that the execution space can access, the result writable");
  constexpr char const* function = "carroll::denoise_frames";
  auto const bound = detail::bind_planes(function, frames, result);
  detail::require_usable(function, options);
  detail::FrameDenoiseCall call(exec, function, bound, options);
  return call.run();
}

}  // namespace carroll
