// SPDX-License-Identifier: BSD-3-Clause
#include "gemm/peers.hpp"

namespace carroll::perf {

template <class T>
std::vector<ProblemEntrant<GemmProblem<T>>> gemm_peers(Exec const&) {
  return {};
}

template std::vector<ProblemEntrant<GemmProblem<float>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<double>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<Kokkos::complex<float>>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<Kokkos::complex<double>>>> gemm_peers(Exec const&);

}  // namespace carroll::perf
