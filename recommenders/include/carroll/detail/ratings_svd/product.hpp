// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/sparse/multiply.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

namespace carroll::detail {

/// to(i, j) := from(i, j), either of them with gaps. A thread per entry, in the order of `to`.
template <class ExecSpace, class Real>
struct RepackKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  StridedMatrix<Real const> from;
  StridedMatrix<Real> to;
  std::int64_t rows, cols;
  bool by_rows;  ///< entries of a row of `to` lie side by side

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    auto const i = static_cast<int>(by_rows ? entry / cols : entry % rows);
    auto const j = static_cast<int>(by_rows ? entry % cols : entry / rows);
    to(i, j) = from(i, j);
  }
};

/// to(e) := from(e)·2^-exponent. A thread per entry.
template <class ExecSpace, class Real>
struct ScaledValuesKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  Real const* from;
  Real* to;
  int exponent;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const { to[e] = scale(from[e], -exponent); }
};

/// The largest |value|.
template <class Real>
struct LargestValue {
  Real const* values;
  KOKKOS_FUNCTION void operator()(std::int64_t e, Real& largest) const {
    Real const x = Kokkos::abs(values[e]);
    largest = x > largest ? x : largest;
  }
};

/// Products with a matrix of ratings, which is there both ways: each is as parallel as it has rows.
/// Blocks come and go column by column, and are worked on row by row.
template <class ExecSpace, class Real>
struct RatingsProduct {
  using Rows = RatingRows<Real, typename ExecSpace::memory_space>;

  Rows rows, columns;  ///< A by row and by column
  Real const* row_values;
  Real const* column_values;
  Real* packed_from;  ///< as large as the largest block
  Real* packed_to;

  void enqueue(char const* label, ExecSpace const& exec, bool transposed, int width,
               StridedMatrix<Real const> const& x, StridedMatrix<Real> const& y) const {
    Rows const& a = transposed ? columns : rows;
    repack(exec, x, {packed_from, width, 1}, a.column_count, width, true);
    using Kernel = SparseMultiplyKernel<ExecSpace, Real, std::int64_t, std::int32_t>;
    launch_fitting_teams(
        label, exec,
        Kernel{a.offsets.data(), a.columns.data(), transposed ? column_values : row_values, width,
               StridedMatrix<Real>{packed_from, width, 1},
               StridedMatrix<Real>{packed_to, width, 1}},
        {a.row_count, 1});
    repack(exec, {packed_to, width, 1}, y, a.row_count, width, false);
  }

 private:
  static void repack(ExecSpace const& exec, StridedMatrix<Real const> const& from,
                     StridedMatrix<Real> const& to, std::int64_t rows, std::int64_t cols,
                     bool by_rows) {
    using Kernel = RepackKernel<ExecSpace, Real>;
    if (rows * cols > 0)
      Kokkos::parallel_for("carroll::truncated_svd::repack",
                           typename Kernel::Policy(exec, 0, rows * cols),
                           Kernel{from, to, rows, cols, by_rows});
  }
};

}  // namespace carroll::detail
