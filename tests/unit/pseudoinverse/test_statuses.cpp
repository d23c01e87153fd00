// SPDX-License-Identifier: BSD-3-Clause
// What the pseudoinverse of an arrow Jacobian says of input that is not finite, of offsets that do
// not fit, and of nothing.
#include <gtest/gtest.h>

#include <array>
#include <carroll/fused_pseudoinverse.hpp>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "support/copy.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::ArrowJacobian;
using carroll::ArrowSolution;
using carroll::FusedArrowJacobian;
using carroll::pseudoinverse_workspace;
using carroll::PseudoinverseExtents;
using carroll::PseudoinverseMethod;
using carroll::PseudoinverseOptions;
using carroll::RobustWeight;
using carroll::Status;

template <class Real, int K>
struct RowsInMemory {
  Kokkos::View<Real**, Kokkos::LayoutLeft, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> motion;
  Kokkos::View<Real*, Kokkos::LayoutLeft, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> depth,
      rhs;

  KOKKOS_FUNCTION carroll::ArrowRow<Real, K> operator()(int, int i) const {
    carroll::ArrowRow<Real, K> row;
    for (int j = 0; j < K; ++j) row.motion[j] = motion(i, j);
    row.depth = depth(i);
    row.residual = rhs(i);
    return row;
  }
};

template <class T>
void expect_nothing_but_nan(Random& random, int k, int m) {
  for (int const place : {0, 1, 2}) {
    auto problem = random_arrow<T>(random, 300, k, m);
    T const nan = std::numeric_limits<T>::quiet_NaN();
    (place == 0   ? problem.motion(123, k - 1)
     : place == 1 ? problem.depth[299]
                  : problem.rhs[0]) = nan;
    auto const result = run_step(problem);
    EXPECT_EQ(result.info.status, Status::non_finite);
    EXPECT_TRUE(all_nan(result.motion));
    EXPECT_TRUE(all_nan(result.depth));
    EXPECT_TRUE(all_nan(result.variances));
    if (place < 2) {
      EXPECT_TRUE(all_nan(run_inverse(problem).data));
    }
  }
}

TEST(Pseudoinverse, NothingButNaNForInputThatIsNotFinite) {
  Random random(12);
  for (int const k : {1, 2, 3, 6})
    for (int const m : {4, 20}) {  // segments of many rows and of some may have other kernels
      expect_nothing_but_nan<float>(random, k, m);
      expect_nothing_but_nan<double>(random, k, m);
    }
}

template <class Real>
void expect_unusable_offsets() {
  Random random(13);
  for (int const k : {1, 2, 3, 6}) {
    auto const problem = random_arrow<Real>(random, 300, k, 4);
    for (auto const& offsets : std::vector<std::vector<int>>{{0, 100, 50, 200, 300},
                                                             {0, 10, 20, 30, 299},
                                                             {1, 10, 20, 30, 300},
                                                             {0, 10, 20, 30, 400},
                                                             {0, 10, 20, 300, 400},
                                                             {0, 300, 300, 300, 301},
                                                             {0, 300, 400, 300, 300},
                                                             {400, 400, 400, 400, 401},
                                                             {-5, 10, 20, 30, 300}}) {
      auto broken = problem;
      broken.offsets = offsets;
      auto const result = run_step(broken);
      EXPECT_EQ(result.info.status, Status::breakdown) << k << ' ' << offsets[3];
      EXPECT_TRUE(all_nan(result.motion));
      EXPECT_TRUE(all_nan(result.depth));
      EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutRight>(broken).data));
      EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutLeft>(broken).data));
    }
    // Windows in the middle of a problem see these, and may take differences of them.
    for (int const place : {1, 2, 3})
      for (int const offset :
           {std::numeric_limits<int>::min(), -1, std::numeric_limits<int>::max()}) {
        auto broken = random_arrow<Real>(random, 3000, k, 4);
        broken.offsets = {0, 800, 1500, 2200, 3000};
        broken.offsets[place] = offset;
        EXPECT_EQ(run_step(broken).info.status, Status::breakdown) << k << ' ' << offset;
        EXPECT_TRUE(all_nan(run_inverse(broken).data));
      }
    auto const no_depths = random_arrow<Real>(random, 40, k, 0);
    EXPECT_EQ(run_step(no_depths).info.status, Status::breakdown);
    EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutRight>(no_depths).data));
    EXPECT_TRUE(all_nan(run_inverse<Kokkos::LayoutLeft>(no_depths).data));
  }
}

TEST(Pseudoinverse, OffsetsThatDoNotFitAreTold) {
  expect_unusable_offsets<float>();
  expect_unusable_offsets<double>();
}

