// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/command.hpp"

#include <cmath>
#include <filesystem>
#include <utility>
#include <variant>

#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "files/npy/writer.hpp"
#include "output/report.hpp"
#include "output/run.hpp"
#include "pseudoinverse/pseudoinvert.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

/// Names of the arrays in the input directory.
struct ArrowFiles {
  std::string motion, depth, offsets, residual;

  explicit ArrowFiles(std::string const& directory) {
    std::error_code none;  // what cannot be told is told when a file is read
    if (std::filesystem::exists(directory, none) && !std::filesystem::is_directory(directory, none))
      throw FileError(directory, "is a file, expected a directory with motion.npy and so on");
    auto const in = [&](char const* name) {
      return (std::filesystem::path(directory) / name).string();
    };
    motion = in("motion.npy");
    depth = in("depth.npy");
    offsets = in("segment_offsets.npy");
    residual = in("residual.npy");
  }
};

void require_rows(std::string const& file, AnyMatrix const& array, std::int64_t rows,
                  bool one_column) {
  std::visit(
      [&](auto const& A) {
        if (A.rows != rows || (one_column && A.cols != 1))
          throw FileError(file, "is " + extents_text(A.rows, A.cols) + ", must be " +
                                    (one_column ? extents_text(rows, 1)
                                                : std::to_string(rows) + " x any number") +
                                    ": motion.npy has " + count_text(rows, "row"));
      },
      array);
}

std::vector<int> read_offsets(std::string const& file, std::int64_t rows) {
  auto const array = std::get<HostMatrix<double>>(read_array(file, Precision::double_precision));
  if (array.cols != 1 || array.rows < 1)
    throw FileError(file, "is " + extents_text(array.rows, array.cols) +
                              ", must be a vector of one entry more than there are depths");
  std::vector<int> offsets;
  for (std::int64_t i = 0; i < array.rows; ++i) {
    double const value = array(i, 0);
    std::string const entry =
        "has the entry " + std::to_string(value) + " at place " + std::to_string(i);
    if (!(value >= 0 && value <= static_cast<double>(rows)) || value != std::floor(value))
      throw FileError(file, entry + ", must be a whole number from 0 to " + std::to_string(rows));
    if (!offsets.empty() && value < offsets.back())
      throw FileError(file, entry + ", less than the one before; offsets must not fall");
    offsets.push_back(static_cast<int>(value));
  }
  if (offsets.front() != 0)
    throw FileError(file, "begins with " + std::to_string(offsets.front()) + ", must begin with 0");
  if (offsets.back() != rows)
    throw FileError(file, "ends with " + std::to_string(offsets.back()) +
                              ", must end with the number of rows, " + std::to_string(rows));
  return offsets;
}

template <class Real>
HostMatrix<Real> in_precision(AnyMatrix&& array) {
  if (auto* same = std::get_if<HostMatrix<Real>>(&array)) return std::move(*same);
  return std::visit(
      [](auto const& A) {
        return HostMatrix<Real>{A.rows, A.cols,
                                std::vector<Real>(A.values.begin(), A.values.end())};
      },
      array);
}

/// One file after the other, with the name that it will have.
template <class Real>
std::vector<std::string> write_arrays(OutputFiles& files, PinvArguments const& arguments,
                                      ArrowOutput<Real> const& result) {
  std::vector<std::string> names;
  auto const write = [&](char const* name, auto const& array) {
    names.push_back(arguments.output + "_" + name + ".npy");
    write_npy(files, names.back(), array);
  };
  bool const vectors = result.summary.is_vector;
  if (vectors) {
    write("motion", result.motion.values);
    write("depth", result.depth.values);
  } else {
    write("motion", result.motion);
    write("depth", result.depth);
  }
  if (arguments.dense) write("pinv", result.inverse);
  if (arguments.covariance) {
    write("covariance", result.covariance);
    write("variances", result.variances);
  }
  return names;
}

template <class Real>
int solve_and_report(ArrowInput<Real> const& input, PinvArguments const& arguments, bool is_vector,
                     Sharing const& sharing, Progress& progress) {
  ArrowWishes wishes;
  wishes.dense = arguments.dense;
  wishes.covariance = arguments.covariance;
  wishes.method = arguments.method;
  wishes.path = arguments.path;
  wishes.writer = arguments.writer;
  wishes.damping = arguments.damping;
  auto result = pseudoinvert(input, wishes, progress);
  result.summary.is_vector = is_vector;

  PinvReport report;
  report.sharing = sharing;
  report.input = arguments.input;
  report.rows = input.motion.rows;
  report.motions = input.motion.cols;
  report.depths = static_cast<std::int64_t>(input.offsets.size()) - 1;
  report.precision = precision_of<Real>;
  report.method = arguments.method;
  report.result = result.summary;
  return print_and_write(
      arguments, report, result.summary.status, progress, "_*.npy",
      [&](OutputFiles& files) { return write_arrays(files, arguments, result); });
}

/// What can be known about the output before the work is done.
void check_output(PinvArguments const& arguments, ArrowFiles const& inputs) {
  for (char const* name : {"motion", "depth", "pinv", "covariance", "variances"}) {
    OutputFiles::check(arguments.output + "_" + name + ".npy",
                       {inputs.motion, inputs.depth, inputs.offsets, inputs.residual});
  }
}

}  // namespace

int run_pinv(PinvArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  Sharing const sharing{ranks.size(), Engine::one_rank};
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    ArrowFiles const files(arguments.input);
    AnyMatrix motion = read_array(files.motion, arguments.precision);
    AnyMatrix depth = read_array(files.depth, arguments.precision);
    bool is_vector = false;
    AnyMatrix residual = read_array(files.residual, arguments.precision, &is_vector);
    auto const [rows, motions] =
        std::visit([](auto const& A) { return std::pair(A.rows, A.cols); }, motion);
    if (motions < 1) {
      throw FileError(files.motion,
                      "is " + extents_text(rows, motions) + ", needs at least one column");
    }
    require_rows(files.depth, depth, rows, true);
    require_rows(files.residual, residual, rows, false);
    std::vector<int> const offsets = read_offsets(files.offsets, rows);
    if (!arguments.output.empty()) check_output(arguments, files);
    bool const single = std::holds_alternative<HostMatrix<float>>(motion) &&
                        std::holds_alternative<HostMatrix<float>>(depth) &&
                        std::holds_alternative<HostMatrix<float>>(residual);
    Runtime const runtime(flags);
    auto const solve = [&]<class Real>(Real) {
      ArrowInput<Real> const input{in_precision<Real>(std::move(motion)),
                                   in_precision<Real>(std::move(depth)),
                                   in_precision<Real>(std::move(residual)), offsets};
      return solve_and_report(input, arguments, is_vector, sharing, progress);
    };
    return single ? solve(0.0F) : solve(0.0);
  });
}

}  // namespace carroll::tool
