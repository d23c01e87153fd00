// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/batch.hpp"

namespace carroll::tool {

/// What a kernel of residuals writes: of each row of each member the squared norms of what is left
/// over and of the matrix.
using RowSquares = Kokkos::View<double** [2], Kokkos::LayoutRight, ExecSpace>;

/// |x|, or the larger of |re| and |im|.
template <class Number>
double size_of(Number const& x) {
  if constexpr (is_complex_number<Number>)
    return std::max(std::abs(double{x.real()}), std::abs(double{x.imag()}));
  else
    return std::abs(double{x});
}

/// The largest size of an entry of each member, 1 where there is none: divided by it entries do not
/// overflow when they are squared.
template <class Number>
Kokkos::View<double*, ExecSpace> largest_of_members(ExecSpace const& exec,
                                                    HostBatch<Number> const& batch) {
  auto const members = static_cast<std::size_t>(batch.members);
  std::vector<double> largest(members, 0);
  for (std::size_t k = 0; k < batch.values.size(); ++k) {
    double& own = largest[k / (batch.values.size() / members)];
    own = std::max(own, size_of(batch.values[k]));
  }
  for (double& x : largest)
    if (!(x > 0)) x = 1;
  auto const device =
      uninitialized<Kokkos::View<double*, ExecSpace>>(exec, "carroll::tool::scales", members);
  detail::copy_to_device(exec, device.data(), largest.data(), members);
  exec.fence("carroll::tool: scales on the device");
  return device;
}

/// Sets each member's relative_residual, by a kernel that is called with every b · rows + i, row i
/// of member b, and writes into its `squares`. Sums of rows are added in their order. Fences.
template <class Kernel, class Member>
void set_residuals(ExecSpace const& exec, char const* label, Kernel kernel, std::int64_t rows,
                   std::vector<Member>& members) {
  auto const count = std::ssize(members);
  kernel.squares = uninitialized<RowSquares>(exec, "carroll::tool::squares", count, rows);
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count * rows),
      kernel);
  auto const squares = numbers_on_host(exec, kernel.squares);
  for (std::int64_t b = 0; b < count; ++b) {
    double difference = 0, size = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      difference += squares[static_cast<std::size_t>(2 * (b * rows + i))];
      size += squares[static_cast<std::size_t>(2 * (b * rows + i) + 1)];
    }
    members[static_cast<std::size_t>(b)].relative_residual =
        size == 0 ? std::sqrt(difference) : std::sqrt(difference / size);
  }
}

}  // namespace carroll::tool
