// SPDX-License-Identifier: BSD-3-Clause
// Steps on meshes against LAPACK and in every degenerate form.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/pseudoinverse/mesh_drivers.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::MeshOptions;
using carroll::Status;

double norm(std::vector<double> const& x) {
  double sum = 0;
  for (double const value : x) sum += value * value;
  return std::sqrt(sum);
}

double distance(std::vector<double> a, std::vector<double> const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return norm(a) / std::max(norm(b), 1e-300);
}

std::vector<double> residual(HostMatrix<double> const& A, std::vector<double> const& x,
                             std::vector<double> r) {
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) r[i] -= A(i, j) * x[j];
  return r;
}

/// ‖Aᵀ(Ax - d)‖ over ‖Aᵀd‖.
double relative_gradient(HostMatrix<double> const& A, std::vector<double> const& x,
                         std::vector<double> const& d) {
  auto const product = [&](std::vector<double> const& r) {
    std::vector<double> g(static_cast<std::size_t>(A.cols), 0.0);
    for (int j = 0; j < A.cols; ++j)
      for (int i = 0; i < A.rows; ++i) g[j] += A(i, j) * r[i];
    return norm(g);
  };
  return product(residual(A, x, d)) / product(d);
}

template <class Real>
class MeshTyped : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MeshTyped, Reals);

TYPED_TEST(MeshTyped, StepsAgreeWithLapack) {
  Random random(31);
  struct Case {
    int width, height, n, k, frames;
    double damping, smoothness, scale = 0;
  };
  for (Case const& c :
       {Case{2, 2, 40, 1, 1, 0, 0}, Case{6, 5, 900, 1, 1, 0, 0}, Case{6, 5, 900, 3, 1, 0.5, 0},
        Case{9, 8, 2000, 6, 1, 0, 0.3}, Case{5, 7, 500, 8, 1, 0.1, 0.2},
        Case{9, 8, 2000, 6, 1, 0, 0.3, 0.7}, Case{6, 5, 400, 1, 4, 0, 0},
        Case{6, 5, 300, 6, 3, 0.2, 0.1}, Case{6, 5, 300, 2, 2, 0.2, 3, 0.2}}) {
    auto const problem = random_mesh<TypeParam>(random, c.width, c.height, c.n, c.k, c.frames);
    std::vector<TypeParam> prior;
    for (int v = 0; c.smoothness > 0 && v < problem.m; ++v)
      prior.push_back(static_cast<TypeParam>(random.normal()));
    std::vector<double> d;
    auto const A = problem.dense(d, c.damping, c.smoothness, prior, c.scale);
    auto const expected = lapack_least_squares(A, d, 1e-12);
    if (!expected) GTEST_SKIP() << "no LAPACKE";
    MeshOptions const options{c.damping, c.smoothness, c.scale, false, mesh_tolerance};
    auto const result = run_mesh(problem, options, prior);
    EXPECT_EQ(result.info.status, Status::success);
    EXPECT_EQ(result.info.motion_rank, problem.motions());
    EXPECT_EQ(result.info.rows, static_cast<std::int64_t>(c.n) * c.frames);
    double const condition = expected->sigma.front() / expected->sigma.back();
    EXPECT_LE(distance(result.all(), expected->x),
              mesh_step_tolerance<TypeParam>(A.cols, condition))
        << c.k << " " << c.frames << " condition " << condition;
    // What is promised of the step is what it brings.
    double const before = norm(d), after = norm(residual(A, expected->x, d));
    double const damped = c.damping * norm(expected->x) * norm(expected->x);
    // An edge that jumps costs Cauchy's loss, and its row of the step is another one's.
    double cost = before * before;
    for (std::size_t e = 0; c.scale > 0 && e < 3 * problem.triangles.size(); ++e) {
      auto const& t = problem.triangles[e / 3];
      double const jump = static_cast<double>(prior[t[e % 3]] - prior[t[(e + 1) % 3]]) / c.scale;
      cost += c.smoothness / 2 * c.scale * c.scale *
              (std::log1p(jump * jump) - jump * jump / (1 + jump * jump));
    }
    EXPECT_NEAR(result.info.cost, cost, 1e-5 * cost);
    EXPECT_NEAR(result.info.predicted_reduction, before * before - after * after + damped,
                1e-5 * before * before);
  }
}

TYPED_TEST(MeshTyped, SameBitsForEveryLayout) {
  Random random(32);
  for (int const k : {1, 3}) {
    auto const problem = random_mesh<TypeParam>(random, 8, 9, 1500, k, 2);
    auto const left = run_mesh<Kokkos::LayoutLeft>(problem);
    for (auto const& other :
         {run_mesh<Kokkos::LayoutRight>(problem), run_mesh<Kokkos::LayoutStride>(problem)}) {
      EXPECT_TRUE(same_bits(left.motion, other.motion));
      EXPECT_TRUE(same_bits(left.depth, other.depth));
      EXPECT_TRUE(same_bits(left.covariance, other.covariance));
    }
  }
}

