// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hostile/round.hpp"
#include "hostile/svd/calls.hpp"
#include "hostile/svd/matrices.hpp"

namespace carroll::test {

/// A member's results with both full factors against oracles that share no code with the solver:
/// residual, orthogonality, order, values (113-bit Jacobi, LAPACK), rank, status. Empty if all is
/// well. `converges`: no limit on sweeps or tolerance that would excuse it.
template <class Real>
[[nodiscard]] std::string what_is_wrong(HostileMatrix<Real> const& matrix,
                                        HostSvd<Real> const& result, SvdOptions const& options,
                                        bool with_values);

/// What two results for one matrix, with different vectors wanted, both have: bit by bit. Empty if
/// they agree.
template <class Real>
[[nodiscard]] std::string difference(HostSvd<Real> const& all, HostSvd<Real> const& some);

/// What happened, in a line.
[[nodiscard]] std::string to_string(SvdOptions const& options);
[[nodiscard]] std::string to_string(Wanted wanted);
/// All entries in hexadecimal, for small matrices.
template <class Real>
[[nodiscard]] std::string entries(HostMatrix<Real> const& A);

}  // namespace carroll::test