/// Batches of dense A⁺ of problems of one shape.
template <class Real>
[[nodiscard]] std::vector<HostMatrix<Real>> inverses_of(
    std::vector<ArrowProblem<Real>> const& problems, std::vector<Status>& statuses) {
  int const f = static_cast<int>(problems.size()), n = problems[0].n(), k = problems[0].k();
  int const m = problems[0].m();
  GuardedView<Real, 3, Kokkos::LayoutRight> motion(
      {std::size_t(f), std::size_t(n), std::size_t(k)});
  GuardedView<Real, 3, Kokkos::LayoutRight> inverse(
      {std::size_t(f), std::size_t(k + m), std::size_t(n)});
  GuardedView<Real, 2, Kokkos::LayoutRight> depth({std::size_t(f), std::size_t(n)});
  GuardedView<int, 2, Kokkos::LayoutRight> offsets({std::size_t(f), std::size_t(m + 1)});
  motion.for_each_index([&](std::array<std::size_t, 3> i) {
    motion(i) = problems[i[0]].motion(static_cast<int>(i[1]), static_cast<int>(i[2]));
  });
  depth.for_each_index(
      [&](std::array<std::size_t, 2> i) { depth(i) = problems[i[0]].depth[i[1]]; });
  offsets.for_each_index(
      [&](std::array<std::size_t, 2> i) { offsets(i) = problems[i[0]].offsets[i[1]]; });
  motion.to_device();
  depth.to_device();
  offsets.to_device();
  PseudoinverseExtents const extents{
      .frames = f, .rows = n, .motions = k, .depths = m, .dense = true};
  auto workspace = pseudoinverse_workspace<Real>(Exec(), extents);
  auto const infos =
      pseudoinverse(Exec(), ArrowJacobian{motion.view(), depth.view(), offsets.view()},
                    inverse.view(), workspace);
  inverse.to_host();
  EXPECT_TRUE(inverse.guards_intact());
  std::vector<HostMatrix<Real>> all;
  statuses.clear();
  for (int frame = 0; frame < f; ++frame) {
    HostMatrix<Real> one(k + m, n);
    for (int i = 0; i < k + m; ++i)
      for (int j = 0; j < n; ++j)
        one(i, j) = inverse({std::size_t(frame), std::size_t(i), std::size_t(j)});
    all.push_back(std::move(one));
    statuses.push_back(infos[static_cast<std::size_t>(frame)].status);
  }
  return all;
}

template <class Real>
void expect_a_frame_alone_spoilt(int n, int k, int m, std::vector<int> const& bad_offsets) {
  Random random(15);
  std::vector<ArrowProblem<Real>> problems;
  for (int frame = 0; frame < 7; ++frame) problems.push_back(random_arrow<Real>(random, n, k, m));
  std::vector<Status> statuses;
  auto const whole = inverses_of(problems, statuses);
  EXPECT_EQ(statuses, std::vector<Status>(7, Status::success));
  for (int const bad : {0, 3, 6})
    for (bool const offsets : {true, false}) {
      auto broken = problems;
      auto& one = broken[static_cast<std::size_t>(bad)];
      if (offsets)
        one.offsets = bad_offsets;
      else
        one.depth[static_cast<std::size_t>(n / 2)] = std::numeric_limits<Real>::quiet_NaN();
      auto const found = inverses_of(broken, statuses);
      for (int frame = 0; frame < 7; ++frame) {
        auto const at = static_cast<std::size_t>(frame);
        if (frame != bad) {
          EXPECT_EQ(statuses[at], Status::success);
          EXPECT_TRUE(same_bits(found[at].data, whole[at].data)) << k << ' ' << frame;
        } else {
          EXPECT_EQ(statuses[at], offsets ? Status::breakdown : Status::non_finite);
          EXPECT_TRUE(all_nan(found[at].data));
        }
      }
    }
}

TEST(Pseudoinverse, AnUnusableFrameIsNoConcernOfTheOthers) {
  for (int const k : {1, 2, 3, 6, 8}) {
    expect_a_frame_alone_spoilt<float>(49, k, 2, {0, 49, 48});
    expect_a_frame_alone_spoilt<float>(33, k, 5, {0, 8, 29, 30, 33, 34});
    expect_a_frame_alone_spoilt<double>(49, k, 2, {0, 49, 48});
    expect_a_frame_alone_spoilt<double>(33, k, 5, {0, 8, 29, 30, 33, 34});
  }
}

