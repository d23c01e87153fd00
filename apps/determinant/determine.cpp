// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/determine.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <map>
#include <string>

namespace carroll::tool {

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;

DeterminantMethod method_named(std::string const& name) {
  static std::map<std::string, DeterminantMethod> const methods{
      {"blocked", DeterminantMethod::blocked},
      {"condensation", DeterminantMethod::condensation},
      {"salem_said", DeterminantMethod::salem_said},
      {"dodgson", DeterminantMethod::dodgson},
      {"condensation_in_place", DeterminantMethod::condensation_in_place},
      {"condensation_ping_pong", DeterminantMethod::condensation_ping_pong},
      {"condensation_read_only", DeterminantMethod::condensation_read_only},
      {"condensation_read_only_column", DeterminantMethod::condensation_read_only_column}};
  return methods.at(name);
}

DeterminantPath path_named(std::string const& name) {
  int path = 0;
  while (to_string(static_cast<DeterminantPath>(path)) != name) ++path;
  return static_cast<DeterminantPath>(path);
}

}  // namespace

template <class Real>
Determination determine(HostMatrix<Real> const& matrix, std::string const& method,
                        std::string const& path, Progress& progress) {
  ExecSpace const exec;
  Kokkos::View<Real const**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const
      host(matrix.values.data(), matrix.rows, matrix.cols);
  Kokkos::View<Real**, Kokkos::LayoutLeft, ExecSpace> const A(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::tool::A"), matrix.rows,
      matrix.cols);
  Kokkos::deep_copy(exec, A, host);
  exec.fence("carroll::tool: start of the clock");

  progress.phase("condensing " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.cols));
  Kokkos::Timer const timer;
  DeterminantInfo<Real> const info = determinant(exec, A, {method_named(method), path_named(path)});
  Determination result;
  result.seconds = timer.seconds();
  result.status = to_string(info.status);
  result.backend = ExecSpace::name();
  result.sign = static_cast<double>(info.value.sign());
  result.mantissa = static_cast<double>(info.value.mantissa());
  result.exponent = info.value.exponent();
  result.log_abs = info.value.log_abs();
  result.value = info.value.template to<double>();
  result.decimal = to_string(info.value);
  result.growth = static_cast<double>(info.growth);
  return result;
}

template Determination determine(HostMatrix<float> const&, std::string const&, std::string const&,
                                 Progress&);
template Determination determine(HostMatrix<double> const&, std::string const&, std::string const&,
                                 Progress&);

}  // namespace carroll::tool
