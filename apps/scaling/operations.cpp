// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/operations.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <carroll/pseudoinverse.hpp>
#include <carroll/svd.hpp>
#include <memory>
#include <type_traits>

#include "scaling/clock.hpp"
#include "scaling/loops.hpp"
#include "scaling/prepare.hpp"

namespace carroll::tool {

namespace {

PreparedOperation prepare_svd(std::int64_t n) {
  auto const host = std::make_shared<HostMatrix<double>>(random_matrix(n, n));
  ExecSpace const all;
  auto const A = to_device(all, "carroll::tool::A", *host);
  auto const U = uninitialized<DeviceMatrix<double>>(all, "carroll::tool::U", n, n);
  auto const V = uninitialized<DeviceMatrix<double>>(all, "carroll::tool::V", n, n);
  auto const S = uninitialized<DeviceVector<double>>(all, "carroll::tool::S", n);
  auto const make = [n](ExecSpace const& space) {
    return svd_workspace<double>(space, {.batch = 1, .rows = n, .cols = n});
  };
  auto const solve = [=](ExecSpace const& space, auto& workspace) {
    return svd(space, A, U, S, V, workspace).status;
  };
  return {solver_by_threads(make, solve), [host] { static_cast<void>(svd_by_loop(*host)); }};
}

PreparedOperation prepare_det(std::int64_t n) {
  auto const host = std::make_shared<HostMatrix<double>>(random_matrix(n, n));
  auto const A = to_device(ExecSpace(), "carroll::tool::A", *host);
  auto const make = [n](ExecSpace const& space) {
    return determinant_workspace<double>(space, {.batch = 1, .n = n, .keep = true});
  };
  auto const solve = [=](ExecSpace const& space, auto& workspace) {
    return determinant_of(space, A, workspace).status;
  };
  return {solver_by_threads(make, solve),
          [host] { static_cast<void>(determinant_by_loop(*host)); }};
}

/// Six motions, and a hundred rows for each depth.
PreparedOperation prepare_pinv(std::int64_t rows) {
  constexpr std::int64_t motions = 6, rows_of_depth = 100;
  std::int64_t const depths = (rows + rows_of_depth - 1) / rows_of_depth;
  ExecSpace const all;
  auto const motion = to_device(all, "carroll::tool::motion", random_matrix(rows, motions));
  auto const depth = to_device(all, "carroll::tool::depth", random_matrix(rows, 1));
  auto const residual = to_device(all, "carroll::tool::residual", random_matrix(rows, 1));
  auto const offsets = uninitialized<DeviceVector<int>>(all, "carroll::tool::offsets", depths + 1);
  auto const y = uninitialized<DeviceVector<double>>(all, "carroll::tool::y", motions);
  auto const xi = uninitialized<DeviceVector<double>>(all, "carroll::tool::xi", depths);
  Kokkos::parallel_for(
      "carroll::tool::offsets", Kokkos::RangePolicy<ExecSpace>(all, 0, depths + 1),
      KOKKOS_LAMBDA(std::int64_t s) {
        offsets(s) = static_cast<int>(s < depths ? rows_of_depth * s : rows);
      });
  all.fence("carroll::tool: problem on the device");
  carroll::ArrowJacobian const A{motion, Kokkos::subview(depth, Kokkos::ALL, 0), offsets};
  auto const d = Kokkos::subview(residual, Kokkos::ALL, 0);
  auto const make = [=](ExecSpace const& space) {
    return pseudoinverse_workspace<double>(space,
                                           {.rows = rows, .motions = motions, .depths = depths});
  };
  auto const solve = [=](ExecSpace const& space, auto& workspace) {
    return apply_pseudoinverse(space, A, d, ArrowSolution{y, xi}, workspace).status;
  };
  return {solver_by_threads(make, solve), {}};
}

}  // namespace

std::vector<Operation> const& operations() {
  static std::vector<Operation> const all{
      {"svd", "rows and columns", 3, false, {64, 128, 256}, prepare_svd},
      {"det", "order of the matrix", 3, false, {128, 256, 512, 1024}, prepare_det},
      {"pinv",
       "rows, six motions, a depth for a hundred rows",
       1,
       false,
       {20'000, 200'000},
       prepare_pinv},
      {"sum", "numbers", 1, true, {1 << 12, 1 << 16, 1 << 20, 1 << 24}, prepare_sum},
      {"dot", "pairs of numbers", 1, false, {1 << 12, 1 << 16, 1 << 20, 1 << 24}, prepare_dot},
      {"norm2", "numbers", 1, false, {1 << 12, 1 << 16, 1 << 20, 1 << 24}, prepare_norm2},
      {"add", "pairs of numbers", 1, false, {1 << 12, 1 << 16, 1 << 20, 1 << 24}, prepare_add},
      {"gemv", "rows and columns", 2, false, {64, 256, 1024, 4096}, prepare_gemv},
      {"gemm", "rows, columns and terms", 3, false, {64, 128, 256, 512}, prepare_gemm},
  };
  return all;
}

int most_threads() {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<ExecSpace, Kokkos::OpenMP>) return ExecSpace().concurrency();
#endif
  return 1;
}

namespace {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

}  // namespace

double fork_join_seconds(int threads) {
  ExecSpace const space = space_of(threads);
  Kokkos::RangePolicy<ExecSpace> const policy(space, 0, threads);
  constexpr int repetitions = 51;
  return median_seconds(repetitions, [&] {
    Kokkos::parallel_for("carroll::tool::nothing", policy, Nothing());
    space.fence("carroll::tool: end of nothing");
  });
}

std::string backend_name() {
  return ExecSpace::name();
}

}  // namespace carroll::tool
