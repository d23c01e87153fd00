// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/batch/command.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "files/batch_file.hpp"
#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "files/npy/writer.hpp"
#include "output/members.hpp"
#include "ranks/parts.hpp"

namespace carroll::tool {

namespace {

using AnyFrames = std::variant<FramesInput<float>, FramesInput<double>>;

/// A rank's rows of a matrix that has one for each frame.
AnyMatrix read_frame_rows(std::string const& file, std::optional<Precision> precision,
                          std::int64_t frames, std::int64_t rows, EntryRange part) {
  return read_rows(file, precision, [&](std::int64_t is_frames, std::int64_t is_rows, Precision) {
    if (is_frames != frames || is_rows != rows)
      throw FileError(file, "is " + extents_text(is_frames, is_rows) + ", must be " +
                                extents_text(frames, rows) + ": motion.npy has " +
                                count_text(frames, "frame") + " of " + count_text(rows, "row"));
    return std::vector<EntryRange>{part};
  });
}

template <class Real>
std::vector<Real> row_after_row(AnyMatrix const& any) {
  return std::visit(
      [](auto const& A) {
        std::vector<Real> values;
        values.reserve(A.values.size());
        for (std::int64_t i = 0; i < A.rows; ++i)
          for (std::int64_t j = 0; j < A.cols; ++j) values.push_back(static_cast<Real>(A(i, j)));
        return values;
      },
      any);
}

/// This rank's frames.
AnyFrames read_frames(PinvArguments const& arguments, ArrowFiles const& files, Ranks const& ranks) {
  EntryRange part;
  AnyBatch const motion = read_batch(files.motion, arguments.precision, [&](std::int64_t count) {
    return part = members_of(ranks, count);
  });
  auto const [all, rows, motions] =
      std::visit([](auto const& b) { return std::tuple(b.all, b.rows, b.cols); }, motion);
  if (motions < 1)
    throw FileError(files.motion,
                    "has frames of " + extents_text(rows, motions) + ", needs at least one column");
  auto const depth = read_frame_rows(files.depth, arguments.precision, all, rows, part);
  auto const residual = read_frame_rows(files.residual, arguments.precision, all, rows, part);
  auto offsets = read_offsets(files.offsets, rows, all, part);
  if (!arguments.output.empty()) check_pinv_output(arguments.output, files);
  auto const as = [&]<class Real>(Real) {
    FramesInput<Real> input;
    std::visit(
        [&](auto const& b) {
          input.frames = b.members;
          input.motion.assign(b.values.begin(), b.values.end());
        },
        motion);
    input.all = all;
    input.rows = rows;
    input.motions = motions;
    auto const lists = std::max<std::int64_t>(input.frames, 1);
    input.depths = std::ssize(offsets) / lists - 1;
    input.depth = row_after_row<Real>(depth);
    input.residual = row_after_row<Real>(residual);
    input.offsets = std::move(offsets);
    return input;
  };
  bool const single = motion.index() == 0 && depth.index() == 0 && residual.index() == 0;
  return single ? AnyFrames(as(0.0F)) : AnyFrames(as(0.0));
}

template <class Real>
std::vector<std::string> write_arrays(OutputFiles& files, PinvArguments const& arguments,
                                      PinvBatchReport const& report,
                                      FramesOutput<Real> const& found) {
  std::vector<std::string> names;
  auto const write = [&](char const* name, std::vector<std::int64_t> const& extents,
                         std::vector<Real> const& values) {
    names.push_back(arguments.output + "_" + name + ".npy");
    write_npy(files, names.back(), extents, values);
  };
  std::int64_t const frames = std::ssize(report.frames), k = report.motions, m = report.depths;
  write("motion", {frames, k}, found.motion);
  write("depth", {frames, m}, found.depth);
  if (arguments.dense) write("pinv", {frames, k + m, report.rows}, found.inverse);
  if (arguments.covariance) {
    write("covariance", {frames, k, k}, found.covariance);
    write("variances", {frames, m}, found.variances);
  }
  return names;
}

template <class Real>
int solve_and_report(FramesInput<Real> const& input, PinvArguments const& arguments,
                     Ranks const& ranks, Sharing const& sharing, Progress& progress) {
  FramesOutput<Real> found;
  ranks.together([&] { found = solve_frames(input, arguments, progress); });
  progress.phase("gathering");
  auto report = begin_report<PinvBatchReport, Real>(arguments, sharing);
  report.frames = ranks.gather(found.frames);
  for (auto* some :
       {&found.motion, &found.depth, &found.inverse, &found.covariance, &found.variances})
    *some = ranks.gather(*some);
  report.rows = input.rows;
  report.motions = input.motions;
  report.depths = input.depths;
  report.backend = found.backend;
  report.path = found.path;
  report.motion_steps.assign(found.motion.begin(), found.motion.end());
  report.covariances.assign(found.covariance.begin(), found.covariance.end());
  report.seconds = found.seconds;
  return report_members(ranks, arguments, report, report.frames, progress, [&](OutputFiles& files) {
    return write_arrays(files, arguments, report, found);
  });
}

}  // namespace

int run_pinv_batch(PinvArguments const& arguments, ArrowFiles const& files,
                   KokkosFlags const& flags, Ranks const& ranks, Sharing const& sharing) {
  return run_on_parts(
      arguments.input, flags, ranks, [&] { return read_frames(arguments, files, ranks); },
      [&](auto const& input, Progress& progress) {
        return solve_and_report(input, arguments, ranks, sharing, progress);
      });
}

}  // namespace carroll::tool
