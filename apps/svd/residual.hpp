// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#ifdef CARROLL_HAVE_KOKKOSKERNELS
#include <KokkosBlas3_gemm.hpp>
#include <carroll/detail/copy.hpp>
#endif

namespace carroll::tool {

/// x·2^exponent as two factors, because 2^exponent alone may be beyond the range of Real.
template <class Real>
struct PowerOfTwo {
  Real first, second;

  explicit PowerOfTwo(int exponent)
      : first(std::ldexp(Real(1), exponent / 2)),
        second(std::ldexp(Real(1), exponent - exponent / 2)) {}
  KOKKOS_FUNCTION Real operator()(Real x) const { return x * first * second; }
};

/// Σ f(i, j) over each tile, where f sums over one, `f(i0, i1, j0, j1)`, on the host: tiles one
/// below the other, column of tiles after column of tiles. Fences.
template <class ExecSpace, class TileSum>
std::vector<double> sums_of_tiles(ExecSpace const& exec, std::string const& label,
                                  std::int64_t rows, std::int64_t cols, TileSum const& tile_sum) {
  constexpr std::int64_t height = TileSum::rows;
  constexpr std::int64_t width = TileSum::cols;
  std::int64_t const down = (rows + height - 1) / height;
  std::int64_t const across = (cols + width - 1) / width;
  Kokkos::View<double*, ExecSpace> partial(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::partial_sums"),
      static_cast<std::size_t>(down * across));
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  // Neighbouring work items are neighbours in a column, so that a GPU reads whole lines.
  Kokkos::parallel_for(
      label, Range(exec, 0, down * across), KOKKOS_LAMBDA(std::int64_t tile) {
        std::int64_t const i = tile % down * height;
        std::int64_t const j = tile / down * width;
        partial(tile) = tile_sum(i, Kokkos::min(i + height, rows), j, Kokkos::min(j + width, cols));
      });
  std::vector<double> sums(partial.extent(0));
  detail::copy_to_host(exec, sums.data(), partial.data(), sums.size());
  exec.fence("carroll::tool: sums of tiles on the host");
  return sums;
}

/// Σᵢⱼ f(i, j) for f that sums over a tile. Each tile has its own partial sum and these are added
/// in their order: the same bits for any number of threads.
template <class ExecSpace, class TileSum>
double sum_over_tiles(ExecSpace const& exec, std::string const& label, std::int64_t rows,
                      std::int64_t cols, TileSum const& tile_sum) {
  auto const partial = sums_of_tiles(exec, label, rows, cols, tile_sum);
  double sum = 0;
  for (double const part : partial) sum += part;
  return sum;
}

/// The same of each row of tiles by itself.
template <class ExecSpace, class TileSum>
std::vector<double> sums_over_rows_of_tiles(ExecSpace const& exec, std::string const& label,
                                            std::int64_t rows, std::int64_t cols,
                                            TileSum const& tile_sum) {
  auto const partial = sums_of_tiles(exec, label, rows, cols, tile_sum);
  std::vector<double> sums(static_cast<std::size_t>((rows + TileSum::rows - 1) / TileSum::rows));
  for (std::size_t k = 0; k < partial.size(); ++k) sums[k % sums.size()] += partial[k];
  return sums;
}

/// Tiles for one thread of a GPU, and for a core with vector registers.
template <class ExecSpace>
inline constexpr bool runs_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecSpace::memory_space>::accessible;

/// Σ (c·A(i,j))² over one tile.
template <class ExecSpace, class AView>
struct SquaresOfTile {
  using Real = typename AView::non_const_value_type;
  static constexpr std::int64_t rows = runs_on_host<ExecSpace> ? 64 : 1;
  static constexpr std::int64_t cols = 8;
  AView A;
  PowerOfTwo<Real> scale;

  KOKKOS_FUNCTION double operator()(std::int64_t i0, std::int64_t i1, std::int64_t j0,
                                    std::int64_t j1) const {
    double sum = 0;
    for (std::int64_t j = j0; j < j1; ++j) {
      for (std::int64_t i = i0; i < i1; ++i) {
        double const x = scale(A(i, j));
        sum += x * x;
      }
    }
    return sum;
  }
};

/// Σ (c·A(i,j) − Σₖ U(i,k)·c·S(k)·V(j,k))² over one tile, accumulated in double.
template <class ExecSpace, class AView, class SView>
struct ResidualOfTile {
  using Real = typename AView::non_const_value_type;
  static constexpr std::int64_t rows = runs_on_host<ExecSpace> ? 8 : 1;
  static constexpr std::int64_t cols = runs_on_host<ExecSpace> ? 4 : 8;
  AView A;
  AView U;
  SView scaled_S;
  AView V;
  PowerOfTwo<Real> scale;

