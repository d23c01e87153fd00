// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* solve_footer =
    R"(Solves A X = B for a square matrix A by elimination with partial pivoting, and
tells the condition of A and how good the result is.

Input: NumPy .npy files with two-dimensional arrays of f2, f4, f8, c8, c16,
integers or bool, or Matrix Market .mtx files, array or coordinate; real,
complex, integer or pattern; general, symmetric or Hermitian. B may have one
dimension: one right-hand side. With a complex A or B X is complex, and --json
has complex: true.

Arrays of three dimensions are batches, a system for each index of the first;
X then has that dimension, too, and with --json there are members and statuses,
and rcond, ill_conditioned and growth are lists.

Output with -o PREFIX, for A n x n and B n x k:
  PREFIX_X.npy  of the shape of B
With status non_finite it is not written; systems of a batch without a solution
have NaN there.

Output with --json, one object: status, n, columns (k), precision, backend,
rcond (1/(|A| |A^-1|) in the 1-norm, found or estimated; of A with rows and
columns scaled by powers of two where they are of very different size; null
where unknown), ill_conditioned (rcond is below the precision: X may have no
right digit), growth (of entries in the elimination), relative_residual
(|A X - B|/(|A| |X|) in the Frobenius norm, the worst member's), seconds (of the
solution alone). Numbers that are not finite become null.

Status: success, singular (no solution), non_finite (A or B holds NaN or
infinity), overflow (an entry of X is beyond the precision), breakdown (numbers
of the elimination left it).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll solve matrix.npy sides.npy -o result
  carroll solve matrix.mtx sides.mtx --json)";

constexpr char const* inverse_footer =
    R"(Inverts a square matrix by elimination with partial pivoting, and tells its
condition and how good the result is.

Input: a NumPy .npy file with a two-dimensional array of f2, f4, f8, c8, c16,
integers or bool, or a Matrix Market .mtx file, array or coordinate; real,
complex, integer or pattern; general, symmetric or Hermitian. An array of three
dimensions is a batch, a matrix for each index of the first; see carroll solve.

Output with -o PREFIX:
  PREFIX_X.npy  the inverse
With status non_finite it is not written; matrices of a batch without an inverse
have NaN there.

Output with --json, one object: status, n, columns (n), precision, backend,
rcond (1/(|A| |A^-1|) in the 1-norm; of A with rows and columns scaled by powers
of two where they are of very different size; null where unknown),
ill_conditioned (rcond is below the precision), growth (of entries in the
elimination), relative_residual (|A X - I|/(|A| |X|) in the Frobenius norm, the
worst member's), seconds (of the inversion alone). Numbers that are not finite
become null.

Status and exit status: as of carroll solve.

Example: carroll inverse matrix.npy -o result)";

/// What both have behind their operands.
void add_common_options(CommandOptions& options, SolveArguments& solve) {
  options.precision(solve.precision, "(default: single for f2, f4 and c8, else double)");
  options.one_of({"automatic", "team", "host_batch", "warp", "tiled"}, "--path", solve.path, "H",
                 "Kernels, where they can\n"
                 "automatic (default): the fastest for the size\n"
                 "team: for all sizes\n"
                 "host_batch: for small matrices on hosts\n"
                 "warp: for order 32 and less on GPUs\n"
                 "tiled: for order 2048 and less on GPUs");
  options.output_prefix(solve.output, "Write PREFIX_X.npy");
  options.json(solve.json);
}

void add_solve_options(CommandOptions& options, SolveArguments& solve) {
  options.operand("A", solve.a, "File of the matrix, .npy or .mtx");
  options.operand("B", solve.b, "File of the right-hand sides");
  add_common_options(options, solve);
}

void add_inverse_options(CommandOptions& options, SolveArguments& inverse) {
  options.operand("INPUT", inverse.a, "Matrix file, .npy or .mtx");
  add_common_options(options, inverse);
}

void check_solve_options(CommandOptions const& options, SolveArguments const& solve) {
  if (solve.a.empty()) throw UsageError("A: the name of the file is empty");
  if (solve.b.empty()) throw UsageError("B: the name of the file is empty");
  check_output_prefix(options, solve.output);
}

void check_inverse_options(CommandOptions const& options, SolveArguments const& inverse) {
  if (inverse.a.empty()) throw UsageError("INPUT: the name of the file is empty");
  check_output_prefix(options, inverse.output);
}

}  // namespace

CommandLine solve_command_line() {
  return command_line(Command::solve, "solve", "A B", "Linear equations A X = B", solve_footer,
                      &Arguments::solve, add_solve_options, check_solve_options);
}

CommandLine inverse_command_line() {
  return command_line(Command::inverse, "inverse", "INPUT", "Inverse of a square matrix",
                      inverse_footer, &Arguments::inverse, add_inverse_options,
                      check_inverse_options);
}

}  // namespace carroll::tool
