// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/denoise/planes.hpp>
#include <carroll/detail/denoise/state.hpp>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

template <class T>
PlanesOfCaller<T> planes_of(StridedBatch<T> const& batch) {
  return {batch.data, batch.strides[0], batch.strides[1], batch.strides[2]};
}

/// Input and output of one call: Views of planes, of rows, of samples, or of one plane.
template <class From, class To>
struct BoundPlanes {
  int planes = 0, height = 0, width = 0;
  PlanesOfCaller<From const> from;
  PlanesOfCaller<To> to;

  [[nodiscard]] std::int64_t pixels() const { return std::int64_t{height} * width; }
  [[nodiscard]] std::int64_t samples() const { return planes * pixels(); }
};

template <class Picture>
Kokkos::Array<std::int64_t, 3> plane_extents(Picture const& picture) {
  constexpr int first = 3 - int(Picture::rank);
  Kokkos::Array<std::int64_t, 3> extents{1, 1, 1};
  for (int d = 0; d < int(Picture::rank); ++d)
    extents[first + d] = static_cast<std::int64_t>(picture.extent(d));
  return extents;
}

template <class Picture, class Result>
auto bind_planes(char const* function, Picture const& picture, Result const& result) {
  using From = typename Picture::non_const_value_type;
  using To = typename Result::non_const_value_type;
  auto const e = plane_extents(picture);
  for (auto const extent : e) require_size(function, "an extent", extent);
  StridedBatch<From const> from;
  StridedBatch<To> to;
  Binder bind(function);
  bind.input(from, "picture", picture, {e[0], e[1], e[2]});
  bind.output(to, "result", result, {e[0], e[1], e[2]});
  return BoundPlanes<From, To>{static_cast<int>(e[0]), static_cast<int>(e[1]),
                               static_cast<int>(e[2]), planes_of(from), planes_of(to)};
}

/// Input alone.
template <class Picture>
auto bind_picture(char const* function, Picture const& picture) {
  using From = typename Picture::non_const_value_type;
  auto const e = plane_extents(picture);
  for (auto const extent : e) require_size(function, "an extent", extent);
  StridedBatch<From const> from;
  Binder(function).input(from, "picture", picture, {e[0], e[1], e[2]});
  return BoundPlanes<From, From>{
      static_cast<int>(e[0]), static_cast<int>(e[1]), static_cast<int>(e[2]), planes_of(from), {}};
}

/// range := largest size and number of samples that are not finite. Fences unless `range` is a
/// View.
template <class ExecSpace, class From, class To, class Range>
void find_range(ExecSpace const& exec, BoundPlanes<From, To> const& bound, Range&& range) {
  FindRange<From> const find{bound.from, bound.height, bound.width};
  using Space = std::conditional_t<Kokkos::is_view_v<std::remove_cvref_t<Range>>,
                                   typename ExecSpace::memory_space, Kokkos::HostSpace>;
  Kokkos::parallel_reduce("carroll::denoise::range",
                          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                              exec, 0, std::int64_t{bound.planes} * bound.height * find.pieces()),
                          find, Kokkos::Sum<SampleRange, Space>(range));
}

template <class ExecSpace, class From, class To>
SampleRange range_of(ExecSpace const& exec, BoundPlanes<From, To> const& bound) {
  SampleRange range;
  find_range(exec, bound, range);
  return range;
}

/// *state := of the picture's samples, of which there are some. Does not fence.
template <class ExecSpace, class From, class To>
void find_state(ExecSpace const& exec, BoundPlanes<From, To> const& bound, double noise,
                double factor, PictureState* state) {
  Kokkos::View<SampleRange, typename ExecSpace::memory_space> const range(&state->range);
  find_range(exec, bound, range);
  Kokkos::parallel_for("carroll::denoise::scale", Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       FindPictureState{state, noise, factor});
}

/// *info := of a call's end.
template <class ExecSpace>
void write_info(ExecSpace const& exec, PictureState const* state, int iterations,
                DenoiseInfo* info) {
  Kokkos::parallel_for("carroll::denoise::info", Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       WriteDenoiseInfo{state, iterations, info});
}

}  // namespace carroll::detail
