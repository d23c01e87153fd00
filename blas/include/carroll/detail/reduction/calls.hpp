// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/none.hpp>
#include <carroll/reduction/workspace.hpp>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

/// The calls of all reductions, from the caller's Views on.
namespace carroll::detail {

/// A vector, or a batch of them, that kernels can read.
template <class View, class ExecSpace>
inline constexpr bool is_vector = false;
template <class View, class ExecSpace>
requires StridedView<View> && AccessibleView<View, ExecSpace>
inline constexpr bool is_vector<View, ExecSpace> = (int(View::rank) == 1 || int(View::rank) == 2) &&
                                                   FieldScalar<typename View::non_const_value_type>;

/// Another one of the same kind.
template <class View, class Other, class ExecSpace>
inline constexpr bool is_vector_like = false;
template <class View, class Other, class ExecSpace>
requires(is_vector<View, ExecSpace>&& is_vector<
         Other, ExecSpace>) inline constexpr bool is_vector_like<View, Other, ExecSpace> =
    std::same_as<typename View::non_const_value_type, typename Other::non_const_value_type> &&
    int(View::rank) == int(Other::rank);

/// Of what the result of a reduction is.
template <Reduction R, class T>
using ReductionValue = typename Operation<R, T, PlainSum>::Value;

template <class View>
ReductionExtents reduction_extents(View const& x) {
  constexpr int rank = int(View::rank);
  return {static_cast<std::int64_t>(x.extent(rank - 1)),
          rank == 2 ? static_cast<std::int64_t>(x.extent(0)) : 1};
}

/// The caller's vectors, checked.
template <Reduction R, class XView, class YView>
auto bind_reduction(char const* function, ReductionExtents const& extents, XView const& x,
                    YView const& y, bool conjugate) {
  using T = typename XView::non_const_value_type;
  StridedBatch<T const> xs, ys;
  Binder bind(function);
  bind.input(xs, "x", x, {extents.batch, extents.length});
  bind.input(ys, "y", y, {extents.batch, extents.length});
  ReductionBatch<T, ReductionValue<R, T>> batch;
  batch.x = xs.data;
  batch.y = ys.data;
  batch.x_distance = xs.strides[0];
  batch.y_distance = ys.strides[0];
  // That of a single entry may be any number.
  batch.x_stride = extents.length > 1 ? xs.strides[1] : 1;
  batch.y_stride = extents.length > 1 ? ys.strides[1] : 1;
  batch.length = extents.length;
  batch.members = extents.batch;
  batch.conjugate = conjugate;
  return batch;
}

/// Is it what a call writes its infos to: of rank 0 for one vector, of rank 1 for a batch?
template <Reduction R, class XView, class InfoView, class ExecSpace>
inline constexpr bool is_reduction_info =
    is_info_view<InfoView, ExecSpace,
                 ReductionInfo<ReductionValue<R, typename XView::non_const_value_type>>,
                 rank_of<XView>() - 1>;

template <Reduction R, class ExecSpace, class XView, class YView, class InfoView, class T>
void reduce_async(char const* function, ExecSpace const& exec, XView const& x, YView const& y,
                  InfoView const& info, ReductionWorkspace<ExecSpace, T>& workspace,
                  bool conjugate = false) {
  static_assert(std::same_as<typename XView::non_const_value_type, T>,
                "carroll::sum, dot, norm2, asum, max_abs: the workspace must have the scalar type "
                "of the vectors");
  auto batch = bind_reduction<R>(function, workspace.extents(), x, y, conjugate);
  bind_infos(function, batch, info, workspace);
  AccessTo<ReductionWorkspace<ExecSpace, T>>::template enqueue<R>(exec, batch, workspace);
}

template <Reduction R, class ExecSpace, class XView, class YView, class T>
auto reduce(char const* function, ExecSpace const& exec, XView const& x, YView const& y,
            ReductionWorkspace<ExecSpace, T>& workspace, bool conjugate = false) {
  static_assert(std::same_as<typename XView::non_const_value_type, T>,
                "carroll::sum, dot, norm2, asum, max_abs: the workspace must have the scalar type "
                "of the vectors");
  auto const infos = AccessTo<ReductionWorkspace<ExecSpace, T>>::template call<R>(
      exec, bind_reduction<R>(function, workspace.extents(), x, y, conjugate), workspace);
  if constexpr (int(XView::rank) == 1) {
    auto const info = infos.front();
    return info;
  } else {
    return infos;
  }
}

template <Reduction R, class ExecSpace, class XView, class YView>
auto reduce(char const* function, ExecSpace const& exec, XView const& x, YView const& y,
            ReductionOptions const& options, bool conjugate = false) {
  using T = typename XView::non_const_value_type;
  using Info = ReductionInfo<ReductionValue<R, T>>;
  using Access = AccessTo<ReductionWorkspace<ExecSpace, T>>;
  auto const extents = reduction_extents(x);
  require_usable(function, extents, options);
  auto batch = bind_reduction<R>(function, extents, x, y, conjugate);
  if constexpr (int(XView::rank) == 1) {
    Info info;
    batch.infos = &info;
    if (Access::template done_by_caller<R>(exec, batch, options)) return info;
    auto workspace = Access::make(exec, function, extents, options);
    return Info(Access::template call<R>(exec, batch, workspace).front());
  } else {
    auto workspace = Access::make(exec, function, extents, options);
    auto const infos = Access::template call<R>(exec, batch, workspace);
    return std::vector<Info>(infos.begin(), infos.end());
  }
}

}  // namespace carroll::detail