  KOKKOS_FUNCTION double operator()(std::int64_t i0, std::int64_t i1, std::int64_t j0,
                                    std::int64_t j1) const {
    double product[cols][rows] = {};
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(scaled_S.extent(0)); ++k) {
      for (std::int64_t j = j0; j < j1; ++j) {
        double const right = static_cast<double>(scaled_S(k)) * static_cast<double>(V(j, k));
        for (std::int64_t i = i0; i < i1; ++i) {
          product[j - j0][i - i0] += static_cast<double>(U(i, k)) * right;
        }
      }
    }
    double sum = 0;
    for (std::int64_t j = j0; j < j1; ++j) {
      for (std::int64_t i = i0; i < i1; ++i) {
        double const difference = static_cast<double>(scale(A(i, j))) - product[j - j0][i - i0];
        sum += difference * difference;
      }
    }
    return sum;
  }
};

/// Of a matrix that is not empty. Fences.
template <class ExecSpace, class AView>
typename AView::non_const_value_type largest_entry(ExecSpace const& exec, AView const& A) {
  using Real = typename AView::non_const_value_type;
  auto const m = static_cast<std::int64_t>(A.extent(0));
  auto const n = static_cast<std::int64_t>(A.extent(1));
  Real largest = 0;
  Kokkos::parallel_reduce(
      "carroll::tool::largest_entry",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, m * n),
      KOKKOS_LAMBDA(std::int64_t k, Real & most) {
        most = Kokkos::max(most, Kokkos::abs(A(k % m, k / m)));
      },
      Kokkos::Max<Real>(largest));
  return largest;
}

/// The power of two that brings `largest` near 1.
template <class Real>
PowerOfTwo<Real> scale_for(Real largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return PowerOfTwo<Real>(-exponent);
}

/// A copy of S times a power of two, enqueued.
template <class ExecSpace, class SView, class Real>
Kokkos::View<Real*, Kokkos::LayoutLeft, typename SView::device_type> scaled(
    ExecSpace const& exec, SView const& S, PowerOfTwo<Real> const& scale) {
  Kokkos::View<Real*, Kokkos::LayoutLeft, typename SView::device_type> result(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::scaled_S"),
      S.extent(0));
  Kokkos::parallel_for(
      "carroll::tool::scale_S",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
          exec, 0, static_cast<std::int64_t>(S.extent(0))),
      KOKKOS_LAMBDA(std::int64_t k) { result(k) = scale(S(k)); });
  return result;
}

/// ‖A − U diag(S) Vᵀ‖_F / ‖A‖_F for A m×n, U m×k, S k, V n×k, all column-major on the device of
/// `exec`; 0 for an empty or zero A with an exact product. A and S are scaled by the power of two
/// that brings the largest entry of A near 1, so that nothing over- or underflows that matters.
/// 2mnk flops; with KokkosKernels its product and a copy of A and U, otherwise no copies. Fences.
template <class ExecSpace, class AView, class SView>
double relative_residual(ExecSpace const& exec, AView const& A, AView const& U, SView const& S,
                         AView const& V) {
  using Real = typename AView::non_const_value_type;
  auto const m = static_cast<std::int64_t>(A.extent(0));
  auto const n = static_cast<std::int64_t>(A.extent(1));
  if (m == 0 || n == 0) return 0;

  PowerOfTwo<Real> const scale = scale_for(largest_entry(exec, A));
  auto const scaled_S = scaled(exec, S, scale);
  double const norm =
      sum_over_tiles(exec, "carroll::tool::norm", m, n, SquaresOfTile<ExecSpace, AView>{A, scale});
  double residual = 0;
#ifdef CARROLL_HAVE_KOKKOSKERNELS
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  using Matrix = Kokkos::View<Real**, Kokkos::LayoutLeft, typename AView::device_type>;
  auto const k = static_cast<std::int64_t>(S.extent(0));
  Matrix US(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::US"), m, k);
  Matrix R(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::R"), m, n);
  Kokkos::parallel_for(
      "carroll::tool::scale_U", Range(exec, 0, m * k),
      KOKKOS_LAMBDA(std::int64_t e) { US(e % m, e / m) = U(e % m, e / m) * scaled_S(e / m); });
  Kokkos::parallel_for(
      "carroll::tool::scale_A", Range(exec, 0, m * n),
      KOKKOS_LAMBDA(std::int64_t e) { R(e % m, e / m) = scale(A(e % m, e / m)); });
  KokkosBlas::gemm(exec, "N", "T", Real(-1), US, V, Real(1), R);
  residual = sum_over_tiles(exec, "carroll::tool::residual", m, n,
                            SquaresOfTile<ExecSpace, Matrix>{R, PowerOfTwo<Real>(0)});
#else
  residual = sum_over_tiles(
      exec, "carroll::tool::residual", m, n,
      ResidualOfTile<ExecSpace, AView, decltype(scaled_S)>{A, U, scaled_S, V, scale});
#endif
  if (norm == 0 && residual == 0) return 0;
  return std::sqrt(residual) / std::sqrt(norm);
}

}  // namespace carroll::tool
