// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/command.hpp"

#include <filesystem>
#include <utility>
#include <variant>

#include "files/batch_file.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "files/npy/writer.hpp"
#include "lstsq/command.hpp"
#include "output/report.hpp"
#include "output/run.hpp"
#include "pseudoinverse/batch/command.hpp"
#include "pseudoinverse/files.hpp"
#include "pseudoinverse/pseudoinvert.hpp"
#include "ranks/sharing.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

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
  auto result = pseudoinvert(input, arguments, progress);
  result.summary.is_vector = is_vector;

  auto report = begin_report<PinvReport, Real>(arguments, sharing);
  report.rows = input.motion.rows;
  report.motions = input.motion.cols;
  report.depths = static_cast<std::int64_t>(input.offsets.size()) - 1;
  report.result = result.summary;
  return print_and_write(
      arguments, report, result.summary.status, progress, "_*.npy",
      [&](OutputFiles& files) { return write_arrays(files, arguments, result); });
}

int run_pinv_frame(PinvArguments const& arguments, KokkosFlags const& flags,
                   Sharing const& sharing) {
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
    if (!arguments.output.empty()) check_pinv_output(arguments.output, files);
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

}  // namespace

int run_pinv(PinvArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  if (arguments.general)
    return run_general_pinv({.input = arguments.input,
                             .right = {},
                             .rcond = arguments.rcond,
                             .precision = arguments.precision,
                             .output = arguments.output,
                             .json = arguments.json},
                            flags, ranks);
  std::string const motion = (std::filesystem::path(arguments.input) / "motion.npy").string();
  if (ranks.first_alone([&] { return int{is_batch(motion)}; }) == 1) {
    ArrowFiles const files(arguments.input);
    return share(ranks, {files.motion, files.depth, files.offsets, files.residual}, Engine::members,
                 [&](Ranks const& by, Sharing const& sharing) {
                   return run_pinv_batch(arguments, files, flags, by, sharing);
                 });
  }
  return ranks.first_alone([&] {
    return run_pinv_frame(arguments, flags, {ranks.size(), Engine::one_rank});
  });
}

}  // namespace carroll::tool
