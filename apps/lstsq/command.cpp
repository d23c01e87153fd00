// SPDX-License-Identifier: BSD-3-Clause
#include "lstsq/command.hpp"

#include <complex>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "files/batch_file.hpp"
#include "files/batches_alike.hpp"
#include "files/complex_matrix.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/npy/writer.hpp"
#include "lstsq/report.hpp"
#include "lstsq/solve.hpp"
#include "output/members.hpp"
#include "output/run.hpp"
#include "ranks/parts.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

namespace {

using AnyLstsq = std::variant<LstsqInput<float>, LstsqInput<double>,
                              LstsqInput<std::complex<float>>, LstsqInput<std::complex<double>>>;

std::string solution_name(LstsqArguments const& arguments, bool inverse) {
  return arguments.output + (inverse ? "_pinv.npy" : "_X.npy");
}

/// Throws FileError unless B has a row for each of A's, and a member.
void require_fitting(LstsqArguments const& arguments, AnyFieldBatch const& A,
                     AnyFieldBatch const& B) {
  auto const extents_of = [](AnyFieldBatch const& any) {
    return std::visit([](auto const& batch) { return std::pair(batch.all, batch.rows); }, any);
  };
  auto const [members, rows] = extents_of(A);
  auto const [right_members, right_rows] = extents_of(B);
  if (members != right_members)
    throw FileError(arguments.right, "has " + count_text(right_members, "member") + ", must have " +
                                         std::to_string(members) + ": as many as " +
                                         one_line(arguments.input));
  if (rows != right_rows)
    throw FileError(arguments.right, "has " + count_text(right_rows, "row") + ", must have " +
                                         std::to_string(rows) + ": as many as " +
                                         one_line(arguments.input));
}

/// This rank's members, or the one problem. Without B its pseudoinverse is the problem.
AnyLstsq read_lstsq(LstsqArguments const& arguments, Ranks const& ranks, bool of_batch,
                    bool inverse) {
  bool is_vector = false;
  auto const read = [&](std::string const& file, bool* vector) {
    return of_batch ? read_field_batch(file, arguments.precision,
                                       [&](std::int64_t count) { return members_of(ranks, count); })
                    : read_field_batch_of_one(file, arguments.precision, vector);
  };
  AnyFieldBatch A = read(arguments.input, nullptr);
  AnyFieldBatch B;
  if (!inverse) {
    B = read(arguments.right, &is_vector);
    require_fitting(arguments, A, B);
  }
  if (!arguments.output.empty()) {
    std::vector<std::string> inputs{arguments.input};
    if (!inverse) inputs.push_back(arguments.right);
    OutputFiles::check(solution_name(arguments, inverse), inputs);
  }
  auto const as = [&]<class Number>(Number) {
    return AnyLstsq(LstsqInput<Number>{batch_as<Number>(std::move(A)),
                                       batch_as<Number>(std::move(B)), is_vector, inverse});
  };
  return with_type_of_both(A, B, as);
}

template <class Number>
std::vector<std::string> write_solution(OutputFiles& files, LstsqArguments const& arguments,
                                        LstsqReport const& report, LstsqInput<Number> const& input,
                                        std::vector<Number> const& X) {
  std::string const name = solution_name(arguments, input.inverse);
  std::vector<std::int64_t> extents{report.cols};
  if (report.is_batch) extents.insert(extents.begin(), std::ssize(report.members));
  if (!input.is_vector) extents.push_back(report.right_sides);
  write_npy(files, name, extents, X);
  return {name};
}

template <class Number>
int solve_and_tell(LstsqInput<Number> const& input, bool of_batch, LstsqArguments const& arguments,
                   Ranks const& ranks, Sharing const& sharing, Progress& progress) {
  LstsqResult<Number> found;
  ranks.together([&] { found = solve(input, arguments, progress); });
  LstsqReport report;
  report.members = ranks.gather(found.members);
  found.X = ranks.gather(found.X);
  report.input = arguments.input;
  report.right = arguments.right;
  report.inverse = input.inverse;
  report.is_batch = of_batch;
  report.rows = input.A.rows;
  report.cols = input.A.cols;
  report.right_sides = input.inverse ? input.A.rows : input.B.cols;
  report.is_complex = is_complex_number<Number>;
  report.precision = precision_of<PartOf<Number>>;
  report.backend = found.backend;
  report.seconds = found.seconds;
  report.sharing = sharing;
  report.status = status_of_all(report.members);
  return ranks.first_alone([&] {
    return print_and_write(arguments, report, report.status, progress,
                           input.inverse ? "_pinv.npy" : "_X.npy", [&](OutputFiles& files) {
                             return write_solution(files, arguments, report, input, found.X);
                           });
  });
}

int run_either(LstsqArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks,
               bool inverse) {
  auto const work = [&](Ranks const& by, Sharing const& sharing, bool of_batch) {
    return run_on_parts(
        arguments.input, flags, by, [&] { return read_lstsq(arguments, by, of_batch, inverse); },
        [&](auto const& input, Progress& progress) {
          return solve_and_tell(input, of_batch, arguments, by, sharing, progress);
        });
  };
  std::vector<std::string> files{arguments.input};
  if (!inverse) files.push_back(arguments.right);
  return share_members(ranks, files, work);
}

}  // namespace

int run_lstsq(LstsqArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  return run_either(arguments, flags, ranks, false);
}

int run_general_pinv(LstsqArguments const& arguments, KokkosFlags const& flags,
                     Ranks const& ranks) {
  return run_either(arguments, flags, ranks, true);
}

}  // namespace carroll::tool
