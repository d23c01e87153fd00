// SPDX-License-Identifier: BSD-3-Clause
#include "svd/command.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "files/complex_matrix.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "files/npy/writer.hpp"
#include "output/report.hpp"
#include "output/run.hpp"
#include "runtime.hpp"
#include "svd/batch/command.hpp"
#include "svd/complex_decompose.hpp"
#include "svd/decompose.hpp"
#include "svd/names.hpp"
#include "svd/ranks/decompose_tall.hpp"

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

void require_method_for_complex(SvdArguments const& arguments) {
  if (arguments.method != "preconditioned") {
    throw FileError(arguments.input,
                    "holds complex numbers, --method " + arguments.method + " expects real ones");
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

struct Extents {
  std::int64_t rows = 0, cols = 0;
};

/// `result` is a Decomposition or a ComplexDecomposition, here and below.
template <class Result>
std::vector<std::string> write_factors(OutputFiles& files, SvdArguments const& arguments,
                                       std::int64_t kept, Result const& result) {
  auto const names = output_names(arguments.output);
  decltype(result.S) const S(result.S.begin(), result.S.begin() + kept);
  if (arguments.values_only) {
    write_npy(files, names.s, S);
    return {names.s};
  }
  write_npy(files, names.u, result.U);
  write_npy(files, names.s, S);
  write_npy(files, names.v, result.V);
  return {names.u, names.s, names.v};
}

/// Prints, and writes what was asked for, of a matrix of these extents.
template <class Result>
int report_on(Result const& result, Extents const& extents, SvdArguments const& arguments,
              std::int64_t kept, Sharing const& sharing, Progress& progress) {
  using Real = typename decltype(result.S)::value_type;
  auto report = begin_report<SvdReport, Real>(arguments, sharing);
  report.rows = extents.rows;
  report.cols = extents.cols;
  report.is_complex = std::is_same_v<Result, ComplexDecomposition<Real>>;
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
    auto const any = read_real_or_complex(arguments.input, arguments.precision);
    if (any.index() == 1) require_method_for_complex(arguments);
    if (!arguments.output.empty()) check_output(arguments);
    auto const work = [&](auto const& A) {
      std::int64_t const kept = columns_to_keep(arguments, A.rows, A.cols);
      Runtime const runtime(flags);
      return report_on(decompose(A, options_of(arguments, kept), progress), {A.rows, A.cols},
                       arguments, kept, sharing, progress);
    };
    return std::visit([&](auto const& matrix) { return std::visit(work, matrix); }, any);
  });
}

/// This rank's rows of a tall matrix, the extents of all of it, and how many triplets are kept.
struct TallRows {
  AnyMatrix rows;
  Extents all;
  std::int64_t kept = 0;
};

TallRows read_tall(SvdArguments const& arguments, Ranks const& ranks) {
  TallRows read;
  read.rows =
      read_block(arguments.input, arguments.precision,
                 [&](std::int64_t rows, std::int64_t cols, Precision precision) {
                   if (rows < cols) {
                     throw FileError(arguments.input,
                                     "is " + extents_text(rows, cols) +
                                         ", --method tall needs at least as many rows as columns");
                   }
                   read.all = {rows, cols};
                   auto const [begin, end] = tall_rows(ranks, rows, cols, precision);
                   return Block{begin, end, 0, cols};
                 });
  if (!arguments.output.empty()) check_output(arguments);
  read.kept = columns_to_keep(arguments, read.all.rows, read.all.cols);
  return read;
}

int run_svd_tall(SvdArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks,
                 Sharing const& sharing) {
  auto const work = [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    TallRows read;
    ranks.together([&] { read = read_tall(arguments, ranks); });
    auto const& [any, all, kept] = read;
    require_alike(ranks, arguments.input,
                  {all.rows, all.cols, static_cast<std::int64_t>(any.index())});
    Runtime const runtime(flags);
    return std::visit(
        [&, &extents = all, keep = kept](auto const& A) {
          auto const result =
              decompose_tall(ranks, A, extents.rows, options_of(arguments, keep), progress);
          return ranks.first_alone(
              [&] { return report_on(result, extents, arguments, keep, sharing, progress); });
        },
        any);
  };
  return run_on(arguments.input, work, ranks.first());
}

}  // namespace

int run_svd(SvdArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  if (ranks.first_alone([&] { return int{is_batch(arguments.input)}; }) == 1) {
    return share(ranks, {arguments.input}, Engine::members,
                 [&](Ranks const& by, Sharing const& sharing) {
                   return run_svd_batch(arguments, flags, by, sharing);
                 });
  }
  if (arguments.method == "tall") {
    return share(ranks, {arguments.input}, Engine::rows,
                 [&](Ranks const& by, Sharing const& sharing) {
                   return run_svd_tall(arguments, flags, by, sharing);
                 });
  }
  return ranks.first_alone([&] {
    return run_svd_matrix(arguments, flags, {ranks.size(), Engine::one_rank});
  });
}

}  // namespace carroll::tool