/// With no offsets that are any good there is no core to look at: what memory holds in its place,
/// here a number of null vectors, is not to be believed.
TEST(Pseudoinverse, ACoreThatNobodySolvedIsNotRead) {
  ArrowProblem<float> problem;
  problem.motion = HostMatrix<float>(2, 2);
  for (int i = 0; i < 2; ++i) {
    problem.motion(i, 0) = 1;
    problem.motion(i, 1) = 3;
  }
  problem.depth = problem.rhs = {1e-6F, 1e-6F};
  problem.offsets = {0, 2};
  auto broken = problem;
  broken.offsets = {0, 3};
  DeviceArrow<float, Kokkos::LayoutLeft> const good(problem), bad(broken);
  auto workspace =
      pseudoinverse_workspace<float>(Exec(), {.rows = 2, .motions = 2, .depths = 1, .dense = true});
  Kokkos::View<float**, Memory> const inverse("carroll_test::inverse", 3, 2);
  EXPECT_EQ(pseudoinverse(Exec(), good.jacobian(), inverse, workspace).status, Status::success);
  double* const core =
      carroll::detail::AccessTo<carroll::PseudoinverseWorkspace<Exec, float>>::batch(workspace)
          .core(0);
  Kokkos::View<double, Memory, Kokkos::MemoryUnmanaged> const nullity(
      core + (carroll::detail::Core(2, core, nullptr).nullity - core));
  carroll::test::deep_copy(nullity, 1e9);
  EXPECT_EQ(pseudoinverse(Exec(), bad.jacobian(), inverse, workspace).status, Status::breakdown);
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), inverse);
  EXPECT_TRUE(all_nan(std::vector<float>(found.data(), found.data() + found.size())));
}

/// The step of the problem's rows by a functor.
template <int K, class Real>
[[nodiscard]] Status fused_status(ArrowProblem<Real> const& problem,
                                  PseudoinverseOptions const& options) {
  DeviceArrow<Real, Kokkos::LayoutLeft> const device(problem);
  Kokkos::View<Real*, Memory> const y("carroll_test::y", K), xi("carroll_test::xi", problem.m());
  auto workspace = pseudoinverse_workspace<Real>(
      Exec(), {.rows = problem.n(), .motions = K, .depths = problem.m()}, options);
  RowsInMemory<Real, K> const rows{device.motion.view(), device.depth.view(), device.rhs.view()};
  return apply_pseudoinverse(Exec(), FusedArrowJacobian{rows, device.offsets}, ArrowSolution{y, xi},
                             workspace)
      .status;
}

/// Where nothing is left of A beside the depths, or nothing is there, numbers in d that are none
/// are seen all the same, and so are those in rows that a weight of 0 takes out.
template <class Real>
void expect_to_see_what_is_not_finite(PseudoinverseOptions const& options) {
  Random random(16);
  Real const inf = std::numeric_limits<Real>::infinity();
  for (int const k : {1, 2, 3, 6})
    for (bool const parallel : {false, true})
      for (Real const value : {std::numeric_limits<Real>::quiet_NaN(), inf, -inf}) {
        auto problem = random_arrow<Real>(random, 300, k, 4);
        for (int i = 0; i < 300; ++i) {
          auto const at = static_cast<std::size_t>(i);
          problem.depth[at] = parallel ? Real(1) : Real(0);
          for (int j = 0; j < k; ++j) problem.motion(i, j) = problem.depth[at];
        }
        auto broken = problem;
        broken.rhs[static_cast<std::size_t>(random.index(300))] = value;
        EXPECT_EQ(run_step(problem, options).info.status, Status::success);
        auto const result = run_step(broken, options);
        EXPECT_EQ(result.info.status, Status::non_finite) << k << ' ' << parallel << ' ' << value;
        EXPECT_TRUE(all_nan(result.motion));
        EXPECT_TRUE(all_nan(result.depth));
        Status const fused = k == 1   ? fused_status<1>(broken, options)
                             : k == 2 ? fused_status<2>(broken, options)
                             : k == 3 ? fused_status<3>(broken, options)
                                      : fused_status<6>(broken, options);
        EXPECT_EQ(fused, Status::non_finite) << k << ' ' << parallel << ' ' << value;
      }
}

TEST(Pseudoinverse, NumbersThatAreNoneAreSeenWhereNothingElseIs) {
  for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                            PseudoinverseMethod::normal_equations})
    for (auto const weight : {RobustWeight::uniform, RobustWeight::huber, RobustWeight::tukey}) {
      PseudoinverseOptions const options{.method = method, .weight = weight, .weight_scale = 0.5};
      expect_to_see_what_is_not_finite<float>(options);
      expect_to_see_what_is_not_finite<double>(options);
    }
}

}  // namespace
