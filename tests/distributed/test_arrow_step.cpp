// The step of one frame over ranks: as right as carroll::apply_pseudoinverse's, and the same bits
// however leaves are shared out.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/arrow_step.hpp>
#include <carroll/pseudoinverse.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "distributed/shared_frame.hpp"
#include "pseudoinverse_instances.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/pseudoinverse/quad_pseudoinverse.hpp"
#include "support/random.hpp"
#include "support/tolerance.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::PseudoinverseMethod;
using carroll::Status;
using carroll::test::ArrowProblem;
using carroll::test::Random;
using distributed::BlockLayout;
using namespace carroll::test::shared_frame;
using Range = std::pair<std::size_t, std::size_t>;

Communicator world() {
  return Communicator::duplicate_from_raw(MPI_COMM_WORLD);
}

/// Leaves shared out by rows; all on the last rank.
template <class Real>
std::vector<ArrowLayout> layouts(int ranks, ArrowProblem<Real> const& problem,
                                 ArrowStepOptions const& options) {
  ArrowLayout last;
  for (int r = 1; r < ranks; ++r)
    last.rows.offsets.push_back(0), last.segments.offsets.push_back(0);
  last.rows.offsets.push_back(problem.n());
  last.segments.offsets.push_back(problem.m());
  return {distributed::arrow_layout(ranks, all_offsets(problem.offsets), options), last};
}

template <class Real>
Result<Real> expect_same_bits(ArrowProblem<Real> const& problem, ArrowStepOptions const& options) {
  auto const comm = world();
  auto const alone = step_alone(comm, problem, options);
  for (ArrowLayout const& layout : layouts(comm.size(), problem, options))
    EXPECT_EQ(step(comm, layout, problem, options).bytes(), part_of(alone, layout, comm.rank()))
        << "rank " << comm.rank();
  return alone;
}

template <class Real>
double difference(std::vector<Real> const& x, std::vector<Real> const& y) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(double(x[i]) - double(y[i])));
    size = std::max(size, std::abs(double(y[i])));
  }
  return most / (size > 0 ? size : 1);
}

template <class Real>
class DistributedArrowStep : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DistributedArrowStep, Types);

TYPED_TEST(DistributedArrowStep, IsThatOfOneRank) {
  using Real = TypeParam;
  Random random(11);
  for (int const k : {1, 3, 6}) {
    auto problem = carroll::test::random_arrow<Real>(random, 3000, k, 41);
    for (int const kind : {0, 1, 2, 3}) {
      ArrowStepOptions options{.step = {}, .leaf_segments = 7};
      if (kind == 1) options.step.method = PseudoinverseMethod::structured_qr;
      if (kind == 2) {
        options.step.method = PseudoinverseMethod::normal_equations;
        options.step.damping = 0.5;
        for (int c = 0; c < k + problem.m(); ++c)
          problem.damping.push_back(static_cast<Real>(random.uniform()));
      }
      if (kind == 3) {
        options.step.weight = carroll::RobustWeight::huber;
        options.step.weight_scale = 0.5;
        options.step.damping = 2;
      }
      auto const found = expect_same_bits(problem, options);
      auto const wanted = carroll::test::run_step(problem, options.step);
      double const bar = 100 * std::numeric_limits<Real>::epsilon();
      EXPECT_EQ(found.info.status, Status::success);
      EXPECT_EQ(found.info.rank, wanted.info.rank);
      EXPECT_LE(difference(found.motion, wanted.motion), bar) << "k " << k << ", kind " << kind;
      EXPECT_LE(difference(found.depth, wanted.depth), bar) << "k " << k << ", kind " << kind;
      EXPECT_LE(difference(found.covariance, wanted.covariance.data), bar);
      EXPECT_LE(difference(found.variances, wanted.variances), bar);
      EXPECT_NEAR(found.info.smallest_pivot, wanted.info.smallest_pivot, bar);
    }
  }
}

TYPED_TEST(DistributedArrowStep, HasTheRankAndTheShortestSolution) {
  using Real = TypeParam;
  Random random(12);
  auto problem = carroll::test::random_arrow<Real>(random, 60, 3, 9);
  for (int i = 0; i < problem.n(); ++i) {
    problem.motion(i, 2) = 2 * problem.motion(i, 0);  // dependent
    if (i < 10) problem.depth[std::size_t(i)] = 0;
  }
  auto const found = expect_same_bits<Real>(problem, {.step = {}, .leaf_segments = 2});
  auto const wanted = carroll::test::run_step(problem);
  EXPECT_EQ(found.info.status, Status::success);
  EXPECT_EQ(found.info.rank, wanted.info.rank);
  auto const reference = carroll::test::quad_pseudoinverse(problem.dense());
  std::vector<double> x, y(found.motion.begin(), found.motion.end());
  y.insert(y.end(), found.depth.begin(), found.depth.end());
  for (int r = 0; r < reference.inverse.rows; ++r) {
    long double sum = 0;
    for (int i = 0; i < problem.n(); ++i)
      sum += reference.inverse(r, i) * static_cast<long double>(problem.rhs[std::size_t(i)]);
    x.push_back(static_cast<double>(sum));
  }
  EXPECT_EQ(found.info.rank, reference.rank);
  EXPECT_LE(difference(y, x), 100 * std::numeric_limits<Real>::epsilon());
}

