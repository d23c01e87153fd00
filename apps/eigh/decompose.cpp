// SPDX-License-Identifier: BSD-3-Clause
#include "eigh/decompose.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/eigh.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/batch.hpp"
#include "device/in_double.hpp"
#include "device/row_residuals.hpp"
#include "enumerators.hpp"
#include "files/limits.hpp"

namespace carroll::tool {

namespace {

EighOptions solver_options(EighArguments const& arguments) {
  EighOptions options;
  if (arguments.method == "cholesky_jacobi") options.method = EighMethod::cholesky_jacobi;
  if (arguments.triangle == "upper") options.triangle = Triangle::upper;
  options.path = named<EighPath>(arguments.path);
  options.max_sweeps = arguments.max_sweeps;
  return options;
}

/// |A V - V diag(W)|² and |A|² of a row of a member, in double precision and of numbers that are
/// divided by the member's largest eigenvalue, so that they do not overflow.
template <class Number, class Real>
class EighRowResiduals {
  using Wide = decltype(in_double(Number()));

 public:
  EighRowResiduals(DeviceBatch<Number> const& A, DeviceVectors<Real> const& W,
                   DeviceBatch<Number> const& V, bool lower)
      : A_(A), W_(W), V_(V), lower_(lower) {}

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    auto const n = static_cast<std::int64_t>(A_.extent(1));
    std::int64_t const b = item / n, i = item % n;
    double const largest = Kokkos::fmax(Kokkos::abs(static_cast<double>(W_(b, 0))),
                                        Kokkos::abs(static_cast<double>(W_(b, n - 1))));
    double const scale = largest > 0 ? largest : 1;
    double difference = 0, size = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      Wide sum = in_double(V_(b, i, j)) * (-static_cast<double>(W_(b, j)) / scale);
      for (std::int64_t k = 0; k < n; ++k) sum += entry(b, i, k) / scale * in_double(V_(b, k, j));
      difference += square_of(sum);
      size += square_of(entry(b, i, j) / scale);
    }
    squares(b, i, 0) = difference;
    squares(b, i, 1) = size;
  }

  RowSquares squares;

 private:
  KOKKOS_FUNCTION Wide entry(std::int64_t b, std::int64_t i, std::int64_t j) const {
    bool const own = (i >= j) == lower_;
    Wide x = in_double(own ? A_(b, i, j) : A_(b, j, i));
    if constexpr (!std::is_same_v<Wide, double>) x.imag(i == j ? 0 : own ? x.imag() : -x.imag());
    return x;
  }

  DeviceBatch<Number> A_;
  DeviceVectors<Real> W_;
  DeviceBatch<Number> V_;
  bool lower_;
};

}  // namespace

template <class Number>
EighResult<Number> eigendecompose(HostBatch<Number> const& batch, EighArguments const& arguments,
                                  Progress& progress) {
  using Entry = DeviceNumber<Number>;
  using Real = PartOf<Number>;
  ExecSpace const exec;
  std::int64_t const n = batch.rows, vectors = arguments.values_only ? 0 : n;
  auto const options = solver_options(arguments);
  auto const A = to_device(exec, "carroll::tool::A", batch);
  auto const W = uninitialized<DeviceVectors<Real>>(exec, "carroll::tool::W", batch.members, n);
  auto const V =
      uninitialized<DeviceBatch<Entry>>(exec, "carroll::tool::V", batch.members, vectors, vectors);
  exec.fence("carroll::tool: start of the clock");
  progress.phase("decomposing " + std::to_string(batch.members) + " of " + extents_text(n, n));
  EighResult<Number> found;
  found.backend = ExecSpace::name();
  Kokkos::Timer const timer;
  auto const infos = arguments.values_only ? symmetric_eigenvalues(exec, A, W, options)
                                           : eigh(exec, A, W, V, options);
  found.seconds = timer.seconds();
  for (auto const& info : infos)
    found.members.push_back(
        {static_cast<int>(info.status), info.sweeps, info.rank, info.negative, NAN});
  found.W = numbers_on_host(exec, W);
  if (arguments.values_only) return found;
  progress.phase("computing the residuals");
  if (n > 0)
    set_residuals(exec, "carroll::tool::eigh_residuals",
                  EighRowResiduals<Entry, Real>(A, W, V, options.triangle == Triangle::lower), n,
                  found.members);
  if (!arguments.output.empty()) {
    progress.phase("copying the vectors");
    found.V = numbers_on_host_as<Number>(exec, V);
  }
  return found;
}

#define CARROLL_TOOL_EIGH(Number)                                                            \
  template EighResult<Number> eigendecompose(HostBatch<Number> const&, EighArguments const&, \
                                             Progress&)
CARROLL_TOOL_EIGH(float);
CARROLL_TOOL_EIGH(double);
CARROLL_TOOL_EIGH(std::complex<float>);
CARROLL_TOOL_EIGH(std::complex<double>);
#undef CARROLL_TOOL_EIGH

}  // namespace carroll::tool
