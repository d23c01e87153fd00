// SPDX-License-Identifier: BSD-3-Clause
#include "eigh/peers.hpp"

namespace carroll::perf {

template <class Real>
std::vector<EighEntrant<Real>> eigh_peers(Exec const&, EighShape const&) {
  return {};
}

template std::vector<EighEntrant<float>> eigh_peers(Exec const&, EighShape const&);
template std::vector<EighEntrant<double>> eigh_peers(Exec const&, EighShape const&);

}  // namespace carroll::perf
