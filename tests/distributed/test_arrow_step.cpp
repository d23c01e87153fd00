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

#include "pseudoinverse_instances.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/pseudoinverse/quad_pseudoinverse.hpp"
#include "support/random.hpp"
#include "support/tolerance.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::PseudoinverseInfo;
using carroll::PseudoinverseMethod;
using carroll::Status;
using carroll::test::ArrowProblem;
using carroll::test::Random;
using distributed::ArrowLayout;
using distributed::ArrowStepOptions;
using distributed::BlockLayout;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = distributed::Communicator<Exec>;
using Range = std::pair<std::size_t, std::size_t>;

Communicator world() {
  return Communicator::duplicate_from_raw(MPI_COMM_WORLD);
}

std::vector<std::int64_t> all_offsets(std::vector<int> const& offsets) {
  return {offsets.begin(), offsets.end()};
}

template <class Real>
Kokkos::View<Real*, Exec> view_of(std::vector<Real> const& values) {
  Kokkos::View<Real*, Exec> const view("view", values.size());
  Kokkos::deep_copy(view, Kokkos::View<Real const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                              values.data(), values.size()));
  return view;
}
template <class View>
auto vector_of(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  using Real = typename View::non_const_value_type;
  return std::vector<Real>(host.data(), host.data() + host.span());
}

template <class Real>
struct Result {
  PseudoinverseInfo<Real> info;
  std::vector<Real> motion, covariance;
  std::vector<Real> depth, variances;  ///< of this rank's segments

  /// What all ranks have alike, and this rank's depths.
  [[nodiscard]] std::string bytes() const {
    std::string text = std::to_string(int(info.status)) + " " + std::to_string(info.rank);
    for (auto const* some : {&motion, &covariance, &depth, &variances})
      text.append(reinterpret_cast<char const*>(some->data()), some->size() * sizeof(Real));
    text.append(reinterpret_cast<char const*>(&info.cutoff), 2 * sizeof(Real));
    return text;
  }
};

/// This rank's part of the step of a problem that all ranks have.
template <class Real>
Result<Real> step(Communicator const& comm, ArrowLayout const& layout,
                  ArrowProblem<Real> const& problem, ArrowStepOptions const& options) {
  int const k = problem.k();
  auto const first = layout.segments.begin(comm.rank()), last = layout.segments.end(comm.rank());
  auto const begin = layout.rows.begin(comm.rank()), end = layout.rows.end(comm.rank());
  auto const part = [](std::vector<Real> const& all, std::int64_t from, std::int64_t to) {
    return std::vector<Real>(all.begin() + from, all.begin() + to);
  };
  Kokkos::View<Real**, Kokkos::LayoutLeft, Exec> const motion("motion", end - begin, k);
  auto const host = Kokkos::create_mirror_view(motion);
  for (auto i = begin; i < end; ++i)
    for (int j = 0; j < k; ++j) host(i - begin, j) = problem.motion(int(i), j);
  Kokkos::deep_copy(motion, host);
  std::vector<int> offsets;
  for (auto s = first; s <= last; ++s)
    offsets.push_back(problem.offsets[std::size_t(s)] - static_cast<int>(begin));
  auto damping = problem.damping;
  if (damping.empty()) damping.assign(std::size_t(k + problem.m()), Real(0));
  auto own_damping = part(damping, 0, k);
  for (auto const lambda : part(damping, k + first, k + last)) own_damping.push_back(lambda);

  carroll::ArrowJacobian const A{motion, view_of(part(problem.depth, begin, end)), view_of(offsets),
                                 carroll::none, view_of(own_damping)};
  Kokkos::View<Real*, Exec> const y("y", k), xi("xi", last - first),
      variances("variances", last - first);
  Kokkos::View<Real**, Exec> const covariance("covariance", k, k);
  Result<Real> result;
  result.info =
      distributed::arrow_step(comm, A, view_of(part(problem.rhs, begin, end)),
                              carroll::ArrowSolution{y, xi, covariance, variances}, options);
  result.motion = vector_of(y);
  result.covariance = vector_of(covariance);
  result.depth = vector_of(xi);
  result.variances = vector_of(variances);
  return result;
}

/// By one rank alone.
template <class Real>
Result<Real> step_alone(Communicator const& comm, ArrowProblem<Real> const& problem,
                        ArrowStepOptions const& options) {
  return step(comm.split(comm.rank(), 0),
              distributed::arrow_layout(1, all_offsets(problem.offsets), options), problem,
              options);
}

/// Of what one rank alone has the part of a rank.
template <class Real>
std::string part_of(Result<Real> alone, ArrowLayout const& layout, int rank) {
  auto const first = layout.segments.begin(rank), last = layout.segments.end(rank);
  for (auto* some : {&alone.depth, &alone.variances})
    *some = std::vector<Real>(some->begin() + first, some->begin() + last);
  return alone.bytes();
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
