// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/determine.hpp"

#include <carroll/determinant.hpp>
#include <map>
#include <string>

#include "determinant/timed.hpp"
#include "enumerators.hpp"

namespace carroll::tool {

namespace {

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

}  // namespace

template <class Real>
Determination determine(HostMatrix<Real> const& matrix, std::string const& method,
                        std::string const& path, Progress& progress) {
  DeterminantOptions const options{method_named(method), named<DeterminantPath>(path)};
  Determination result;
  auto const info =
      timed(matrix, "condensing", progress, result,
            [&](ExecSpace const& exec, auto const& A) { return determinant(exec, A, options); });
  set_value(info.value, result);
  result.growth = static_cast<double>(info.growth);
  return result;
}

template Determination determine(HostMatrix<float> const&, std::string const&, std::string const&,
                                 Progress&);
template Determination determine(HostMatrix<double> const&, std::string const&, std::string const&,
                                 Progress&);

}  // namespace carroll::tool
