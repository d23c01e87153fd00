// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/bind.hpp>
#include <carroll/detail/denoise/checks.hpp>
#include <carroll/detail/denoise/driver.hpp>
#include <carroll/detail/denoise/frames.hpp>
#include <carroll/detail/denoise/memory.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll {

namespace detail {

struct DenoiseAccess;

/// What the workspaces of `denoise` and `denoise_frames` are.
template <class ExecSpace, class Options>
class StackWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  [[nodiscard]] Options const& options() const { return options_; }
  [[nodiscard]] int height() const { return problem_.layout.height; }
  [[nodiscard]] int width() const { return problem_.layout.width; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 protected:
  int planes_ = -1;  ///< a workspace that nobody made fits no call

 private:
  friend struct DenoiseAccess;

  Options options_;
  StackProblem problem_;
  StackMemory<ExecSpace> memory_;
  CallInfos<ExecSpace, DenoiseInfo> infos_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
};

}  // namespace detail

/// What `denoise` needs besides pictures, made by `denoise_workspace` for pictures of one size and
/// for options. Calls that are given one allocate nothing. One call at a time may use it; copies
/// share the memory.
template <class ExecSpace>
class DenoiseWorkspace : public detail::StackWorkspace<ExecSpace, DenoiseOptions> {
 public:
  [[nodiscard]] int planes() const { return this->planes_; }
};

/// The same for `denoise_frames`, made by `denoise_frames_workspace`.
template <class ExecSpace>
class FrameDenoiseWorkspace : public detail::StackWorkspace<ExecSpace, FrameDenoiseOptions> {
 public:
  [[nodiscard]] int frames() const { return this->planes_; }
};

namespace detail {

struct DenoiseAccess {
  template <class ExecSpace>
  static DenoiseWorkspace<ExecSpace> make(ExecSpace const& exec, char const* function, int planes,
                                          int height, int width, DenoiseOptions const& options) {
    require_usable(function, options);
    require_planes(function, planes);
    StackProblem problem =
        patches_of_plane(height, width, options.patch, options.step, options.window);
    require_places(function, problem.layout.numbers(), problem.stacks());
    problem.stride = members_at_most(problem, options.members);
    problem.weight = static_cast<float>(options.weight);
    DenoiseWorkspace<ExecSpace> workspace;
    workspace.options_ = options;
    std::int64_t const numbers = problem.layout.numbers();
    allocate(exec, "carroll::denoise::workspace", workspace, planes, problem, planes * numbers,
             numbers);
    return workspace;
  }
  template <class ExecSpace>
  static FrameDenoiseWorkspace<ExecSpace> make(ExecSpace const& exec, char const* function,
                                               int frames, int height, int width,
                                               FrameDenoiseOptions const& options) {
    require_usable(function, options);
    auto const problem = blocks_of_frames(function, frames, height, width, options);
    FrameDenoiseWorkspace<ExecSpace> workspace;
    workspace.options_ = options;
    std::int64_t const numbers = problem.layout.numbers();
    allocate(exec, "carroll::denoise_frames::workspace", workspace, frames, problem, numbers,
             numbers);
    return workspace;
  }

  /// Enqueues the call that is bound, for pictures of the workspace's size.
  template <class ExecSpace, class From, class To, class Progress>
  static void enqueue(char const* function, ExecSpace const& exec,
                      BoundPlanes<From, To> const& bound, DenoiseInfo* info,
                      DenoiseWorkspace<ExecSpace> const& w, Progress const& progress) {
    require_size_of(function, "picture", bound, w);
    DenoiseCall(exec, bound, w.problem_, w.memory_, w.options_).enqueue(info, progress);
  }
  template <class ExecSpace, class From, class To>
  static void enqueue(char const* function, ExecSpace const& exec,
                      BoundPlanes<From, To> const& bound, DenoiseInfo* info,
                      FrameDenoiseWorkspace<ExecSpace> const& w) {
    require_size_of(function, "frames", bound, w);
    FrameDenoiseCall(exec, bound, w.problem_, w.memory_, w.options_).enqueue(info);
  }

  /// Where a call leaves its info for the host.
  template <class Workspace>
  static DenoiseInfo* info(Workspace const& workspace) {
    return workspace.infos_.data();
  }
  /// The info of the call before. Fences the instance once.
  template <class ExecSpace, class Workspace>
  static DenoiseInfo fetch(ExecSpace const& exec, char const* label, Workspace const& workspace) {
    return workspace.infos_.fetch(exec, label).front();
  }

 private:
  template <class ExecSpace, class Workspace>
  static void allocate(ExecSpace const& exec, char const* label, Workspace& workspace, int planes,
                       StackProblem const& problem, std::int64_t all, std::int64_t summed) {
    workspace.planes_ = planes;
    workspace.problem_ = problem;
    workspace.infos_.allocate_host("carroll::denoise::info", 1);
    workspace.bytes_ = allocate_arena(exec, label, [&](Arena& arena) {
      workspace.memory_.lay_out(arena, exec, problem, all, summed);
      workspace.infos_.lay_out(arena, 1);
    });
  }

  template <class From, class To, class Workspace>
  static void require_size_of(char const* function, char const* name,
                              BoundPlanes<From, To> const& bound, Workspace const& workspace) {
    auto const whole = [](int extent) { return static_cast<long long>(extent); };
    require_extents(
        function, name, {whole(bound.planes), whole(bound.height), whole(bound.width)},
        {whole(workspace.planes_), whole(workspace.height()), whole(workspace.width())});
  }
};

}  // namespace detail

/// A workspace for `denoise` of pictures of `planes` planes of height×width samples. Holds 8 bytes
/// for each sample, 16 for each of a plane and 4·members for each reference; on hosts for each
/// thread some rows' sums, 16·width·(16·step + 2·window) bytes, and 240·patch⁴ bytes or so.
/// Throws std::invalid_argument for unusable options and sizes, AllocationError for want of memory.
template <ExecutionSpace ExecSpace>
[[nodiscard]] DenoiseWorkspace<ExecSpace> denoise_workspace(ExecSpace const& exec, int planes,
                                                            int height, int width,
                                                            DenoiseOptions const& options) {
  return detail::DenoiseAccess::make(exec, "carroll::denoise_workspace", planes, height, width,
                                     options);
}

/// A workspace for `denoise_frames` of so many frames of height×width samples. Holds 24 bytes for
/// each sample and 4 for each block of each frame; on hosts what `denoise_workspace` holds for each
/// thread, of rows of all frames. Throws as that does.
template <ExecutionSpace ExecSpace>
[[nodiscard]] FrameDenoiseWorkspace<ExecSpace> denoise_frames_workspace(
    ExecSpace const& exec, int frames, int height, int width, FrameDenoiseOptions const& options) {
  return detail::DenoiseAccess::make(exec, "carroll::denoise_frames_workspace", frames, height,
                                     width, options);
}

}  // namespace carroll
