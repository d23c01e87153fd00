// SPDX-License-Identifier: BSD-3-Clause
#include "complex/peers.hpp"

namespace carroll::perf {

template <class Real>
std::vector<ComplexEntrant<Real>> complex_peers(Exec const&, ComplexShape const&) {
  return {};
}

template std::vector<ComplexEntrant<float>> complex_peers(Exec const&, ComplexShape const&);
template std::vector<ComplexEntrant<double>> complex_peers(Exec const&, ComplexShape const&);

}  // namespace carroll::perf
