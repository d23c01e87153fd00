// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "blas/command.hpp"
#include "blas/pair.hpp"
#include "blas/ranks/over_ranks.hpp"
#include "blas/reduce.hpp"
#include "blas/report.hpp"
#include "files/matrix_file.hpp"
#include "output/run.hpp"
#include "ranks/parts.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

/// Reduces this rank's part of x, and of y if there is one, and fills in the rest of `report`.
template <class Real>
int reduce_and_report(HostEntries<Real> const& x, HostEntries<Real> const& y,
                      ReductionWishes const& wishes, ReductionArguments const& arguments,
                      ReductionReport report, Ranks const& ranks, Progress& progress) {
  report.count = x.rows * x.cols;
  report.precision = precision_of<Real>;
  if (wishes.kind != ReductionKind::max_abs) report.summation = wishes.summation;
  report.result = ranks.size() == 1 ? reduce(x, y, wishes, progress)
                                    : reduce_over(ranks, x, y, wishes, progress);
  return ranks.first_alone(
      [&] { return print_report(arguments, report, report.result.status, progress); });
}

/// This rank's entries; all where it is alone.
EntryChoice part_of(Ranks const& ranks) {
  if (ranks.size() == 1) return {};
  return
      [&ranks](std::int64_t rows, std::int64_t cols, bool) { return terms_of(ranks, rows * cols); };
}

int run_on_one(ReductionArguments const& arguments, ReductionKind kind, ReductionReport report,
               KokkosFlags const& flags, Ranks const& all) {
  report.inputs = {arguments.input};
  return share(all, report.inputs, Engine::entries, [&](Ranks const& ranks, Sharing sharing) {
    report.sharing = sharing;
    return run_on_parts(
        arguments.input, flags, ranks,
        [&] { return read_entries(arguments.input, arguments.precision, part_of(ranks)); },
        [&](auto const& x, Progress& progress) {
          return reduce_and_report(x, {}, {kind, arguments.summation}, arguments, report, ranks,
                                   progress);
        });
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

int run_sum(ReductionArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  ReductionReport report;
  report.name = "sum";
  return run_on_one(arguments, ReductionKind::sum, report, flags, ranks);
}

int run_norm(ReductionArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  std::size_t k = 0;
  while (norms[k].kind != arguments.kind) ++k;
  ReductionReport report;
  report.name = norms[k].name;
  report.kind = arguments.kind;
  return run_on_one(arguments, norms[k].reduction, report, flags, ranks);
}

namespace {

using Pair = std::pair<AnyEntries, AnyEntries>;

/// This rank's part of x and y. Of a y that is to be turned all is read.
Pair read_pair(ReductionArguments const& arguments, Ranks const& ranks, Progress& progress) {
  EntryChoice const part = part_of(ranks);
  progress.phase("reading " + arguments.input);
  AnyEntries x = read_entries(arguments.input, arguments.precision, part);
  progress.phase("reading " + arguments.other);
  bool turned = false;
  auto const part_of_y = [&](std::int64_t rows, std::int64_t cols, bool by_rows) {
    turned = std::visit([&](auto const& of_x) { return must_turn(of_x, rows, cols, by_rows); }, x);
    return turned ? EntryRange{0, rows * cols} : part(rows, cols, by_rows);
  };
  AnyEntries y = read_entries(arguments.other, arguments.precision,
                              part ? EntryChoice(part_of_y) : EntryChoice());
  Pair both = paired(std::move(x), std::move(y), arguments.input, arguments.other);
  if (turned) keep(both.second, part);
  return both;
}

}  // namespace

int run_dot(ReductionArguments const& arguments, KokkosFlags const& flags, Ranks const& all) {
  ReductionReport report;
  report.name = "inner product";
  report.inputs = {arguments.input, arguments.other};
  ReductionWishes const wishes{ReductionKind::dot, arguments.summation, !arguments.no_conjugate};
  return share(all, report.inputs, Engine::entries, [&](Ranks const& ranks, Sharing sharing) {
    report.sharing = sharing;
    auto const work = [&](Progress& progress) {
      Pair both;
      ranks.together([&] { both = read_pair(arguments, ranks, progress); });
      require_alike(ranks, arguments.input, both.first);
      Runtime const runtime(flags);
      return std::visit(
          [&](auto const& x) {
            using Entries = std::decay_t<decltype(x)>;
            return reduce_and_report(x, std::get<Entries>(both.second), wishes, arguments, report,
                                     ranks, progress);
          },
          both.first);
    };
    return run_on(arguments.input, work, ranks.first());
  });
}

}  // namespace carroll::tool
