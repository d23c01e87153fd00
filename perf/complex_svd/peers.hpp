// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

#include "complex_svd/problem.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

template <class Real>
using ComplexSvdEntrant =
    Entrant<ComplexSvdContender<Real>, std::vector<std::complex<Real>> const&>;

/// LAPACK's gesdd on a host, members dealt out to the threads; on a device cuSOLVER's gesvdjBatched
/// up to 32 columns and gesvdj, one matrix after the other, beyond.
template <class Real>
std::vector<ComplexSvdEntrant<Real>> complex_svd_peers(Exec const& exec,
                                                       ComplexSvdShape const& shape);

}  // namespace carroll::perf
