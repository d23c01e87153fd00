// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/picture_colours/kernels.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

/// Colours of a picture as luma and chroma (YCbCr of ITU-R BT.601, whole range, as JFIF has it),
/// one chroma for four pixels, and back.
///
///   carroll::split_colours(exec, pixels, luma, blue, red);
///   carroll::join_colours(exec, luma, blue, red, pixels);
///
///   pixels      rows×columns×channels, red, green and blue first; levels of 16 bits
///   luma        rows×columns         std::int32_t, levels of 16 bits
///   blue, red   ⌈rows/2⌉×⌈columns/2⌉  std::int32_t; means of 2×2, interpolated on the way back
///
/// Strided Views. Integers throughout: the same bits on hosts and devices. Neither call fences nor
/// allocates. Misuse throws std::invalid_argument before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class Pixels, class Plane>
void require_colours(char const* function, Pixels const& pixels, Plane const& luma,
                     Plane const& blue, Plane const& red) {
  static_assert(StridedView<Pixels> && Pixels::rank == 3 && AccessibleView<Pixels, ExecSpace> &&
                    std::integral<typename Pixels::non_const_value_type>,
                "carroll: pixels must be a strided View of integers, of rank 3, in memory that the "
                "execution space can access");
  static_assert(StridedView<Plane> && Plane::rank == 2 && AccessibleView<Plane, ExecSpace> &&
                    std::same_as<typename Plane::non_const_value_type, std::int32_t>,
                "carroll: planes must be strided Views of std::int32_t, of rank 2, in memory that "
                "the execution space can access");
  auto const rows = static_cast<long long>(pixels.extent(0));
  auto const columns = static_cast<long long>(pixels.extent(1));
  auto const extents = [](Plane const& plane, int d) {
    return static_cast<long long>(plane.extent(d));
  };
  require(pixels.extent(2) >= 3, function, [&] {
    return "pixels have " + std::to_string(pixels.extent(2)) + " channels, must be 3 or more";
  });
  require_extents(function, "luma", {extents(luma, 0), extents(luma, 1)}, {rows, columns});
  for (auto const& [name, plane] : {std::pair{"blue", &blue}, std::pair{"red", &red}})
    require_extents(function, name, {extents(*plane, 0), extents(*plane, 1)},
                    {(rows + 1) / 2, (columns + 1) / 2});
}

/// Its pixels, each a work item: row and column without a division, which takes as long as the
/// rest.
template <class ExecSpace, class Plane>
auto pixel_range(ExecSpace const& exec, Plane const& plane) {
  using Policy = Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<2, Kokkos::Iterate::Right>,
                                       Kokkos::IndexType<std::int64_t>>;
  return Policy(
      exec, {0, 0},
      {static_cast<std::int64_t>(plane.extent(0)), static_cast<std::int64_t>(plane.extent(1))});
}

}  // namespace detail

template <ExecutionSpace ExecSpace, class Pixels, class Plane>
void split_colours(ExecSpace const& exec, Pixels const& pixels, Plane const& luma,
                   Plane const& blue, Plane const& red) {
  detail::require_colours<ExecSpace>("carroll::split_colours", pixels, luma, blue, red);
  Kokkos::parallel_for(
      "carroll::split_colours", detail::pixel_range(exec, blue),
      detail::SplitColours<typename Pixels::const_type, Plane>{pixels, luma, blue, red});
}

template <ExecutionSpace ExecSpace, class Plane, class Pixels>
void join_colours(ExecSpace const& exec, Plane const& luma, Plane const& blue, Plane const& red,
                  Pixels const& pixels) {
  detail::require_colours<ExecSpace>("carroll::join_colours", pixels, luma, blue, red);
  Kokkos::parallel_for("carroll::join_colours", detail::pixel_range(exec, luma),
                       detail::JoinColours<Plane, Pixels>{luma, blue, red, pixels});
}

}  // namespace carroll
