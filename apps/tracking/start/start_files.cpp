// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/start/start_files.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "files/file_error.hpp"
#include "files/input_file.hpp"
#include "files/json/reader.hpp"
#include "files/limits.hpp"
#include "files/matrix_file.hpp"
#include "files/pictures/any.hpp"
#include "files/ply/reader.hpp"

namespace carroll::tool {

namespace {

HostMatrix<float> read_floats(std::string const& path, bool* is_vector) {
  return std::get<HostMatrix<float>>(read_array(path, Precision::single_precision, is_vector));
}

/// The directions that belong to `ranges` of the file PREFIX_depth.npy.
HostMatrix<float> read_directions(std::string const& path, HostMatrix<float> const& ranges) {
  constexpr std::string_view ending = "_depth.npy";
  if (!path.ends_with(ending))
    throw FileError(path, "is a list of " + std::to_string(ranges.rows) +
                              " numbers, must be height x width, or be named PREFIX_depth.npy and "
                              "lie beside PREFIX_vertices.npy");
  std::string const beside = path.substr(0, path.size() - ending.size()) + "_vertices.npy";
  HostMatrix<float> directions = read_floats(beside, nullptr);
  if (directions.rows != ranges.rows || directions.cols != 3)
    throw FileError(beside, "is " + extents_text(directions.rows, directions.cols) + ", must be " +
                                extents_text(ranges.rows, 3) + " as " + path + " is");
  return directions;
}

/// Directions and distances of the points of a PLY file. Those that are not finite, as scanners
/// have where they see nothing, or nowhere but at the camera, do not count.
void read_cloud(TrackInput& input, std::string const& path) {
  HostMatrix<double> const points = read_ply_points(path);
  std::vector<std::array<float, 3>> directions;
  std::vector<float> ranges;
  for (std::int64_t i = 0; i < points.rows; ++i) {
    double const range = std::hypot(points(i, 0), points(i, 1), points(i, 2));
    if (!(range > 0) || !std::isfinite(static_cast<float>(range))) continue;
    ranges.push_back(static_cast<float>(range));
    directions.push_back({static_cast<float>(points(i, 0) / range),
                          static_cast<float>(points(i, 1) / range),
                          static_cast<float>(points(i, 2) / range)});
  }
  if (ranges.empty()) throw FileError(path, "has no points away from the camera");
  auto const count = std::ssize(ranges);
  HostMatrix<float> rays{count, 3, std::vector<float>(static_cast<std::size_t>(3 * count))};
  for (std::int64_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      rays(i, static_cast<std::int64_t>(a)) = directions[static_cast<std::size_t>(i)][a];
  input.start_directions = std::move(rays);
  input.start_ranges = HostMatrix<float>{count, 1, std::move(ranges)};
}

double entry(InputFile const& file, nlohmann::json const& array, std::size_t i,
             std::string const& name) {
  if (!array[i].is_number() || !std::isfinite(array[i].get<double>()))
    file.fail("has in \"" + name + "\": " + array[i].dump() + ", must be a number");
  return array[i].get<double>();
}

nlohmann::json const& array_of(InputFile const& file, nlohmann::json const& object,
                               std::string const& name) {
  if (!object.contains(name)) {
    file.fail("has no \"" + name + "\", which a motion to start with needs");
  }
  nlohmann::json const& array = object.at(name);
  if (!array.is_array() || array.size() != 3)
    file.fail("has \"" + name + "\": " + array.dump() + ", must be an array of 3");
  return array;
}

/// R and t of any motion, t in baselines.
std::vector<double> pose_of(InputFile const& file, nlohmann::json const& object, double baseline) {
  nlohmann::json const& rows = array_of(file, object, "rotation");
  nlohmann::json const& translation = array_of(file, object, "translation");
  std::vector<double> pose;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!rows[i].is_array() || rows[i].size() != 3)
      file.fail("has in \"rotation\": " + rows[i].dump() + ", must be an array of 3");
    for (std::size_t j = 0; j < 3; ++j) pose.push_back(entry(file, rows[i], j, "rotation"));
    pose.push_back(entry(file, translation, i, "translation") / baseline);
  }
  // RᵀR = I and det R = 1, to what a file of six digits leaves.
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t const a = 4 * i, b = 4 * ((i + 1) % 3), c = 4 * ((i + 2) % 3);
    for (std::size_t j = 0; j < 3; ++j) {
      std::size_t const k = (j + 1) % 3, l = (j + 2) % 3;
      double const cross = pose[a + k] * pose[b + l] - pose[a + l] * pose[b + k];
      if (!(std::abs(cross - pose[c + j]) <= 1e-4))
        file.fail("has a \"rotation\" that is none: its rows are no right-handed unit axes");
    }
  }
  return pose;
}

}  // namespace

void read_start_ranges(TrackInput& input, std::string const& word, double depth_scale,
                       CameraPictures const& pictures) {
  char const* const end = word.data() + word.size();
  auto const [rest, error] = std::from_chars(word.data(), end, input.start_range);
  if (error == std::errc{} && rest == end) return;
  if (begins_as_picture(word)) {
    input.start_ranges = pictures.read_depth_picture(word, depth_scale);
    input.start_along_axis = pictures.camera().model != "equirectangular";
    return;
  }
  if (begins_as_ply(word)) {
    read_cloud(input, word);
    return;
  }
  bool is_vector = false;
  auto ranges = read_floats(word, &is_vector);
  if (is_vector) {
    input.start_directions = read_directions(word, ranges);
    input.start_ranges = std::move(ranges);
  } else {
    pictures.check_size(word, ranges);
    input.start_ranges = std::move(ranges);
  }
}

void read_masks(TrackInput& input, std::string const& reference, std::string const& current,
                CameraPictures const& pictures) {
  if (!reference.empty()) input.mask = pictures.read_mask(reference);
  if (!current.empty()) input.current_mask = pictures.read_mask(current);
}

void mask_clipped(TrackInput& input, std::string const& current, CameraPictures const& pictures) {
  GreyPicture clipped = pictures.mask_of_clipped(current);
  if (input.current_mask)
    for (std::size_t i = 0; i < clipped.grey.size(); ++i)
      if (input.current_mask->grey[i] == 0) clipped.grey[i] = 0;
  input.current_mask = std::move(clipped);
}

void read_start_motion(TrackInput& input, std::string const& word, bool se3) {
  if (word.empty()) return;
  if (word == "still" || word == "forward") {
    double const way = word == "forward" ? 1 : 0;
    if (se3)
      input.start_motion = {1, 0, 0, way, 0, 1, 0, 0, 0, 0, 1, 0};
    else
      input.start_motion = {0};
    return;
  }
  InputFile file(word, "a JSON object with a motion");
  nlohmann::json const object = parse_json(file, "motion");
  if (!object.is_object()) file.fail("is no JSON object with a motion");
  if (se3) {
    input.start_motion = pose_of(file, object, input.baseline);
    return;
  }
  if (!object.contains("rho")) file.fail("has no \"rho\", which an arc to start with needs");
  double const rho = json_number(file, object, "rho");
  if (!(std::abs(rho) < 2))
    file.fail("has \"rho\": " + object.at("rho").dump() + ", must be between -2 and 2");
  input.start_motion = {rho};
}

}  // namespace carroll::tool
