// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "pseudoinverse/arrow_frames.hpp"
#include "pseudoinverse/contender.hpp"

/// Solvers on the host that somebody picks for the step, each of one frame. They work in double
/// precision, except LAPACK's.
namespace carroll::perf {

/// The linear step of Ceres' Levenberg-Marquardt with DENSE_SCHUR, which eliminates the depths,
/// timed by Ceres' own clock around that alone: the median of iterations that solve with the same
/// Jacobian and find everything allocated. The result that is checked is of a solution from the
/// start, with damping too small to be seen.
std::unique_ptr<StepContender> make_ceres_step(HostFrame const& frame, int threads);
std::string ceres_version();

/// SuiteSparseQR of A as a sparse matrix. `at_once`: x = A\d with the default ordering and
/// tolerance, as in its user guide. Otherwise the motion columns come last, where they cause no
/// fill: the numerical factorisation, after a symbolic one that is not timed, Qᵀd and the
/// triangular solve.
std::unique_ptr<StepContender> make_spqr_step(HostFrame const& frame, bool at_once, int threads);
std::string spqr_version();

/// LAPACK's drivers on the dense A, single-threaded or with all threads of the library.
enum class LeastSquaresDriver { gels, gelsd };
std::string to_string(LeastSquaresDriver driver);
template <class Real>
std::unique_ptr<StepContender> make_lapack_step(LeastSquaresDriver driver, HostFrame const& frame,
                                                int threads);

}  // namespace carroll::perf
