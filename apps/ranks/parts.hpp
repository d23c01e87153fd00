// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "kokkos_flags.hpp"
#include "output/members.hpp"
#include "output/run.hpp"
#include "ranks/sharing.hpp"
#include "runtime.hpp"

namespace carroll::tool {

/// The exit status of `work(part, progress)` on each rank's part of the file `input`, which
/// `read()` gives it in either precision, a variant.
template <class Read, class Work>
[[nodiscard]] int run_on_parts(std::string const& input, KokkosFlags const& flags,
                               Ranks const& ranks, Read const& read, Work const& work) {
  auto const run = [&](Progress& progress) {
    progress.phase("reading " + input);
    decltype(read()) any;
    ranks.together([&] { any = read(); });
    require_alike(ranks, input, any);
    Runtime const runtime(flags);
    return std::visit([&](auto const& part) { return work(part, progress); }, any);
  };
  return run_on(input, run, ranks.first());
}

/// The first rank prints the report of a batch, whose status is that of all members, and writes
/// the files that were asked for; the exit status.
template <class Arguments, class Report, class Member, class Write>
[[nodiscard]] int report_members(Ranks const& ranks, Arguments const& arguments, Report& report,
                                 std::vector<Member> const& members, Progress& progress,
                                 Write const& write) {
  report.status = status_of_all(members);
  return ranks.first_alone(
      [&] { return print_and_write(arguments, report, report.status, progress, "_*.npy", write); });
}

}  // namespace carroll::tool
