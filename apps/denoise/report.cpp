// SPDX-License-Identifier: BSD-3-Clause
#include "denoise/report.hpp"

#include <fmt/format.h>

#include "output/pictures/lines.hpp"

namespace carroll::tool {

std::string json(DenoiseReport const& report) {
  Json object{{"status", report.status}};
  add_picture(object, report.shape);
  object.update({{"noise", report.noise},
                 {"noise_estimated", report.estimated},
                 {"iterations", report.iterations},
                 {"seconds", report.seconds}});
  return line(object);
}

std::string table(DenoiseReport const& report) {
  std::string text;
  add_picture(text, report.shape, report.input);
  add_line(text, "status", report.status);
  add_line(text, "noise",
           fmt::format("{:.2f} levels of 8 bits, {}", report.noise,
                       report.estimated ? "estimated" : "as given"));
  add_line(text, "iterations", fmt::format("{}", report.iterations));
  add_end(text, report.files, report.seconds);
  return text;
}

std::string json(BackgroundReport const& report) {
  return line({{"status", report.status},
               {"frames", report.frames},
               {"width", report.width},
               {"height", report.height},
               {"rank", report.rank},
               {"foreground", report.foreground},
               {"iterations", report.iterations},
               {"residual", report.residual},
               {"seconds", report.seconds}});
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
