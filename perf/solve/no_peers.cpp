// SPDX-License-Identifier: BSD-3-Clause
#include "solve/peers.hpp"

namespace carroll::perf {

template <class Real>
std::vector<SystemEntrant<SolveData<Real>>> solve_peers(Exec const&, SolveShape const&) {
  return {};
}

template std::vector<SystemEntrant<SolveData<float>>> solve_peers(Exec const&, SolveShape const&);
template std::vector<SystemEntrant<SolveData<double>>> solve_peers(Exec const&, SolveShape const&);

}  // namespace carroll::perf
