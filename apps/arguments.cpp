// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <carroll/version.hpp>
#include <charconv>
#include <functional>
#include <memory>
#include <utility>

#include "file_error.hpp"

namespace carroll::tool {

namespace {

// Lines are broken by hand so that help fits into 80 columns with any version of CLI11.

constexpr std::size_t option_column = 23;

constexpr char const* general_footer =
    R"(Kokkos' own flags, such as --kokkos-num-threads=4, may stand anywhere;
--kokkos-help lists them.

Exit status: 0 success; 1 the numerics say no (status is not success);
2 unusable input or usage, told in one line on standard error.

Example: carroll svd matrix.npy --rank 10 -o result)";

constexpr char const* svd_footer =
    R"(Prints the singular values, in descending order, and how good the result is.

Input: a NumPy .npy file with a two-dimensional array of f4, f8, integers or
bool, or a Matrix Market .mtx file, array or coordinate; real, integer or
pattern; general, symmetric or skew-symmetric.

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
the spectral norm). Numbers that are not finite become null, and so does
relative_residual with --values-only.

Status: success, not_converged (--max-sweeps or the limit on power steps came
first), non_finite (the matrix holds NaN or infinity), overflow (a singular
value is beyond the precision).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll svd matrix.npy
  carroll svd matrix.mtx --energy 0.99 --values-only
  carroll svd matrix.npy --rank 10 --method truncated -o result --json)";

constexpr char const* det_footer =
    R"(Prints the determinant as a decimal number of any magnitude, such as
-3.0517e+1234, and as mantissa and exponent of 2: it never overflows.

Input: a square matrix in a file such as carroll svd takes.

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

Status: success, singular (the determinant is exactly 0), non_finite (the matrix
holds NaN or infinity), breakdown (dodgson: it would divide by zero),
not_certified (the interval is right, but contains 0).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll det matrix.npy
  carroll det matrix.npy --certified
  carroll det matrix.mtx --method condensation --precision single --json)";

constexpr char const* pinv_footer =
    R"(Solves min |A x - d| for the arrow Jacobian A = [B | U] of direct visual SLAM: k
dense motion columns B, and m depth columns of which each row has an entry u in
one. Of several solutions the shortest is found.

Input: a directory with NumPy arrays of f4, f8 or integers:
  motion.npy           n x k  B
  depth.npy            n      u
  segment_offsets.npy  m + 1  rows of depth column i: from entry i to before
                              entry i + 1; from 0 to n, never falling
  residual.npy         n or n x r  d, or several of them

Output with -o PREFIX:
  PREFIX_motion.npy      k or k x r  x of the motion columns
  PREFIX_depth.npy       m or m x r  x of the depth columns
  PREFIX_pinv.npy        (k + m) x n  the pseudoinverse of A, with --dense
  PREFIX_covariance.npy  k x k  with --covariance
  PREFIX_variances.npy   m      of the depths, with --covariance
All of them appear or none. With status non_finite none is written.

Output with --json, one object: status, rows, motions, depths, precision,
backend, method, rank, cutoff (motion columns with less beside the others count
as dependent), motion_step (x of the motion columns), relative_gradient
(|A^T (A x - d)| / (|A| |d|), with --damping of the damped problem), seconds (of
the solution alone), and with --covariance covariance (of the motion, for
residuals of variance 1). Numbers that are not finite become null.

Status: success, also where the rank is deficient; non_finite (an array holds
NaN or infinity); overflow (a result is beyond the precision).
Exit status: 0 success, 1 any other status, 2 unusable input or usage.

Examples:
  carroll pinv step
  carroll pinv step --damping 0.01 --covariance -o result --json)";

/// A check of one number, which names the allowed ones when it fails. Written out because the
/// ranges that come with CLI11 let NaN pass.
CLI::Validator number(std::function<bool(double)> allowed, std::string description) {
  return CLI::Validator(
      [allowed = std::move(allowed), description](std::string& word) {
        double value = 0;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        bool const good =
            error == std::errc{} && end == word.data() + word.size() && allowed(value);
        return good ? std::string() : "'" + word + "' is not " + description;
      },
      "");
}

