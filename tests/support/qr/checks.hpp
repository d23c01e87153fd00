// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "support/host_matrix.hpp"
#include "support/qr/drivers.hpp"

namespace carroll::test {

/// LAPACK's ratios of A·P = Q·R, in extended precision, in units of max(m, n)·ε: of the worst
/// column j ‖(A·P - Q·R)(:, j)‖/‖(A·P)(:, j)‖, which bounds LAPACK's of the whole matrix, and
/// ‖QᴴQ - I‖₁.
struct QrRatios {
  double residual = 0;
  double orthogonality = 0;
};
template <class Value>
[[nodiscard]] QrRatios qr_ratios(HostMatrix<Value> const& A, HostQr<Value> const& result);

/// What is wrong with a result for a finite A, "" for nothing: shape, zeros, signs and phases,
/// permutation, order of the diagonal, ratios. Overflow is right if and only if R has an infinite
/// entry.
template <class Value>
[[nodiscard]] std::string what_is_wrong(HostMatrix<Value> const& A, HostQr<Value> const& result);

}  // namespace carroll::test
