// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/dot.hpp>
#include <carroll/error.hpp>
#include <carroll/picture/error.hpp>
#include <cstdint>

/// Mean squared error of a picture, and with it its peak signal-to-noise ratio.
///
///   auto error = carroll::picture_error(exec, picture, original);
///   double decibel = carroll::psnr(error.mse, 255);
///
/// Strided Views of rank 2 and the same extents, over float or double each. Differences are taken
/// and added in double precision, in the canonical tree of `sum`: the same bits for any number of
/// threads, on hosts and devices. Takes 8 bytes a sample. Fences `exec`.
namespace carroll {

namespace detail {

template <class Picture, class Original>
struct TakePictureDifferences {
  Picture picture;
  Original original;
  Kokkos::View<double*, Kokkos::LayoutRight, typename Picture::memory_space> into;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    auto const width = static_cast<std::int64_t>(picture.extent(1));
    auto const row = e / width, column = e % width;
    into(e) =
        static_cast<double>(picture(row, column)) - static_cast<double>(original(row, column));
  }
};

}  // namespace detail

template <ExecutionSpace ExecSpace, class Picture, class Original>
[[nodiscard]] PictureError picture_error(ExecSpace const& exec, Picture const& picture,
                                         Original const& original) {
  static_assert(ReadableView<Picture, ExecSpace, 2> && ReadableView<Original, ExecSpace, 2>,
                "carroll::picture_error: picture and original must be strided Views of float or "
                "double, of rank 2, in memory that the execution space can access");
  auto const rows = static_cast<std::int64_t>(picture.extent(0));
  auto const columns = static_cast<std::int64_t>(picture.extent(1));
  detail::require_extents(
      "carroll::picture_error", "original",
      {static_cast<long long>(original.extent(0)), static_cast<long long>(original.extent(1))},
      {rows, columns});
  using Differences = Kokkos::View<double*, Kokkos::LayoutRight, typename Picture::memory_space>;
  auto const differences =
      detail::allocate<Differences>(exec, "carroll::picture_error::differences", rows * columns);
  using Take =
      detail::TakePictureDifferences<typename Picture::const_type, typename Original::const_type>;
  Kokkos::parallel_for(
      "carroll::picture_error::differences",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, rows * columns),
      Take{picture, original, differences});
  auto const squares = dot(exec, differences, differences);
  PictureError error;
  error.status = squares.status;
  error.count = rows * columns;
  if (error.count > 0) error.mse = squares.value / static_cast<double>(error.count);
  return error;
}

}  // namespace carroll
