// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* eigh_footer =
    R"(Prints the eigenvalues of a symmetric or Hermitian matrix, in ascending order,
and how good the result is.

Input: a NumPy .npy file with a two-dimensional array of f2, f4, f8, c8,
c16, integers or bool, or a Matrix Market .mtx file, array or coordinate; real,
complex, integer or pattern; general, symmetric or Hermitian. The matrix must be
symmetric, a complex one Hermitian, entry by entry, unless --triangle says which
half of it counts; imaginary parts on the diagonal then count for nothing. Of a
complex matrix the vectors are complex, and --json has complex: true.

An array of three dimensions is a batch, a matrix for each index of the first;
the files then have that dimension, too, and with --json there are members and
statuses, a list of eigenvalues, a rank and a number of negative ones for each.

Output with -o PREFIX, for an n x n matrix:
  PREFIX_W.npy  n      eigenvalues (the only file with --values-only)
  PREFIX_V.npy  n x n  eigenvectors, in columns; of each the largest entry is
                       positive
All of them appear or none. With status non_finite or breakdown none is written.

Output with --json, one object: status, n, precision, backend, method,
eigenvalues, sweeps (QL steps, or sweeps of Jacobi), rank (numerical), negative
(eigenvalues below zero among those), relative_residual (|A V - V diag(W)|/|A|
in the Frobenius norm), seconds (of the decomposition alone). Numbers that are
not finite become null, and so does relative_residual with --values-only.

Status: success, not_converged (--max-sweeps came first), non_finite (the matrix
holds NaN or infinity), overflow (an eigenvalue is beyond the precision),
breakdown (cholesky_jacobi has met a matrix that is not positive semidefinite).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll eigh matrix.npy
  carroll eigh covariance.npy --method cholesky_jacobi -o result --json)";

void add_eigh_options(CommandOptions& options, EighArguments& eigh) {
  options.operand("INPUT", eigh.input, "Matrix file, .npy or .mtx");
  options.flag("--values-only", eigh.values_only, "Eigenvalues without vectors");
  options.one_of({"lower", "upper"}, "--triangle", eigh.triangle, "T",
                 "lower or upper: the half that is read, with the\n"
                 "diagonal; the other may hold anything");
  options.precision(eigh.precision, "(default: single for f2, f4 and c8, else double)");
  options.one_of({"backward_stable", "cholesky_jacobi"}, "--method", eigh.method, "M",
                 "backward_stable (default): errors of the order of\n"
                 "rounding errors of the largest eigenvalue\n"
                 "cholesky_jacobi: for positive semidefinite matrices,\n"
                 "small eigenvalues to as many digits as large ones");
  options.one_of({"automatic", "team", "host_batch", "warp", "divided", "shifted", "vendor"},
                 "--path", eigh.path, "H",
                 "Kernels that carry out backward_stable, where they can\n"
                 "automatic (default): the fastest for the size\n"
                 "team: for all sizes, real\n"
                 "host_batch: for small matrices on hosts\n"
                 "warp: for matrices of order up to 32 on devices\n"
                 "divided: for all sizes, by divide and conquer\n"
                 "shifted: for all sizes, by the kernels of svd\n"
                 "vendor: by cuSOLVER where there is, whose results are\n"
                 "measured; what is not right is done by shifted");
  options.whole_number_from_one("--max-sweeps", eigh.max_sweeps, "N",
                                "Give up after N steps an eigenvalue, or N sweeps of\n"
                                "Jacobi (default: 30); divided has no such limit");
  options.output_prefix(eigh.output, "Write PREFIX_W.npy and PREFIX_V.npy");
  options.json(eigh.json);
}

void check_eigh_options(CommandOptions const& options, EighArguments const& eigh) {
  check_method(options, "--path", eigh.method, "backward_stable");
  check_file_name("INPUT", eigh.input);
  check_output_prefix(options, eigh.output);
}

}  // namespace

CommandLine eigh_command_line() {
  return command_line(Command::eigh, "eigh", "INPUT",
                      "Symmetric eigenvalue decomposition A = V diag(W) V^H", eigh_footer,
                      &Arguments::eigh, add_eigh_options, check_eigh_options);
}

}  // namespace carroll::tool
