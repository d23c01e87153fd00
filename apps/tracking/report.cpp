// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"

namespace carroll::tool {

namespace {

double in_degrees(double radians) {
  return radians * 180 / std::numbers::pi;
}

double per_iteration(TrackSummary const& found) {
  return found.seconds / static_cast<double>(std::max<std::size_t>(1, found.iterations.size()));
}

}  // namespace

std::string json(SynthReport const& report) {
  return line({{"directory", report.directory},
               {"scene", report.scene},
               {"frames", report.frames},
               {"width", report.width},
               {"height", report.height},
               {"camera", report.model},
               {"backend", report.backend},
               {"seconds", report.seconds}});
}

std::string json(TrackReport const& report) {
  TrackSummary const& found = report.result;
  Json passes = Json::array();
  for (auto const& pass : found.iterations) {
    Json entry{{"level", pass.level},
               {"accepted", pass.accepted},
               {"valid_samples", pass.valid_samples},
               {"solver_iterations", pass.solver_iterations},
               {"cost", pass.cost},
               {"damping", pass.damping}};
    passes.push_back(std::move(entry));
  }
  return line({{"status", found.status},
               {"end", found.end},
               {"motion", report.motion},
               {"rho", or_null(found.rho)},
               {"heading_degrees", found.heading_degrees},
               {"rotation", found.rotation},
               {"translation", found.translation},
               {"vertices", found.vertices},
               {"triangles", found.triangles},
               {"samples", found.samples},
               {"valid_samples", found.valid_samples},
               {"precision", name_of(report.precision)},
               {"backend", found.backend},
               {"method", report.method},
               {"initial_cost", found.initial_cost},
               {"cost", found.cost},
               {"textured_triangles", found.textured_triangles},
               {"matched_triangles", found.matched_triangles},
               {"searched_depths", found.searched_depths},
               {"gain", found.gain},
               {"offset", found.offset},
               {"turn_deviation_degrees", in_degrees(found.turn_deviation)},
               {"way_deviation_degrees", in_degrees(found.way_deviation)},
               {"iterations", std::move(passes)},
               {"setup_seconds", found.setup_seconds},
               {"seconds", found.seconds},
               {"seconds_per_iteration", per_iteration(found)}});
}

std::string table(TrackReport const& report) {
  TrackSummary const& found = report.result;
  std::string text;
  add_line(text, "reference", one_line(report.reference));
  add_line(text, "current", one_line(report.current));
  add_line(text, "mesh",
           fmt::format("{} vertices, {} triangles, {} samples", found.vertices, found.triangles,
                       found.samples));
  add_line(text, "backend", found.backend);
  add_line(
      text, "method",
      fmt::format("{}, {}, {} precision", report.motion, report.method, name_of(report.precision)));
  add_line(text, "status", found.status + " (" + found.end + ")");
  if (found.rho) add_line(text, "rho", fmt::format("{:.9g}", *found.rho));
  add_line(text, "heading", fmt::format("{:.6f} degrees to the left", found.heading_degrees));
  auto const& t = found.translation;
  add_line(text, "translation", fmt::format("{:.6g} {:.6g} {:.6g}", t[0], t[1], t[2]));
  add_line(text, "samples seen", fmt::format("{} of {}", found.valid_samples, found.samples));
  add_line(text, "cost",
           fmt::format("{:.6g} at first, {:.6g} at the end", found.initial_cost, found.cost));
  add_line(text, "explained",
           fmt::format("{} of {} triangles with texture", found.matched_triangles,
                       found.textured_triangles));
  add_line(text, "brightness",
           fmt::format("{:.4g} of the reference, {:+.4g}", found.gain, found.offset));
  add_line(text, "deviation",
           fmt::format("{:.3g} degrees of the turn, {:.3g} of the way's direction",
                       in_degrees(found.turn_deviation), in_degrees(found.way_deviation)));
  add_line(text, "seconds",
           fmt::format("{:.4g} of tracking, {:.4g} an iteration; {:.4g} before", found.seconds,
                       per_iteration(found), found.setup_seconds));
  text += fmt::format("\n{:>9}  {:>5}  {:>12}  {:>7}  {:>10}\n", "iteration", "level", "cost",
                      "solver", "samples");
  int k = 0;
  for (auto const& pass : found.iterations)
    text += fmt::format("{:>9}  {:>5}  {:>12.6g}  {:>7}  {:>10}{}\n", ++k, pass.level, pass.cost,
                        pass.solver_iterations, pass.valid_samples,
                        pass.accepted ? "" : "  taken back");
  if (!report.files.empty()) text += "\n";
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

std::string table(SynthReport const& report) {
  std::string text;
  add_line(text, "directory", one_line(report.directory));
  add_line(text, "scene", report.scene);
  add_line(
      text, "pictures",
      fmt::format("{} of {} x {}, {}", report.frames, report.width, report.height, report.model));
  add_line(text, "backend", report.backend);
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  return text;
}

}  // namespace carroll::tool
