// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/operations.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <carroll/pseudoinverse.hpp>
#include <carroll/svd.hpp>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "device/matrix.hpp"
#include "scaling/clock.hpp"
#include "scaling/loops.hpp"

namespace carroll::tool {

namespace {

/// An execution space of so many threads. OpenMP alone has them. They are parts of one process so
/// that numbers of threads can be measured in turn, on the same data: one thread takes as long as
/// in a process of its own, sums of 4096 numbers 4.8 µs and 5.0 µs (two cores of an EPYC,
/// 2026-11-25).
ExecSpace space_of([[maybe_unused]] int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<ExecSpace, Kokkos::OpenMP>) return ExecSpace(threads);
#endif
  return ExecSpace();
}

/// What an operation needs for each number of threads, made when it is first asked for: an
/// execution space, and the workspace that `make` makes of it.
template <class Make>
class ForThreads {
 public:
  using Workspace = std::invoke_result_t<Make, ExecSpace const&>;
  struct Entry {
    ExecSpace space;
    Workspace workspace;
  };

  explicit ForThreads(Make make) : make_(std::move(make)) {}

  Entry& operator()(int threads) {
    auto found = entries_.find(threads);
    if (found == entries_.end()) {
      ExecSpace const space = space_of(threads);
      found = entries_.emplace(threads, Entry{space, make_(space)}).first;
    }
    return found->second;
  }

 private:
  Make make_;
  std::map<int, Entry> entries_;
};

/// Runs `solve(space, workspace)` by any number of threads; it returns a Status.
template <class Make, class Solve>
std::function<void(int)> solver_by_threads(Make make, Solve solve) {
  auto const spaces = std::make_shared<ForThreads<Make>>(std::move(make));
  return [spaces, solve = std::move(solve)](int threads) {
    auto& entry = (*spaces)(threads);
    Status const status = solve(entry.space, entry.workspace);
    if (status != Status::success)
      throw std::runtime_error("the operation ends with " + std::string(to_string(status)));
  };
}

/// Uniform in (-1, 1), the same ones in every run.
HostMatrix<double> random_matrix(std::int64_t rows, std::int64_t cols) {
  HostMatrix<double> A{rows, cols, std::vector<double>(static_cast<std::size_t>(rows * cols))};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& entry : A.values) entry = uniform(random);
  return A;
}

double sum_of(ExecSpace const& space, DeviceMatrix<double> const& X) {
  double total = 0;
  Kokkos::parallel_reduce(
      "carroll::tool::sum", Kokkos::RangePolicy<ExecSpace>(space, 0, X.extent_int(0)),
      KOKKOS_LAMBDA(int i, double& partial) { partial += X(i, 0); }, total);
  return total;
}

PreparedOperation prepare_sum(std::int64_t n) {
  auto const x = std::make_shared<HostMatrix<double>>(random_matrix(n, 1));
  auto const X = to_device(ExecSpace(), "carroll::tool::x", *x);
  auto const no_workspace = [](ExecSpace const&) { return 0; };
  auto const sum = [X](ExecSpace const& space, int) {
    double volatile sink = sum_of(space, X);
    static_cast<void>(sink);
    return Status::success;
  };
  return {solver_by_threads(no_workspace, sum), [x] {
            double volatile sink = sum_by_loop(x->values);
            static_cast<void>(sink);
          }};
}

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
