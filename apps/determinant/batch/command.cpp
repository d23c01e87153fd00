// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/batch/command.hpp"

#include <variant>

#include "files/batch_file.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "output/members.hpp"
#include "ranks/parts.hpp"

namespace carroll::tool {

namespace {

template <class Real>
void require_square(HostBatch<Real> const& batch, std::string const& input) {
  if (batch.rows != batch.cols) {
    throw FileError(input, "has matrices of " + extents_text(batch.rows, batch.cols) +
                               ", a determinant needs square ones");
  }
}

AnyBatch read_square(DetArguments const& arguments, Ranks const& ranks) {
  if (arguments.certified || arguments.exact) {
    throw FileError(arguments.input, std::string("has 3 dimensions, ") +
                                         (arguments.exact ? "--exact" : "--certified") +
                                         " expects a matrix with 2");
  }
  AnyBatch batch = read_batch(arguments.input, arguments.precision,
                              [&](std::int64_t count) { return members_of(ranks, count); });
  std::visit([&](auto const& b) { require_square(b, arguments.input); }, batch);
  return batch;
}

template <class Real>
int determine_and_report(HostBatch<Real> const& batch, DetArguments const& arguments,
                         Ranks const& ranks, Sharing const& sharing, Progress& progress) {
  auto report = begin_report<DetBatchReport, Real>(arguments, sharing);
  report.n = batch.rows;
  ranks.together(
      [&] { report.result = determine(batch, arguments.method, arguments.path, progress); });
  report.result.members = ranks.gather(report.result.members);
  return ranks.first_alone([&] {
    report.status = status_of_all(report.result.members);
    return print_report(arguments, report, report.status, progress);
  });
}

}  // namespace

int run_det_batch(DetArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks,
                  Sharing const& sharing) {
  return run_on_parts(
      arguments.input, flags, ranks, [&] { return read_square(arguments, ranks); },
      [&](auto const& batch, Progress& progress) {
        return determine_and_report(batch, arguments, ranks, sharing, progress);
      });
}

}  // namespace carroll::tool
