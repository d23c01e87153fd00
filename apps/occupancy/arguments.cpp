// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/occupancy.hpp>
#include <charconv>
#include <stdexcept>

#include "command_line.hpp"
#include "occupancy/capability.hpp"

namespace carroll::tool {

namespace {

constexpr char const* occupancy_footer =
    R"(Theoretical occupancy: how many warps of a kernel a multiprocessor of an NVIDIA
GPU holds at a time, of those for which it has room. What decides is told by
nvcc -Xptxas -v: registers of a thread and shared memory, here scratch, of a
block. No GPU is needed.

The curve goes over all block sizes; with --scratch-per-thread a block's scratch
grows with it.

Output with --json, one object: status, device (null where it was not named),
capability, architecture, multiprocessors (null likewise), limits (warps,
blocks, registers, registers_per_block, registers_per_thread, register_unit,
scratch, scratch_per_block, scratch_reserved, scratch_unit), threads, registers,
scratch, blocks (on a multiprocessor), active_warps, fraction, limiter (warps,
blocks, registers, scratch or does_not_fit), limited_by (all of them), room (the
blocks that warps, blocks, registers and scratch alone have room for; null: any
number), carveout (bytes set aside for scratch, at least), reason (why it does
not fit, otherwise null), best_team_sizes, curve (threads, blocks, active_warps,
fraction, limiter of every block size). With --list: devices, capabilities.

Status: success, does_not_fit (the launch would fail).
Exit status: 0 success, 1 any other status, 2 unusable options.

Examples:
  carroll occupancy --list
  carroll occupancy --device H200 --registers 64 --scratch 16384 --threads 256
  carroll occupancy --capability 5.3 --registers 40 -o jetson)";

void add_occupancy_options(CommandOptions& options, OccupancyArguments& occupancy) {
  options.text("--device", occupancy.device, "NAME", "A device by its name, such as H200");
  options.text("--capability", occupancy.capability, "X.Y",
               "Instead of a device, a compute capability");
  options.whole_number_from_one("--threads", occupancy.threads, "N",
                                "Threads of a block: team size times vector length\n"
                                "(default: the fewest with the highest occupancy)");
  options.whole_number("--registers", occupancy.registers, "R", 0,
                       "Registers of a thread (default: not counted)");
  options.whole_number("--scratch", occupancy.scratch, "BYTES", 0,
                       "Scratch of a block, static and dynamic (default: 0)");
  options.whole_number("--scratch-per-thread", occupancy.scratch_per_thread, "BYTES", 0,
                       "Scratch of a block beside that for each of its threads\n"
                       "(default: 0)");
  options.flag("--list", occupancy.list, "The devices and compute capabilities that are known");
  options.output_prefix(occupancy.output, "Write the curve as PREFIX_occupancy.png");
  options.json(occupancy.json);
}

/// The library's complaint, without the name of its function.
std::string sentence(std::invalid_argument const& error) {
  std::string const what = error.what();
  return what.substr(what.find(": ") + 2);
}

void check_occupancy_options(CommandOptions const& options, OccupancyArguments const& occupancy) {
  check_output_prefix(options, occupancy.output);
  if (occupancy.list) {
    refuse(options,
           {"--device", "--capability", "--threads", "--registers", "--scratch",
            "--scratch-per-thread", "--output"},
           "for --list");
    return;
  }
#ifndef CARROLL_TOOL_PICTURES
  if (!occupancy.output.empty()) {
    throw UsageError("--output needs libpng, which this carroll was built without");
  }
#endif
  bool const device = options.given("--device"), capability = options.given("--capability");
  if (device && capability) throw UsageError("--capability has no meaning for --device");
  if (!device && !capability) {
    throw UsageError("--device or --capability is missing; --list names those that are known");
  }
  try {
    if (device) static_cast<void>(device_named(occupancy.device));
  } catch (std::invalid_argument const& error) {
    throw UsageError("--device: " + sentence(error));
  }
  try {
    if (capability) static_cast<void>(limits_of(capability_in(occupancy.capability)));
  } catch (std::invalid_argument const& error) {
    throw UsageError("--capability: " + sentence(error));
  }
}

}  // namespace

CommandLine occupancy_command_line() {
  return command_line(Command::occupancy, "occupancy", "",
                      "Warps of a kernel on a multiprocessor of a GPU", occupancy_footer,
                      &Arguments::occupancy, add_occupancy_options, check_occupancy_options);
}

}  // namespace carroll::tool