CLI::Validator whole_number_from_one() {
  return CLI::Validator(
      [](std::string& word) {
        int value = 0;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        bool const good = error == std::errc{} && end == word.data() + word.size() && value >= 1;
        return good ? std::string() : "'" + word + "' is not a whole number from 1 to 2147483647";
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> choices) {
  return CLI::Validator(
      [choices = std::move(choices)](std::string& word) {
        if (std::ranges::find(choices, word) != choices.end()) return std::string();
        std::string list;
        for (auto const& choice : choices) list += (list.empty() ? "" : ", ") + choice;
        return "'" + word + "' is none of " + list;
      },
      "");
}

/// The page of help, the same with every version of CLI11, whose own formatters differ.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(CLI::App const* app, std::string, CLI::AppFormatMode mode) const override {
    bool const main_page = app->get_parent() == nullptr;
    std::string const usage = main_page                   ? "COMMAND [OPTIONS]"
                              : app->get_name() == "info" ? "info [OPTIONS]"
                              : app->get_name() == "pinv" ? "pinv DIR [OPTIONS]"
                                                          : app->get_name() + " INPUT [OPTIONS]";
    return tidy(app->get_description() + "\n\nUsage: carroll " + usage + "\n\n" +
                make_positionals(app) + "\n" + make_groups(app, mode) + "\n" +
                make_subcommands(app, mode) + "\n" + app->get_footer());
  }

 private:
  /// `text` without blanks at the ends of lines and without two empty lines in a row.
  static std::string tidy(std::string const& text) {
    std::string result;
    for (char const c : text) {
      if (c == '\n') {
        while (result.ends_with(' ')) result.pop_back();
        if (result.empty() || result.ends_with("\n\n")) continue;
      }
      result += c;
    }
    while (result.ends_with('\n') || result.ends_with(' ')) result.pop_back();
    return result + "\n";
  }
};

// Options that several commands have.
void add_precision_option(CLI::App& command, std::string& word, std::string const& when_not_given) {
  command.add_option("--precision", word, "single or double\n" + when_not_given)
      ->type_name("P")
      ->check(one_of({"single", "double"}));
}
void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "One JSON object on standard output, nothing else");
}

/// The options of `carroll svd` that need to be looked at after parsing.
struct SvdOptionHandles {
  CLI::Option* placement = nullptr;
  CLI::Option* path = nullptr;
  CLI::Option* max_sweeps = nullptr;
  CLI::Option* output = nullptr;
  CLI::Option* precision = nullptr;
  std::string precision_word;
};

void add_svd_options(CLI::App& svd, SvdArguments& arguments, SvdOptionHandles& handles) {
  svd.add_option("INPUT", arguments.input, "Matrix file, .npy or .mtx")->required()->type_name("");
  svd.add_flag("--values-only", arguments.values_only, "Singular values without vectors");
  svd.add_option("--rank", arguments.rank, "Keep the K largest singular values, and their vectors")
      ->type_name("K")
      ->check(whole_number_from_one());
  svd.add_option("--energy", arguments.energy,
                 "Tell how many singular values hold the fraction F of\n"
                 "the energy: the smallest k for which the sum of the\n"
                 "first k squares is at least F times that of all")
      ->type_name("F")
      ->check(number([](double f) { return f >= 0 && f <= 1; }, "a number from 0 to 1"));
  add_precision_option(svd, handles.precision_word,
                       "(default: single for f4, double for all else)");
  svd.add_option("--method", arguments.method,
                 "preconditioned (default): two QR factorisations, then\n"
                 "Jacobi on the triangular factor\n"
                 "cyclic: Jacobi on A, one pair of columns at a time\n"
                 "round_robin: Jacobi on A, disjoint pairs together\n"
                 "truncated: only the triplets that --rank keeps, from a\n"
                 "random subspace")
      ->type_name("M")
      ->check(one_of({"preconditioned", "cyclic", "round_robin", "truncated"}));
  handles.placement = svd.add_option("--placement", arguments.placement,
                                     "Where round_robin keeps what a pair works on\n"
                                     "global: columns in global memory\n"
                                     "semi_shared: columns in global, scalars in scratch memory\n"
                                     "shared (default): all in scratch memory")
                          ->type_name("W")
                          ->check(one_of({"global", "semi_shared", "shared"}));
  handles.path = svd.add_option("--path", arguments.path,
                                "Kernels that carry out preconditioned, where they can\n"
                                "automatic (default): the fastest for the size\n"
                                "registers: for up to 32 columns\n"
                                "tiles: blocks of columns\n"
                                "team: for all sizes")
                     ->type_name("H")
                     ->check(one_of({"automatic", "registers", "tiles", "team"}));
  svd.add_option("--tolerance", arguments.tolerance,
                 "Largest cosine between columns that count as\n"
                 "orthogonal (default: 0, as small as rounding allows);\n"
                 "for truncated: largest residual |A v - s u| / s_1 of a\n"
                 "triplet (default: 0, the root of the precision)")
      ->type_name("T")
      ->check(number([](double t) { return t >= 0 && t < 1; }, "a number from 0 to below 1"));
  handles.max_sweeps = svd.add_option("--max-sweeps", arguments.max_sweeps,
                                      "Give up after N sweeps over all pairs (default: 30)")
                           ->type_name("N")
                           ->check(whole_number_from_one());
  handles.output = svd.add_option("-o,--output", arguments.output,
                                  "Write PREFIX_U.npy, PREFIX_S.npy and PREFIX_V.npy")
                       ->type_name("PREFIX");
  add_json_flag(svd, arguments.json);
}

