// SPDX-License-Identifier: BSD-3-Clause
#include "denoise/report.hpp"

#include <fmt/format.h>

#include "output/json.hpp"
#include "output/table.hpp"

namespace carroll::tool {

std::string json(DenoiseReport const& report) {
  Json object;
  object["status"] = report.status;
  object["width"] = report.width;
  object["height"] = report.height;
  object["channels"] = report.channels;
  object["bits"] = report.bits;
  object["noise"] = report.noise;
  object["noise_estimated"] = report.estimated;
  object["iterations"] = report.iterations;
  object["seconds"] = report.seconds;
  return line(object);
}

std::string table(DenoiseReport const& report) {
  std::string text;
  add_line(
      text, "picture",
      fmt::format("{} x {}, {} {} of {} bits, {}", report.width, report.height, report.channels,
                  report.channels == 1 ? "channel" : "channels", report.bits, report.input));
  add_line(text, "status", report.status);
  add_line(text, "noise",
           fmt::format("{:.2f} levels of 8 bits, {}", report.noise,
                       report.estimated ? "estimated" : "as given"));
  add_line(text, "iterations", fmt::format("{}", report.iterations));
  for (auto const& file : report.files) add_line(text, "written", file);
  add_line(text, "time", fmt::format("{:.3f} s", report.seconds));
  return text;
}

std::string json(BackgroundReport const& report) {
  Json object;
  object["status"] = report.status;
  object["frames"] = report.frames;
  object["width"] = report.width;
  object["height"] = report.height;
  object["rank"] = report.rank;
  object["foreground"] = report.foreground;
  object["iterations"] = report.iterations;
  object["residual"] = report.residual;
  object["seconds"] = report.seconds;
  return line(object);
}

std::string table(BackgroundReport const& report) {
  std::string text;
  add_line(text, "frames",
           fmt::format("{} of {} x {}", report.frames, report.width, report.height));
  add_line(text, "status", report.status);
  add_line(text, "background", fmt::format("rank {}", report.rank));
  add_line(text, "foreground", fmt::format("{:.2f} % of the pixels", 100 * report.foreground));
  add_line(text, "residual",
           fmt::format("{:.2e} after {} iterations", report.residual, report.iterations));
  if (!report.files.empty())
    add_line(text, "written", report.files.front() + " to " + report.files.back());
  add_line(text, "time", fmt::format("{:.3f} s", report.seconds));
  return text;
}

}  // namespace carroll::tool
