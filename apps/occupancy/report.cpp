// SPDX-License-Identifier: BSD-3-Clause
#include "occupancy/report.hpp"

#include <fmt/format.h>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"

namespace carroll::tool {

namespace {

constexpr OccupancyLimiter limiters[] = {OccupancyLimiter::warps, OccupancyLimiter::blocks,
                                         OccupancyLimiter::registers, OccupancyLimiter::scratch};

int room_of(Occupancy const& found, OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::warps: return found.room.warps;
    case OccupancyLimiter::blocks: return found.room.blocks;
    case OccupancyLimiter::registers: return found.room.registers;
    case OccupancyLimiter::scratch: return found.room.scratch;
    case OccupancyLimiter::does_not_fit: break;
  }
  return 0;
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes % 1024 != 0 || bytes == 0) return fmt::format("{} bytes", bytes);
  return fmt::format("{} KiB", bytes / 1024);
}

Json limits_json(MultiprocessorLimits const& limits) {
  Json object;
  object["warps"] = limits.warps;
  object["blocks"] = limits.blocks;
  object["registers"] = limits.registers;
  object["registers_per_block"] = limits.registers_per_block;
  object["registers_per_thread"] = limits.registers_per_thread;
  object["register_unit"] = limits.register_unit;
  object["scratch"] = limits.scratch;
  object["scratch_per_block"] = limits.scratch_per_block;
  object["scratch_reserved"] = limits.scratch_reserved;
  object["scratch_unit"] = limits.scratch_unit;
  return object;
}

Json point_json(Occupancy const& point) {
  Json object;
  object["threads"] = point.kernel.threads;
  object["blocks"] = point.blocks;
  object["active_warps"] = point.active_warps;
  object["fraction"] = point.fraction();
  object["limiter"] = to_string(point.limiter);
  return object;
}

/// What has room for how many blocks, and what has the least.
std::string room_line(Occupancy const& found, OccupancyLimiter limiter) {
  int const room = room_of(found, limiter);
  std::string const blocks = room == Occupancy::unlimited
                                 ? "any number of blocks"
                                 : fmt::format("{} block{}", room, room == 1 ? "" : "s");
  return blocks + (found.limited_by(limiter) ? "  <- limits" : "");
}

std::string curve_lines(OccupancyReport const& report) {
  std::string text = fmt::format("\n{:>7}  {:>6}  {:>5}  {:>9}  {:<33}  {}\n", "threads", "blocks",
                                 "warps", "occupancy", "", "limiter");
  constexpr int bar = 32;
  for (auto const& point : report.curve) {
    auto const length = static_cast<std::size_t>(bar * point.fraction() + 0.5);
    bool const asked = point.kernel.threads == report.found.kernel.threads;
    text += fmt::format("{:>7}  {:>6}  {:>5}  {:>7.1f} %  {}{:<32}  {}\n", point.kernel.threads,
                        point.blocks, point.active_warps, 100 * point.fraction(), asked ? '>' : ' ',
                        std::string(length, '#'), to_string(point.limiter));
  }
  return text;
}

}  // namespace

std::string title_of(OccupancyReport const& report) {
  std::string const capability = to_string(report.limits.capability);
  return report.device ? std::string(report.device->name) + ", " + capability : capability;
}

std::string json(OccupancyReport const& report) {
  Occupancy const& found = report.found;
  bool const fits = found.blocks > 0;
  Json object;
  object["status"] = fits ? "success" : "does_not_fit";
  object["device"] = report.device ? Json(report.device->name) : Json();
  object["capability"] = to_string(report.limits.capability);
  object["architecture"] = report.limits.architecture;
  object["multiprocessors"] = report.device ? Json(report.device->multiprocessors) : Json();
  object["limits"] = limits_json(report.limits);
  object["threads"] = found.kernel.threads;
  object["registers"] = found.kernel.registers_per_thread;
  object["scratch"] = found.kernel.scratch_bytes;
  object["blocks"] = found.blocks;
  object["active_warps"] = found.active_warps;
  object["fraction"] = found.fraction();
  object["limiter"] = to_string(found.limiter);
  object["limited_by"] = Json::array();
  object["room"] = Json::object();
  for (auto const limiter : limiters) {
    if (found.limited_by(limiter)) object["limited_by"].push_back(to_string(limiter));
    int const room = room_of(found, limiter);
    object["room"][std::string(to_string(limiter))] =
        fits && room != Occupancy::unlimited ? Json(room) : Json();
  }
  object["carveout"] = fits ? Json(found.carveout) : Json();
  object["reason"] = fits ? Json() : Json(found.reason);
  object["best_team_sizes"] = best_team_sizes(report.curve);
  object["curve"] = Json::array();
  for (auto const& point : report.curve) object["curve"].push_back(point_json(point));
  return line(object);
}

