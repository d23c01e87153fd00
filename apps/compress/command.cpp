// SPDX-License-Identifier: BSD-3-Clause
#include "compress/command.hpp"

#include <algorithm>
#include <carroll/patch_factors/types.hpp>
#include <carroll/picture/error.hpp>
#include <carroll/picture_rank.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "compress/figure.hpp"
#include "compress/patches.hpp"
#include "compress/read.hpp"
#include "compress/report.hpp"
#include "compress/singular.hpp"
#include "files/file_error.hpp"
#include "files/pictures/any.hpp"
#include "files/png/writer.hpp"
#include "output/run.hpp"
#include "runtime.hpp"

namespace carroll::tool {

namespace {

constexpr int steps_in_a_level = 128;

/// What was found: the bytes of the file, and what a reader makes of them.
struct Found {
  Bytes bytes;
  SamplePicture decoded;
};

[[noreturn]] void refuse_size(CompressArguments const& arguments) {
  throw FileError(arguments.input,
                  "cannot be compressed to " + std::to_string(*arguments.size) + " bytes");
}

/// The step that was asked for, or the largest one with which what was asked for is reached.
int step_for(CompressArguments const& arguments, SamplePicture const& picture, PatchCoder& coder) {
  if (arguments.step) return static_cast<int>(std::lround(*arguments.step * steps_in_a_level));
  if (arguments.size) {
    auto const too_long = [&](int step) {
      return static_cast<int>(bytes_of(coder.code(step), Effort::fast).size()) > *arguments.size;
    };
    // One more than the largest that is too long for it; a little more where a search within 1 %
    // has not found the very one.
    for (int step = std::max(patch_least_step, largest_step(too_long) + 1); step <= patch_most_step;
         step += 1 + step / 64)
      if (!too_long(step)) return step;
    refuse_size(arguments);
  }
  int const step = largest_step([&](int tried) {
    auto const decoded = decode_patches(coder.code(tried));
    return arguments.psnr ? psnr_of(decoded, picture) >= *arguments.psnr
                          : ssim_of(decoded, picture) >= *arguments.ssim;
  });
  if (step == 0)
    throw FileError(arguments.input,
                    "cannot be coded as well as that: the finest step is " +
                        std::to_string(static_cast<double>(patch_least_step) / steps_in_a_level) +
                        " levels");
  return step;
}

Found code_patches(CompressArguments const& arguments, SamplePicture const& picture,
                   CompressReport& report) {
  PatchCoder coder(picture, arguments.basis);
  int const step = step_for(arguments, picture, coder);
  auto const code = coder.code(step);
  report.step = static_cast<double>(step) / steps_in_a_level;
  for (auto const& group : code.groups)
    for (auto const& plane : group.planes) report.vectors.push_back(plane.vectors);
  return {bytes_of(code, arguments.fast ? Effort::fast : Effort::good), decode_patches(code)};
}

std::int64_t rank_for(CompressArguments const& arguments, SingularMatrix const& matrix) {
  auto const most = static_cast<std::int64_t>(matrix.values.size());
  if (arguments.rank) return std::min<std::int64_t>(*arguments.rank, most);
  if (arguments.energy) return rank_of_energy(matrix.values, *arguments.energy);
  return rank_of_mse(matrix.values, mse_of_psnr(*arguments.psnr, 255),
                     matrix.rows * matrix.columns);
}

/// The ranks that were asked for, or the largest common one whose file is short enough.
std::vector<std::int64_t> ranks_for(CompressArguments const& arguments,
                                    SingularPicture const& picture) {
  std::vector<std::int64_t> ranks;
  if (!arguments.size) {
    for (auto const& matrix : picture.matrices) ranks.push_back(rank_for(arguments, matrix));
    return ranks;
  }
  auto const of = [&](std::int64_t rank) {
    return std::vector<std::int64_t>(picture.matrices.size(), rank);
  };
  auto const fits = [&](std::int64_t rank) {
    auto const bytes = bytes_of(truncate(picture, of(rank)), Effort::fast);
    return static_cast<std::int64_t>(bytes.size()) <= *arguments.size;
  };
  if (!fits(0)) refuse_size(arguments);
  std::int64_t below = 0,
               above = static_cast<std::int64_t>(picture.matrices.front().values.size()) + 1;
  while (above - below > 1) {
    auto const middle = (below + above) / 2;
    (fits(middle) ? below : above) = middle;
  }
  return of(below);
}

Found code_singular(CompressArguments const& arguments, SingularPicture const& picture,
                    std::vector<std::int64_t> const& ranks, CompressReport& report) {
  double squares = 0, samples = 0;
  for (std::size_t m = 0; m < picture.matrices.size(); ++m) {
    auto const& matrix = picture.matrices[m];
    auto const count = matrix.rows * matrix.columns;
    auto const all = truncation_mse(matrix.values, 0, count);
    auto const lost = truncation_mse(matrix.values, ranks[m], count);
    squares += lost * static_cast<double>(count);
    samples += static_cast<double>(count);
    report.kept.push_back(
        {ranks[m], static_cast<std::int64_t>(matrix.values.size()), all > 0 ? 1 - lost / all : 1});
  }
  report.promised_psnr = psnr(squares / samples, 255);
  report.status = picture.status;
  auto const code = truncate(picture, ranks);
  return {bytes_of(code, arguments.fast ? Effort::fast : Effort::best), decode_singular(code)};
}

}  // namespace

int run_compress(CompressArguments const& arguments, KokkosFlags const& flags) {
  return run_on(arguments.input, [&](Progress& progress) {
    progress.phase("reading " + arguments.input);
    SamplePicture const picture = read_any_picture(arguments.input);
    for (auto const& file : {arguments.output, arguments.figure})
      if (!file.empty()) OutputFiles::check(file, {arguments.input});
    Runtime const runtime(flags);
    progress.phase("compressing");
    auto const start = std::chrono::steady_clock::now();
    CompressReport report;
    report.input = arguments.input;
    report.method = arguments.method;
    report.shape = shape_of(picture);
    Found found;
    SingularPicture singular;
    std::vector<std::int64_t> ranks;
    if (arguments.method == "patches") {
      found = code_patches(arguments, picture, report);
    } else {
      singular = decompose_picture(picture, arguments.whole, arguments.centre);
      ranks = ranks_for(arguments, singular);
      found = code_singular(arguments, singular, ranks, report);
    }
    report.bytes = static_cast<std::int64_t>(found.bytes.size());
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.quality = quality_of(found.decoded, picture);

    OutputFiles files;
    progress.phase("writing");
    if (!arguments.output.empty()) {
      files.write(arguments.output, {}, std::as_bytes(std::span(found.bytes)));
      report.files.push_back(arguments.output);
    }
    if (!arguments.figure.empty()) {
      write_png(files, arguments.figure, figure_of(picture, singular, ranks));
      report.files.push_back(arguments.figure);
    }
    int const exit_status = print_report(arguments, report, report.status, progress);
    files.commit();
    return exit_status;
  });
}

}  // namespace carroll::tool
