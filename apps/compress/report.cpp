// SPDX-License-Identifier: BSD-3-Clause
#include "compress/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "output/pictures/lines.hpp"

namespace carroll::tool {

namespace {

/// Not finite where nothing is lost: JSON has no word for that.
Json decibel(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

std::string decibel_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f} dB", value) : "nothing lost";
}

double bits_per_pixel(CompressReport const& report) {
  return 8 * static_cast<double>(report.bytes) /
         static_cast<double>(report.shape.width * report.shape.height);
}

template <class Report>
std::string heading(Report const& report) {
  std::string text;
  add_picture(text, report.shape, report.input);
  add_line(text, "method", report.method);
  return text;
}

}  // namespace

std::string json(CompressReport const& report) {
  Json object{{"status", report.status}, {"method", report.method}};
  add_picture(object, report.shape);
  object["bytes"] = report.bytes;
  object["bits_per_pixel"] = bits_per_pixel(report);
  object["psnr"] = decibel(report.quality.psnr);
  object["ssim"] = report.quality.ssim;
  if (report.step) {
    object["step"] = *report.step;
    object["vectors"] = report.vectors;
  } else {
    object["promised_psnr"] = report.promised_psnr ? decibel(*report.promised_psnr) : Json();
    object["matrices"] = list_of(report.kept.size(), [&](std::size_t k) {
      KeptTriplets const& kept = report.kept[k];
      return Json{{"rank", kept.rank}, {"of", kept.of}, {"energy", kept.energy}};
    });
  }
  object["seconds"] = report.seconds;
  return line(object);
}

std::string table(CompressReport const& report) {
  std::string text = heading(report);
  add_line(text, "status", report.status);
  add_line(text, "compressed",
           fmt::format("{} bytes, {:.4f} bits a pixel", report.bytes, bits_per_pixel(report)));
  add_line(text, "PSNR", decibel_text(report.quality.psnr));
  add_line(text, "SSIM", fmt::format("{:.4f}", report.quality.ssim));
  if (report.promised_psnr)
    add_line(text, "promised PSNR", decibel_text(*report.promised_psnr) + ", before rounding");
  if (report.step) add_line(text, "step", fmt::format("{:.4g} levels", *report.step));
  for (auto const& kept : report.kept)
    add_line(
        text, "singular values",
        fmt::format("{} of {}, {:.4f} % of the energy", kept.rank, kept.of, 100 * kept.energy));
  add_end(text, report.files, report.seconds);
  return text;
}

std::string json(DecompressReport const& report) {
  Json object{{"status", "success"}, {"method", report.method}};
  add_picture(object, report.shape);
  object["seconds"] = report.seconds;
  return line(object);
}

std::string table(DecompressReport const& report) {
  std::string text = heading(report);
  add_end(text, report.files, report.seconds);
  return text;
}

}  // namespace carroll::tool
