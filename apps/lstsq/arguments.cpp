// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"
#include "lstsq/options.hpp"

namespace carroll::tool {

namespace {

constexpr char const* lstsq_footer =
    R"(Finds the X that make |A X - B| least, and of these the shortest, column by
column, for a matrix A of any shape and rank, by its singular value
decomposition.

Input: NumPy .npy files with arrays of f2, f4, f8, c8, c16, integers or bool, or
Matrix Market .mtx files, array or coordinate; real, complex, integer or
pattern; general, symmetric, skew-symmetric or Hermitian. X is complex if A or
B is, and --json has complex: true then.
A is m x n. B is m x p, p right-hand sides, or has one dimension, of m.

An A of three dimensions is a batch, a matrix for each index of the first; B has
as many, and so has X. With --json there are members and statuses then, and a
rank and singular values for each.

Output with -o PREFIX:
  PREFIX_X.npy  n x p, or n where B has one dimension
With status non_finite it is not written.

Output with --json, one object: status, rows, cols, right_sides, precision,
backend, rank (singular values that count), sigma_max (the largest), sigma_min
(the smallest that counts), relative_residual (|A X - B|/|B| in the Frobenius
norm; of a batch the largest), seconds (of the solution alone). Numbers that are
not finite become null.

Status: success, also where the rank is deficient; non_finite (A or B holds NaN
or infinity); overflow (a result is beyond the precision); not_converged.
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll lstsq matrix.npy right.npy -o result
  carroll lstsq matrix.npy right.npy --rcond 1e-6 --json)";

void add_lstsq_options(CommandOptions& options, LstsqArguments& lstsq) {
  options.operand("A", lstsq.input, "Matrix file, .npy or .mtx");
  options.operand("B", lstsq.right, "Right-hand sides, .npy or .mtx");
  add_rcond(options, lstsq.rcond, "");
  options.precision(lstsq.precision, "(default: single if both are f2, f4 or c8)");
  options.output_prefix(lstsq.output, "Write PREFIX_X.npy");
  options.json(lstsq.json);
}

void check_lstsq_options(CommandOptions const& options, LstsqArguments const& lstsq) {
  check_file_name("A", lstsq.input);
  check_file_name("B", lstsq.right);
  check_output_prefix(options, lstsq.output);
}

}  // namespace

void add_rcond(CommandOptions& options, double& rcond, std::string const& when) {
  options.number(
      "--rcond", rcond, "T", [](double x) { return x >= 0 && x < 1; },
      "a number from 0 and below 1",
      when +
          "Singular values of at most T times the\nlargest count as zero (default: max(m, n) eps)");
}

CommandLine lstsq_command_line() {
  return command_line(Command::lstsq, "lstsq", "A B",
                      "Least squares of any rank, the shortest solution", lstsq_footer,
                      &Arguments::lstsq, add_lstsq_options, check_lstsq_options);
}

}  // namespace carroll::tool
