// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* qr_footer =
    R"(Factorises a matrix into orthonormal columns Q and an upper triangle R whose
diagonal is not negative (LAPACK and NumPy let the signs fall as they may), and
tells R's diagonal and how good the result is.

Input: a NumPy .npy file with a two-dimensional array of f2, f4, f8, c8,
c16, integers or bool, or a Matrix Market .mtx file, array or coordinate; real,
complex, integer or pattern; general, symmetric, skew-symmetric or Hermitian.
Of a complex matrix Q and R are complex, R's diagonal is real, and --json has
complex: true.

An array of three dimensions is a batch, a matrix for each index of the first;
the files then have that dimension, too, and with --json there are members and
statuses, and a diagonal, a rank and a permutation for each.

Output with -o PREFIX, for an m x n matrix, k = min(m, n):
  PREFIX_Q.npy  m x k, or m x m with --mode full; none with --mode r
  PREFIX_R.npy  k x n, or m x n with --mode full
  PREFIX_P.npy  n, i4, with --pivot: column j of Q R is column P[j] of it
All of them appear or none. With status non_finite none is written.

Output with --json, one object: status, rows, cols, precision, backend, mode,
diagonal (of R), rank (with --pivot: entries of the diagonal above the
tolerance, else null), permutation (null without --pivot), relative_residual
(|A P - Q R|/|A| in the Frobenius norm, null with --mode r), seconds (of the
factorisation alone). Numbers that are not finite become null.

Status: success, non_finite (the matrix holds NaN or infinity), overflow (an
entry of R is beyond the precision).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll qr matrix.npy -o result
  carroll qr matrix.npy --mode r --pivot --json)";

void add_qr_options(CommandOptions& options, QrArguments& qr) {
  options.operand("INPUT", qr.input, "Matrix file, .npy or .mtx");
  options.one_of({"thin", "full", "r"}, "--mode", qr.mode, "M",
                 "thin (default): as many columns of Q as R has rows\n"
                 "full: all columns of Q, a whole basis\n"
                 "r: R alone");
  options.flag("--pivot", qr.pivot, "Longest column first: reveals the rank");
  options.number(
      "--rank-tolerance", qr.rank_tolerance, "T", [](double x) { return x >= 0 && x < 1; },
      "a number from 0 and below 1",
      "With --pivot: part of the first entry of the diagonal\n"
      "that counts as zero (default: max(m, n) eps)");
  options.precision(qr.precision, "(default: single for f2, f4 and c8, else double)");
  options.one_of({"automatic", "team", "host_batch", "host_block", "warp", "tiled", "slim", "tall"},
                 "--path", qr.path, "H",
                 "Kernels, where they can\n"
                 "automatic (default): the fastest for the size\n"
                 "team: for all sizes\n"
                 "host_batch: for small matrices on hosts\n"
                 "host_block: for large ones on hosts, real\n"
                 "warp: for up to 32 rows and columns on devices\n"
                 "tiled: for up to 8192 rows on devices, real, no --pivot\n"
                 "slim: for up to 512 rows of 4 columns, 256 of 8 and\n"
                 "128 of 16 on devices, real\n"
                 "tall: for 1025 to 524288 rows of up to 16 columns\n"
                 "on devices, real, no --pivot");
  options.output_prefix(qr.output, "Write PREFIX_Q.npy, PREFIX_R.npy and PREFIX_P.npy");
  options.json(qr.json);
}

void check_qr_options(CommandOptions const& options, QrArguments const& qr) {
  if (options.given("--rank-tolerance") && !qr.pivot)
    throw UsageError("--rank-tolerance needs --pivot");
  if (qr.input.empty()) throw UsageError("INPUT: the name of the file is empty");
  check_output_prefix(options, qr.output);
}

}  // namespace

CommandLine qr_command_line() {
  return command_line(Command::qr, "qr", "INPUT", "QR factorisation A = Q R, or A P = Q R",
                      qr_footer, &Arguments::qr, add_qr_options, check_qr_options);
}

}  // namespace carroll::tool
