// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/sequence/poses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

#include "files/input_file.hpp"
#include "files/words.hpp"

namespace carroll::tool {

namespace {

using Quaternion = std::array<double, 4>;  ///< x, y, z, w

Quaternion quaternion_of(Matrix3 const& r) {
  // The largest of the four is found first (Shepperd 1978).
  double const trace = r[0][0] + r[1][1] + r[2][2];
  Quaternion const squares = {1 + 2 * r[0][0] - trace, 1 + 2 * r[1][1] - trace,
                              1 + 2 * r[2][2] - trace, 1 + trace};
  auto const most = static_cast<std::size_t>(std::ranges::max_element(squares) - squares.begin());
  double const twice = std::sqrt(squares[most]);
  Quaternion q{};
  q[most] = twice / 2;
  if (most == 3) {
    for (std::size_t a = 0; a < 3; ++a) {
      std::size_t const b = (a + 1) % 3, c = (a + 2) % 3;
      q[a] = (r[c][b] - r[b][c]) / (2 * twice);
    }
    return q;
  }
  std::size_t const b = (most + 1) % 3, c = (most + 2) % 3;
  q[b] = (r[b][most] + r[most][b]) / (2 * twice);
  q[c] = (r[c][most] + r[most][c]) / (2 * twice);
  q[3] = (r[c][b] - r[b][c]) / (2 * twice);
  return q;
}

Matrix3 rotation_of(Quaternion const& q) {
  double const norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  Matrix3 r{};
  for (std::size_t a = 0; a < 3; ++a) {
    std::size_t const b = (a + 1) % 3, c = (a + 2) % 3;
    r[a][a] = 1 - 2 * (q[b] * q[b] + q[c] * q[c]) / norm;
    r[a][b] = 2 * (q[a] * q[b] - q[c] * q[3]) / norm;
    r[b][a] = 2 * (q[a] * q[b] + q[c] * q[3]) / norm;
  }
  return r;
}

std::vector<double> numbers_in(InputFile const& file, std::string const& line) {
  std::vector<double> numbers;
  char const* at = line.data();
  char const* const end = at + std::min(line.find('#'), line.size());
  while (at != end) {
    if (is_blank(*at) || *at == ',') {
      ++at;
      continue;
    }
    double value = 0;
    auto const [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !std::isfinite(value))
      file.fail("has " + in_quotes(std::string(at, end)) + ", expected numbers");
    numbers.push_back(value);
    at = rest;
  }
  return numbers;
}

/// EuRoC's lines say in the first one what they have.
constexpr std::string_view euroc_name = "q_RS_w";

}  // namespace

Pose pose_of_rows(std::span<double const, 12> rows) {
  Pose pose;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) pose.rotation[i][j] = rows[4 * i + j];
    pose.translation[i] = rows[4 * i + 3];
  }
  return pose;
}

Vector3 operator-(Vector3 const& a, Vector3 const& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(Vector3 const& a, Vector3 const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
double length(Vector3 const& a) {
  return std::hypot(a[0], a[1], a[2]);
}
Vector3 turned(Matrix3 const& r, Vector3 const& a) {
  return {dot(r[0], a), dot(r[1], a), dot(r[2], a)};
}
Vector3 turned_back(Matrix3 const& r, Vector3 const& a) {
  Vector3 back{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) back[i] += r[j][i] * a[j];
  return back;
}

Pose after(Pose const& from, Pose const& step) {
  Pose result;
  Vector3 const moved = turned(from.rotation, step.translation);
  for (std::size_t i = 0; i < 3; ++i) {
    result.translation[i] = from.translation[i] + moved[i];
    for (std::size_t j = 0; j < 3; ++j) {
      result.rotation[i][j] = 0;
      for (std::size_t k = 0; k < 3; ++k)
        result.rotation[i][j] += from.rotation[i][k] * step.rotation[k][j];
    }
  }
  return result;
}

Pose between(Pose const& from, Pose const& to) {
  Pose back;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) back.rotation[i][j] = from.rotation[j][i];
  Vector3 const place = turned(back.rotation, from.translation);
  back.translation = {-place[0], -place[1], -place[2]};
  return after(back, to);
}

double angle_between(Matrix3 const& a, Matrix3 const& b) {
  double square = 0;  // ‖A - B‖² = 8·sin²(α/2), which small angles do not cancel in
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) square += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
  return 2 * std::asin(std::min(1.0, std::sqrt(square / 8))) * 180 / std::numbers::pi;
}

double heading_degrees(Matrix3 const& rotation) {
  return std::atan2(rotation[1][0], rotation[0][0]) * 180 / std::numbers::pi;
}

Pose in_optical_axes(Pose const& pose) {
  // right = -left, down = -up, forward
  constexpr std::size_t axis[3] = {1, 2, 0};
  constexpr double sign[3] = {-1, -1, 1};
  Pose result;
  for (std::size_t i = 0; i < 3; ++i) {
    result.translation[i] = sign[i] * pose.translation[axis[i]];
    for (std::size_t j = 0; j < 3; ++j)
      result.rotation[i][j] = sign[i] * sign[j] * pose.rotation[axis[i]][axis[j]];
  }
  return result;
}

Poses read_poses(std::string const& path) {
  InputFile file(path, "a text with poses");
  Poses result;
  std::string line;
  std::size_t width = 0;
  while (file.next_line(line)) {
    if (width == 0 && line.starts_with('#') && line.find(euroc_name) != line.npos)
      result.of_body = true;
    std::vector<double> const numbers = numbers_in(file, line);
    if (numbers.empty()) continue;
    if (width == 0) width = numbers.size();
    bool const good = result.of_body ? width >= 8 : width == 8 || width == 12;
    if (!good || numbers.size() != width)
      file.fail("has a line of " + std::to_string(numbers.size()) +
                " numbers; poses have 8 (time, place, quaternion) or 12 (rows of [R | t]), or "
                "EuRoC's 17 under their head line");
    if (!result.of_body && width == 12) {
      result.poses.push_back(pose_of_rows(std::span(numbers).first<12>()));
      continue;
    }
    Quaternion q = {numbers[4], numbers[5], numbers[6], numbers[7]};
    if (result.of_body) std::ranges::rotate(q, q.begin() + 1);
    if (q == Quaternion{}) file.fail("has a quaternion of zeros");
    result.times.push_back(result.of_body ? 1e-9 * numbers[0] : numbers[0]);
    result.poses.push_back({rotation_of(q), {numbers[1], numbers[2], numbers[3]}});
  }
  if (result.poses.empty()) file.fail("holds no poses");
  return result;
}

std::string tum_text(Poses const& poses) {
  std::string text;
  for (std::size_t i = 0; i < poses.poses.size(); ++i) {
    auto const& [rotation, t] = poses.poses[i];
    Quaternion const q = quaternion_of(rotation);
    text += fmt::format("{:.6f} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n", poses.times[i],
                        t[0], t[1], t[2], q[0], q[1], q[2], q[3]);
  }
  return text;
}

}  // namespace carroll::tool
