// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>

/// The memory of a solver's workspace: one allocation, cut into pieces by a function that takes
/// them in order, `lay_out`. It is run twice: without memory, which counts, and with it.
///
///   auto const lay_out = [&](Arena& arena) {
///     problem.scaled = arena.take<Real>(rows * cols);
///     problem.order = arena.take<int>(cols);
///     infos.lay_out(arena, members);
///   };
///   memory = allocate_arena(exec, "carroll::solver::workspace", lay_out);
namespace carroll::detail {

/// Hands out pieces of one allocation. Each begins at a multiple of 128 bytes from its begin.
class Arena {
 public:
  /// Without memory all pieces are null.
  explicit Arena(std::byte* memory = nullptr) : memory_(memory) {}

  template <class T>
  T* take(std::int64_t count) {
    static_assert(alignof(T) <= alignment);
    T* const piece = memory_ ? reinterpret_cast<T*>(memory_ + used_) : nullptr;
    std::int64_t const bytes = count * static_cast<std::int64_t>(sizeof(T));
    used_ += (bytes + alignment - 1) / alignment * alignment;
    return piece;
  }
  /// Null, and nothing taken, unless wanted.
  template <class T>
  T* take_if(bool wanted, std::int64_t count) {
    return wanted ? take<T>(count) : nullptr;
  }

  /// Of all pieces so far.
  [[nodiscard]] std::int64_t bytes() const { return used_; }

 private:
  static constexpr std::int64_t alignment = 128;
  std::byte* memory_;
  std::int64_t used_ = 0;
};

/// An uninitialised allocation made on the given instance, with the pieces in place.
template <class ExecSpace, class LayOut>
Kokkos::View<std::byte*, typename ExecSpace::memory_space> allocate_arena(ExecSpace const& exec,
                                                                          char const* label,
                                                                          LayOut const& lay_out) {
  Arena counted;
  lay_out(counted);
  using Memory = Kokkos::View<std::byte*, typename ExecSpace::memory_space>;
  auto const memory = allocate<Memory>(exec, label, counted.bytes());
  Arena arena(memory.data());
  lay_out(arena);
  return memory;
}

/// A piece := 0, which for bytes takes no kernel.
template <class ExecSpace, class T>
void set_to_zero(ExecSpace const& exec, T* data, std::int64_t count) {
  using Bytes = Kokkos::View<char*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(
      exec, Bytes(reinterpret_cast<char*>(data), static_cast<std::size_t>(count) * sizeof(T)), 0);
}

/// A piece := what the host holds, which must stay until the instance has come that far.
template <class T, class ExecSpace>
void copy_from_host(ExecSpace const& exec, T* data, std::span<T const> from) {
  copy_to_device(exec, data, from.data(), from.size());
}

/// Throws std::invalid_argument unless so many bytes can be addressed. They come as a
/// floating-point number, since 64 bits may not hold them.
inline void require_addressable(char const* function, std::initializer_list<long long> extents,
                                double bytes) {
  require(bytes < 9e18, function, [&] {
    return "extents " + extents_text(extents) + " need more workspace than can be addressed";
  });
}

/// The infos of a call: a piece of the workspace that kernels write, and a copy for the host.
template <class ExecSpace, class Info>
class CallInfos {
 public:
  void lay_out(Arena& arena, std::int64_t count) { device_ = arena.take<Info>(count); }

  /// The copy is pinned. That needs an instance to be made on; nothing is launched or waited for.
  void allocate_host(char const* label, std::int64_t count) {
    host_ = allocate<decltype(host_)>(Kokkos::DefaultHostExecutionSpace(), label, count);
  }

  [[nodiscard]] Info* data() const { return device_; }
  /// Where the host reads.
  [[nodiscard]] Info* host() const { return host_.data(); }

  /// What kernels have written, on the host. Fences the instance once.
  std::span<Info const> fetch(ExecSpace const& exec, char const* label) const {
    copy_objects<Kokkos::SharedHostPinnedSpace, typename ExecSpace::memory_space>(
        exec, host_.data(), device_, host_.extent(0));
    exec.fence(label);
    return {host_.data(), host_.extent(0)};
  }

 private:
  using Device =
      Kokkos::View<Info const*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
  Info* device_ = nullptr;
  Kokkos::View<Info*, Kokkos::SharedHostPinnedSpace> host_;
};

/// The inside of a workspace, for the entry points. Each solver specialises it for its own.
template <class Workspace>
struct AccessTo;

/// Where the work is done of what keeps memory for it, and where that memory is.
template <class ExecSpace>
struct SpacesOf {
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
};

struct NoOptions {};

/// What the workspaces of all solvers are. What a call leaves for the host is an `Outcome`.
template <class ExecSpace, class InfoType, class Extents, class Options = NoOptions,
          class Outcome = InfoType>
class SolverWorkspace : public SpacesOf<ExecSpace> {
 public:
  using Info = InfoType;

  [[nodiscard]] Options const& options() const requires(!std::is_empty_v<Options>) {
    return options_;
  }
  /// Of a uniform batch.
  [[nodiscard]] Extents const& extents() const { return extents_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 protected:
  Options options_;
  Extents extents_{0};  ///< a workspace that nobody made fits no call
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
  CallInfos<ExecSpace, Outcome> infos_;
};

}  // namespace carroll::detail
