// SPDX-License-Identifier: BSD-3-Clause
#include "svd/command.hpp"

#include <algorithm>
#include <variant>

#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "files/npy/writer.hpp"
#include "output/report.hpp"
#include "output/run.hpp"
#include "runtime.hpp"
#include "svd/batch/command.hpp"
#include "svd/decompose.hpp"
#include "svd/names.hpp"

namespace carroll::tool {

OutputNames output_names(std::string const& prefix) {
  return {prefix + "_U.npy", prefix + "_S.npy", prefix + "_V.npy"};
}

void check_output(SvdArguments const& arguments) {
  auto const names = output_names(arguments.output);
  for (auto const& name : {names.u, names.s, names.v}) {
    if (arguments.values_only && name != names.s) continue;
    OutputFiles::check(name, {arguments.input});
  }
}

std::int64_t columns_to_keep(SvdArguments const& arguments, std::int64_t rows, std::int64_t cols) {
  std::int64_t const least = std::min(rows, cols);
  if (arguments.rank && *arguments.rank > least) {
    throw FileError(arguments.input,
                    "is " + extents_text(rows, cols) + " and has " + std::to_string(least) +
                        " singular values, --rank asks for " + std::to_string(*arguments.rank));
  }
  return arguments.rank.value_or(least);
}

DecomposeOptions options_of(SvdArguments const& arguments, std::int64_t kept) {
  DecomposeOptions options;
  options.vectors = !arguments.values_only;
  options.copy_vectors = !arguments.output.empty();
  options.columns = kept;
  options.method = arguments.method;
  options.placement = arguments.placement;
  options.path = arguments.path;
  options.tolerance = arguments.tolerance;
  options.max_sweeps = arguments.max_sweeps;
  return options;
}

std::string method_text(SvdArguments const& arguments) {
  std::string text = arguments.method;
  if (arguments.method == "round_robin") text += ", placement " + arguments.placement;
  if (arguments.path != "automatic") text += ", path " + arguments.path;
  return text;
}

namespace {

template <class Real>
std::vector<std::string> write_factors(OutputFiles& files, SvdArguments const& arguments,
                                       std::int64_t kept, Decomposition<Real> const& result) {
  auto const names = output_names(arguments.output);
  std::vector<Real> const S(result.S.begin(), result.S.begin() + kept);
  if (arguments.values_only) {
    write_npy(files, names.s, S);
    return {names.s};
  }
  write_npy(files, names.u, result.U);
  write_npy(files, names.s, S);
  write_npy(files, names.v, result.V);
  return {names.u, names.s, names.v};
}

template <class Real>
int decompose_and_report(HostMatrix<Real> const& A, SvdArguments const& arguments,
                         std::int64_t kept, Sharing const& sharing, Progress& progress) {
  auto const result = decompose(A, options_of(arguments, kept), progress);

  SvdReport report;
  report.sharing = sharing;
  report.input = arguments.input;
  report.rows = A.rows;
  report.cols = A.cols;
  report.precision = precision_of<Real>;
  report.method = method_text(arguments);
  report.singular_values.assign(result.S.begin(), result.S.end());
  report.kept = kept;
  report.result = result.summary;
  report.energy = arguments.energy;
  return print_and_write(
      arguments, report, result.summary.status, progress, "_*.npy",
      [&](OutputFiles& files) { return write_factors(files, arguments, kept, result); });
}

int run_svd_matrix(SvdArguments const& arguments, KokkosFlags const& flags,
                   Sharing const& sharing) {
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    AnyMatrix const matrix = read_matrix(arguments.input, arguments.precision);
    if (!arguments.output.empty()) check_output(arguments);
    std::int64_t const kept = std::visit(
        [&](auto const& A) { return columns_to_keep(arguments, A.rows, A.cols); }, matrix);
    Runtime const runtime(flags);
    return std::visit(
        [&](auto const& A) { return decompose_and_report(A, arguments, kept, sharing, progress); },
        matrix);
  });
}

}  // namespace

int run_svd(SvdArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  if (ranks.first_alone([&] { return int{is_batch(arguments.input)}; }) == 1) {
    return share(ranks, {arguments.input}, Engine::members,
                 [&](Ranks const& by, Sharing const& sharing) {
                   return run_svd_batch(arguments, flags, by, sharing);
                 });
  }
  return ranks.first_alone([&] {
    return run_svd_matrix(arguments, flags, {ranks.size(), Engine::one_rank});
  });
}

}  // namespace carroll::tool
