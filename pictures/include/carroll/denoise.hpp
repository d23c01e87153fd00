// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/denoise/types.hpp>
#include <carroll/denoise/workspace.hpp>
#include <carroll/detail/denoise/bind.hpp>

/// Pictures without their white noise, by stacks of similar patches of low rank.
///
///   auto noise = carroll::estimate_noise(exec, picture);             // carroll/noise.hpp
///   auto info = carroll::denoise(exec, picture, result, carroll::denoise_options(noise.noise));
///
///   picture   height×width, or planes×height×width with up to 8 planes, of colour or else, that
///             have the same noise; read only
///   result    the same extents; overwritten whole
///
/// Views of rank 2 or 3 in any strided layout, each its own, over float or double; they must not
/// overlap. Everything between is in single precision, of numbers scaled to 2^8.
///
/// Weighted nuclear norm minimisation (Gu, Zhang, Zuo and Feng, CVPR 2014). In each iteration part
/// of what was removed comes back; every second one looks for each reference patch, `step` pixels
/// apart, for the patches of a window that are nearest to it; each such stack less its mean patch,
/// a matrix Y of rows of patch² pixels, becomes the Ŷ that minimises ‖Y − Ŷ‖²/τ² + Σ w_i·σ_i(Ŷ)
/// with weights w_i = 2c·√members/σ_i(Ŷ), in closed form; pixels are the means of all estimates of
/// them. Planes are first made independent by an orthonormal transform; patches are compared in
/// their mean. Singular values and vectors come from YᵀY, whose small eigenvalues, which it has not
/// to full accuracy, are below the threshold: only those above are computed.
///
/// Work for each reference and iteration, of m members and n = patch² pixels, of which r singular
/// values stay: m·n² + 4/3·n³ + 4·m·n·r + 2·n²·r flops; for each search (2·window + 1)² times
/// 3·patch·min(step, patch) flops on hosts and 3·n on devices.
///
/// Estimates are added as whole multiples of 2^-12 of the scaled numbers, which every order adds
/// alike: the same bits for any number of threads. A picture that is not finite has
/// Status::non_finite, and the result is NaN. Misuse throws std::invalid_argument before anything
/// is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class Picture, class Result>
consteval void assert_denoise_views() {
  static_assert(
      ReadableView<Picture, ExecSpace, 2> || ReadableView<Picture, ExecSpace, 3>,
      "carroll::denoise: picture must be a strided View of float or double, of rank 2 or 3, in "
      "memory that the execution space can access");
  static_assert(
      WritableView<Result, ExecSpace, int(Picture::rank)>,
      "carroll::denoise: result must be a writable strided View of float or double, of the "
      "picture's rank, in memory that the execution space can access");
}

struct NoProgress {
  void operator()(int, int) const {}
};

}  // namespace detail

/// Enqueues it all on `exec` and returns; `result` and `info`, a View of DenoiseInfo of rank 0 that
/// kernels can write, may be read by later work on the same instance. Never fences, allocates
/// nothing; Kokkos itself may enlarge what it keeps for an instance at the first call. `workspace`
/// must have been made for pictures of this size, and live, unused by others, until the work is
/// done.
template <ExecutionSpace ExecSpace, class Picture, class Result, class InfoView>
void denoise_async(ExecSpace const& exec, Picture const& picture, Result const& result,
                   InfoView const& info, DenoiseWorkspace<ExecSpace> const& workspace) {
  detail::assert_denoise_views<ExecSpace, Picture, Result>();
  static_assert(detail::is_info_view<InfoView, ExecSpace, DenoiseInfo, 0>,
                "carroll::denoise_async: info must be a View of DenoiseInfo of rank 0 in memory "
                "that the execution space can access, writable");
  constexpr char const* function = "carroll::denoise_async";
  detail::DenoiseAccess::enqueue(function, exec, detail::bind_planes(function, picture, result),
                                 info.data(), workspace, detail::NoProgress{});
}

/// With a workspace that was made for pictures of this size: allocates nothing, and fences `exec`
/// once, to return the info. `progress`(iterations done, iterations) is called after each has been
/// enqueued.
template <ExecutionSpace ExecSpace, class Picture, class Result,
          class Progress = detail::NoProgress>
[[nodiscard]] DenoiseInfo denoise(ExecSpace const& exec, Picture const& picture,
                                  Result const& result,
                                  DenoiseWorkspace<ExecSpace> const& workspace,
                                  Progress const& progress = {}) {
  detail::assert_denoise_views<ExecSpace, Picture, Result>();
  constexpr char const* function = "carroll::denoise";
  using Access = detail::DenoiseAccess;
  auto const bound = detail::bind_planes(function, picture, result);
  Access::enqueue(function, exec, bound, Access::info(workspace), workspace, progress);
  return Access::fetch(exec, "carroll::denoise: info", workspace);
}

/// The same without a workspace: allocates one, and frees it, for which Kokkos waits for the whole
/// device on CUDA.
template <ExecutionSpace ExecSpace, class Picture, class Result,
          class Progress = detail::NoProgress>
[[nodiscard]] DenoiseInfo denoise(ExecSpace const& exec, Picture const& picture,
                                  Result const& result, DenoiseOptions const& options,
                                  Progress const& progress = {}) {
  detail::assert_denoise_views<ExecSpace, Picture, Result>();
  constexpr char const* function = "carroll::denoise";
  auto const bound = detail::bind_planes(function, picture, result);  // before memory is asked for
  return denoise(
      exec, picture, result,
      detail::DenoiseAccess::make(exec, function, bound.planes, bound.height, bound.width, options),
      progress);
}

}  // namespace carroll
