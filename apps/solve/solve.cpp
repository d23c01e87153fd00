// SPDX-License-Identifier: BSD-3-Clause
#include "solve/solve.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/solve.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "device/batch.hpp"
#include "device/row_residuals.hpp"
#include "enumerators.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

/// The largest |entry| of each member as something to divide by, 1 where there is none, and the
/// square of its norm after that.
struct Sizes {
  std::vector<double> largest, squares;

  template <class Real>
  Sizes(std::int64_t members, std::vector<Real> const& values) {
    auto const each = values.size() / static_cast<std::size_t>(std::max<std::int64_t>(members, 1));
    for (std::size_t b = 0; b < static_cast<std::size_t>(members); ++b) {
      double top = 0, square = 0;
      for (std::size_t k = 0; k < each; ++k)
        top = std::max(top, std::abs(static_cast<double>(values[b * each + k])));
      if (!(top > 0)) top = 1;
      for (std::size_t k = 0; k < each; ++k) {
        double const x = static_cast<double>(values[b * each + k]) / top;
        square += x * x;
      }
      largest.push_back(top);
      squares.push_back(square);
    }
  }
};

/// |A X - B|² of a row of a member, and |A|²·|X|² of the row of A and all of X, in double precision
/// and of numbers that are divided by the largest entries of A and X, so that they do not overflow.
template <class Real>
struct SolveRowResiduals {
  DeviceBatch<Real> A, B, X;
  Kokkos::View<double*, ExecSpace> a_size, x_size, x_square;
  RowSquares squares;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const n = static_cast<std::int64_t>(A.extent(1)),
               columns = static_cast<std::int64_t>(B.extent(2));
    std::int64_t const b = item / n, i = item % n;
    double difference = 0, size = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = -divided(static_cast<double>(B(b, i, j)), a_size(b), x_size(b));
      for (std::int64_t k = 0; k < n; ++k) sum += A(b, i, k) / a_size(b) * (X(b, k, j) / x_size(b));
      difference += sum * sum;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      double const own = A(b, i, k) / a_size(b);
      size += own * own * x_square(b);
    }
    squares(b, i, 0) = difference;
    squares(b, i, 1) = size;
  }

 private:
  /// x/(a·b), which is near 1 where a·b need not be.
  KOKKOS_FUNCTION static double divided(double x, double a, double b) {
    double const high = Kokkos::fmax(a, b), low = Kokkos::fmin(a, b);
    return Kokkos::abs(x) > 1 ? x / high / low : x / low / high;
  }
};

auto on_device(ExecSpace const& exec, std::vector<double> const& values) {
  auto const device = uninitialized<Kokkos::View<double*, ExecSpace>>(
      exec, "carroll::tool::sizes", static_cast<std::int64_t>(values.size()));
  Kokkos::deep_copy(exec, device,
                    Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        values.data(), values.size()));
  return device;
}

}  // namespace

template <class Real>
SolveResult<Real> solve_systems(HostBatch<Real> const& host_A, HostBatch<Real> const& host_B,
                                bool inverts, SolveArguments const& arguments, Progress& progress) {
  ExecSpace const exec;
  SolveOptions options;
  options.path = named<SolvePath>(arguments.path);
  std::int64_t const members = host_A.members, n = host_A.rows;
  auto const A = to_device(exec, "carroll::tool::A", host_A);
  auto const B = to_device(exec, "carroll::tool::B", host_B);
  auto const X =
      uninitialized<DeviceBatch<Real>>(exec, "carroll::tool::X", members, n, host_B.cols);
  exec.fence("carroll::tool: start of the clock");
  progress.phase((inverts ? "inverting " : "solving ") + std::to_string(members) + " of " +
                 extents_text(n, n));
  SolveResult<Real> found;
  found.backend = ExecSpace::name();
  Kokkos::Timer const timer;
  auto const infos = inverts ? inverse(exec, A, X, options) : solve(exec, A, B, X, options);
  found.seconds = timer.seconds();
  for (auto const& info : infos)
    found.members.push_back({static_cast<int>(info.status), info.ill_conditioned,
                             static_cast<double>(info.rcond), static_cast<double>(info.growth),
                             NAN});
  progress.phase("computing the residuals");
  found.X = numbers_on_host(exec, X);
  Sizes const a_sizes(members, host_A.values), x_sizes(members, found.X);
  auto const a_size = on_device(exec, a_sizes.largest), x_size = on_device(exec, x_sizes.largest),
             x_square = on_device(exec, x_sizes.squares);
  set_residuals(exec, "carroll::tool::solve_residuals",
                SolveRowResiduals<Real>{A, B, X, a_size, x_size, x_square, {}}, n, found.members);
  if (arguments.output.empty()) found.X.clear();
  return found;
}

#define CARROLL_TOOL_INSTANTIATE(Real)                                                           \
  template SolveResult<Real> solve_systems(HostBatch<Real> const&, HostBatch<Real> const&, bool, \
                                           SolveArguments const&, Progress&)
CARROLL_TOOL_INSTANTIATE(float);
CARROLL_TOOL_INSTANTIATE(double);
#undef CARROLL_TOOL_INSTANTIATE

}  // namespace carroll::tool
