// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/checks.hpp>
#include <carroll/detail/denoise/memory.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll {

namespace detail {
struct DenoiseAccess;
}  // namespace detail

/// What `denoise` needs besides pictures, made by `denoise_workspace` for pictures of one size and
/// for options. Calls that are given one allocate nothing on the device. One call at a time may use
/// it; copies share the memory.
template <class ExecSpace>
class DenoiseWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;

  [[nodiscard]] DenoiseOptions const& options() const { return options_; }
  [[nodiscard]] int planes() const { return planes_; }
  [[nodiscard]] int height() const { return problem_.layout.height; }
  [[nodiscard]] int width() const { return problem_.layout.width; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  friend struct detail::DenoiseAccess;

  DenoiseOptions options_;
  int planes_ = 0;
  detail::StackProblem problem_;
  detail::StackMemory<ExecSpace> memory_;
  Kokkos::View<std::byte*, memory_space> bytes_;
};

namespace detail {

struct DenoiseAccess {
  template <class ExecSpace>
  static DenoiseWorkspace<ExecSpace> make(ExecSpace const& exec, char const* function, int planes,
                                          int height, int width, DenoiseOptions const& options) {
    require_usable(function, options);
    require_planes(function, planes);
    DenoiseWorkspace<ExecSpace> workspace;
    workspace.options_ = options;
    workspace.planes_ = planes;
    StackProblem& problem = workspace.problem_;
    problem = patches_of_plane(height, width, options.patch, options.step, options.window);
    require_places(function, problem.layout.numbers(), problem.stacks());
    problem.stride = members_at_most(problem, options.members);
    problem.noise = static_cast<float>(options.noise);
    problem.weight = static_cast<float>(options.weight);
    std::int64_t const numbers = problem.layout.numbers();
    auto const lay_out = [&](Arena& arena) {
      workspace.memory_.lay_out(arena, exec, problem, planes * numbers, numbers);
    };
    workspace.bytes_ = allocate_arena(exec, "carroll::denoise::workspace", lay_out);
    return workspace;
  }
  template <class ExecSpace>
  static StackProblem const& problem(DenoiseWorkspace<ExecSpace> const& workspace) {
    return workspace.problem_;
  }
  template <class ExecSpace>
  static StackMemory<ExecSpace> const& memory(DenoiseWorkspace<ExecSpace> const& workspace) {
    return workspace.memory_;
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

}  // namespace carroll
