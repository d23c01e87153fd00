// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/scaled_number.hpp>
#include <string>

#include "determinant/determine.hpp"
#include "device/matrix.hpp"
#include "files/limits.hpp"

/// What every way to a determinant has in common.
namespace carroll::tool {

/// How long it took, where it ran, and its status.
template <class Info>
void set_run(Info const& info, double seconds, Determination& found) {
  found.seconds = seconds;
  found.status = to_string(info.status);
  found.backend = ExecSpace::name();
}

/// What `solver(exec, A)` returns for A on the device, and its run in `found`.
template <class Number, class Solver>
auto timed(HostMatrix<Number> const& matrix, std::string const& doing, Progress& progress,
           Determination& found, Solver const& solver) {
  ExecSpace const exec;
  auto const A = to_device(exec, "carroll::tool::A", matrix);
  exec.fence("carroll::tool: start of the clock");
  progress.phase(doing + " " + extents_text(matrix.rows, matrix.cols));
  Kokkos::Timer const timer;
  auto const det = solver(exec, A);
  set_run(det, timer.seconds(), found);
  return det;
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

}  // namespace carroll::tool
