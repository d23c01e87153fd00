// SPDX-License-Identifier: BSD-3-Clause
#include "reduction/vectors.hpp"

namespace carroll::perf {

template <class T>
std::vector<ReductionEntrant<T>> reduction_peers(Exec const&, ReductionFunction) {
  return {};
}

template std::vector<ReductionEntrant<float>> reduction_peers(Exec const&, ReductionFunction);
template std::vector<ReductionEntrant<double>> reduction_peers(Exec const&, ReductionFunction);

}  // namespace carroll::perf
