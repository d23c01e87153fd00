// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "complex/problem.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

template <class Real>
using ComplexEntrant = Entrant<ComplexContender<Real>, ComplexData<Real> const&>;

/// On a host LAPACK's gesdd, heevd, geqrf with ungqr, gesv and gelsd, members dealt out to the
/// threads. On a device cuSOLVER's gesvdjBatched up to 32 columns and gesvdj, one matrix after the
/// other, beyond; its XsyevBatched; cuBLAS' geqrfBatched with cuSOLVER's ungqr, one matrix after
/// the other; getrfBatched with getrsBatched; and gelsBatched, for full rank, as there is nothing
/// of any rank.
template <class Real>
std::vector<ComplexEntrant<Real>> complex_peers(Exec const& exec, ComplexShape const& shape);

}  // namespace carroll::perf