TEST(Mesh, CovarianceIsThatOfTheNormalEquations) {
  Random random(33);
  auto const problem = random_mesh<double>(random, 4, 4, 500, 2, 2);
  std::vector<double> d;
  auto const A = problem.dense(d);
  auto const result = run_mesh(problem, {.tolerance = mesh_tolerance});
  for (int i = 0; i < 4; ++i) {
    // Column i of (AᵀA)⁻¹ is the step for d = the pseudoinverse's transposed row i.
    auto const row = lapack_least_squares(
        transposed(A),
        [&] {
          std::vector<double> e(static_cast<std::size_t>(A.cols), 0.0);
          e[i] = 1;
          return e;
        }(),
        1e-12);
    if (!row) GTEST_SKIP() << "no LAPACKE";
    auto const column = lapack_least_squares(A, row->x, 1e-12);
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(result.covariance(j, i), column->x[j], 1e-9 * std::abs(column->x[i]));
  }
}

/// Vertices and triangles without rows, samples of all triangles on lines, zero columns.
TEST(Mesh, DegenerateFormsGiveALeastSquaresSolution) {
  Random random(34);
  for (int form = 0; form < 6; ++form) {
    auto problem = random_mesh<double>(random, 5, 5, 800, 2);
    auto& frame = problem.frames[0];
    auto const every_row = [&](auto const& f) {
      for (int i = 0; i < problem.n(); ++i) f(i);
    };
    if (form == 0)  // a vertex without rows
      every_row([&](int i) {
        for (int const v : problem.triangles[problem.triangle_of(i)])
          if (v == 12) frame.weights[i] = 0;
      });
    if (form == 1)  // the rows of a triangle are one and the same
      every_row([&](int i) {
        for (int c = 0; c < 3; ++c)
          frame.depth(i, c) = frame.depth(problem.offsets[problem.triangle_of(i)], c);
      });
    if (form == 2)  // a zero motion column
      every_row([&](int i) { frame.motion(i, 1) = 0; });
    if (form == 3)  // equal motion columns
      every_row([&](int i) { frame.motion(i, 1) = frame.motion(i, 0); });
    if (form == 4)  // in the span of the depths: all of them the same
      every_row([&](int i) {
        frame.motion(i, 1) = frame.depth(i, 0) + frame.depth(i, 1) + frame.depth(i, 2);
      });
    if (form == 5) every_row([&](int i) { frame.depth(i, 2) = 0; });
    auto const result = run_mesh(problem, {.tolerance = mesh_tolerance});
    std::vector<double> d;
    auto const A = problem.dense(d);
    EXPECT_EQ(result.info.status, Status::success) << form;
    EXPECT_EQ(result.info.motion_rank, form >= 2 && form <= 4 ? 1 : 2) << form;
    EXPECT_LE(relative_gradient(A, result.all(), d), mesh_gradient_tolerance) << form;
    if (form == 0) {
      EXPECT_EQ(result.depth[12], 0.0);
      EXPECT_EQ(result.info.rows + static_cast<std::int64_t>(
                                       std::count(frame.weights.begin(), frame.weights.end(), 0.0)),
                problem.n());
    }
    if (form == 2) {
      EXPECT_EQ(result.motion[1], 0.0);
    }
  }
}

TEST(Mesh, EmptyProblemsAndOneTriangle) {
  Random random(35);
  auto const nothing = run_mesh(random_mesh<double>(random, 0, 0, 0, 1));
  EXPECT_EQ(nothing.info.status, Status::success);
  EXPECT_EQ(nothing.motion, std::vector<double>(1, 0.0));
  auto const no_rows = run_mesh(random_mesh<float>(random, 4, 4, 0, 2));
  EXPECT_EQ(no_rows.info.status, Status::success);
  EXPECT_EQ(no_rows.info.motion_rank, 0);
  EXPECT_EQ(no_rows.all(), std::vector<double>(18, 0.0));

  auto one = random_mesh<double>(random, 2, 2, 60, 1);
  one.triangles = {{2, 0, 1}};
  one.m = 3;
  one.offsets = {0, 60};
  std::vector<double> d;
  auto const A = one.dense(d);
  EXPECT_LE(relative_gradient(A, run_mesh(one, {.tolerance = mesh_tolerance}).all(), d),
            mesh_gradient_tolerance);
  one.triangles = {{0, 1, 0}};  // two corners are one vertex
  one.m = 2;
  auto const B = one.dense(d);
  EXPECT_LE(relative_gradient(B, run_mesh(one, {.tolerance = mesh_tolerance}).all(), d),
            mesh_gradient_tolerance);
}

