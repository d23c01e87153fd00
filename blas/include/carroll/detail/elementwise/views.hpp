// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/elementwise/problem.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <string>

/// From the caller's Views to a checked Elementwise.
namespace carroll::detail {

template <class View>
inline constexpr bool has_elementwise_rank = rank_of<View>() >= 1 && rank_of<View>() <= 3;

/// A View of the output's scalar type and rank that kernels can read.
template <class View, class Output, class ExecSpace>
inline constexpr bool is_elementwise_input =
    is_view_of<View, ExecSpace, typename Output::non_const_value_type>&& rank_of<View>() ==
    rank_of<Output>();

/// Throws unless `input` has the extents of the output, and is that array or apart from it.
template <class Input, class Output>
void require_elementwise(char const* function, char const* name, Input const& input,
                         char const* output_name, Output const& output) {
  bool same = true, same_place = input.data() == output.data();
  for (int d = 0; d < int(Output::rank); ++d) {
    same = same && input.extent(d) == output.extent(d);
    same_place = same_place && (output.extent(d) < 2 || input.stride(d) == output.stride(d));
  }
  require(same, function, [&] {
    return std::string(name) + " is " + view_extents_text(input) + ", must be " +
           view_extents_text(output);
  });
  require(same_place || !may_alias(strided_batch(input), strided_batch(output)), function, [&] {
    return std::string(name) + " and " + output_name +
           " overlap; they must be the same entries, or each have memory of its own";
  });
}

/// Dimensions that an array does not have are 1; those along which all arrays go on evenly are one.
template <class T, class XView, class YView, class ZView>
Elementwise<T> elementwise(T const& alpha, XView const& x, T const& beta, YView const& y,
                           ZView const& z) {
  struct Dimension {
    std::int64_t extent;
    std::ptrdiff_t x, y, z;
  };
  constexpr int rank = int(ZView::rank);
  Elementwise<T> problem;
  problem.alpha = alpha;
  problem.beta = beta;
  problem.x = x.data();
  problem.y = y.data();
  problem.z = z.data();
  Dimension dimensions[3];
  int count = 0;
  for (int d = 0; d < rank; ++d) {
    auto const stride = [d](auto const& view) {
      return static_cast<std::ptrdiff_t>(view.stride(d));
    };
    auto const extent = static_cast<std::int64_t>(z.extent(d));
    if (extent == 1) continue;
    Dimension const next{extent, stride(x), stride(y), stride(z)};
    // In ascending order of z's strides. Of std::sort g++ 12 says that it leaves the array.
    int at = count++;
    for (; at > 0 && next.z < dimensions[at - 1].z; --at) dimensions[at] = dimensions[at - 1];
    dimensions[at] = next;
  }
  int last = -1;
  for (int d = 0; d < count; ++d) {
    Dimension const& next = dimensions[d];
    if (last >= 0) {
      std::int64_t const inner = problem.extents[last];
      if ((!problem.reads_x() || next.x == inner * problem.x_strides[last]) &&
          (!problem.reads_y() || next.y == inner * problem.y_strides[last]) &&
          next.z == inner * problem.z_strides[last]) {
        problem.extents[last] *= next.extent;
        continue;
      }
    }
    ++last;
    problem.extents[last] = next.extent;
    problem.x_strides[last] = next.x;
    problem.y_strides[last] = next.y;
    problem.z_strides[last] = next.z;
  }
  if (last < 0) problem.x_strides[0] = problem.y_strides[0] = problem.z_strides[0] = 1;
  return problem;
}

}  // namespace carroll::detail