/// The options of `carroll det` that need to be looked at after parsing.
struct DetOptionHandles {
  CLI::Option* method = nullptr;
  std::string precision_word;
};

void add_det_options(CLI::App& det, DetArguments& arguments, DetOptionHandles& handles) {
  det.add_option("INPUT", arguments.input, "Matrix file, .npy or .mtx")->required()->type_name("");
  add_precision_option(det, handles.precision_word,
                       "(default: single for f4, double for all else)");
  handles.method = det.add_option("--method", arguments.method,
                                  "blocked (default): elimination by several rows at once\n"
                                  "condensation: elimination by one row at a time\n"
                                  "salem_said: 2 x 2 minors with the first non-zero entry\n"
                                  "dodgson: connected minors, divided by inner ones\n"
                                  "condensation_in_place, condensation_ping_pong,\n"
                                  "condensation_read_only, condensation_read_only_column:\n"
                                  "condensation launch by launch, as in 2014")
                       ->type_name("M")
                       ->check(one_of({"blocked", "condensation", "salem_said", "dodgson",
                                       "condensation_in_place", "condensation_ping_pong",
                                       "condensation_read_only", "condensation_read_only_column"}));
  det.add_flag("--certified", arguments.certified,
               "Two numbers between which the determinant is proved to\n"
               "be, and a value corrected by what the proof tells");
  det.add_flag("--exact", arguments.exact, "All digits, for a matrix of integers of up to 64 bits");
  add_json_flag(det, arguments.json);
}

void add_pinv_options(CLI::App& pinv, PinvArguments& arguments, std::string& precision_word) {
  pinv.add_option("DIR", arguments.input, "Directory with the arrays")->required()->type_name("");
  pinv.add_flag("--dense", arguments.dense, "Write the pseudoinverse itself, too");
  pinv.add_option("--damping", arguments.damping,
                  "Levenberg-Marquardt: minimise |A x - d|^2 + L |x|^2\n"
                  "(default: 0)")
      ->type_name("L")
      ->check(number([](double l) { return l >= 0 && l <= 1e300; }, "a number from 0 to 1e300"));
  pinv.add_flag("--covariance", arguments.covariance,
                "Covariance of the motion, variances of the depths");
  add_precision_option(pinv, precision_word,
                       "(default: single if all arrays but the offsets are f4)");
  pinv.add_option("--method", arguments.method,
                  "structured_qr (default): errors grow with the condition\n"
                  "number\n"
                  "normal_equations: with its square")
      ->type_name("M")
      ->check(one_of({"structured_qr", "normal_equations"}));
  pinv.add_option("-o,--output", arguments.output, "Write PREFIX_motion.npy and so on")
      ->type_name("PREFIX");
  add_json_flag(pinv, arguments.json);
}

std::optional<Precision> precision_named(std::string const& word) {
  if (word.empty()) return std::nullopt;
  return word == "single" ? Precision::single_precision : Precision::double_precision;
}

/// What the parser cannot check option by option.
void check_together(SvdArguments& arguments, SvdOptionHandles const& handles) {
  if (handles.placement->count() > 0 && arguments.method != "round_robin") {
    throw UsageError("--placement needs --method round_robin");
  }
  if (handles.path->count() > 0 && arguments.method != "preconditioned") {
    throw UsageError("--path needs --method preconditioned");
  }
  if (arguments.method == "truncated") {
    if (!arguments.rank) throw UsageError("--method truncated needs --rank");
    if (arguments.energy) {
      throw UsageError("--energy needs all singular values, --method truncated finds only some");
    }
    if (handles.max_sweeps->count() > 0) {
      throw UsageError("--max-sweeps has no meaning for --method truncated");
    }
  }
  if (arguments.input.empty()) throw UsageError("INPUT: the name of the file is empty");
  if (handles.output->count() > 0 && arguments.output.empty()) {
    throw UsageError("--output: the prefix is empty");
  }
  if (arguments.output.ends_with('/')) {
    throw UsageError("--output: '" + arguments.output +
                     "' is a directory, expected a prefix such as " + arguments.output + "result");
  }
  arguments.precision = precision_named(handles.precision_word);
}

