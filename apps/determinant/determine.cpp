// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/determine.hpp"

#include <carroll/determinant.hpp>
#include <string>

#include "determinant/methods.hpp"
#include "determinant/timed.hpp"

namespace carroll::tool {

template <class Real>
Determination determine(HostMatrix<Real> const& matrix, std::string const& method,
                        std::string const& path, Progress& progress) {
  DeterminantOptions const options = determinant_options(method, path);
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
