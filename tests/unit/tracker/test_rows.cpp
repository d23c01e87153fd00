// SPDX-License-Identifier: BSD-3-Clause
// Rows of the photometric Jacobian against differences of the residual in double precision: both
// cameras, both motions, Gauss-Newton and ESM. Images are linear in u and v, so that interpolation
// is exact and gradients are the same everywhere.
#include <gtest/gtest.h>

#include <carroll/direct_tracker.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "support/tolerance.hpp"
#include "unit/tracker/double_motions.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using namespace carroll::test::double_motions;

constexpr double slope_u = 0.31, slope_v = -0.23, offset = 100;

class DirectTrackerRows : public ::testing::TestWithParam<int> {
 protected:
  Camera<double> camera() const {
    return GetParam() % 2 == 0 ? Camera<double>::equirectangular(256, 128)
                               : Camera<double>::unified(300, 240, 150, 160, 149, 121, 0.8);
  }

  template <CameraModel Model, TrackerMotion Kind, bool Esm>
  void check() {
    std::mt19937 generator(17);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Camera<double> const eye = camera();
    constexpr int k = detail::pose_columns(Kind), all = detail::motion_columns(Kind);
    double const gain = 1.25, brighter = -4;
    constexpr int rows = 16;
    // The picture that both images show.
    int const pitch = eye.width + 2;
    std::vector<float> pixels(static_cast<std::size_t>(pitch * eye.height));
    for (int v = 0; v < eye.height; ++v)
      for (int u = -1; u <= eye.width; ++u)
        pixels[static_cast<std::size_t>(v * pitch + u + 1)] =
            static_cast<float>(offset + slope_u * u + slope_v * v);
    auto const seen = [&](Vec const& p) {
      double u = 0, v = 0;
      eye.project({p[0], p[1], p[2]}, u, v);
      return offset + slope_u * u + slope_v * v;
    };
    double worst = 0;
    for (int trial = 0; trial < 40; ++trial) {
      // A triangle that looks forward, and samples in it.
      Mat V;
      for (int c = 0; c < 3; ++c) {
        Vec x = {1, 0.4 * uniform(generator), 0.4 * uniform(generator)};
        double const norm = std::sqrt(dot(x, x));
        for (double& entry : x) entry /= norm;
        V[c] = x;
      }
      Vec const zeta = {0.3 + 0.1 * uniform(generator), 0.3 + 0.1 * uniform(generator),
                        0.3 + 0.1 * uniform(generator)};
      double const rho = 0.4 * uniform(generator);
      Motion motion = Motion::arc(rho);
      if (Kind == TrackerMotion::se3)
        motion = motion.moved({0.1 * uniform(generator), 0.1, -0.05},
                              {0.2, 0.1 * uniform(generator), 0.1});
      std::vector<float> rays[3], weights[3], grey, gradient[3];
      std::vector<Vec> samples, mixed;
      for (int i = 0; i < rows; ++i) {
        double const p = 0.5 * (1 + uniform(generator)),
                     q = (1 - p) * 0.5 * (1 + uniform(generator));
        Vec s = {0, 0, 0}, w = {1 - p - q, p, q};
        for (int c = 0; c < 3; ++c)
          for (int a = 0; a < 3; ++a) s[a] += w[c] * V[c][a];
        double const norm = std::sqrt(dot(s, s));
        for (int a = 0; a < 3; ++a) s[a] /= norm, w[a] /= norm;
        samples.push_back(s);
        mixed.push_back(w);
        Camera<double>::Derivative d;
        double u = 0, v = 0;
        eye.project({s[0], s[1], s[2]}, u, v, d);
        for (int a = 0; a < 3; ++a) {
          rays[a].push_back(static_cast<float>(s[a]));
          weights[a].push_back(static_cast<float>(w[a]));
          gradient[a].push_back(static_cast<float>(slope_u * d[0][a] + slope_v * d[1][a]));
        }
        grey.push_back(static_cast<float>(seen(s)) - 3);
      }
      int const corners[3] = {0, 1, 2}, offsets[2] = {0, rows};
      float const depths[3] = {static_cast<float>(zeta[0]), static_cast<float>(zeta[1]),
                               static_cast<float>(zeta[2])};
      float inverse[9];
      for (int c = 0; c < 3; ++c) {
        Vec const column = solved(V, {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0});
        for (int a = 0; a < 3; ++a) inverse[3 * a + c] = static_cast<float>(column[a]);
      }
      detail::TrackerState state{};
      if constexpr (Kind == TrackerMotion::ackermann) {
        state.motion[0] = rho;
      } else {
        for (int a = 0; a < 3; ++a) {
          for (int b = 0; b < 3; ++b) state.motion[4 * a + b] = motion.rotation[a][b];
          state.motion[4 * a + 3] = motion.translation[a];
        }
      }
      state.motion[detail::motion_numbers(Kind)] = gain;
      state.motion[detail::motion_numbers(Kind) + 1] = brighter;
      detail::set_pose<Kind>(state);

      detail::TrackerRows<Model, Kind, Esm> level{};
      level.mesh = {3, 1, rows, corners, inverse, offsets, {}, {}};
      level.reference.offsets = offsets;
      level.reference.grey = grey.data();
      for (int a = 0; a < 3; ++a) {
        level.mesh.rays[a] = rays[a].data();
        level.mesh.weights[a] = weights[a].data();
        level.reference.gradient[a] = gradient[a].data();
      }
      level.image = {pixels.data(), eye.as<float>()};
      level.zeta = depths;
      level.state = &state;
      level.huber = 2;
      auto const triangle = level(0, 0);
      MeshRowBlock<float, all, 16> block;
      triangle.block(0, rows, block);

      // What a row is made of, as a function of all parameters: the motion's, then ξ.
      auto const point = [&](int i, std::vector<double> const& step) {
        Motion m = motion;
        if (Kind == TrackerMotion::ackermann)
          m = Motion::arc(rho + step[0]);
        else
          m = motion.moved({step[0], step[1], step[2]}, {step[3], step[4], step[5]});
        double z = 0;
        for (int c = 0; c < 3; ++c) z += mixed[i][c] * zeta[c] * std::exp(step[k + c]);
        Mat const back = transposed(m.rotation);
        Vec p = times(back, samples[i]), t = times(back, m.translation);
        for (int a = 0; a < 3; ++a) p[a] -= z * t[a];
        return p;
      };
      Mat H;              // of the triangle, at the state
      bool blends = Esm;  // unless the camera is too close to the plane, or behind it
      {
        Vec const n = solved(V, zeta);
        Mat const back = transposed(motion.rotation);
        Vec const t = times(back, motion.translation);
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) H[a][b] = back[a][b] - t[a] * n[b];
        blends = blends && 1 - dot(n, motion.translation) > 0.25;
      }
      for (int i = 0; i < rows; ++i) {
        auto const value = [&](std::vector<double> const& step) {
          Vec const p = point(i, step);
          return blends ? 0.5 * (seen(p) + gain * seen(solved(H, p))) : seen(p);
        };
        std::vector<double> const none(k + 3, 0.0);
        double const before = static_cast<double>(grey[i]);
        double const residual = seen(point(i, none)) - gain * before - brighter;
        EXPECT_NEAR(static_cast<double>(block.residual[i]), residual, 2e-3);
        EXPECT_EQ(static_cast<double>(block.motion[k][i]), -before);
        EXPECT_EQ(static_cast<double>(block.motion[k + 1][i]), -1);
        EXPECT_NEAR(static_cast<double>(block.weight[i]), std::min(1.0, 2 / std::abs(residual)),
                    1e-3);
        double const far = std::abs(residual);
        EXPECT_NEAR(static_cast<double>(block.loss[i]),
                    far <= 2 ? residual * residual : 4 * far - 4, 2e-2);
        std::vector<double> row(k + 3), difference(k + 3);
        double size = 0;
        for (int j = 0; j < k + 3; ++j) {
          auto above = none, below = none;
          above[j] = 1e-5;
          below[j] = -1e-5;
          difference[j] = (value(above) - value(below)) / 2e-5;
          row[j] = static_cast<double>(j < k ? block.motion[j][i] : block.depth[j - k][i]);
          size = std::max(size, std::abs(difference[j]));
        }
        for (int j = 0; j < k + 3; ++j)
          worst = std::max(worst, std::abs(row[j] - difference[j]) / size);
        // A row alone is the row of the block.
        auto const one = triangle(i);
        EXPECT_NEAR(static_cast<double>(one.motion[0]), row[0], single_row_tolerance * size);
        EXPECT_EQ(one.weight > 0, block.weight[i] > 0);
      }
    }
    EXPECT_LE(worst, single_row_tolerance);
  }

  template <TrackerMotion Kind, bool Esm>
  void check_camera() {
    if (GetParam() % 2 == 0)
      check<CameraModel::equirectangular, Kind, Esm>();
    else
      check<CameraModel::unified, Kind, Esm>();
  }
};

