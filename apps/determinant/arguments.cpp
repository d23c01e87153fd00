// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "command_line.hpp"

namespace carroll::tool {

namespace {

constexpr char const* det_footer =
    R"(Prints the determinant as a decimal number of any magnitude, such as
-3.0517e+1234, and as mantissa and exponent of 2: it never overflows.

Input: a square matrix of real numbers in a file such as carroll svd takes, or a
batch of them.
Of a batch there are, with --json, status (the first that is not success),
members, n, precision, backend, determinants (of each status, sign to decimal
and growth) and seconds.

Output with --json, one object: status, n, precision (null with --exact),
backend, sign (-1, 0 or 1), mantissa (modulus in [1, 2), with the sign),
exponent (of 2), log_abs (natural logarithm of the modulus), value (null where a
double cannot hold it), decimal (text), interval (with --certified: the lower
and the upper end, each with mantissa, exponent and decimal, of which mantissa
times a power of 2 is what is proved; otherwise null), exact (with --exact: all
digits, as text; otherwise null), growth (largest pivot relative to its row in
the matrix; 0 where the method has none, null with --certified and --exact),
seconds (of the determinant alone). Numbers that are not finite become null.

With --exact integers of any type are read without rounding, and floating-point
numbers if they are whole.

Status: success, singular (the value is exactly 0, and with --certified and
--exact so is the determinant, which is proved), non_finite (the matrix holds
NaN or infinity), breakdown (dodgson: it would divide by zero), not_certified
(the interval is right, but contains 0).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll det matrix.npy
  carroll det matrix.npy --certified
  carroll det matrix.mtx --method condensation --precision single --json
  mpirun -n 4 carroll det large_matrix.npy)";

void add_det_options(CommandOptions& options, DetArguments& det) {
  options.operand("INPUT", det.input, "Matrix file, .npy or .mtx");
  options.precision(det.precision, "(default: single for f2 and f4, else double)");
  options.one_of(
      {"blocked", "condensation", "salem_said", "dodgson", "condensation_in_place",
       "condensation_ping_pong", "condensation_read_only", "condensation_read_only_column"},
      "--method", det.method, "M",
      "blocked (default): elimination by several rows at once\n"
      "condensation: elimination by one row at a time\n"
      "salem_said: 2 x 2 minors with the first non-zero entry\n"
      "dodgson: connected minors, divided by inner ones\n"
      "condensation_in_place, condensation_ping_pong,\n"
      "condensation_read_only, condensation_read_only_column:\n"
      "condensation launch by launch, as in 2014");
  options.one_of({"automatic", "closed_form", "thread_per_matrix", "thread_stream",
                  "lanes_per_matrix", "one_team", "one_team_tiles", "per_panel", "leader",
                  "pipeline", "outer_blocks", "host_closed_form", "host_batch", "host_scratch",
                  "host_panels", "scratch", "panels", "in_place", "launches"},
                 "--path", det.path, "H",
                 "Kernels that carry out the method, which have to be for\n"
                 "the order, the precision and the backend\n"
                 "automatic (default): the fastest\n"
                 "closed_form, scratch, panels: on all backends\n"
                 "host_closed_form, host_batch, host_scratch,\n"
                 "host_panels: on hosts, with vector registers\n"
                 "thread_per_matrix, thread_stream, lanes_per_matrix,\n"
                 "one_team, one_team_tiles, per_panel, leader, pipeline,\n"
                 "outer_blocks: on GPUs, in registers\n"
                 "in_place, launches: those of the other methods");
  options.flag("--certified", det.certified,
               "Two numbers between which the determinant is proved to\n"
               "be, and a value corrected by what the proof tells");
  options.flag("--exact", det.exact, "All digits, for a matrix of integers of up to 64 bits");
  options.json(det.json);
}

void check_det_options(CommandOptions const& options, DetArguments const& det) {
  check_file_name("INPUT", det.input);
  if (det.certified && !det.exact) refuse(options, {"--method", "--path"}, "for --certified");
  if (!det.exact) return;
  if (det.certified) throw UsageError("--certified has no meaning for --exact");
  refuse(options, {"--method", "--path"}, "for --exact");
  if (det.precision) throw UsageError("--precision has no meaning for --exact");
}

}  // namespace

CommandLine det_command_line() {
  return command_line(Command::det, "det", "INPUT",
                      "Determinant, as mantissa and exponent of any size", det_footer,
                      &Arguments::det, add_det_options, check_det_options);
}

}  // namespace carroll::tool
