// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/host_matrix.hpp"

/// The sequential algorithms that speed-ups are of, as a textbook has them: by one thread, without
/// Kokkos, without blocks.
namespace carroll::tool {

/// One number after the other.
[[nodiscard]] double sum_by_loop(std::vector<double> const& x);

[[nodiscard]] double dot_by_loop(std::vector<double> const& x, std::vector<double> const& y);

/// z := x + y
void add_by_loop(std::vector<double> const& x, std::vector<double> const& y,
                 std::vector<double>& z);

/// C := A B, column after column of C, a multiple of a column of A after the other.
void multiply_by_loop(HostMatrix<double> const& A, HostMatrix<double> const& B,
                      HostMatrix<double>& C);

/// The logarithm of |det A| by elimination with row pivots.
[[nodiscard]] double determinant_by_loop(HostMatrix<double> A);

/// The largest singular value by Hestenes' rotations of pairs of columns, all pairs in turn until
/// no cosine is above 10⁻¹⁴, with V, as one-sided Jacobi.
[[nodiscard]] double svd_by_loop(HostMatrix<double> A);

/// Seconds of an addition that waits for the one before: t_calc. Both are the least of several
/// times.
[[nodiscard]] double addition_seconds();

/// Seconds in which a number gets from one thread to another that has been waiting for it, half of
/// the way there and back: t_com. Ends after a tenth of a second where processors are busy.
[[nodiscard]] double hand_over_seconds();

}  // namespace carroll::tool