std::string table(OccupancyReport const& report) {
  Occupancy const& found = report.found;
  MultiprocessorLimits const& limits = report.limits;
  std::string text;
  if (report.device) {
    add_line(
        text, "device",
        fmt::format("{}, {} multiprocessors", report.device->name, report.device->multiprocessors));
  }
  add_line(text, "capability",
           fmt::format("{} ({})", to_string(limits.capability), limits.architecture));
  add_line(text, "multiprocessor",
           fmt::format("{} warps, {} blocks, {} registers, {} of scratch", limits.warps,
                       limits.blocks, limits.registers, bytes_text(limits.scratch)));
  add_line(text, "block at most",
           fmt::format("{} threads, {} registers, {} of scratch", limits.threads_per_block,
                       limits.registers_per_block, bytes_text(limits.scratch_per_block)));
  add_line(text, "kernel",
           fmt::format("{} threads, {} registers in each, {} of scratch", found.kernel.threads,
                       found.kernel.registers_per_thread, bytes_text(found.kernel.scratch_bytes)));
  if (found.blocks == 0) {
    add_line(text, "status", "does_not_fit: " + found.reason);
  } else {
    add_line(text, "allocated",
             fmt::format("{} registers and {} of scratch for a block", found.registers_per_block,
                         bytes_text(found.allocated_scratch)));
    for (auto const limiter : limiters)
      add_line(text, "room by " + std::string(to_string(limiter)), room_line(found, limiter));
    add_line(text, "occupancy",
             fmt::format("{:.1f} %: {} of {} warps, {} blocks on a multiprocessor",
                         100 * found.fraction(), found.active_warps, found.warps, found.blocks));
    add_line(text, "set aside", bytes_text(found.carveout) + " for scratch, at least");
  }
  std::string best;
  for (int const threads : best_team_sizes(report.curve))
    best += (best.empty() ? "" : ", ") + std::to_string(threads);
  add_line(text, "best block sizes", best.empty() ? "none fits" : best);
  text += curve_lines(report);
  if (!report.files.empty()) text += "\n";
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

std::string device_list_json() {
  Json object;
  object["devices"] = Json::array();
  for (auto const& device : known_devices()) {
    Json entry;
    entry["name"] = device.name;
    entry["capability"] = to_string(device.capability);
    entry["multiprocessors"] = device.multiprocessors;
    object["devices"].push_back(std::move(entry));
  }
  object["capabilities"] = Json::array();
  for (auto const& limits : known_capabilities()) {
    Json entry;
    entry["capability"] = to_string(limits.capability);
    entry["architecture"] = limits.architecture;
    entry["limits"] = limits_json(limits);
    object["capabilities"].push_back(std::move(entry));
  }
  return line(object);
}

std::string device_list_table() {
  std::string text =
      fmt::format("{:<20}{:>10}  {:>15}\n", "device", "capability", "multiprocessors");
  for (auto const& device : known_devices()) {
    text += fmt::format("{:<20}{:>10}  {:>15}\n", device.name, to_string(device.capability),
                        device.multiprocessors);
  }
  text +=
      fmt::format("\n{:<12}{:<14}{:>5}  {:>6}  {:>9}  {:>8}  {:>16}\n", "capability",
                  "architecture", "warps", "blocks", "registers", "scratch", "scratch of block");
  for (auto const& limits : known_capabilities()) {
    text += fmt::format("{:<12}{:<14}{:>5}  {:>6}  {:>9}  {:>8}  {:>16}\n",
                        to_string(limits.capability), limits.architecture, limits.warps,
                        limits.blocks, limits.registers, bytes_text(limits.scratch),
                        bytes_text(limits.scratch_per_block));
  }
  return text;
}

}  // namespace carroll::tool
