// SPDX-License-Identifier: BSD-3-Clause
#include "eigh/command.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "eigh/decompose.hpp"
#include "eigh/report.hpp"
#include "files/batch_file.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/npy/writer.hpp"
#include "output/members.hpp"
#include "ranks/parts.hpp"

namespace carroll::tool {

namespace {

struct EighNames {
  std::string w, v;
};

EighNames eigh_names(EighArguments const& arguments) {
  return {arguments.output + "_W.npy", arguments.output + "_V.npy"};
}

/// FileError unless the matrices are square, and symmetric where no triangle was chosen.
template <class Real>
void check_symmetric(EighArguments const& arguments, HostBatch<Real> const& batch) {
  std::int64_t const n = batch.rows;
  if (n != batch.cols) {
    throw FileError(arguments.input,
                    "is " + extents_text(n, batch.cols) + ", expected as many rows as columns");
  }
  if (!arguments.triangle.empty()) return;
  auto const at = [&](std::int64_t b, std::int64_t i, std::int64_t j) {
    return batch.values[static_cast<std::size_t>((b * n + i) * n + j)];
  };
  for (std::int64_t b = 0; b < batch.members; ++b)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < i; ++j) {
        Real const x = at(b, i, j), y = at(b, j, i);
        if (x == y || (x != x && y != y)) continue;
        throw FileError(arguments.input, "is not symmetric: entries (" + std::to_string(i) + ", " +
                                             std::to_string(j) + ") and (" + std::to_string(j) +
                                             ", " + std::to_string(i) +
                                             ") differ; --triangle chooses a half");
      }
}

/// This rank's members, or the one matrix.
AnyBatch read_eigh(EighArguments const& arguments, Ranks const& ranks, bool is_batch) {
  AnyBatch any;
  if (is_batch)
    any = read_batch(arguments.input, arguments.precision,
                     [&](std::int64_t count) { return members_of(ranks, count); });
  else
    any = read_batch_of_one(arguments.input, arguments.precision);
  std::visit([&](auto const& batch) { check_symmetric(arguments, batch); }, any);
  if (!arguments.output.empty()) {
    auto const names = eigh_names(arguments);
    OutputFiles::check(names.w, {arguments.input});
    if (!arguments.values_only) OutputFiles::check(names.v, {arguments.input});
  }
  return any;
}

template <class Real>
std::vector<std::string> write_pairs(OutputFiles& files, EighArguments const& arguments,
                                     EighReport const& report, EighResult<Real> const& found) {
  auto const names = eigh_names(arguments);
  std::vector<std::int64_t> values{report.n}, vectors{report.n, report.n};
  if (report.is_batch) {
    auto const members = std::ssize(report.members);
    values.insert(values.begin(), members);
    vectors.insert(vectors.begin(), members);
  }
  write_npy(files, names.w, values, found.W);
  if (arguments.values_only) return {names.w};
  write_npy(files, names.v, vectors, found.V);
  return {names.w, names.v};
}

template <class Real>
int decompose_and_tell(HostBatch<Real> const& batch, bool is_batch, EighArguments const& arguments,
                       Ranks const& ranks, Sharing const& sharing, Progress& progress) {
  EighResult<Real> found;
  ranks.together([&] { found = eigendecompose(batch, arguments, progress); });
  EighReport report;
  report.members = ranks.gather(found.members);
  found.W = ranks.gather(found.W);
  found.V = ranks.gather(found.V);
  report.input = arguments.input;
  report.is_batch = is_batch;
  report.n = batch.rows;
  report.precision = precision_of<Real>;
  report.method =
      arguments.method + (arguments.path == "automatic" ? "" : ", path " + arguments.path);
  report.backend = found.backend;
  report.eigenvalues.assign(found.W.begin(), found.W.end());
  report.vectors = !arguments.values_only;
  report.seconds = found.seconds;
  report.sharing = sharing;
  report.status = status_of_all(report.members);
  return ranks.first_alone([&] {
    // NaN is no result that anybody would want to read from a file.
    std::string const status =
        !is_batch && report.status == "breakdown" ? "non_finite" : report.status;
    return print_and_write(arguments, report, status, progress, "_*.npy", [&](OutputFiles& files) {
      return write_pairs(files, arguments, report, found);
    });
  });
}

int run_eigh_on(EighArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks,
                Sharing const& sharing, bool is_batch) {
  return run_on_parts(
      arguments.input, flags, ranks, [&] { return read_eigh(arguments, ranks, is_batch); },
      [&](auto const& batch, Progress& progress) {
        return decompose_and_tell(batch, is_batch, arguments, ranks, sharing, progress);
      });
}

}  // namespace

int run_eigh(EighArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  return share_members(ranks, arguments.input,
                       [&](Ranks const& by, Sharing const& sharing, bool is_batch) {
                         return run_eigh_on(arguments, flags, by, sharing, is_batch);
                       });
}

}  // namespace carroll::tool
