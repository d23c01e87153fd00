// SPDX-License-Identifier: BSD-3-Clause
#include "qr/factorise.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/qr.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "device/batch.hpp"
#include "device/in_double.hpp"
#include "device/row_residuals.hpp"
#include "enumerators.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

QrMode mode_of(std::string const& name) {
  return name == "r" ? QrMode::r : name == "full" ? QrMode::full : QrMode::thin;
}

/// |A P - Q R|² and |A|² of a row of a member, in double precision.
template <class Value>
struct QrRowResiduals {
  DeviceBatch<Value> A, Q, R;
  Kokkos::View<int**, Kokkos::LayoutRight, ExecSpace> P;  ///< without columns: no pivoting
  Kokkos::View<double*, ExecSpace> scales;                ///< what a member is divided by
  RowSquares squares;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const m = static_cast<std::int64_t>(A.extent(1)),
               n = static_cast<std::int64_t>(A.extent(2)),
               k = static_cast<std::int64_t>(R.extent(1));
    std::int64_t const b = item / m, i = item % m;
    double difference = 0, size = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      std::int64_t const source = P.extent(1) > 0 ? P(b, j) : j;
      auto const own = in_double(A(b, i, source)) / scales(b);
      auto sum = own;
      for (std::int64_t l = 0; l < k && l <= j; ++l)
        sum -= in_double(Q(b, i, l)) * (in_double(R(b, l, j)) / scales(b));
      difference += square_of(sum);
      size += square_of(own);
    }
    squares(b, i, 0) = difference;
    squares(b, i, 1) = size;
  }
};

}  // namespace

template <class Number>
QrResult<Number> factorise(HostBatch<Number> const& batch, QrArguments const& arguments,
                           Progress& progress) {
  using Value = DeviceNumber<Number>;
  ExecSpace const exec;
  QrOptions options;
  options.path = named<QrPath>(arguments.path);
  options.rank_tolerance = arguments.rank_tolerance;
  QrExtents const extents{batch.members, batch.rows, batch.cols, mode_of(arguments.mode),
                          arguments.pivot};
  QrResult<Number> found;
  found.q_cols = extents.q_cols();
  found.r_rows = extents.r_rows();
  bool const basis = extents.mode != QrMode::r;
  auto const A = to_device(exec, "carroll::tool::A", batch);
  auto const Q = uninitialized<DeviceBatch<Value>>(exec, "carroll::tool::Q", batch.members,
                                                   basis ? batch.rows : 0, found.q_cols);
  auto const R = uninitialized<DeviceBatch<Value>>(exec, "carroll::tool::R", batch.members,
                                                   found.r_rows, batch.cols);
  auto const P = uninitialized<Kokkos::View<int**, Kokkos::LayoutRight, ExecSpace>>(
      exec, "carroll::tool::P", batch.members, arguments.pivot ? batch.cols : 0);
  exec.fence("carroll::tool: start of the clock");
  progress.phase("factorising " + std::to_string(batch.members) + " of " +
                 extents_text(batch.rows, batch.cols));
  found.backend = ExecSpace::name();
  Kokkos::Timer const timer;
  auto const run = [&](auto const& q) {
    return arguments.pivot ? pivoted_qr(exec, A, q, R, P, options) : qr(exec, A, q, R, options);
  };
  auto const infos = basis ? run(Q) : run(none);
  found.seconds = timer.seconds();
  for (auto const& info : infos)
    found.members.push_back({static_cast<int>(info.status), info.rank, NAN});
  found.R = numbers_on_host_as<Number>(exec, R);
  if (arguments.pivot) found.P = numbers_on_host(exec, P);
  for (std::int64_t b = 0; b < batch.members; ++b)
    for (std::int64_t k = 0; k < std::min(batch.rows, batch.cols); ++k)
      found.diagonal.push_back(
          std::real(found.R[static_cast<std::size_t>((b * found.r_rows + k) * batch.cols + k)]));
  if (basis) {
    progress.phase("computing the residuals");
    set_residuals(exec, "carroll::tool::qr_residuals",
                  QrRowResiduals<Value>{A, Q, R, P, largest_of_members(exec, batch), {}},
                  batch.rows, found.members);
  }
  if (arguments.output.empty())
    found.R.clear();
  else if (basis)
    found.Q = numbers_on_host_as<Number>(exec, Q);
  return found;
}

template QrResult<float> factorise(HostBatch<float> const&, QrArguments const&, Progress&);
template QrResult<double> factorise(HostBatch<double> const&, QrArguments const&, Progress&);
template QrResult<std::complex<float>> factorise(HostBatch<std::complex<float>> const&,
                                                 QrArguments const&, Progress&);
template QrResult<std::complex<double>> factorise(HostBatch<std::complex<double>> const&,
                                                  QrArguments const&, Progress&);

}  // namespace carroll::tool
