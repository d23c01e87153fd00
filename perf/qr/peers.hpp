// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/context.hpp"
#include "qr/problem.hpp"

namespace carroll::perf {

template <class Real>
using QrEntrant = Entrant<QrContender<Real>, std::vector<Real> const&>;

/// LAPACK's geqrf, or geqp3, and orgqr on a host, members dealt out to the threads; on a device
/// cuBLAS' geqrfBatched, or cuSOLVER's geqrf for one matrix, and for Q cuSOLVER's orgqr, one matrix
/// after the other. Neither of these pivots.
template <class Real>
std::vector<QrEntrant<Real>> qr_peers(Exec const& exec, QrShape const& shape);

}  // namespace carroll::perf
