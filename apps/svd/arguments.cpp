// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* svd_footer =
    R"(Prints the singular values, in descending order, and how good the result is.

Input: a NumPy .npy file with a two-dimensional array of f2, f4, f8, c8,
c16, integers or bool, or a Matrix Market .mtx file, array or coordinate; real,
complex, integer or pattern; general, symmetric, skew-symmetric or Hermitian.
Of a complex matrix A = U diag(S) V^H, with --method preconditioned; U and V are
complex, S is real, and --json has complex: true.

An array of three dimensions is a batch, a matrix for each index of the first;
the files then have that dimension, too. With --json there are members and
statuses, a list of singular values and a rank for each, and the largest sweeps,
max_cosine and relative_residual; status is the first that is not success.

Output with -o PREFIX, for an m x n matrix and r = min(m, n), or K with --rank:
  PREFIX_U.npy  m x r  left singular vectors, in columns
  PREFIX_S.npy  r      singular values (the only file with --values-only)
  PREFIX_V.npy  n x r  right singular vectors, in columns: V, not its transpose
All of them appear or none. With status non_finite none is written.

Output with --json, one object: status, rows, cols, precision, backend,
singular_values, sweeps, max_cosine, relative_residual (|A - U diag(S) V^T|/|A|
in the Frobenius norm), rank (numerical), energy_rank (with --energy), seconds
(of the decomposition alone); with --method truncated no sweeps, max_cosine and
rank but power_steps (0: all triplets were needed), triplet_residual (largest
|A v - s u| / s_1) and error_bound (of |A - U diag(S) V^T|, relative to s_1, in
the spectral norm); with --method tall sweeps, max_cosine and rank are those of
the triangular factor. Numbers that are not finite become null, and so does
relative_residual with --values-only.

Status: success, not_converged (--max-sweeps or the limit on power steps came
first), non_finite (the matrix holds NaN or infinity), overflow (a singular
value is beyond the precision).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll svd matrix.npy
  carroll svd matrix.mtx --energy 0.99 --values-only
  carroll svd matrix.npy --rank 10 --method truncated -o result --json
  mpirun -n 4 carroll svd tall_matrix.npy --method tall --values-only)";

void add_svd_options(CommandOptions& options, SvdArguments& svd) {
  options.operand("INPUT", svd.input, "Matrix file, .npy or .mtx");
  options.flag("--values-only", svd.values_only, "Singular values without vectors");
  options.whole_number_from_one("--rank", svd.rank, "K",
                                "Keep the K largest singular values, and their vectors");
  options.number(
      "--energy", svd.energy, "F", [](double f) { return f >= 0 && f <= 1; },
      "a number from 0 to 1",
      "Tell how many singular values hold the fraction F of\n"
      "the energy: the smallest k for which the sum of the\n"
      "first k squares is at least F times that of all");
  options.precision(svd.precision, "(default: single for f2, f4 and c8, else double)");
  options.one_of({"preconditioned", "cyclic", "round_robin", "truncated", "tall"}, "--method",
                 svd.method, "M",
                 "preconditioned (default): two QR factorisations, then\n"
                 "Jacobi on the triangular factor\n"
                 "cyclic: Jacobi on A, one pair of columns at a time\n"
                 "round_robin: Jacobi on A, disjoint pairs together\n"
                 "truncated: only the triplets that --rank keeps, from a\n"
                 "random subspace\n"
                 "tall: a tree of QR factorisations of rows, which several\n"
                 "ranks share, then preconditioned; the same numbers for\n"
                 "any ranks, rounded otherwise than without");
  options.one_of({"global", "semi_shared", "shared"}, "--placement", svd.placement, "W",
                 "Where round_robin keeps what a pair works on\n"
                 "global: columns in global memory\n"
                 "semi_shared: columns in global, scalars in scratch memory\n"
                 "shared (default): all in scratch memory");
  options.one_of({"automatic", "registers", "tiles", "team", "warp", "slim", "fused", "tiled",
                  "gram", "eigenbasis", "spectral", "host_batch", "host_block"},
                 "--path", svd.path, "H",
                 "Kernels that carry out preconditioned, where they can\n"
                 "automatic (default): the fastest for the size\n"
                 "registers: for up to 32 columns\n"
                 "tiles: blocks of columns\n"
                 "team: for all sizes\n"
                 "or one family of kernels:\n"
                 "warp, slim, fused, tiled, gram, eigenbasis,\n"
                 "spectral (devices),\n"
                 "host_batch, host_block (hosts)");
  options.number(
      "--tolerance", svd.tolerance, "T", [](double t) { return t >= 0 && t < 1; },
      "a number from 0 to below 1",
      "Largest cosine between columns that count as\n"
      "orthogonal (default: 0, as small as rounding allows);\n"
      "for truncated: largest residual |A v - s u| / s_1 of a\n"
      "triplet (default: 0, the root of the precision)");
  options.whole_number_from_one("--max-sweeps", svd.max_sweeps, "N",
                                "Give up after N sweeps over all pairs (default: 30)");
  options.output_prefix(svd.output, "Write PREFIX_U.npy, PREFIX_S.npy and PREFIX_V.npy");
  options.json(svd.json);
}

void check_svd_options(CommandOptions const& options, SvdArguments const& svd) {
  check_method(options, "--placement", svd.method, "round_robin");
  check_method(options, "--path", svd.method, "preconditioned");
  if (svd.method == "truncated") {
    if (!svd.rank) throw UsageError("--method truncated needs --rank");
    if (svd.energy) {
      throw UsageError("--energy needs all singular values, --method truncated finds only some");
    }
    refuse(options, {"--max-sweeps"}, "for --method truncated");
  }
  if (svd.method == "tall") {
    refuse(options, {"--tolerance", "--max-sweeps"}, "for --method tall");
  }
  check_file_name("INPUT", svd.input);
  check_output_prefix(options, svd.output);
}

}  // namespace

CommandLine svd_command_line() {
  return command_line(Command::svd, "svd", "INPUT",
                      "Singular value decomposition A = U diag(S) V^T", svd_footer, &Arguments::svd,
                      add_svd_options, check_svd_options);
}

}  // namespace carroll::tool
