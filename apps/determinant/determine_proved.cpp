// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/certified_determinant.hpp>
#include <carroll/integer_determinant.hpp>
#include <cstddef>
#include <string>

#include "determinant/determine.hpp"

namespace carroll::tool {

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;

/// A on the device, all work done.
template <class T>
auto on_device(ExecSpace const& exec, HostMatrix<T> const& matrix) {
  Kokkos::View<T const**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const
      host(matrix.values.data(), matrix.rows, matrix.cols);
  Kokkos::View<T**, Kokkos::LayoutLeft, ExecSpace> const A(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::A"), matrix.rows,
      matrix.cols);
  Kokkos::deep_copy(exec, A, host);
  exec.fence("carroll::tool: start of the clock");
  return A;
}

std::string size_text(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

template <class Real>
void set_value(ScaledNumber<Real> const& value, Determination& found) {
  found.sign = static_cast<double>(value.sign());
  found.mantissa = static_cast<double>(value.mantissa());
  found.exponent = value.exponent();
  found.log_abs = value.log_abs();
  found.value = value.template to<double>();
  found.decimal = to_string(value);
}

template <class Real>
ScaledText scaled_text(ScaledNumber<Real> const& x) {
  return {static_cast<double>(x.mantissa()), x.exponent(), to_string(x)};
}

/// The nearest ScaledNumber, from the highest limbs.
ScaledNumber<double> rounded(IntegerDeterminant const& det) {
  IntegerDeterminant top = det;
  // 16 limbs fit a double's range, and the lower ones can only decide ties.
  std::size_t const left_out = det.limbs.size() - std::min<std::size_t>(det.limbs.size(), 15);
  if (left_out > 0) {
    auto const end = det.limbs.begin() + static_cast<std::ptrdiff_t>(left_out);
    bool const more = std::any_of(det.limbs.begin(), end, [](auto limb) { return limb != 0; });
    top.limbs.assign(end, det.limbs.end());
    if (more) top.limbs.front() |= 1U;
  }
  return ScaledNumber<double>(static_cast<double>(top), 64 * static_cast<std::int64_t>(left_out));
}

}  // namespace

template <class Real>
Determination certify(HostMatrix<Real> const& matrix, Progress& progress) {
  ExecSpace const exec;
  auto const A = on_device(exec, matrix);
  progress.phase("certifying " + size_text(matrix.rows, matrix.cols));
  Kokkos::Timer const timer;
  auto const info = certified_determinant(exec, A);
  Determination found;
  found.seconds = timer.seconds();
  found.status = to_string(info.status);
  found.backend = ExecSpace::name();
  set_value(info.value, found);
  found.interval = {scaled_text(info.lower), scaled_text(info.upper)};
  return found;
}

template Determination certify(HostMatrix<float> const&, Progress&);
template Determination certify(HostMatrix<double> const&, Progress&);

Determination determine_exactly(HostMatrix<std::int64_t> const& matrix, Progress& progress) {
  ExecSpace const exec;
  auto const A = on_device(exec, matrix);
  progress.phase("computing exactly " + size_text(matrix.rows, matrix.cols));
  Kokkos::Timer const timer;
  auto const det = integer_determinant(exec, A);
  Determination found;
  found.seconds = timer.seconds();
  found.backend = ExecSpace::name();
  found.status = to_string(det.status);
  set_value(rounded(det), found);
  found.exact = det.to_string();
  return found;
}

}  // namespace carroll::tool
