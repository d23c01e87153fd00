// SPDX-License-Identifier: BSD-3-Clause
#include "complex_svd/peers.hpp"

namespace carroll::perf {

template <class Real>
std::vector<ComplexSvdEntrant<Real>> complex_svd_peers(Exec const&, ComplexSvdShape const&) {
  return {};
}

template std::vector<ComplexSvdEntrant<float>> complex_svd_peers(Exec const&,
                                                                 ComplexSvdShape const&);
template std::vector<ComplexSvdEntrant<double>> complex_svd_peers(Exec const&,
                                                                  ComplexSvdShape const&);

}  // namespace carroll::perf
