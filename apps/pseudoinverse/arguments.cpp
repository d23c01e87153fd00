// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"
#include "lstsq/options.hpp"

namespace carroll::tool {

namespace {

constexpr char const* pinv_footer =
    R"(Solves min |A x - d| for the arrow Jacobian A = [B | U] of direct visual SLAM: k
dense motion columns B, and m depth columns of which each row has an entry u in
one. Of several solutions the shortest is found.

Input: a directory with NumPy arrays of f2, f4, f8 or integers:
  motion.npy           n x k  B
  depth.npy            n      u
  segment_offsets.npy  m + 1  rows of depth column i: from entry i to before
                              entry i + 1; from 0 to n, never falling
  residual.npy         n or n x r  d, or several of them
Or a batch of f frames, where motion.npy is f x n x k: depth.npy and
residual.npy are f x n, segment_offsets.npy is m + 1, of all frames, or
f x (m + 1). Each frame's result is what it is by itself; output arrays have
the frame as their first dimension. Under mpirun ranks share the frames.

Output with -o PREFIX:
  PREFIX_motion.npy      k or k x r  x of the motion columns
  PREFIX_depth.npy       m or m x r  x of the depth columns
  PREFIX_pinv.npy        (k + m) x n  the pseudoinverse of A, with --dense
  PREFIX_covariance.npy  k x k  with --covariance
  PREFIX_variances.npy   m      of the depths, with --covariance
All of them appear or none. With status non_finite none is written.

Output with --json, one object: status, rows, motions, depths, precision,
backend, method, path (the kernels that took the step), rank, cutoff (motion
columns with less beside the others count as dependent), motion_step (x of the
motion columns), relative_gradient
(|A^T (A x - d)| / (|A| |d|), with --damping of the damped problem), seconds (of
the solution alone), and with --covariance covariance (of the motion, for
residuals of variance 1). Of a batch status is the first that is no success,
members their number, statuses, rank, cutoff, motion_step and covariance are
lists, and relative_gradient is the largest. Numbers that are not finite become
null.

Status: success, also where the rank is deficient; non_finite (an array holds
NaN or infinity); overflow (a result is beyond the precision).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

With --general the input is one matrix of any shape and rank, or a batch, in a
file as lstsq reads them (carroll lstsq --help), and PREFIX_pinv.npy its
pseudoinverse by the singular value decomposition. The JSON object is that of
lstsq without right_sides; relative_residual is |A P A - A|/|A|.

Examples:
  carroll pinv step
  carroll pinv step --damping 0.01 --covariance -o result --json
  carroll pinv --general matrix.npy -o result)";

void add_pinv_options(CommandOptions& options, PinvArguments& pinv) {
  options.operand("DIR", pinv.input, "Directory with the arrays; with --general a matrix file");
  options.flag("--general", pinv.general, "The pseudoinverse of any matrix");
  add_rcond(options, pinv.rcond, "With --general.\n");
  options.flag("--dense", pinv.dense, "Write the pseudoinverse itself, too");
  options.number(
      "--damping", pinv.damping, "L", [](double l) { return l >= 0 && l <= 1e300; },
      "a number from 0 to 1e300",
      "Levenberg-Marquardt: minimise |A x - d|^2 + L |x|^2\n"
      "(default: 0)");
  options.flag("--covariance", pinv.covariance,
               "Covariance of the motion, variances of the depths");
  options.precision(pinv.precision, "(default: single if all but the offsets are f2 or f4)");
  options.one_of({"automatic", "normal_equations", "cholesky_qr", "structured_qr"}, "--method",
                 pinv.method, "M",
                 "automatic (default): as good as structured_qr, and as\n"
                 "fast as can be\n"
                 "structured_qr: errors grow with the condition number\n"
                 "cholesky_qr: as in twice the digits of the precision;\n"
                 "for 1 motion column, and on GPUs for 3 or 6\n"
                 "normal_equations: with its square");
  options.one_of({"automatic", "one_motion", "one_motion_shared_core", "tensor_sums",
                  "segment_sums", "row_tiles"},
                 "--path", pinv.path, "P",
                 "Kernels of the step, where they can take it:\n"
                 "one_motion, one_motion_shared_core, tensor_sums,\n"
                 "segment_sums, row_tiles (default: automatic)");
  options.one_of({"automatic", "one_motion", "products", "entries", "stretches"}, "--writer",
                 pinv.writer, "W",
                 "Kernels of --dense, where they can take it: one_motion,\n"
                 "products, entries, stretches (default: automatic)");
  options.output_prefix(pinv.output, "Write PREFIX_motion.npy and so on");
  options.json(pinv.json);
}

void check_pinv_options(CommandOptions const& options, PinvArguments const& pinv) {
  if (pinv.input.empty()) throw UsageError("DIR: the name of the directory is empty");
  check_output_prefix(options, pinv.output);
  if (pinv.general)
    refuse(options, {"--dense", "--damping", "--covariance", "--method", "--path", "--writer"},
           "for --general");
  else if (options.given("--rcond"))
    throw UsageError("--rcond needs --general");
  if (pinv.dense && pinv.output.empty()) {
    throw UsageError("--dense needs -o: the pseudoinverse goes to a file");
  }
}

}  // namespace

CommandLine pinv_command_line() {
  return command_line(Command::pinv, "pinv", "DIR",
                      "Least squares of visual SLAM; pseudoinverse of a matrix", pinv_footer,
                      &Arguments::pinv, add_pinv_options, check_pinv_options);
}

}  // namespace carroll::tool
