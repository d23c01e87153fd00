// SPDX-License-Identifier: BSD-3-Clause
#include "qr/factorise.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/qr.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "device/batch.hpp"
#include "enumerators.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

QrMode mode_of(std::string const& name) {
  return name == "r" ? QrMode::r : name == "full" ? QrMode::full : QrMode::thin;
}

/// |A P - Q R|² and |A|² of a row of a member, in double precision and of numbers that are divided
/// by the member's largest entry, so that they do not overflow.
template <class Real>
struct QrRowResiduals {
  DeviceBatch<Real> A, Q, R;
  Kokkos::View<int**, Kokkos::LayoutRight, ExecSpace> P;  ///< without columns: no pivoting
  Kokkos::View<double*, ExecSpace> scales;
  Kokkos::View<double** [2], Kokkos::LayoutRight, ExecSpace> squares;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const m = static_cast<std::int64_t>(A.extent(1)),
               n = static_cast<std::int64_t>(A.extent(2)),
               k = static_cast<std::int64_t>(R.extent(1));
    std::int64_t const b = item / m, i = item % m;
    double difference = 0, size = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      std::int64_t const source = P.extent(1) > 0 ? P(b, j) : j;
      double const own = A(b, i, source) / scales(b);
      double sum = own;
      for (std::int64_t l = 0; l < k && l <= j; ++l)
        sum -= static_cast<double>(Q(b, i, l)) * (R(b, l, j) / scales(b));
      difference += sum * sum;
      size += own * own;
    }
    squares(b, i, 0) = difference;
    squares(b, i, 1) = size;
  }
};

/// The largest |entry| of each member, 1 where there is none, as something to divide by.
template <class Real>
std::vector<double> largest_entries(HostBatch<Real> const& batch) {
  std::vector<double> largest(static_cast<std::size_t>(batch.members), 0);
  auto const entries = static_cast<std::size_t>(batch.rows * batch.cols);
  for (std::size_t k = 0; k < batch.values.size(); ++k)
    largest[k / entries] =
        std::max(largest[k / entries], std::abs(static_cast<double>(batch.values[k])));
  for (double& x : largest)
    if (!(x > 0)) x = 1;
  return largest;
}

/// Of each member; sums of rows are added in their order.
template <class Real>
void add_residuals(ExecSpace const& exec, QrRowResiduals<Real> kernel,
                   std::vector<double> const& scales, std::vector<QrMemberResult>& members) {
  auto const count = std::ssize(members), m = static_cast<std::int64_t>(kernel.A.extent(1));
  kernel.scales = uninitialized<decltype(kernel.scales)>(exec, "carroll::tool::scales", count);
  kernel.squares =
      uninitialized<decltype(kernel.squares)>(exec, "carroll::tool::squares", count, m);
  Kokkos::deep_copy(exec, kernel.scales,
                    Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        scales.data(), scales.size()));
  Kokkos::parallel_for(
      "carroll::tool::qr_residuals",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count * m), kernel);
  auto const squares = numbers_on_host(exec, kernel.squares);
  for (std::int64_t b = 0; b < count; ++b) {
    double difference = 0, size = 0;
    for (std::int64_t i = 0; i < m; ++i) {
      difference += squares[static_cast<std::size_t>(2 * (b * m + i))];
      size += squares[static_cast<std::size_t>(2 * (b * m + i) + 1)];
    }
    members[static_cast<std::size_t>(b)].relative_residual =
        size == 0 ? std::sqrt(difference) : std::sqrt(difference / size);
  }
}

}  // namespace

template <class Real>
QrResult<Real> factorise(HostBatch<Real> const& batch, QrArguments const& arguments,
                         Progress& progress) {
  ExecSpace const exec;
  QrOptions options;
  options.path = named<QrPath>(arguments.path);
  options.rank_tolerance = arguments.rank_tolerance;
  QrExtents const extents{batch.members, batch.rows, batch.cols, mode_of(arguments.mode),
                          arguments.pivot};
  QrResult<Real> found;
  found.q_cols = extents.q_cols();
  found.r_rows = extents.r_rows();
  bool const basis = extents.mode != QrMode::r;
  auto const A = to_device(exec, "carroll::tool::A", batch);
  auto const Q = uninitialized<DeviceBatch<Real>>(exec, "carroll::tool::Q", batch.members,
                                                  basis ? batch.rows : 0, found.q_cols);
  auto const R = uninitialized<DeviceBatch<Real>>(exec, "carroll::tool::R", batch.members,
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
  found.R = numbers_on_host(exec, R);
  if (arguments.pivot) found.P = numbers_on_host(exec, P);
  for (std::int64_t b = 0; b < batch.members; ++b)
    for (std::int64_t k = 0; k < std::min(batch.rows, batch.cols); ++k)
      found.diagonal.push_back(
          found.R[static_cast<std::size_t>((b * found.r_rows + k) * batch.cols + k)]);
  if (basis) {
    progress.phase("computing the residuals");
    add_residuals(exec, QrRowResiduals<Real>{A, Q, R, P, {}, {}}, largest_entries(batch),
                  found.members);
  }
  if (arguments.output.empty())
    found.R.clear();
  else if (basis)
    found.Q = numbers_on_host(exec, Q);
  return found;
}

template QrResult<float> factorise(HostBatch<float> const&, QrArguments const&, Progress&);
template QrResult<double> factorise(HostBatch<double> const&, QrArguments const&, Progress&);

}  // namespace carroll::tool
