// SPDX-License-Identifier: BSD-3-Clause
#include "svd/batch/command.hpp"

#include <variant>

#include "files/complex_matrix.hpp"
#include "files/file_error.hpp"
#include "files/npy/writer.hpp"
#include "output/members.hpp"
#include "ranks/parts.hpp"
#include "svd/names.hpp"

namespace carroll::tool {

namespace {

/// This rank's members, of each of which `kept` triplets are kept.
AnyFieldBatch read_members(SvdArguments const& arguments, Ranks const& ranks, std::int64_t& kept) {
  bool const of_one = arguments.method == "truncated" || arguments.method == "tall";
  if (of_one || arguments.energy) {
    throw FileError(arguments.input,
                    "has 3 dimensions, " +
                        (arguments.energy ? "--energy" : "--method " + arguments.method) +
                        " expects a matrix with 2");
  }
  AnyFieldBatch batch =
      read_field_batch(arguments.input, arguments.precision,
                       [&](std::int64_t count) { return members_of(ranks, count); });
  if (batch.index() >= 2) require_method_for_complex(arguments);
  if (!arguments.output.empty()) check_output(arguments);
  kept =
      std::visit([&](auto const& b) { return columns_to_keep(arguments, b.rows, b.cols); }, batch);
  return batch;
}

template <class Number>
std::vector<std::string> write_factors(OutputFiles& files, SvdArguments const& arguments,
                                       SvdBatchReport const& report,
                                       BatchDecomposition<Number> const& found) {
  auto const names = output_names(arguments.output);
  auto const members = std::ssize(report.members);
  std::vector<PartOf<Number>> S;
  for (std::int64_t b = 0; b < members; ++b) {
    auto const first = found.S.begin() + b * report.values;
    S.insert(S.end(), first, first + report.kept);
  }
  if (arguments.values_only) {
    write_npy(files, names.s, {members, report.kept}, S);
    return {names.s};
  }
  write_npy(files, names.u, {members, report.rows, report.kept}, found.U);
  write_npy(files, names.s, {members, report.kept}, S);
  write_npy(files, names.v, {members, report.cols, report.kept}, found.V);
  return {names.u, names.s, names.v};
}

template <class Number>
int decompose_and_report(HostBatch<Number> const& batch, SvdArguments const& arguments,
                         std::int64_t kept, Ranks const& ranks, Sharing const& sharing,
                         Progress& progress) {
  BatchDecomposition<Number> found;
  ranks.together([&] { found = decompose(batch, options_of(arguments, kept), progress); });
  progress.phase("gathering");
  auto report = begin_report<SvdBatchReport, PartOf<Number>>(arguments, sharing);
  report.members = ranks.gather(found.members);
  found.S = ranks.gather(found.S);
  found.U = ranks.gather(found.U);
  found.V = ranks.gather(found.V);
  report.is_complex = is_complex_number<Number>;
  report.rows = batch.rows;
  report.cols = batch.cols;
  report.method = method_text(arguments);
  report.backend = found.backend;
  report.singular_values.assign(found.S.begin(), found.S.end());
  report.values = std::min(batch.rows, batch.cols);
  report.kept = kept;
  report.vectors = !arguments.values_only;
  report.seconds = found.seconds;
  return report_members(
      ranks, arguments, report, report.members, progress,
      [&](OutputFiles& files) { return write_factors(files, arguments, report, found); });
}

}  // namespace

int run_svd_batch(SvdArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks,
                  Sharing const& sharing) {
  std::int64_t kept = 0;
  return run_on_parts(
      arguments.input, flags, ranks, [&] { return read_members(arguments, ranks, kept); },
      [&](auto const& batch, Progress& progress) {
        return decompose_and_report(batch, arguments, kept, ranks, sharing, progress);
      });
}

}  // namespace carroll::tool