TEST_P(DirectTrackerRows, ArcGaussNewton) {
  check_camera<TrackerMotion::ackermann, false>();
}
TEST_P(DirectTrackerRows, ArcEsm) {
  check_camera<TrackerMotion::ackermann, true>();
}
TEST_P(DirectTrackerRows, Se3GaussNewton) {
  check_camera<TrackerMotion::se3, false>();
}
TEST_P(DirectTrackerRows, Se3Esm) {
  check_camera<TrackerMotion::se3, true>();
}

INSTANTIATE_TEST_SUITE_P(Cameras, DirectTrackerRows, ::testing::Values(0, 1),
                         [](auto const& instance) {
                           return instance.param == 0 ? "sphere" : "unified";
                         });

TEST(PhotometricRows, RowsThatAnImageDoesNotReachHaveNoWeight) {
  Camera<double> const eye = Camera<double>::unified(64, 48, 40, 40, 31.5, 23.5, 0);
  std::vector<float> pixels(66 * 48, 7.0F);
  float const ray[3] = {-1, 0, 0}, forward[3] = {1, 0, 0}, weight = 1;
  float grey = 5;
  int const corners[3] = {0, 1, 2}, offsets[2] = {0, 1};
  float const zeta[3] = {0.1F, 0.1F, 0.1F}, inverse[9] = {};
  detail::TrackerState state{};
  state.motion[1] = 1;
  detail::set_pose<TrackerMotion::ackermann>(state);
  detail::TrackerRows<CameraModel::unified, TrackerMotion::ackermann, false> level{};
  level.mesh = {3, 1, 1, corners, inverse, offsets, {}, {}};
  level.reference.offsets = offsets;
  level.reference.grey = &grey;
  level.image = {pixels.data(), eye.as<float>()};
  level.zeta = zeta;
  level.state = &state;
  level.huber = 10;
  auto const with = [&](float const(&s)[3]) {
    for (int a = 0; a < 3; ++a) {
      level.mesh.rays[a] = &s[a];
      level.mesh.weights[a] = &weight;
    }
    return level(0, 0)(0);
  };
  EXPECT_EQ(with(ray).weight, 0.0F);      // behind
  EXPECT_EQ(with(forward).weight, 1.0F);  // seen
  EXPECT_EQ(with(forward).residual, 2.0F);
  grey = std::nanf("");  // the reference does not reach
  EXPECT_EQ(with(forward).weight, 0.0F);
}

}  // namespace
