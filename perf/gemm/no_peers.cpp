// SPDX-License-Identifier: BSD-3-Clause
#include "gemm/peers.hpp"

namespace carroll::perf {

template <class T>
std::vector<GemmEntrant<T>> gemm_peers(Exec const&) {
  return {};
}

template std::vector<GemmEntrant<float>> gemm_peers(Exec const&);
template std::vector<GemmEntrant<double>> gemm_peers(Exec const&);
template std::vector<GemmEntrant<Kokkos::complex<float>>> gemm_peers(Exec const&);
template std::vector<GemmEntrant<Kokkos::complex<double>>> gemm_peers(Exec const&);

}  // namespace carroll::perf
