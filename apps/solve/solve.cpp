// SPDX-License-Identifier: BSD-3-Clause
#include "solve/solve.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/solve.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/batch.hpp"
#include "device/in_double.hpp"
#include "device/row_residuals.hpp"
#include "enumerators.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

/// The largest |entry| of each member as something to divide by, 1 where there is none, and the
/// square of its norm after that.
struct Sizes {
  std::vector<double> largest, squares;

  template <class Number>
  Sizes(std::int64_t members, std::vector<Number> const& numbers) {
    // Part by part.
    std::span const values(reinterpret_cast<PartOf<Number> const*>(numbers.data()),
                           numbers.size() * (sizeof(Number) / sizeof(PartOf<Number>)));
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
template <class Number>
struct SolveRowResiduals {
  DeviceBatch<Number> A, B, X;
  Kokkos::View<double*, ExecSpace> a_size, x_size, x_square;
  RowSquares squares;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const n = static_cast<std::int64_t>(A.extent(1)),
               columns = static_cast<std::int64_t>(B.extent(2));
    std::int64_t const b = item / n, i = item % n;
    double difference = 0, size = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      auto sum = -divided(in_double(B(b, i, j)), a_size(b), x_size(b));
      for (std::int64_t k = 0; k < n; ++k)
        sum += in_double(A(b, i, k)) / a_size(b) * (in_double(X(b, k, j)) / x_size(b));
      difference += square_of(sum);
    }
    for (std::int64_t k = 0; k < n; ++k) {
      size += square_of(in_double(A(b, i, k)) / a_size(b)) * x_square(b);
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
  KOKKOS_FUNCTION static Kokkos::complex<double> divided(Kokkos::complex<double> const& z, double a,
                                                         double b) {
    return {divided(z.real(), a, b), divided(z.imag(), a, b)};
  }
};

auto on_device(ExecSpace const& exec, std::vector<double> const& values) {
  auto const device = uninitialized<Kokkos::View<double*, ExecSpace>>(
      exec, "carroll::tool::sizes", static_cast<std::int64_t>(values.size()));
  detail::copy_to_device(exec, device.data(), values.data(), values.size());
  return device;
}

}  // namespace

template <class Number>
SolveResult<Number> solve_systems(HostBatch<Number> const& host_A, HostBatch<Number> const& host_B,
                                  bool inverts, SolveArguments const& arguments,
                                  Progress& progress) {
  using Entry = DeviceNumber<Number>;
  ExecSpace const exec;
  SolveOptions options;
  options.path = named<SolvePath>(arguments.path);
  std::int64_t const members = host_A.members, n = host_A.rows;
  auto const A = to_device(exec, "carroll::tool::A", host_A);
  auto const B = to_device(exec, "carroll::tool::B", host_B);
  auto const X =
      uninitialized<DeviceBatch<Entry>>(exec, "carroll::tool::X", members, n, host_B.cols);
  exec.fence("carroll::tool: start of the clock");
  progress.phase((inverts ? "inverting " : "solving ") + std::to_string(members) + " of " +
                 extents_text(n, n));
  SolveResult<Number> found;
  found.backend = ExecSpace::name();
  Kokkos::Timer const timer;
  auto const infos = inverts ? inverse(exec, A, X, options) : solve(exec, A, B, X, options);
  found.seconds = timer.seconds();
  for (auto const& info : infos)
    found.members.push_back({static_cast<int>(info.status), info.ill_conditioned,
                             static_cast<double>(info.rcond), static_cast<double>(info.growth),
                             NAN});
  progress.phase("computing the residuals");
  found.X = numbers_on_host_as<Number>(exec, X);
  Sizes const a_sizes(members, host_A.values), x_sizes(members, found.X);
  auto const a_size = on_device(exec, a_sizes.largest), x_size = on_device(exec, x_sizes.largest),
             x_square = on_device(exec, x_sizes.squares);
  set_residuals(exec, "carroll::tool::solve_residuals",
                SolveRowResiduals<Entry>{A, B, X, a_size, x_size, x_square, {}}, n, found.members);
  if (arguments.output.empty()) found.X.clear();
  return found;
}

#define CARROLL_TOOL_INSTANTIATE(Number)                                                         \
  template SolveResult<Number> solve_systems(HostBatch<Number> const&, HostBatch<Number> const&, \
                                             bool, SolveArguments const&, Progress&)
CARROLL_TOOL_INSTANTIATE(float);
CARROLL_TOOL_INSTANTIATE(double);
CARROLL_TOOL_INSTANTIATE(std::complex<float>);
CARROLL_TOOL_INSTANTIATE(std::complex<double>);
#undef CARROLL_TOOL_INSTANTIATE

}  // namespace carroll::tool
