// SPDX-License-Identifier: BSD-3-Clause
#include "lstsq/solve.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/gemm.hpp>
#include <carroll/lstsq.hpp>
#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "device/batch.hpp"
#include "device/in_double.hpp"
#include "device/row_residuals.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

/// |A X - B|² and |B|² of a row of a member, in double precision.
template <class Number>
struct LstsqRowResiduals {
  DeviceBatch<Number> A, X, B;
  Kokkos::View<double*, ExecSpace> scales;  ///< what a member's B is divided by
  RowSquares squares;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const m = static_cast<std::int64_t>(B.extent(1)),
               p = static_cast<std::int64_t>(B.extent(2)),
               n = static_cast<std::int64_t>(A.extent(2));
    std::int64_t const b = item / m, i = item % m;
    double difference = 0, size = 0;
    for (std::int64_t j = 0; j < p; ++j) {
      auto const own = in_double(B(b, i, j)) / scales(b);
      auto sum = own;
      for (std::int64_t k = 0; k < n; ++k)
        sum -= in_double(A(b, i, k)) * (in_double(X(b, k, j)) / scales(b));
      difference += square_of(sum);
      size += square_of(own);
    }
    squares(b, i, 0) = difference;
    squares(b, i, 1) = size;
  }
};

}  // namespace

template <class Number>
LstsqResult<Number> solve(LstsqInput<Number> const& input, LstsqArguments const& arguments,
                          Progress& progress) {
  using Entry = DeviceNumber<Number>;
  ExecSpace const exec;
  LstsqOptions options;
  options.rcond = arguments.rcond;
  LstsqResult<Number> found;
  auto const& [members, m, n] = std::tuple(input.A.members, input.A.rows, input.A.cols);
  auto const A = to_device(exec, "carroll::tool::A", input.A);
  auto const B =
      input.inverse ? DeviceBatch<Entry>() : to_device(exec, "carroll::tool::B", input.B);
  auto const X = uninitialized<DeviceBatch<Entry>>(exec, "carroll::tool::X", members, n,
                                                   input.inverse ? m : input.B.cols);
  exec.fence("carroll::tool: start of the clock");
  progress.phase((input.inverse ? "pseudoinverting " : "solving ") + std::to_string(members) +
                 " of " + extents_text(m, n));
  found.backend = ExecSpace::name();
  Kokkos::Timer const timer;
  auto const infos = input.inverse ? pinv(exec, A, X, options) : lstsq(exec, A, B, X, options);
  found.seconds = timer.seconds();
  for (auto const& info : infos)
    found.members.push_back({static_cast<int>(info.status), info.rank,
                             static_cast<double>(info.sigma_max),
                             static_cast<double>(info.sigma_min), 0});
  progress.phase("computing the residuals");
  if (input.inverse) {
    auto const AX = uninitialized<DeviceBatch<Entry>>(exec, "carroll::tool::AX", members, m, m);
    (void)gemm(exec, Entry(1), A, X, Entry(0), AX);
    set_residuals(exec, "carroll::tool::lstsq_residuals",
                  LstsqRowResiduals<Entry>{AX, A, A, largest_of_members(exec, input.A), {}}, m,
                  found.members);
  } else {
    set_residuals(exec, "carroll::tool::lstsq_residuals",
                  LstsqRowResiduals<Entry>{A, X, B, largest_of_members(exec, input.B), {}}, m,
                  found.members);
  }
  if (!arguments.output.empty()) found.X = numbers_on_host_as<Number>(exec, X);
  return found;
}

#define CARROLL_TOOL_LSTSQ(Number) \
  template LstsqResult<Number> solve(LstsqInput<Number> const&, LstsqArguments const&, Progress&)
CARROLL_TOOL_LSTSQ(float);
CARROLL_TOOL_LSTSQ(double);
CARROLL_TOOL_LSTSQ(std::complex<float>);
CARROLL_TOOL_LSTSQ(std::complex<double>);
#undef CARROLL_TOOL_LSTSQ

}  // namespace carroll::tool
