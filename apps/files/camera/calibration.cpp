// SPDX-License-Identifier: BSD-3-Clause
#include "files/camera/calibration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "files/words.hpp"

namespace carroll::tool {

namespace {

/// A line without its comment and the blanks around it.
std::string_view bare(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// The numbers that the whole of `text` is, with blanks or commas between them.
std::optional<std::vector<double>> numbers_of_line(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    if (is_blank(text.front()) || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && !is_blank(text.front()) && text.front() != ',') return std::nullopt;
    numbers.push_back(value);
  }
  return numbers;
}

/// What the lines of the YAML file say of its first camera.
struct YamlCamera {
  std::string model, distortion;
  std::vector<double> resolution, intrinsics, coefficients;
  std::string matrix;  ///< the key whose entries follow
  std::vector<double> to_body, to_camera;

  void take(InputFile const& file, std::string_view key, std::string_view value) {
    if (value.empty()) matrix = key;
    take_matrix(file, key, value);
    if (key == "camera_model" && model.empty()) model = value;
    if (key == "distortion_model" && distortion.empty()) distortion = value;
    for (auto const& [name, target] :
         {std::pair{"resolution", &resolution}, std::pair{"intrinsics", &intrinsics},
          std::pair{"distortion_coefficients", &coefficients},
          std::pair{"distortion_coeffs", &coefficients}}) {
      if (key == name && target->empty()) *target = list_of(file, key, value);
    }
  }

  /// EuRoC has T_BS, from the camera to the body, with its 16 entries as data; Kalibr T_cam_imu,
  /// the other way, row by row.
  void take_matrix(InputFile const& file, std::string_view key, std::string_view value) {
    bool const euroc = matrix == "T_BS" && key == "data";
    bool const kalibr = matrix == "T_cam_imu" && key == "-";
    if (!euroc && !kalibr) return;
    auto& entries = euroc ? to_body : to_camera;
    if (entries.size() == 16) return;  // of a second camera
    auto const numbers = list_of(file, key, value);
    entries.insert(entries.end(), numbers.begin(), numbers.end());
  }

  [[nodiscard]] std::optional<std::array<double, 12>> on_body(InputFile const& file) const {
    auto const& entries = to_body.empty() ? to_camera : to_body;
    if (entries.empty()) return std::nullopt;
    if (entries.size() != 16)
      file.fail("has " + std::to_string(entries.size()) +
                " numbers of where the camera is on the body, must be 16");
    std::array<double, 12> rows{};
    if (!to_body.empty()) {
      std::ranges::copy(entries.begin(), entries.begin() + 12, rows.begin());
      return rows;
    }
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        rows[4 * i + j] = entries[4 * j + i];
        rows[4 * i + 3] -= entries[4 * j + i] * entries[4 * j + 3];
      }
    return rows;
  }

  /// The numbers of a list such as [1, 2].
  static std::vector<double> list_of(InputFile const& file, std::string_view key,
                                     std::string_view value) {
    bool const listed = value.starts_with('[') && value.ends_with(']');
    auto const numbers = listed ? numbers_of_line(value.substr(1, value.size() - 2)) : std::nullopt;
    if (!numbers)
      file.fail("has " + std::string(key) + ": " + in_quotes(value) +
                ", must be numbers between [ and ]");
    return *numbers;
  }

  [[nodiscard]] CameraParameters camera(InputFile const& file) const {
    if (model != "pinhole") file.fail("has camera_model: " + in_quotes(model) + ", not pinhole");
    auto const need = [&](char const* name, std::vector<double> const& numbers, std::size_t count) {
      if (numbers.size() != count)
        file.fail("has " + std::to_string(numbers.size()) + " numbers of " + name + ", must be " +
                  std::to_string(count));
    };
    need("resolution", resolution, 2);
    need("intrinsics", intrinsics, 4);
    CameraParameters found{"unified",    0, 0, intrinsics[0], intrinsics[1], intrinsics[2],
                           intrinsics[3]};
    for (double const size : resolution)
      if (size != std::floor(size) || size < 1 || size > 32768)
        file.fail("has a resolution that is no whole numbers from 1 to 32768");
    found.width = static_cast<int>(resolution[0]);
    found.height = static_cast<int>(resolution[1]);
    if (distortion == "radial-tangential" || distortion == "radtan")
      found.distortion = Distortion::radial_tangential;
    else if (distortion == "equidistant" || distortion == "equi")
      found.distortion = Distortion::kannala_brandt;
    else if (distortion != "none")
      file.fail("has distortion_model: " + in_quotes(distortion) +
                "; there are radial-tangential, equidistant and none");
    if (found.distortion != Distortion::none) need("distortion coefficients", coefficients, 4);
    std::ranges::copy(coefficients.begin(),
                      coefficients.begin() + (found.distortion == Distortion::none ? 0 : 4),
                      found.coefficients.begin());
    found.on_body = on_body(file);
    return found;
  }
};

/// The next line without its comment; with those that follow as long as a list in it has no end.
bool next_text(InputFile& file, std::string& text) {
  constexpr std::size_t longest = 4096;
  std::string line;
  if (!file.next_line(text)) return false;
  text = bare(text);
  while (text.find('[') != text.npos && text.find(']') == text.npos && text.size() < longest &&
         file.next_line(line))
    text += ' ' + std::string(bare(line));
  return text.size() <= longest;
}

/// Of a line of numbers: KITTI's projection, or TUM's list.
std::optional<CameraParameters> camera_of_numbers(std::vector<double> const& n) {
  if (n.size() == 12) return CameraParameters{"unified", 0, 0, n[0], n[5], n[2], n[6]};
  if (n.size() != 4 && n.size() != 8 && n.size() != 9) return std::nullopt;
  CameraParameters camera{"unified", 0, 0, n[0], n[1], n[2], n[3]};
  std::ranges::copy(n.begin() + 4, n.end(), camera.coefficients.begin());
  if (std::ranges::any_of(camera.coefficients, [](double k) { return k != 0; }))
    camera.distortion = Distortion::radial_tangential;
  return camera;
}

}  // namespace

bool begins_as_calibration(InputFile& file) {
  for (char const c : file.peek(4096))
    if (!is_blank(c) && c != '\n') return c != '{' && c != '[' && c != '"';
  return false;
}

CameraParameters read_calibration(InputFile& file) {
  YamlCamera yaml;
  std::optional<CameraParameters> found;
  std::string line;
  for (int count = 0; !found && count < 1000 && next_text(file, line); ++count) {
    std::string_view const text = line;
    auto const colon = text.find(':');
    if (auto const numbers = numbers_of_line(text)) {
      if (!numbers->empty()) found = camera_of_numbers(*numbers);
    } else if (colon != std::string_view::npos) {
      std::string_view const value = bare(text.substr(colon + 1));
      if (auto const row = numbers_of_line(value); row && row->size() == 12)
        found = camera_of_numbers(*row);
      yaml.take(file, bare(text.substr(0, colon)), value);
    } else if (text.starts_with("- ")) {
      yaml.take(file, "-", bare(text.substr(2)));
    }
  }
  if (!found && !yaml.intrinsics.empty()) found = yaml.camera(file);
  if (!found)
    file.fail(
        "is no JSON, and no calibration of KITTI, EuRoC or TUM either (see carroll track "
        "--help)");
  if (!(found->fx > 0 && found->fy > 0)) file.fail("has a focal length that is not above 0");
  return *found;
}

}  // namespace carroll::tool
