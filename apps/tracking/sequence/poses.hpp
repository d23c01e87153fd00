// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

namespace carroll::tool {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

/// Where a camera is: its axes in the columns of `rotation`, its place in `translation`.
struct Pose {
  Matrix3 rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vector3 translation = {0, 0, 0};
};

[[nodiscard]] Vector3 operator-(Vector3 const& a, Vector3 const& b);
[[nodiscard]] double dot(Vector3 const& a, Vector3 const& b);
[[nodiscard]] double length(Vector3 const& a);
[[nodiscard]] Vector3 turned(Matrix3 const& rotation, Vector3 const& a);
[[nodiscard]] Vector3 turned_back(Matrix3 const& rotation, Vector3 const& a);

/// The pose of what is at `step` in the axes of `from`.
[[nodiscard]] Pose after(Pose const& from, Pose const& step);
/// The pose of `to` in the axes of `from`.
[[nodiscard]] Pose between(Pose const& from, Pose const& to);
/// The angle by which two poses' axes differ, in degrees.
[[nodiscard]] double angle_between(Matrix3 const& a, Matrix3 const& b);

/// How far the x axis is turned to the left, in Carroll's axes.
[[nodiscard]] double heading_degrees(Matrix3 const& rotation);

/// From Carroll's axes (forward, left, up) to those that data sets have cameras in (right, down,
/// forward).
[[nodiscard]] Pose in_optical_axes(Pose const& pose);

/// Poses, and when they were taken, where that is known.
struct Poses {
  std::vector<Pose> poses;
  std::vector<double> times;  ///< of each, in seconds, or none
  bool of_body = false;       ///< not of the camera: of what it is mounted on
};

/// The pose of [R | t], given by its rows.
[[nodiscard]] Pose pose_of_rows(std::span<double const, 12> rows);

/// Reads lines of 8 numbers, as TUM's data sets have them (time, place, quaternion with its real
/// part last), of 12 (KITTI: the rows of [R | t]), or of 8 and more under a head line with q_RS_w,
/// as EuRoC's have them (nanoseconds, place, quaternion with its real part first, of the body).
/// FileError where it is none of these.
[[nodiscard]] Poses read_poses(std::string const& path);

/// TUM's lines.
[[nodiscard]] std::string tum_text(Poses const& poses);

}  // namespace carroll::tool