TYPED_TEST(DistributedArrowStep, TellsOfWhatIsNotFiniteOnAllRanks) {
  using Real = TypeParam;
  Random random(13);
  auto problem = carroll::test::random_arrow<Real>(random, 500, 2, 12);
  problem.rhs.back() = std::numeric_limits<Real>::quiet_NaN();
  auto const found = expect_same_bits<Real>(problem, {.step = {}, .leaf_segments = 3});
  EXPECT_EQ(found.info.status, Status::non_finite);
  for (auto const x : found.depth) EXPECT_TRUE(std::isnan(x));
}

TEST(DistributedArrowStepSizes, MayBeNothing) {
  auto const comm = world();
  Random random(14);
  // No rows at all; fewer segments than ranks; segments without rows.
  for (auto const& problem : {carroll::test::random_arrow<double>(random, 0, 2, 0),
                              carroll::test::random_arrow<double>(random, 50, 2, 1),
                              carroll::test::random_arrow<double>(random, 5, 1, 20)}) {
    auto const found = expect_same_bits(problem, {.step = {}, .leaf_segments = 2});
    auto const wanted = carroll::test::run_step(problem);
    EXPECT_EQ(found.info.status, wanted.info.status);
    EXPECT_EQ(found.info.rank, wanted.info.rank);
    EXPECT_LE(difference(found.depth, wanted.depth), 1e-13);
  }
}

TEST(DistributedArrowStepMisuse, IsRefusedOrTold) {
  auto const comm = world();
  Random random(15);
  auto const problem = carroll::test::random_arrow<double>(random, 300, 2, 8 * comm.size());
  auto const offsets = all_offsets(problem.offsets);
  ArrowStepOptions const options{.step = {}, .leaf_segments = 8};
  auto layout = distributed::arrow_layout(comm.size(), offsets, options);
  // Leaves that ranks share.
  if (comm.size() > 1) {
    ArrowLayout cut;
    cut.segments = layout.segments;
    cut.segments.offsets[1] = 9;
    for (auto& offset : cut.segments.offsets)
      offset = offset == 0 ? 0 : std::max<std::int64_t>(offset, 9);
    for (int r = 1; r <= comm.size(); ++r)
      cut.rows.offsets.push_back(offsets[std::size_t(cut.segments.offsets[std::size_t(r)])]);
    EXPECT_THROW((void)step(comm, cut, problem, options), std::invalid_argument);
  }
  // Segments that are cut between ranks.
  auto const segment = std::vector<std::int64_t>{0, 10, 20};
  EXPECT_THROW((void)distributed::arrow_layout(BlockLayout{{0, 7, 20}}, segment),
               std::invalid_argument);
  EXPECT_EQ(distributed::arrow_layout(BlockLayout{{0, 0, 10, 20}}, segment).segments.offsets,
            (std::vector<std::int64_t>{0, 0, 1, 2}));
  // Views of another extent, on one rank.
  auto const n = layout.rows.count(comm.rank()), m = layout.segments.count(comm.rank());
  auto workspace = distributed::arrow_step_workspace<double>(comm, layout, 2, options);
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const motion("motion",
                                                                n + (comm.rank() == 0 ? 1 : 0), 2);
  Kokkos::View<double*, Exec> const depth("depth", n), d("d", n), y("y", 2), xi("xi", m);
  Kokkos::View<int*, Exec> const zeros("zeros", m + 1);
  auto const call = [&](auto const& B) {
    return distributed::arrow_step(comm, carroll::ArrowJacobian{B, depth, zeros}, d,
                                   carroll::ArrowSolution{y, xi}, workspace);
  };
  if (comm.rank() == 0) {
    EXPECT_THROW((void)call(motion), std::invalid_argument);
  } else {
    EXPECT_THROW((void)call(motion), distributed::RankError);
  }
  // Offsets that do not end at the number of rows.
  auto const info = call(Kokkos::subview(motion, Range(0, std::size_t(n)), Kokkos::ALL));
  EXPECT_EQ(info.status, Status::breakdown);
  EXPECT_TRUE(std::isnan(vector_of(y).front()));
}

}  // namespace
