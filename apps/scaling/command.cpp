// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/command.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "output/run.hpp"
#include "runtime.hpp"
#include "scaling/ranks/operations.hpp"
#include "scaling/report.hpp"

namespace carroll::tool {

namespace {

ScalingWishes wishes_of(ScalingArguments const& arguments, std::vector<Operation> const& known) {
  ScalingWishes wishes;
  wishes.operation =
      &*std::ranges::find(known, std::string_view(arguments.operation),
                          [](Operation const& o) { return std::string_view(o.name); });
  wishes.sizes = arguments.sizes.empty() ? wishes.operation->sizes : arguments.sizes;
  wishes.threads = arguments.threads;
  wishes.scaled = arguments.scaled;
  wishes.repetitions = arguments.repetitions;
  return wishes;
}

int run_over_threads(ScalingArguments const& arguments, KokkosFlags const& flags) {
  return run_on("scaling", [&](Progress& progress) {
    Runtime const runtime(flags);
    ScalingReport report = measure_scaling(wishes_of(arguments, operations()), progress);
    report.device = runtime_info().device;
    return print_report(arguments, report, "success", progress);
  });
}

int run_over_ranks(ScalingArguments const& arguments, KokkosFlags const& flags,
                   Ranks const& ranks) {
  auto const work = [&](Progress& progress) {
    Runtime const runtime(flags);
    auto const known = rank_operations(ranks);
    ScalingReport report = measure_scaling_over(ranks, wishes_of(arguments, known), progress);
    report.device = runtime_info().device;
    return ranks.first_alone([&] { return print_report(arguments, report, "success", progress); });
  };
  return run_on("scaling", work, ranks.first());
}

}  // namespace

int run_scaling(ScalingArguments const& arguments, KokkosFlags const& flags, Ranks const& ranks) {
  if (arguments.ranks && ranks.size() == 1)
    throw UsageError("--ranks needs several ranks, such as those of mpirun -n 4 carroll scaling");
  if (arguments.ranks) return run_over_ranks(arguments, flags, ranks);
  return ranks.first_alone([&] { return run_over_threads(arguments, flags); });
}

}  // namespace carroll::tool
