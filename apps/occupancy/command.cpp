// SPDX-License-Identifier: BSD-3-Clause
#include "occupancy/command.hpp"

#include "files/file_error.hpp"
#include "occupancy/capability.hpp"
#include "occupancy/report.hpp"
#include "output/run.hpp"
#ifdef CARROLL_TOOL_PICTURES
#include "files/png/writer.hpp"
#include "occupancy/picture.hpp"
#endif

namespace carroll::tool {

namespace {

OccupancyReport report_on(OccupancyArguments const& arguments) {
  OccupancyReport report;
  if (!arguments.device.empty()) report.device = device_named(arguments.device);
  auto const capability =
      report.device ? report.device->capability : capability_in(arguments.capability);
  report.limits = limits_of(capability);
  auto const scratch_of = [&](int threads) {
    return arguments.scratch + std::int64_t{arguments.scratch_per_thread} * threads;
  };
  KernelResources kernel;
  kernel.registers_per_thread = arguments.registers;
  report.curve = occupancy_curve(capability, kernel, scratch_of);
  auto const best = best_team_sizes(report.curve);
  int const fewest = best.empty() ? report.curve.front().kernel.threads : best.front();
  kernel.threads = arguments.threads.value_or(fewest);
  kernel.scratch_bytes = scratch_of(kernel.threads);
  report.found = occupancy(capability, kernel);
  return report;
}

}  // namespace

int run_occupancy(OccupancyArguments const& arguments) {
  if (arguments.list) {
    print(arguments.json ? device_list_json() : device_list_table());
    return 0;
  }
  return run_on("occupancy", [&](Progress& progress) {
    OccupancyReport report = report_on(arguments);
    std::string const status = report.found.blocks > 0 ? "success" : "does_not_fit";
    std::string const name = arguments.output + "_occupancy.png";
    if (!arguments.output.empty()) OutputFiles::check(name);
    return print_and_write(arguments, report, status, progress, "_occupancy.png",
                           [&]([[maybe_unused]] OutputFiles& files) {
#ifdef CARROLL_TOOL_PICTURES
                             write_png(files, name, picture_of(report));
#endif
                             return std::vector<std::string>{name};
                           });
  });
}

}  // namespace carroll::tool
