// SPDX-License-Identifier: BSD-3-Clause
#include "gemv/peers.hpp"

namespace carroll::perf {

template <class T>
std::vector<ProblemEntrant<GemvProblem<T>>> gemv_peers(Exec const&) {
  return {};
}

template std::vector<ProblemEntrant<GemvProblem<float>>> gemv_peers(Exec const&);
template std::vector<ProblemEntrant<GemvProblem<double>>> gemv_peers(Exec const&);

}  // namespace carroll::perf
