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
  return {{"warps", limits.warps},
          {"blocks", limits.blocks},
          {"registers", limits.registers},
          {"registers_per_block", limits.registers_per_block},
          {"registers_per_thread", limits.registers_per_thread},
          {"register_unit", limits.register_unit},
          {"scratch", limits.scratch},
          {"scratch_per_block", limits.scratch_per_block},
          {"scratch_reserved", limits.scratch_reserved},
          {"scratch_unit", limits.scratch_unit}};
}

Json point_json(Occupancy const& point) {
  return {{"threads", point.kernel.threads},
          {"blocks", point.blocks},
          {"active_warps", point.active_warps},
          {"fraction", point.fraction()},
          {"limiter", to_string(point.limiter)}};
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
  Json object{{"status", fits ? "success" : "does_not_fit"},
              {"device", report.device ? Json(report.device->name) : Json()},
              {"capability", to_string(report.limits.capability)},
              {"architecture", report.limits.architecture},
              {"multiprocessors", report.device ? Json(report.device->multiprocessors) : Json()},
              {"limits", limits_json(report.limits)},
              {"threads", found.kernel.threads},
              {"registers", found.kernel.registers_per_thread},
              {"scratch", found.kernel.scratch_bytes},
              {"blocks", found.blocks},
              {"active_warps", found.active_warps},
              {"fraction", found.fraction()},
              {"limiter", to_string(found.limiter)},
              {"limited_by", Json::array()},
              {"room", Json::object()}};
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
    Json entry{{"name", device.name},
               {"capability", to_string(device.capability)},
               {"multiprocessors", device.multiprocessors}};
    object["devices"].push_back(std::move(entry));
  }
  object["capabilities"] = Json::array();
  for (auto const& limits : known_capabilities()) {
    Json entry{{"capability", to_string(limits.capability)},
               {"architecture", limits.architecture},
               {"limits", limits_json(limits)}};
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
