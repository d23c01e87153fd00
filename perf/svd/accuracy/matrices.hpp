// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace carroll::perf {

/// Square matrices with small singular values that a solver may or may not find:
///   geometric       A = UΣVᵀ with random orthogonal U and V, and Σ falling from 1 to 1/cond: any
///                   backward stable method may lose the relative accuracy of a value σ to ε·σ₁/σ
///   scaled_columns  A = B·D with such a B of condition 10, and a diagonal D falling from 1 to
///                   1/cond in random order: all values are determined to about ε·cond(B), and
///                   one-sided Jacobi finds them (Demmel and Veselić, SIAM J. Matrix Anal. Appl.
///                   13(4), 1992)
enum class AccuracyKind { geometric, scaled_columns };
inline constexpr std::array accuracy_kinds{AccuracyKind::geometric, AccuracyKind::scaled_columns};
std::string_view to_string(AccuracyKind kind);

/// n×n, column-major, generated in double and rounded once; the rounding changes the singular
/// values, so that a reference must be computed from what is returned.
template <class Real>
std::vector<Real> accuracy_matrix(AccuracyKind kind, int n, double cond, int seed);

}  // namespace carroll::perf
