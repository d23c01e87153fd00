// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace carroll::test {

/// What Kokkos tells its tools: every kernel, fence, allocation and copy.
struct ToolsEvent {
  enum class Kind { kernel, fence, allocation, copy };
  Kind kind;
  std::string label;
  std::uint32_t device_id = 0;  // of kernels and fences: which instance, or all of the device
};

/// Records while it lives. One at a time.
class ToolsRecorder {
 public:
  ToolsRecorder() : previous_(Kokkos::Tools::Experimental::get_callbacks()) {
    namespace Tools = Kokkos::Tools::Experimental;
    events().clear();
    Tools::set_begin_parallel_for_callback(kernel);
    Tools::set_begin_parallel_reduce_callback(kernel);
    Tools::set_begin_parallel_scan_callback(kernel);
    Tools::set_begin_fence_callback(fence);
    Tools::set_allocate_data_callback(allocation);
    Tools::set_begin_deep_copy_callback(copy);
  }
  ~ToolsRecorder() { Kokkos::Tools::Experimental::set_callbacks(previous_); }
  ToolsRecorder(ToolsRecorder const&) = delete;
  ToolsRecorder& operator=(ToolsRecorder const&) = delete;

  [[nodiscard]] std::vector<ToolsEvent> of(ToolsEvent::Kind kind) const {
    std::vector<ToolsEvent> selected;
    for (ToolsEvent const& event : events())
      if (event.kind == kind) selected.push_back(event);
    return selected;
  }

 private:
  // Callbacks are plain functions without a context, hence the static list.
  static std::vector<ToolsEvent>& events() {
    static std::vector<ToolsEvent> list;
    return list;
  }
  static void kernel(char const* label, std::uint32_t device_id, std::uint64_t* handle) {
    *handle = events().size();
    events().push_back({ToolsEvent::Kind::kernel, label, device_id});
  }
  static void fence(char const* label, std::uint32_t device_id, std::uint64_t* handle) {
    *handle = events().size();
    std::string const name(label);
    // Kokkos itself fences before it calls a tool, so that the tool can measure times.
    if (name.rfind("Kokkos::Tools::", 0) == 0) return;
    events().push_back({ToolsEvent::Kind::fence, name, device_id});
  }
  static void allocation(Kokkos::Tools::SpaceHandle, char const* label, void const*,
                         std::uint64_t bytes) {
    // Kokkos 5.0 tells of an allocation of no bytes at every launch of a team kernel on CUDA.
    if (bytes == 0) return;
    events().push_back({ToolsEvent::Kind::allocation, label, 0});
  }
  static void copy(Kokkos::Tools::SpaceHandle, char const* destination, void const*,
                   Kokkos::Tools::SpaceHandle, char const* source, void const*, std::uint64_t) {
    events().push_back({ToolsEvent::Kind::copy, std::string(destination) + " <- " + source, 0});
  }

  Kokkos::Tools::Experimental::EventSet previous_;
};

}  // namespace carroll::test
