// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/files.hpp"

#include <cmath>
#include <filesystem>
#include <system_error>
#include <variant>

#include "files/file_error.hpp"
#include "files/limits.hpp"
#include "output/files.hpp"

namespace carroll::tool {

namespace {

/// Those in a row of the array, checked; `where` tells which row it is.
void add_offsets(std::vector<int>& all, std::string const& file, HostMatrix<double> const& array,
                 std::int64_t frame, bool is_vector, std::int64_t rows) {
  std::int64_t const count = is_vector ? array.rows : array.cols;
  std::string const where = is_vector ? "" : " of frame " + std::to_string(frame);
  double before = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    double const value = is_vector ? array(i, 0) : array(frame, i);
    std::string const entry =
        "has the entry " + std::to_string(value) + " at place " + std::to_string(i) + where;
    if (!(value >= 0 && value <= static_cast<double>(rows)) || value != std::floor(value))
      throw FileError(file, entry + ", must be a whole number from 0 to " + std::to_string(rows));
    if (value < before)
      throw FileError(file, entry + ", less than the one before; offsets must not fall");
    if (i == 0 && value != 0)
      throw FileError(file,
                      "begins with " + std::to_string(int(value)) + where + ", must begin with 0");
    all.push_back(static_cast<int>(value));
    before = value;
  }
  if (before != static_cast<double>(rows))
    throw FileError(file, "ends with " + std::to_string(int(before)) + where +
                              ", must end with the number of rows, " + std::to_string(rows));
}

}  // namespace

ArrowFiles::ArrowFiles(std::string const& directory) {
  std::error_code none;  // what cannot be told is told when a file is read
  if (std::filesystem::exists(directory, none) && !std::filesystem::is_directory(directory, none))
    throw FileError(directory, "is a file, expected a directory with motion.npy and so on");
  auto const in = [&](char const* name) {
    return (std::filesystem::path(directory) / name).string();
  };
  motion = in("motion.npy");
  depth = in("depth.npy");
  offsets = in("segment_offsets.npy");
  residual = in("residual.npy");
}

void require_rows(std::string const& file, AnyMatrix const& array, std::int64_t rows,
                  bool one_column) {
  std::visit(
      [&](auto const& A) {
        if (A.rows != rows || (one_column && A.cols != 1))
          throw FileError(file, "is " + extents_text(A.rows, A.cols) + ", must be " +
                                    (one_column ? extents_text(rows, 1)
                                                : std::to_string(rows) + " x any number") +
                                    ": motion.npy has " + count_text(rows, "row"));
      },
      array);
}

std::vector<int> read_offsets(std::string const& file, std::int64_t rows) {
  auto const array = std::get<HostMatrix<double>>(read_array(file, Precision::double_precision));
  if (array.cols != 1 || array.rows < 1)
    throw FileError(file, "is " + extents_text(array.rows, array.cols) +
                              ", must be a vector of one entry more than there are depths");
  std::vector<int> offsets;
  add_offsets(offsets, file, array, 0, true, rows);
  return offsets;
}

std::vector<int> read_offsets(std::string const& file, std::int64_t rows, std::int64_t frames,
                              EntryRange part) {
  bool is_vector = false;
  auto const array =
      std::get<HostMatrix<double>>(read_array(file, Precision::double_precision, &is_vector));
  if (is_vector ? array.rows < 1 : array.rows != frames || array.cols < 1)
    throw FileError(file, "is " + extents_text(array.rows, array.cols) +
                              ", must be a vector of one entry more than there are depths, or have "
                              "a row of them for each of " +
                              count_text(frames, "frame"));
  std::vector<int> offsets;
  for (std::int64_t frame = part.begin; frame < part.end; ++frame)
    add_offsets(offsets, file, array, frame, is_vector, rows);
  // Where the rank has no frame they tell how many depths there are, and are right or wrong alike.
  if (is_vector && part.begin == part.end) {
    add_offsets(offsets, file, array, 0, true, rows);
  } else if (part.begin == part.end) {
    offsets.resize(static_cast<std::size_t>(array.cols));
  }
  return offsets;
}

void check_pinv_output(std::string const& prefix, ArrowFiles const& inputs) {
  for (char const* name : {"motion", "depth", "pinv", "covariance", "variances"}) {
    OutputFiles::check(prefix + "_" + name + ".npy",
                       {inputs.motion, inputs.depth, inputs.offsets, inputs.residual});
  }
}

}  // namespace carroll::tool