/// Sixty triangles around a vertex: more than a GPU's warp has lanes, and than a row of H in its
/// registers.
TEST(Mesh, VertexOfManyTriangles) {
  Random random(41);
  int const T = 60;
  auto fan = random_mesh<double>(random, 7, 6, 1800, 2);
  ASSERT_EQ(static_cast<int>(fan.triangles.size()), T);
  for (int t = 0; t < T; ++t) fan.triangles[t] = {1 + t, 0, 1 + (t + 1) % T};
  fan.m = T + 1;
  std::vector<double> prior;
  for (int v = 0; v < fan.m; ++v) prior.push_back(random.normal());
  std::vector<double> d;
  auto const A = fan.dense(d, 0.25, 0.5, prior);
  auto const result =
      run_mesh(fan, {.damping = 0.25, .smoothness = 0.5, .tolerance = mesh_tolerance}, prior);
  EXPECT_EQ(result.info.status, Status::success);
  EXPECT_LE(relative_gradient(A, result.all(), d), mesh_gradient_tolerance);
}

/// A window of arrow Jacobians, one depth a row: its segments are triangles with one vertex.
TEST(Mesh, WindowsOfArrowJacobians) {
  Random random(41);
  auto problem = random_mesh<double>(random, 3, 3, 320, 2, 3);
  problem.m = static_cast<int>(problem.triangles.size());
  for (int t = 0; t < problem.m; ++t) problem.triangles[t] = {t, t, t};
  for (auto& frame : problem.frames)
    for (int i = 0; i < problem.n(); ++i) frame.depth(i, 1) = frame.depth(i, 2) = 0;
  std::vector<double> d;
  auto const A = problem.dense(d, 0.25);
  auto const expected = lapack_least_squares(A, d, 1e-12);
  if (!expected) GTEST_SKIP() << "no LAPACKE";
  auto const result = run_mesh(problem, {.damping = 0.25, .tolerance = mesh_tolerance});
  EXPECT_EQ(result.info.status, Status::success);
  EXPECT_LE(result.info.iterations, 2);  // H is diagonal
  EXPECT_LE(distance(result.all(), expected->x),
            mesh_step_tolerance<double>(A.cols, expected->sigma.front() / expected->sigma.back()));
}

TEST(Mesh, FewIterationsForAThousandVertices) {
  Random random(36);
  auto const problem = random_mesh<float>(random, 32, 32, 30'000, 1);
  auto const result = run_mesh(problem, {.smoothness = 0.1, .relative = true});
  EXPECT_EQ(result.info.status, Status::success);
  EXPECT_LE(result.info.iterations, 40);
  EXPECT_LE(result.info.residual, 1e-8F);
  auto const limited = run_mesh(problem, {.max_iterations = 3});
  EXPECT_EQ(limited.info.status, Status::not_converged);
  EXPECT_EQ(limited.info.iterations, 3);
  EXPECT_TRUE(all_finite(limited.depth));
}

TEST(Mesh, RelativeDampingDoesNotDependOnTheSizeOfRows) {
  Random random(37);
  auto problem = random_mesh<double>(random, 6, 6, 900, 2);
  MeshOptions const options{.damping = 0.25, .smoothness = 0.5, .relative = true};
  auto const result = run_mesh(problem, options);
  for (double& entry : problem.frames[0].motion.data) entry *= 0.5;
  for (double& entry : problem.frames[0].depth.data) entry *= 4;
  auto const scaled = run_mesh(problem, options);
  EXPECT_EQ(scaled.info.mean_diagonal, 16 * result.info.mean_diagonal);
  for (double& y : problem.frames[0].rhs) y *= 1;
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(scaled.motion[j], 2 * result.motion[j], 1e-12);
  for (std::size_t v = 0; v < 36; ++v) EXPECT_NEAR(scaled.depth[v], result.depth[v] / 4, 1e-12);
}

TEST(Mesh, RowsThatAreNotFiniteOrDoNotFitAreTold) {
  Random random(38);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const problem = random_mesh<double>(random, 5, 5, 400, 2);
  for (int place = 0; place < 4; ++place) {
    auto broken = problem;
    auto& frame = broken.frames[0];
    (place == 0   ? frame.motion(77, 1)
     : place == 1 ? frame.depth(77, 2)
     : place == 2 ? frame.rhs[77]
                  : frame.weights[77]) = nan;
    auto const result = run_mesh(broken);
    EXPECT_EQ(result.info.status, Status::non_finite) << place;
    EXPECT_LE(result.info.iterations, MeshOptions{}.max_iterations) << place;
    EXPECT_TRUE(all_nan(result.motion));
    EXPECT_TRUE(all_nan(result.depth));
    if (place == 3) continue;
    frame.weights[77] = 0;  // the row does not count
    EXPECT_EQ(run_mesh(broken).info.status, Status::success) << place;
  }
  for (int form = 0; form < 3; ++form) {
    auto broken = problem;
    if (form == 0) broken.offsets[0] = 1;
    if (form == 1) broken.offsets[7] = broken.offsets[6] - 1;
    if (form == 2) broken.offsets[9] = 401;
    EXPECT_EQ(run_mesh(broken).info.status, Status::breakdown) << form;
  }
}

}  // namespace
