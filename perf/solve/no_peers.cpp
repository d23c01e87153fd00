// SPDX-License-Identifier: BSD-3-Clause
#include "solve/peers.hpp"

namespace carroll::perf {

template <class Real>
std::vector<SolveEntrant<Real>> solve_peers(Exec const&, SolveShape const&) {
  return {};
}

template std::vector<SolveEntrant<float>> solve_peers(Exec const&, SolveShape const&);
template std::vector<SolveEntrant<double>> solve_peers(Exec const&, SolveShape const&);

}  // namespace carroll::perf
