// SPDX-License-Identifier: BSD-3-Clause
#include "svd/batch/decompose.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/complex_svd.hpp>
#include <carroll/svd.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/batch.hpp"
#include "device/in_double.hpp"
#include "device/row_residuals.hpp"
#include "files/limits.hpp"
#include "svd/options.hpp"

namespace carroll::tool {

namespace {

/// |A - U diag(S) Vᴴ|² and |A|² of a row of a member, in double precision and of numbers that are
/// divided by the member's largest singular value, so that they do not overflow.
template <class Value, class Real>
class RowResiduals {
 public:
  RowResiduals(DeviceBatch<Value> const& A, DeviceBatch<Value> const& U,
               DeviceVectors<Real> const& S, DeviceBatch<Value> const& V, std::int64_t kept)
      : A_(A), U_(U), S_(S), V_(V), kept_(static_cast<int>(kept)) {}

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t const rows = A_.extent(1), b = item / rows, i = item % rows;
    double const largest = kept_ > 0 ? static_cast<double>(S_(b, 0)) : 0;
    double const scale = largest > 0 ? largest : 1;
    double difference = 0, size = 0;
    for (std::size_t j = 0; j < A_.extent(2); ++j) {
      auto const entry = in_double(A_(b, i, j)) / scale;
      auto rest = entry;
      for (int k = 0; k < kept_; ++k)
        rest -= in_double(U_(b, i, k)) * (in_double(S_(b, k)) / scale) *
                conjugate_of(in_double(V_(b, j, k)));
      difference += square_of(rest);
      size += square_of(entry);
    }
    squares(b, i, 0) = difference;
    squares(b, i, 1) = size;
  }

  RowSquares squares;

 private:
  DeviceBatch<Value> A_, U_;
  DeviceVectors<Real> S_;
  DeviceBatch<Value> V_;
  int kept_;
};

/// The first `kept` columns of each member.
template <class Number>
std::vector<Number> columns_on_host(ExecSpace const& exec,
                                    DeviceBatch<DeviceNumber<Number>> const& U, std::int64_t kept) {
  auto const part = uninitialized<DeviceBatch<DeviceNumber<Number>>>(
      exec, "carroll::tool::kept", U.extent(0), U.extent(1), kept);
  Kokkos::deep_copy(
      exec, part,
      Kokkos::subview(U, Kokkos::ALL, Kokkos::ALL, std::pair<std::int64_t, std::int64_t>(0, kept)));
  return numbers_on_host_as<Number>(exec, part);
}

}  // namespace

template <class Number>
BatchDecomposition<Number> decompose(HostBatch<Number> const& batch,
                                     DecomposeOptions const& options, Progress& progress) {
  using Value = DeviceNumber<Number>;
  using Real = PartOf<Number>;
  ExecSpace const exec;
  std::int64_t const values = std::min(batch.rows, batch.cols);
  std::int64_t const computed = options.vectors ? values : 0;
  auto const A = to_device(exec, "carroll::tool::A", batch);
  auto const S =
      uninitialized<DeviceVectors<Real>>(exec, "carroll::tool::S", batch.members, values);
  auto const U = uninitialized<DeviceBatch<Value>>(exec, "carroll::tool::U", batch.members,
                                                   batch.rows, computed);
  auto const V = uninitialized<DeviceBatch<Value>>(exec, "carroll::tool::V", batch.members,
                                                   batch.cols, computed);
  exec.fence("carroll::tool: start of the clock");
  progress.phase("decomposing " + std::to_string(batch.members) + " of " +
                 extents_text(batch.rows, batch.cols));
  BatchDecomposition<Number> found;
  found.backend = ExecSpace::name();
  Kokkos::Timer const timer;
  auto const infos = options.vectors ? svd(exec, A, U, S, V, solver_options(options))
                                     : singular_values(exec, A, S, solver_options(options));
  found.seconds = timer.seconds();
  for (auto const& info : infos) {
    found.members.push_back({static_cast<int>(info.status), info.sweeps, info.rank,
                             static_cast<double>(info.max_cosine), NAN});
  }
  found.S = numbers_on_host(exec, S);
  if (!options.vectors) return found;
  progress.phase("computing the residuals");
  set_residuals(exec, "carroll::tool::row_residuals",
                RowResiduals<Value, Real>(A, U, S, V, options.columns), batch.rows, found.members);
  if (options.copy_vectors) {
    progress.phase("copying the factors");
    found.U = columns_on_host<Number>(exec, U, options.columns);
    found.V = columns_on_host<Number>(exec, V, options.columns);
  }
  return found;
}

#define CARROLL_TOOL_INSTANTIATE(Number)                                                           \
  template BatchDecomposition<Number> decompose(HostBatch<Number> const&, DecomposeOptions const&, \
                                                Progress&)
CARROLL_TOOL_INSTANTIATE(float);
CARROLL_TOOL_INSTANTIATE(double);
CARROLL_TOOL_INSTANTIATE(std::complex<float>);
CARROLL_TOOL_INSTANTIATE(std::complex<double>);
#undef CARROLL_TOOL_INSTANTIATE

}  // namespace carroll::tool