/// What the parser cannot check option by option.
void check_together(DetArguments& arguments, DetOptionHandles const& handles) {
  if (arguments.input.empty()) throw UsageError("INPUT: the name of the file is empty");
  arguments.precision = precision_named(handles.precision_word);
  if (arguments.certified && handles.method->count() > 0) {
    throw UsageError("--method has no meaning for --certified");
  }
  if (!arguments.exact) return;
  if (arguments.certified) throw UsageError("--certified has no meaning for --exact");
  if (handles.method->count() > 0) throw UsageError("--method has no meaning for --exact");
  if (arguments.precision) throw UsageError("--precision has no meaning for --exact");
}

/// The same of `carroll pinv`.
void check_together(PinvArguments& arguments, bool output_given,
                    std::string const& precision_word) {
  if (arguments.input.empty()) throw UsageError("DIR: the name of the directory is empty");
  if (output_given && arguments.output.empty()) throw UsageError("--output: the prefix is empty");
  if (arguments.output.ends_with('/')) {
    throw UsageError("--output: '" + arguments.output +
                     "' is a directory, expected a prefix such as " + arguments.output + "result");
  }
  if (arguments.dense && arguments.output.empty()) {
    throw UsageError("--dense needs -o: the pseudoinverse goes to a file");
  }
  arguments.precision = precision_named(precision_word);
}

/// What CLI11 has to complain about, in our words where its own are hard to understand.
std::string complaint(CLI::ParseError const& error, bool command) {
  std::string const text = one_line(error.what());
  if (dynamic_cast<CLI::ArgumentMismatch const*>(&error) != nullptr) {
    return text.substr(0, text.find(':')) + ": takes one value, given once";
  }
  if (dynamic_cast<CLI::RequiredError const*>(&error) != nullptr && !command) {
    return "a command is missing; there are svd, det, pinv and info";
  }
  return text;
}

}  // namespace

Arguments parse_arguments(std::vector<std::string> words) {
  Arguments arguments;
  SvdOptionHandles handles;
  CLI::App app("Dense solvers on Kokkos, for a matrix in a file", "carroll");
  app.set_version_flag("--version", "carroll " CARROLL_VERSION_STRING, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.footer(general_footer);
  app.require_subcommand(1);
  auto const formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(option_column);
  app.formatter(formatter);
  CLI::App* const svd = app.add_subcommand("svd", "Singular value decomposition A = U diag(S) V^T");
  svd->footer(svd_footer);
  add_svd_options(*svd, arguments.svd, handles);
  CLI::App* const det =
      app.add_subcommand("det", "Determinant, as mantissa and exponent of any size");
  det->footer(det_footer);
  DetOptionHandles det_handles;
  add_det_options(*det, arguments.det, det_handles);
  CLI::App* const pinv =
      app.add_subcommand("pinv", "Least squares with the arrow Jacobian of visual SLAM");
  pinv->footer(pinv_footer);
  std::string pinv_precision;
  add_pinv_options(*pinv, arguments.pinv, pinv_precision);
  CLI::App* const info =
      app.add_subcommand("info", "Version, backends and the device that does the work");
  info->footer("");
  info->add_flag("--json", arguments.info_json, "One JSON object on standard output");

  if (!words.empty() && !words[0].empty() && words[0][0] != '-' && words[0] != "svd" &&
      words[0] != "det" && words[0] != "pinv" && words[0] != "info") {
    throw UsageError("'" + words[0] +
                     "' is no command; there are svd, det, pinv and info (see carroll --help)");
  }
  std::reverse(words.begin(), words.end());  // the order in which CLI11 takes a vector
  try {
    app.parse(words);
  } catch (CLI::CallForHelp const&) {
    arguments.text = app.help();
    return arguments;
  } catch (CLI::CallForVersion const& version) {
    arguments.text = std::string(version.what()) + "\n";
    return arguments;
  } catch (CLI::ParseError const& error) {
    auto const parsed = app.get_subcommands();
    bool const command = !parsed.empty();
    std::string const place = command ? " " + parsed.front()->get_name() : "";
    throw UsageError(complaint(error, command) + " (see carroll" + place + " --help)");
  }
  if (svd->parsed()) check_together(arguments.svd, handles);
  if (det->parsed()) check_together(arguments.det, det_handles);
  if (pinv->parsed()) check_together(arguments.pinv, pinv->count("--output") > 0, pinv_precision);
  arguments.command = svd->parsed()    ? Command::svd
                      : det->parsed()  ? Command::det
                      : pinv->parsed() ? Command::pinv
                                       : Command::info;
  return arguments;
}

}  // namespace carroll::tool
