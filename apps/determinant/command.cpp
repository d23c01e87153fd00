// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/command.hpp"

#include <type_traits>
#include <variant>
#include <vector>

#include "determinant/batch/command.hpp"
#include "determinant/determine.hpp"
#include "determinant/ranks/determine_over.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "output/report.hpp"
#include "output/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

void require_square(std::int64_t rows, std::int64_t cols, std::string const& input) {
  if (rows != cols) {
    throw FileError(input,
                    "is " + extents_text(rows, cols) + ", a determinant needs a square matrix");
  }
}

/// What is known before the work is done.
template <class Number>
DetReport report_for(std::int64_t n, DetArguments const& arguments, Sharing const& sharing) {
  auto report = begin_report<DetReport, Number>(arguments, sharing);
  report.n = n;
  return report;
}

template <class Number>
int determine_and_report(HostMatrix<Number> const& A, DetArguments const& arguments,
                         Sharing const& sharing, Progress& progress) {
  DetReport report = report_for<Number>(A.rows, arguments, sharing);
  if constexpr (std::is_same_v<Number, std::int64_t>) {
    report.method = "exact";
    report.result = determine_exactly(A, progress);
  } else if (arguments.certified) {
    report.method = "certified";
    report.result = certify(A, progress);
  } else {
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
      require_square(A.rows, A.cols, arguments.input);
      Runtime const runtime(flags);
      return determine_and_report(A, arguments, sharing, progress);
    }
    AnyMatrix const matrix = read_matrix(arguments.input, arguments.precision);
    std::visit([&](auto const& A) { require_square(A.rows, A.cols, arguments.input); }, matrix);
    Runtime const runtime(flags);
    return std::visit(
        [&](auto const& A) { return determine_and_report(A, arguments, sharing, progress); },
        matrix);
  });
}

/// This rank's rows of a matrix; where one rank is to do it all, its whole for the first.
struct SharedRows {
  AnyMatrix rows;
  std::int64_t n = 0;
  bool shared = false;
};

SharedRows read_shared(DetArguments const& arguments, Ranks const& ranks) {
  SharedRows read;
  read.rows =
      read_rows(arguments.input, arguments.precision,
                [&](std::int64_t rows, std::int64_t cols, Precision precision) {
                  require_square(rows, cols, arguments.input);
                  read.n = rows;
                  auto const mine = determinant_rows(ranks, rows, precision);
                  read.shared = mine.has_value();
                  return mine.value_or(std::vector<EntryRange>{{0, ranks.first() ? rows : 0}});
                });
  return read;
}

int run_det_rows(DetArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks,
                 Sharing const& sharing) {
  auto const work = [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    SharedRows read;
    ranks.together([&] { read = read_shared(arguments, ranks); });
    require_alike(ranks, arguments.input, {read.n, static_cast<std::int64_t>(read.rows.index())});
    auto const determine_rows = [&]<class Real>(HostMatrix<Real> const& rows) {
      if (!read.shared) {
        return ranks.first_alone([&] {
          Runtime const runtime(flags);
          return determine_and_report(rows, arguments, {sharing.ranks, Engine::one_rank}, progress);
        });
      }
      Runtime const runtime(flags);
      DetReport report = report_for<Real>(read.n, arguments, sharing);
      report.result = determine_over(ranks, rows, progress);
      return ranks.first_alone(
          [&] { return print_report(arguments, report, report.result.status, progress); });
    };
    return std::visit(determine_rows, read.rows);
  };
  return run_on(arguments.input, work, ranks.first());
}

}  // namespace

int run_det(DetArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  if (ranks.first_alone([&] { return int{is_batch(arguments.input)}; }) == 1) {
    return share(ranks, {arguments.input}, Engine::members,
                 [&](Ranks const& by, Sharing const& sharing) {
                   return run_det_batch(arguments, flags, by, sharing);
                 });
  }
  bool const by_rows = arguments.method == "blocked" && arguments.path == "automatic" &&
                       !arguments.certified && !arguments.exact;
  if (!by_rows) {
    return ranks.first_alone([&] {
      return run_det_matrix(arguments, flags, {ranks.size(), Engine::one_rank});
    });
  }
  return share(ranks, {arguments.input}, Engine::rows,
               [&](Ranks const& by, Sharing const& sharing) {
                 return by.size() == 1 ? run_det_matrix(arguments, flags, sharing)
                                       : run_det_rows(arguments, flags, by, sharing);
               });
}

}  // namespace carroll::tool
