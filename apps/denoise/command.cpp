// SPDX-License-Identifier: BSD-3-Clause
#include "denoise/command.hpp"

#include <fmt/format.h>

#include <chrono>

#include "denoise/clean.hpp"
#include "denoise/report.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/png/reader.hpp"
#include "files/png/writer.hpp"
#include "output/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<GreyPicture> read_frames(std::vector<std::string> const& paths, Progress& progress) {
  std::vector<GreyPicture> frames;
  for (auto const& path : paths) {
    progress.phase("reading " + path);
    frames.push_back(read_png(path));
    auto const &frame = frames.back(), &first = frames.front();
    if (frame.width != first.width || frame.height != first.height)
      throw FileError(path, "is " + extents_text(frame.width, frame.height) + " pixels, must be " +
                                extents_text(first.width, first.height) + " as the first frame");
  }
  return frames;
}

std::vector<std::string> frame_names(std::string const& prefix, std::size_t frames) {
  std::vector<std::string> names;
  for (char const* part : {"background", "foreground"})
    for (std::size_t f = 0; f < frames; ++f)
      names.push_back(fmt::format("{}_{}_{:04}.png", prefix, part, f));
  return names;
}

}  // namespace

int run_denoise(DenoiseArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    SamplePicture const noisy = read_png_samples(arguments.input);
    if (!arguments.output.empty()) OutputFiles::check(arguments.output, {arguments.input});
    Runtime const runtime(flags);
    auto const start = Clock::now();
    CleanPicture const result = clean(noisy, arguments.sigma, arguments.fast, progress);
    DenoiseReport report;
    report.input = arguments.input;
    report.status = result.status;
    report.shape = shape_of(noisy);
    report.noise = result.noise;
    report.estimated = !arguments.sigma;
    report.iterations = result.iterations;
    report.seconds = seconds_since(start);
    return print_and_write(arguments, report, report.status, progress, "", [&](OutputFiles& files) {
      write_png(files, arguments.output, result.picture);
      return std::vector<std::string>{arguments.output};
    });
  });
}

int run_background(BackgroundArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.inputs.front(), [&](Progress& progress) {
    auto const frames = read_frames(arguments.inputs, progress);
    auto const names = frame_names(arguments.output, frames.size());
    if (!arguments.output.empty())
      for (auto const& name : names) OutputFiles::check(name, arguments.inputs);
    Runtime const runtime(flags);
    auto const start = Clock::now();
    SeparatedFrames const result =
        separate(frames, arguments.tolerance, arguments.iterations, progress);
    BackgroundReport report;
    report.status = result.status;
    report.frames = frames.size();
    report.width = frames.front().width;
    report.height = frames.front().height;
    report.rank = result.rank;
    report.iterations = result.iterations;
    report.residual = result.residual;
    report.foreground = result.foreground;
    report.seconds = seconds_since(start);
    return print_and_write(arguments, report, report.status, progress, "_*",
                           [&](OutputFiles& files) {
                             for (std::size_t f = 0; f < frames.size(); ++f) {
                               write_png(files, names[f], result.background[f]);
                               write_png(files, names[frames.size() + f], result.differences[f]);
                             }
                             return names;
                           });
  });
}

}  // namespace carroll::tool
