// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/determinant/launch.hpp>
#include <carroll/detail/determinant/refusal.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant/workspace.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

/// What AccessTo<DeterminantWorkspace> declares.
namespace carroll::detail {

template <class ExecSpace, class T>
auto AccessTo<DeterminantWorkspace<ExecSpace, T>>::make(ExecSpace const& exec, char const* function,
                                                        DeterminantExtents const& extents,
                                                        DeterminantOptions const& options,
                                                        int teams_at_once) -> Workspace {
  require_size(function, "the batch", extents.batch);
  require_size(function, "the order", extents.n);
  auto const method = options.method;
  require(DeterminantMethod::blocked <= method &&
              method <= DeterminantMethod::condensation_read_only_column,
          function, [&] {
            return "options.method is " + std::to_string(static_cast<int>(method)) +
                   ", must be an enumerator of DeterminantMethod";
          });
  require_addressable(
      function, {extents.batch, extents.n, extents.n},
      double(extents.batch) * (2 * double(extents.n) + 200) * double(extents.n) * sizeof(T));
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  w.plan_ = plan(function, extents, options, DeterminantDevice::of<ExecSpace, T>(teams_at_once));
  auto const memory = std::make_shared<DeterminantMemory<ExecSpace, T>>();
  memory->prepare(exec, extents, w.plan_);
  w.bytes_ = allocate_arena(exec, "carroll::determinant::workspace", [&](Arena& arena) {
    memory->lay_out(arena, extents, w.plan_);
    w.infos_.lay_out(arena, extents.batch);
  });
  memory->clear(exec, extents, w.plan_);
  w.memory_ = memory;
  w.infos_.allocate_host("carroll::determinant::host_infos", extents.batch);
  return w;
}

template <class ExecSpace, class T>
DeterminantBatch<T> AccessTo<DeterminantWorkspace<ExecSpace, T>>::batch(
    Workspace const& w, StridedBatch<T const> const& A, T* overwritten) {
  DeterminantBatch<T> batch;
  std::int64_t const n = w.extents_.n;
  batch.n = static_cast<int>(n);
  batch.members = static_cast<int>(w.extents_.batch);
  batch.source = A;
  if (!w.memory_) return batch;  // a workspace that nobody made, and a batch of none
  auto const& memory = *w.memory_;
  bool const each = determinant_needs(w.plan_.path).copies == DeterminantShare::each;
  if (overwritten)
    batch.work = {overwritten, A.extents, A.strides};
  else
    batch.work = {memory.copies, A.extents, {each ? n * n : 0, n, 1}};
  batch.states = memory.states;
  batch.exponents = memory.exponents;
  batch.row_tops = memory.row_tops;
  batch.second = memory.second;
  batch.column = memory.column;
  batch.infos = answers_on_host(w) ? w.infos_.host() : w.infos_.data();
  return batch;
}

template <class ExecSpace, class T>
void AccessTo<DeterminantWorkspace<ExecSpace, T>>::enqueue(ExecSpace const& exec,
                                                           DeterminantBatch<T> const& batch,
                                                           Workspace const& w) {
  if (w.memory_) enqueue_determinant(exec, batch, *w.memory_, w.plan_);
}

template <class ExecSpace, class T>
std::span<DeterminantInfo<T> const> AccessTo<DeterminantWorkspace<ExecSpace, T>>::fetch_infos(
    ExecSpace const& exec, Workspace const& w) {
  constexpr char const* label = "carroll::determinant::info";
  if (!answers_on_host(w)) return w.infos_.fetch(exec, label);
  exec.fence(label);
  return {w.infos_.host(), static_cast<std::size_t>(w.extents_.batch)};
}

template <class ExecSpace, class T>
DeterminantPlan AccessTo<DeterminantWorkspace<ExecSpace, T>>::plan(
    char const* function, DeterminantExtents const& extents, DeterminantOptions const& options,
    DeterminantDevice const& device) {
  require(DeterminantPath::automatic <= options.path && options.path <= DeterminantPath::launches,
          function, [&] {
            return "options.path is " + std::to_string(static_cast<int>(options.path)) +
                   ", must be an enumerator of DeterminantPath";
          });
  auto const plan = determinant_plan<T>(options, extents.n, extents.batch, device);
  require(plan.has_value(), function,
          [&] { return determinant_refusal<T>(options, extents.n, device); });
  return *plan;
}

template <class ExecSpace, class T>
bool AccessTo<DeterminantWorkspace<ExecSpace, T>>::answers_on_host(Workspace const& w) {
  constexpr int few = 64;
  return Kokkos::SpaceAccessibility<ExecSpace, Kokkos::SharedHostPinnedSpace>::accessible &&
         w.extents_.batch <= few;
}

}  // namespace carroll::detail
