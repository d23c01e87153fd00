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

/// x is the conjugate of y; two that are not numbers count as that.
template <class Number>
bool are_conjugate(Number const& x, Number const& y) {
  if constexpr (is_complex_number<Number>)
    return are_conjugate(x.real(), y.real()) && are_conjugate(x.imag(), -y.imag());
  else
    return x == y || (x != x && y != y);
}

/// FileError unless the matrices are square, and symmetric (complex ones Hermitian) where no
/// triangle was chosen.
template <class Number>
void check_symmetric(EighArguments const& arguments, HostBatch<Number> const& batch) {
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
      for (std::int64_t j = 0; j <= i; ++j) {
        if (are_conjugate(at(b, i, j), at(b, j, i))) continue;
        auto const place = [](std::int64_t row, std::int64_t col) {
          return "(" + std::to_string(row) + ", " + std::to_string(col) + ")";
        };
        throw FileError(arguments.input,
                        (!is_complex_number<Number> ? "is not symmetric: entries " + place(i, j) +
                                                          " and " + place(j, i) + " differ"
                         : i == j ? "is not Hermitian: entry " + place(i, i) + " is not real"
                                  : "is not Hermitian: entries " + place(i, j) + " and " +
                                        place(j, i) + " are not conjugate") +
                            "; --triangle chooses a half");
      }
}

/// This rank's members, or the one matrix.
AnyFieldBatch read_eigh(EighArguments const& arguments, Ranks const& ranks, bool is_batch) {
  AnyFieldBatch any;
  if (is_batch)
    any = read_field_batch(arguments.input, arguments.precision,
                           [&](std::int64_t count) { return members_of(ranks, count); });
  else
    any = read_field_batch_of_one(arguments.input, arguments.precision);
  std::visit([&](auto const& batch) { check_symmetric(arguments, batch); }, any);
  if (!arguments.output.empty()) {
    auto const names = eigh_names(arguments);
    OutputFiles::check(names.w, {arguments.input});
    if (!arguments.values_only) OutputFiles::check(names.v, {arguments.input});
  }
  return any;
}

template <class Number>
std::vector<std::string> write_pairs(OutputFiles& files, EighArguments const& arguments,
                                     EighReport const& report, EighResult<Number> const& found) {
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

template <class Number>
int decompose_and_tell(HostBatch<Number> const& batch, bool is_batch,
                       EighArguments const& arguments, Ranks const& ranks, Sharing const& sharing,
                       Progress& progress) {
  EighResult<Number> found;
  ranks.together([&] { found = eigendecompose(batch, arguments, progress); });
  EighReport report;
  report.members = ranks.gather(found.members);
  found.W = ranks.gather(found.W);
  found.V = ranks.gather(found.V);
  report.input = arguments.input;
  report.is_batch = is_batch;
  report.n = batch.rows;
  report.is_complex = is_complex_number<Number>;
  report.precision = precision_of<PartOf<Number>>;
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
