// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/command.hpp"

#include <algorithm>
#include <string_view>

#include "output/run.hpp"
#include "runtime.hpp"
#include "scaling/report.hpp"

namespace carroll::tool {

int run_scaling(ScalingArguments const& arguments, KokkosFlags const& flags) {
  return run_on("scaling", [&](Progress& progress) {
    ScalingWishes wishes;
    auto const& known = operations();
    wishes.operation =
        &*std::ranges::find(known, std::string_view(arguments.operation),
                            [](Operation const& o) { return std::string_view(o.name); });
    wishes.sizes = arguments.sizes.empty() ? wishes.operation->sizes : arguments.sizes;
    wishes.threads = arguments.threads;
    wishes.scaled = arguments.scaled;
    wishes.repetitions = arguments.repetitions;
    Runtime const runtime(flags);
    ScalingReport report = measure_scaling(wishes, progress);
    report.device = runtime_info().device;
    return print_report(arguments, report, "success", progress);
  });
}

}  // namespace carroll::tool
