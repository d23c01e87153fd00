// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* sum_input =
    R"(Prints the sum of all entries of a vector or a matrix.

Input: a NumPy .npy file with an array of one or two dimensions of f2, f4, f8,
c8, c16, integers or bool, of which those beyond 2^53 are rounded when they are
read; or a Matrix Market .mtx file such as carroll svd takes. The entries are
taken in the order of the .npy file; of an .mtx file column after column, with
the zeros that it does not list. The bits of the sum depend on the entries and
their order alone, not on threads or devices; with exact not on the order.

)";
constexpr char const* sum_examples = R"(
Examples:
  carroll sum vector.npy
  carroll sum matrix.mtx --summation exact --json
  mpirun -n 4 carroll sum vector.npy)";

constexpr char const* dot_input =
    R"(Prints the inner product of two vectors, the sum of conj(x_i) y_i.

Input: two files such as carroll sum takes: vectors of one length, be they
arrays of one dimension, rows or columns; or two matrices of one shape, whose
entries in the same places are multiplied, in the order of X's file. The
precision is single if both files have f2, f4 or c8; real numbers count as
complex ones where the other file has these.

)";
constexpr char const* dot_examples = R"(
Examples:
  carroll dot x.npy y.npy
  carroll dot x.npy y.npy --no-conjugate --summation compensated)";

/// What is told of both: of what the seconds are, and what can be beyond the range.
std::string output_of_value(std::string const& timed, std::string const& result) {
  return R"(Output with --json, one object: status, value (of complex entries a list of real
and imaginary part; null where it is not finite), summation, count, precision,
backend, seconds (of the )" +
         timed + R"( alone).

Status: success, non_finite (an entry is NaN or infinite, or a sum of some went
beyond the range), overflow (with exact: the )" +
         result + R"( is beyond the range).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.
)";
}

constexpr char const* norm_footer =
    R"(Prints a norm of a vector; of a matrix, that of the vector of its entries: with
--kind 2 Frobenius' norm.

Input: a file such as carroll sum takes. Squares of entries neither overflow nor
vanish where their root would not.

Output with --json, one object: status, value (null where it is not finite),
kind, summation (null for max), count, precision, backend, seconds (of the norm
alone).

Status: success, non_finite (an entry is NaN or infinite, or the norm is beyond
the range), overflow (with exact: the norm is beyond the range).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll norm matrix.npy
  carroll norm vector.npy --kind max --json)";

void add_common_options(CommandOptions& options, ReductionArguments& arguments) {
  options.one_of({"canonical", "compensated", "exact"}, "--summation", arguments.summation, "S",
                 "How terms are added\n"
                 "canonical (default): in a fixed tree\n"
                 "compensated: in the same tree, with what is lost by\n"
                 "rounding: as if in twice the precision\n"
                 "exact: correctly rounded");
  options.precision(arguments.precision, "(default: single for f2, f4, c8, else double)");
  options.json(arguments.json);
}

void add_sum_options(CommandOptions& options, ReductionArguments& sum) {
  options.operand("INPUT", sum.input, "Vector or matrix, .npy or .mtx");
  add_common_options(options, sum);
}

void add_dot_options(CommandOptions& options, ReductionArguments& dot) {
  options.operand("X", dot.input, "Vector or matrix, .npy or .mtx");
  options.operand("Y", dot.other, "Another of the same shape");
  options.flag("--no-conjugate", dot.no_conjugate, "Complex entries of X as they are");
  add_common_options(options, dot);
}

void add_norm_options(CommandOptions& options, ReductionArguments& norm) {
  options.operand("INPUT", norm.input, "Vector or matrix, .npy or .mtx");
  options.one_of({"2", "1", "max"}, "--kind", norm.kind, "K",
                 "2 (default): root of the sum of squared moduli\n"
                 "1: sum of moduli; |re| + |im| of complex entries\n"
                 "max: largest modulus; larger of |re| and |im|");
  add_common_options(options, norm);
}

void check_sum_options(CommandOptions const&, ReductionArguments const& sum) {
  check_file_name("INPUT", sum.input);
}

void check_dot_options(CommandOptions const&, ReductionArguments const& dot) {
  check_file_name("X", dot.input);
  check_file_name("Y", dot.other);
}

void check_norm_options(CommandOptions const& options, ReductionArguments const& norm) {
  check_sum_options(options, norm);
  if (norm.kind == "max" && options.given("--summation"))
    throw UsageError("--summation has no meaning for --kind max");
}

}  // namespace

CommandLine sum_command_line() {
  return command_line(Command::sum, "sum", "INPUT", "Sum of the entries of a vector or a matrix",
                      sum_input + output_of_value("sum", "sum") + sum_examples, &Arguments::sum,
                      add_sum_options, check_sum_options);
}

CommandLine dot_command_line() {
  return command_line(Command::dot, "dot", "X Y", "Inner product of two vectors",
                      dot_input + output_of_value("product", "value") + dot_examples,
                      &Arguments::dot, add_dot_options, check_dot_options);
}

CommandLine norm_command_line() {
  return command_line(Command::norm, "norm", "INPUT", "Norm of a vector or a matrix", norm_footer,
                      &Arguments::norm, add_norm_options, check_norm_options);
}

}  // namespace carroll::tool
