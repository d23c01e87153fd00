// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/lane_groups.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/plan.hpp>

namespace carroll::detail {

/// Launches of a family whose matrices stay in the registers of a warp, several of them where they
/// are small: one for each class that has members. `Kernel` has the shape of a class for its third
/// argument, for its fourth whether it pivots.
template <class ExecSpace, class Value, QrFamily family,
          template <class, class, class, bool> class Kernel>
class QrClassLaunch {
 public:
  QrClassLaunch(ExecSpace const& exec, QrBatch<Value> const& batch, QrPlan const& plan)
      : exec_(exec), batch_(batch), plan_(plan) {}

  template <template <class...> class List, class... Shapes>
  void enqueue(List<Shapes...>) {
    int shape = 0;
    (enqueue_class<Shapes>(shape++), ...);
  }

 private:
  template <class Shape>
  void enqueue_class(int shape) {
    int const members = plan_.bounds(family, shape).members;
    if (members == 0) return;
    batch_.selection = plan_.members(family, shape);
    if (batch_.p.data)
      enqueue_kernel<Shape, Kernel<ExecSpace, Value, Shape, true>>(members);
    else
      enqueue_kernel<Shape, Kernel<ExecSpace, Value, Shape, false>>(members);
  }

  template <class Shape, class ShapeKernel>
  void enqueue_kernel(int members) {
    constexpr std::size_t alignment = 16;
    launch_teams("carroll::qr::registers", exec_, ShapeKernel(batch_, members),
                 {.count = members / Shape::matrices + (members % Shape::matrices != 0 ? 1 : 0),
                  .threads = 32,
                  .scratch = ShapeKernel::scratch_bytes(batch_.mode) + alignment});
  }

  ExecSpace exec_;
  QrBatch<Value> batch_;
  QrPlan const& plan_;
};

}  // namespace carroll::detail
