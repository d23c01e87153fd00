// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/command.hpp"

#include <type_traits>
#include <variant>

#include "determinant/batch/command.hpp"
#include "determinant/determine.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "output/report.hpp"
#include "output/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

template <class Number>
void require_square(HostMatrix<Number> const& A, std::string const& input) {
  if (A.rows != A.cols) {
    throw FileError(input,
                    "is " + extents_text(A.rows, A.cols) + ", a determinant needs a square matrix");
  }
}

template <class Number>
int determine_and_report(HostMatrix<Number> const& A, DetArguments const& arguments,
                         Sharing const& sharing, Progress& progress) {
  DetReport report;
  report.sharing = sharing;
  report.input = arguments.input;
  report.n = A.rows;
  report.precision = precision_of<Number>;
  if constexpr (std::is_same_v<Number, std::int64_t>) {
    report.method = "exact";
    report.result = determine_exactly(A, progress);
  } else if (arguments.certified) {
    report.method = "certified";
    report.result = certify(A, progress);
  } else {
    report.method = arguments.method;
    report.result = determine(A, arguments.method, arguments.path, progress);
  }
  return print_report(arguments, report, report.result.status, progress);
}

int run_det_matrix(DetArguments const& arguments, KokkosFlags const& flags,
                   Sharing const& sharing) {
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    if (arguments.exact) {
      auto const A = read_integer_matrix(arguments.input);
      require_square(A, arguments.input);
      Runtime const runtime(flags);
      return determine_and_report(A, arguments, sharing, progress);
    }
    AnyMatrix const matrix = read_matrix(arguments.input, arguments.precision);
    std::visit([&](auto const& A) { require_square(A, arguments.input); }, matrix);
    Runtime const runtime(flags);
    return std::visit(
        [&](auto const& A) { return determine_and_report(A, arguments, sharing, progress); },
        matrix);
  });
}

}  // namespace

int run_det(DetArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  if (ranks.first_alone([&] { return int{is_batch(arguments.input)}; }) == 1) {
    return share(ranks, {arguments.input}, Engine::members,
                 [&](Ranks const& by, Sharing const& sharing) {
                   return run_det_batch(arguments, flags, by, sharing);
                 });
  }
  return ranks.first_alone([&] {
    return run_det_matrix(arguments, flags, {ranks.size(), Engine::one_rank});
  });
}

}  // namespace carroll::tool
