// SPDX-License-Identifier: BSD-3-Clause
#include "qr/command.hpp"

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "files/batch_file.hpp"
#include "files/npy/writer.hpp"
#include "output/members.hpp"
#include "output/run.hpp"
#include "qr/factorise.hpp"
#include "qr/report.hpp"
#include "ranks/parts.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

namespace {

/// Names of the files that are to be written.
struct QrNames {
  std::string q, r, p;  ///< empty: not wanted

  explicit QrNames(QrArguments const& arguments) : r(arguments.output + "_R.npy") {
    if (arguments.mode != "r") q = arguments.output + "_Q.npy";
    if (arguments.pivot) p = arguments.output + "_P.npy";
  }
};

/// This rank's members, or the one matrix.
AnyFieldBatch read_qr(QrArguments const& arguments, Ranks const& ranks, bool is_batch) {
  auto any = is_batch
                 ? read_field_batch(arguments.input, arguments.precision,
                                    [&](std::int64_t count) { return members_of(ranks, count); })
                 : read_field_batch_of_one(arguments.input, arguments.precision);
  if (arguments.output.empty()) return any;
  QrNames const names(arguments);
  for (auto const& name : {names.q, names.r, names.p})
    if (!name.empty()) OutputFiles::check(name, {arguments.input});
  return any;
}

template <class Number>
std::vector<std::string> write_qr_factors(OutputFiles& files, QrArguments const& arguments,
                                          QrReport const& report, QrResult<Number> const& found) {
  QrNames const names(arguments);
  std::vector<std::string> written;
  auto const write = [&](std::string const& name, std::vector<std::int64_t> extents,
                         auto const& values) {
    if (name.empty()) return;
    if (report.is_batch) extents.insert(extents.begin(), std::ssize(report.members));
    write_npy(files, name, extents, values);
    written.push_back(name);
  };
  write(names.q, {report.rows, found.q_cols}, found.Q);
  write(names.r, {found.r_rows, report.cols}, found.R);
  write(names.p, {report.cols}, found.P);
  return written;
}

template <class Number>
int factorise_and_tell(HostBatch<Number> const& batch, bool is_batch, QrArguments const& arguments,
                       Ranks const& ranks, Sharing const& sharing, Progress& progress) {
  QrResult<Number> found;
  ranks.together([&] { found = factorise(batch, arguments, progress); });
  QrReport report;
  report.members = ranks.gather(found.members);
  found.Q = ranks.gather(found.Q);
  found.R = ranks.gather(found.R);
  found.P = ranks.gather(found.P);
  found.diagonal = ranks.gather(found.diagonal);
  report.input = arguments.input;
  report.is_batch = is_batch;
  report.rows = batch.rows;
  report.cols = batch.cols;
  report.precision = precision_of<PartOf<Number>>;
  report.is_complex = is_complex_number<Number>;
  report.mode = arguments.mode;
  report.path = arguments.path;
  report.pivoted = arguments.pivot;
  report.backend = found.backend;
  report.diagonal.assign(found.diagonal.begin(), found.diagonal.end());
  report.permutation = found.P;
  report.seconds = found.seconds;
  report.sharing = sharing;
  report.status = status_of_all(report.members);
  return ranks.first_alone([&] {
    return print_and_write(
        arguments, report, report.status, progress, "_*.npy",
        [&](OutputFiles& files) { return write_qr_factors(files, arguments, report, found); });
  });
}

int run_qr_on(QrArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks,
              Sharing const& sharing, bool is_batch) {
  return run_on_parts(
      arguments.input, flags, ranks, [&] { return read_qr(arguments, ranks, is_batch); },
      [&](auto const& batch, Progress& progress) {
        return factorise_and_tell(batch, is_batch, arguments, ranks, sharing, progress);
      });
}

}  // namespace

int run_qr(QrArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  return share_members(ranks, arguments.input,
                       [&](Ranks const& by, Sharing const& sharing, bool is_batch) {
                         return run_qr_on(arguments, flags, by, sharing, is_batch);
                       });
}

}  // namespace carroll::tool
