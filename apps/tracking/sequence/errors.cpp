// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/sequence/errors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carroll::tool {

namespace {

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double rms_of(std::vector<double> const& values) {
  double sum = 0;
  for (double const x : values) sum += x * x;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double angle_of(Vector3 const& a, Vector3 const& b) {
  double const cosine = dot(a, b) / (length(a) * length(b));
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

/// The eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
std::array<double, 4> leading_vector(std::array<std::array<double, 4>, 4> a) {
  std::array<std::array<double, 4>, 4> v{};
  for (std::size_t i = 0; i < 4; ++i) v[i][i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep)
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = p + 1; q < 4; ++q) {
        if (a[p][q] == 0) continue;
        double const angle = std::atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2;
        double const c = std::cos(angle), s = std::sin(angle);
        auto const turn = [&](double& x, double& y) {
          double const old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (std::size_t k = 0; k < 4; ++k) turn(a[k][p], a[k][q]);
        for (std::size_t k = 0; k < 4; ++k) turn(a[p][k], a[q][k]);
        for (std::size_t k = 0; k < 4; ++k) turn(v[k][p], v[k][q]);
      }
  std::size_t most = 0;
  for (std::size_t i = 1; i < 4; ++i)
    if (a[i][i] > a[most][most]) most = i;
  return {v[0][most], v[1][most], v[2][most], v[3][most]};
}

/// The rotation R for which Σ b·Ra is largest (Horn 1987, by the quaternion).
Matrix3 best_rotation(std::vector<Vector3> const& a, std::vector<Vector3> const& b) {
  Matrix3 s{};
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) s[i][j] += a[k][i] * b[k][j];
  auto const [w, x, y, z] = leading_vector(
      {{{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
        {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
        {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
        {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}}});
  return {{{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}

std::vector<Vector3> centred(std::vector<Pose> const& poses) {
  Vector3 mean{};
  for (auto const& pose : poses)
    for (std::size_t i = 0; i < 3; ++i)
      mean[i] += pose.translation[i] / static_cast<double>(poses.size());
  std::vector<Vector3> places;
  for (auto const& pose : poses) places.push_back(pose.translation - mean);
  return places;
}

/// Umeyama 1991: the scale and root mean square of what is left.
void align(std::vector<Pose> const& found, std::vector<Pose> const& truth,
           TrajectoryErrors& errors) {
  auto const a = centred(found), b = centred(truth);
  Matrix3 const rotation = best_rotation(a, b);
  double both = 0, own = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    both += dot(b[k], turned(rotation, a[k]));
    own += dot(a[k], a[k]);
  }
  errors.scale = own > 0 && both > 0 ? both / own : 1;
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    Vector3 left = turned(rotation, a[k]);
    for (std::size_t i = 0; i < 3; ++i) left[i] = b[k][i] - errors.scale * left[i];
    sum += dot(left, left);
  }
  errors.ate = std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

TrajectoryErrors trajectory_errors(std::vector<Pose> const& found,
                                   std::vector<std::optional<Pose>> const& truth) {
  std::vector<Pose> own, right;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (truth[k]) {
      own.push_back(found[k]);
      right.push_back(*truth[k]);
    }
  TrajectoryErrors errors;
  errors.poses = static_cast<int>(own.size());
  align(own, right, errors);
  std::vector<double> rotations, translations, directions;
  Pose chained;
  for (std::size_t k = 1; k < own.size(); ++k) {
    Pose step = between(own[k - 1], own[k]);
    Pose const true_step = between(right[k - 1], right[k]);
    double const far = length(true_step.translation), own_far = length(step.translation);
    errors.length += far;
    rotations.push_back(angle_between(step.rotation, true_step.rotation));
    Vector3 left = true_step.translation;
    for (std::size_t i = 0; i < 3; ++i) left[i] -= errors.scale * step.translation[i];
    translations.push_back(length(left));
    if (far > 0 && own_far > 0)
      directions.push_back(angle_of(step.translation, true_step.translation));
    for (double& x : step.translation) x *= own_far > 0 ? far / own_far : 0;
    chained = after(chained, step);
  }
  errors.rotation_rms = rms_of(rotations);
  errors.rotation_median = median_of(rotations);
  errors.translation_rms = rms_of(translations);
  if (!directions.empty()) errors.direction_median = median_of(directions);
  errors.drift = length(chained.translation - between(right.front(), right.back()).translation);
  return errors;
}

}  // namespace carroll::tool
