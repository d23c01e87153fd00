// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* gemv_footer =
    R"(Multiplies a matrix and a vector: y := alpha A x + beta y, or A^T x.

Input: files such as carroll svd takes, of real numbers; x and y may be arrays
of one dimension, rows or columns. The precision is single if all files have f2
or f4. Each sum has the bits of carroll dot, whatever the device and the number
of threads.

Output with -o PREFIX: PREFIX_y.npy, an array of one dimension. With status
non_finite it is not written.

Output with --json, one object: status, rows and cols (of the result), terms (of
each sum), norm (of the result; null where it is not finite), method (null),
kernel (null over ranks), precision, backend, seconds (of the product alone).

Status: success, non_finite (an entry of the result is NaN or infinite).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll gemv matrix.npy vector.npy -o product
  carroll gemv matrix.npy vector.npy --transpose --alpha 2 --y other.npy --json
  mpirun -n 4 carroll gemv matrix.npy vector.npy -o product)";

constexpr char const* gemm_footer =
    R"(Multiplies two matrices: C := alpha A B + beta C, A and B as they are or
transposed.

Input: files such as carroll svd takes, of real numbers. The precision is single
if all files have f2 or f4.

Output with -o PREFIX: PREFIX_C.npy. With status non_finite it is not written.

Output with --json, one object: status, rows and cols (of the result), terms (of
each sum), norm (Frobenius', of the result; null where it is not finite),
method, kernel, precision, backend, seconds (of the product alone).

Status: success, non_finite (an entry of the result is NaN or infinite).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll gemm A.npy B.npy -o product
  carroll gemm A.npy A.npy --transpose-a --json)";

constexpr char const* add_footer =
    R"(Adds two vectors or two matrices: C := alpha A + beta B.

Input: files such as carroll svd takes, of real numbers, or .npy files of one
dimension. The precision is single if both files have f2 or f4.

Output with -o PREFIX: PREFIX_C.npy, of one dimension if both files are. With
status non_finite it is not written.

Output with --json, one object: status, rows and cols (of the result), terms
(null), norm (Frobenius', of the result; null where it is not finite), method
and kernel (null), precision, backend, seconds (of the addition alone).

Status: success, non_finite (an entry of the result is NaN or infinite).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll add A.npy B.npy -o total
  carroll add A.npy B.npy --beta=-1 --json)";

void add_factors(CommandOptions& options, ProductArguments& arguments, std::string const& of_beta) {
  auto const finite = [](double x) { return std::isfinite(x); };
  options.number("--alpha", arguments.alpha, "X", finite, "a finite number",
                 "Factor of A (default: 1)");
  options.number("--beta", arguments.beta, "X", finite, "a finite number", of_beta);
}

void add_common_options(CommandOptions& options, ProductArguments& arguments,
                        std::string const& file) {
  options.precision(arguments.precision, "(default: single for f2 and f4, else double)");
  options.output_prefix(arguments.output, "Write PREFIX_" + file + ".npy");
  options.json(arguments.json);
}

void add_gemv_options(CommandOptions& options, ProductArguments& gemv) {
  options.operand("A", gemv.a, "Matrix, .npy or .mtx");
  options.operand("X", gemv.b, "Vector, .npy or .mtx");
  options.flag("--transpose", gemv.transpose_a, "A^T instead of A");
  options.text("--y", gemv.c, "FILE", "What beta multiplies");
  add_factors(options, gemv, "Factor of y: needs --y (default: 1 with it)");
  add_common_options(options, gemv, "y");
}

void add_gemm_options(CommandOptions& options, ProductArguments& gemm) {
  options.operand("A", gemm.a, "Matrix, .npy or .mtx");
  options.operand("B", gemm.b, "Matrix, .npy or .mtx");
  options.flag("--transpose-a", gemm.transpose_a, "A^T instead of A");
  options.flag("--transpose-b", gemm.transpose_b, "B^T instead of B");
  options.text("--c", gemm.c, "FILE", "What beta multiplies");
  add_factors(options, gemm, "Factor of C: needs --c (default: 1 with it)");
  options.one_of({"automatic", "naive", "tiled", "blocked", "vendor"}, "--method", gemm.method, "M",
                 "automatic (default): blocked\n"
                 "blocked: blocks of sums in registers\n"
                 "tiled, naive: as a textbook has them, for comparison\n"
                 "vendor: by KokkosKernels, if carroll was built with it");
  add_common_options(options, gemm, "C");
}

void add_add_options(CommandOptions& options, ProductArguments& add) {
  options.operand("A", add.a, "Vector or matrix, .npy or .mtx");
  options.operand("B", add.b, "Another of the same shape");
  add_factors(options, add, "Factor of B (default: 1)");
  add_common_options(options, add, "C");
}

/// For operands and the file behind `summand`, an option; empty: there is none.
void check_files(CommandOptions const& options, ProductArguments const& arguments,
                 std::string const& second, std::string const& summand) {
  check_file_name("A", arguments.a);
  check_file_name(second, arguments.b);
  check_output_prefix(options, arguments.output);
  if (summand.empty()) return;
  check_file_name(options, summand, arguments.c);
  if (options.given("--beta") && arguments.c.empty()) throw UsageError("--beta needs " + summand);
}

void check_gemv_options(CommandOptions const& options, ProductArguments const& gemv) {
  check_files(options, gemv, "X", "--y");
}
void check_gemm_options(CommandOptions const& options, ProductArguments const& gemm) {
  check_files(options, gemm, "B", "--c");
}
void check_add_options(CommandOptions const& options, ProductArguments const& add) {
  check_files(options, add, "B", "");
}

}  // namespace

CommandLine gemv_command_line() {
  return command_line(Command::gemv, "gemv", "A X", "Product of a matrix and a vector", gemv_footer,
                      &Arguments::gemv, add_gemv_options, check_gemv_options);
}

CommandLine gemm_command_line() {
  return command_line(Command::gemm, "gemm", "A B", "Product of two matrices", gemm_footer,
                      &Arguments::gemm, add_gemm_options, check_gemm_options);
}

CommandLine add_command_line() {
  return command_line(Command::add, "add", "A B", "Sum of two vectors or matrices", add_footer,
                      &Arguments::add, add_add_options, check_add_options);
}

}  // namespace carroll::tool
