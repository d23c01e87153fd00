// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "determinant/contender.hpp"

namespace carroll::perf {

/// LAPACK's getrf and the product of the diagonal. A batch is dealt out to `threads` OpenMP
/// threads, each calling the library single-threaded. A single matrix uses the library's own
/// threads, all of them or, up to order 2048, the power of two of them that is the fastest in a
/// trial: small matrices are slower with many. `A` has to outlive the contender.
template <class Real>
std::unique_ptr<DeterminantContender<Real>> make_lapack_determinant(DeterminantShape const& shape,
                                                                    std::span<Real const> A,
                                                                    int threads);

}  // namespace carroll::perf
