// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>
#include <string>

/// Means and biases of rows of ratings: sums in double precision, each by one thread in the order
/// of the row, so that they are the same bits everywhere.
namespace carroll::detail {

/// Throws unless the ratings can be the same both ways, as far as sizes say.
template <class Real, class MemorySpace>
void require_transposed(char const* function, RatingRows<Real, MemorySpace> const& by_user,
                        RatingRows<Real, MemorySpace> const& by_item) {
  auto const sizes = [](RatingRows<Real, MemorySpace> const& rows) {
    return std::to_string(rows.rating_count()) + " ratings in " + std::to_string(rows.row_count) +
           " rows over " + std::to_string(rows.column_count) + " columns";
  };
  auto const sound = [](RatingRows<Real, MemorySpace> const& rows) {
    return rows.row_count >= 0 && rows.column_count >= 0 &&
           rows.values.extent(0) == rows.columns.extent(0) &&
           (rows.row_count == 0 ? rows.rating_count() == 0
                                : rows.offsets.extent(0) == std::size_t(rows.row_count) + 1);
  };
  require(sound(by_user) && sound(by_item) && by_user.row_count == by_item.column_count &&
              by_user.column_count == by_item.row_count &&
              by_user.rating_count() == by_item.rating_count(),
          function, [&] {
            return "by user there are " + sizes(by_user) + ", by item " + sizes(by_item) +
                   ", must be the same ratings both ways";
          });
}

/// sums(r) := Σ of row r.
template <class ExecSpace, class Real, class MemorySpace>
struct RowSumKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  RatingRows<Real, MemorySpace> rows;
  Kokkos::View<double*, MemorySpace> sums;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    double sum = 0;
    for (std::int64_t e = rows.offsets(r); e < rows.offsets(r + 1); ++e)
      sum += static_cast<double>(rows.values(e));
    sums(r) = sum;
  }
};

/// to(c) := Σ of the numbers of stretch c. Stretches have a length that no machine decides.
template <class ExecSpace, class MemorySpace>
struct StretchSumKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  static constexpr std::int64_t length = 256;

  Kokkos::View<double const*, MemorySpace> from;
  Kokkos::View<double*, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    std::int64_t const count = static_cast<std::int64_t>(from.extent(0));
    std::int64_t const end = (c + 1) * length < count ? (c + 1) * length : count;
    double sum = 0;
    for (std::int64_t k = c * length; k < end; ++k) sum += from(k);
    to(c) = sum;
  }
};

/// bias(r) := Σ (value − mean − other(column)) / (damping + count) over row r; 0 of no ratings.
template <class ExecSpace, class Real, class MemorySpace>
struct BiasKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  RatingRows<Real, MemorySpace> rows;
  double mean, damping;
  Kokkos::View<double const*, MemorySpace> other;
  Kokkos::View<double*, MemorySpace> bias;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    std::int64_t const begin = rows.offsets(r), end = rows.offsets(r + 1);
    double sum = 0;
    for (std::int64_t e = begin; e < end; ++e)
      sum += static_cast<double>(rows.values(e)) - mean - other(rows.columns(e));
    bias(r) = end > begin ? sum / (damping + static_cast<double>(end - begin)) : 0;
  }
};

/// Σ of numbers on a device: stretches, stretches of these, and so on. Fences once.
template <class ExecSpace, class MemorySpace>
double sum_of_numbers(ExecSpace const& exec, Kokkos::View<double const*, MemorySpace> from) {
  using Kernel = StretchSumKernel<ExecSpace, MemorySpace>;
  if (from.extent(0) == 0) return 0;
  do {
    auto const count = static_cast<std::int64_t>(from.extent(0));
    std::int64_t const stretches = (count + Kernel::length - 1) / Kernel::length;
    auto const to =
        allocate<Kokkos::View<double*, MemorySpace>>(exec, "carroll::baseline::sums", stretches);
    Kokkos::parallel_for("carroll::baseline::sum", typename Kernel::Policy(exec, 0, stretches),
                         Kernel{from, to});
    from = to;
  } while (from.extent(0) > 1);
  double sum = 0;
  Kokkos::deep_copy(exec, Kokkos::View<double, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&sum),
                    Kokkos::subview(from, 0));
  exec.fence("carroll::baseline::sum");
  return sum;
}

/// The mean of all ratings, 0 of none; not finite if one of them is not. `sums`, a number for each
/// row, is overwritten. Fences once.
template <class ExecSpace, class Real, class MemorySpace>
double mean_rating(ExecSpace const& exec, RatingRows<Real, MemorySpace> const& rows,
                   Kokkos::View<double*, MemorySpace> const& sums) {
  if (rows.rating_count() == 0) return 0;
  using Kernel = RowSumKernel<ExecSpace, Real, MemorySpace>;
  Kokkos::parallel_for("carroll::baseline::rows", typename Kernel::Policy(exec, 0, rows.row_count),
                       Kernel{rows, sums});
  return sum_of_numbers<ExecSpace, MemorySpace>(exec, sums) /
         static_cast<double>(rows.rating_count());
}

}  // namespace carroll::detail
