// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "blas/command.hpp"
#include "blas/pair.hpp"
#include "blas/reduce.hpp"
#include "blas/report.hpp"
#include "files/matrix_file.hpp"
#include "output/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

/// Reduces x, and y if there is one, and fills in the rest of `report`.
template <class Real>
int reduce_and_report(HostEntries<Real> const& x, HostEntries<Real> const& y,
                      ReductionWishes const& wishes, ReductionArguments const& arguments,
                      ReductionReport report, Progress& progress) {
  report.count = x.rows * x.cols;
  report.precision = precision_of<Real>;
  if (wishes.kind != ReductionKind::max_abs) report.summation = wishes.summation;
  report.result = reduce(x, y, wishes, progress);
  return print_report(arguments, report, report.result.status, progress);
}

int run_on_one(ReductionArguments const& arguments, ReductionKind kind, ReductionReport report,
               KokkosFlags const& flags) {
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    AnyEntries const entries = read_entries(arguments.input, arguments.precision);
    report.inputs = {arguments.input};
    Runtime const runtime(flags);
    return std::visit(
        [&](auto const& x) {
          return reduce_and_report(x, {}, {kind, arguments.summation}, arguments, report, progress);
        },
        entries);
  });
}

struct Norm {
  char const* kind;
  ReductionKind reduction;
  char const* name;
};

constexpr std::array norms{Norm{"2", ReductionKind::norm2, "2-norm"},
                           Norm{"1", ReductionKind::asum, "1-norm"},
                           Norm{"max", ReductionKind::max_abs, "largest"}};

}  // namespace

int run_sum(ReductionArguments const& arguments, KokkosFlags const& flags) {
  ReductionReport report;
  report.name = "sum";
  return run_on_one(arguments, ReductionKind::sum, report, flags);
}

int run_norm(ReductionArguments const& arguments, KokkosFlags const& flags) {
  std::size_t k = 0;
  while (norms[k].kind != arguments.kind) ++k;
  ReductionReport report;
  report.name = norms[k].name;
  report.kind = arguments.kind;
  return run_on_one(arguments, norms[k].reduction, report, flags);
}

int run_dot(ReductionArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    AnyEntries x = read_entries(arguments.input, arguments.precision);
    progress.phase("reading " + arguments.other);
    AnyEntries y = read_entries(arguments.other, arguments.precision);
    auto const both = paired(std::move(x), std::move(y), arguments.input, arguments.other);
    ReductionReport report;
    report.name = "inner product";
    report.inputs = {arguments.input, arguments.other};
    ReductionWishes const wishes{ReductionKind::dot, arguments.summation, !arguments.no_conjugate};
    Runtime const runtime(flags);
    return std::visit(
        [&](auto const& numbers) {
          using Entries = std::decay_t<decltype(numbers)>;
          return reduce_and_report(numbers, std::get<Entries>(both.second), wishes, arguments,
                                   report, progress);
        },
        both.first);
  });
}

}  // namespace carroll::tool
