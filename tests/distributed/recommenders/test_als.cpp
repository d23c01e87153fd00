// Alternating least squares over ranks: bit by bit what one rank makes of all ratings, however
// users and items are shared out.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/als.hpp>
#include <carroll/distributed/als.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "distributed/recommenders/shared_ratings.hpp"
#include "support/copy.hpp"

namespace {

using namespace carroll::test::shared_ratings;
using carroll::AlsBiases;
using carroll::AlsOptions;
using carroll::AlsSolver;
using carroll::AlsStart;
using carroll::Feedback;
using carroll::Status;
using carroll::test::Exec;
using carroll::test::HostTriples;
using carroll::test::Memory;
using carroll::test::packed_bytes;

/// Of all kinds of feedback, biases, solvers and starts.
std::vector<AlsOptions> all_options() {
  std::vector<AlsOptions> all;
  auto const add = [&](AlsOptions options) {
    options.iterations = 3;
    options.objective = true;
    options.seed = 5;
    options.block = 5;
    all.push_back(options);
  };
  add({});
  add({.regularization = 0.3, .count_exponent = 0});
  add({.biases = AlsBiases::mean});
  add({.biases = AlsBiases::fixed, .start = AlsStart::item_means});
  add({.biases = AlsBiases::fitted, .count_exponent = 0.5});
  add({.biases = AlsBiases::fitted, .solver = AlsSolver::conjugate_gradients});
  add({.biases = AlsBiases::fixed, .solver = AlsSolver::block_coordinates});
  for (auto const solver :
       {AlsSolver::cholesky, AlsSolver::conjugate_gradients, AlsSolver::block_coordinates})
    add({.feedback = Feedback::implicit,
         .confidence = 0.5,
         .unobserved_weight = 0.3,
         .counts_all_pairs = solver == AlsSolver::cholesky,
         .solver = solver});
  return all;
}

template <class Real>
class DistributedAls : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DistributedAls, Types);

TYPED_TEST(DistributedAls, HasTheBitsOfOneRank) {
  auto const triples = carroll::test::random_ratings<TypeParam>(73, 41, 9, 1);
  auto const ratings = triples.ratings({.users = 73, .items = 41});
  for (auto const& options : all_options()) {
    SCOPED_TRACE(text(options));
    expect_same_bits(ratings, 13, options);
  }
  // Chunks, segments, and slots of long rows: items 1 and 2 have no rating and one of every user.
  auto const many = carroll::test::random_ratings<TypeParam>(9001, 24, 2, 2);
  expect_same_bits(many.ratings({.users = 9001, .items = 24}), 33,
                   {.biases = AlsBiases::fitted, .iterations = 2, .objective = true});
}

TYPED_TEST(DistributedAls, BeginsWithWhatEachRankGives) {
  auto const triples = carroll::test::random_ratings<TypeParam>(30, 20, 5, 3);
  auto const ratings = triples.ratings({.users = 30, .items = 20});
  for (auto const biases :
       {AlsBiases::zero, AlsBiases::mean, AlsBiases::fixed, AlsBiases::fitted}) {
    SCOPED_TRACE(std::string(to_string(biases)));
    AlsOptions const options{.biases = biases,
                             .solver = AlsSolver::conjugate_gradients,
                             .iterations = 2,
                             .start = AlsStart::given,
                             .objective = true};
    expect_same_bits(ratings, 6, options);
  }
  expect_same_bits(ratings, 6, {.iterations = 0, .start = AlsStart::given});
}

TYPED_TEST(DistributedAls, TakesMoreRanksThanRows) {
  HostTriples<TypeParam> triples;
  triples.add(0, 1, 3);
  triples.add(2, 0, 4);
  for (auto const feedback : {Feedback::explicit_, Feedback::implicit}) {
    AlsOptions const options{
        .feedback = feedback, .confidence = 1, .iterations = 2, .objective = true};
    expect_same_bits(triples.ratings({.users = 3, .items = 2}), 4, options);
    expect_same_bits(triples.ratings({.users = 3, .items = 2}), 0, options);
    expect_same_bits(HostTriples<TypeParam>().ratings({.users = 3, .items = 2}), 4, options);
    expect_same_bits(HostTriples<TypeParam>().ratings(), 4, options);
  }
}

TYPED_TEST(DistributedAls, TellsAllOfWhatOneRankFinds) {
  auto const comm = world();
  auto const triples = carroll::test::random_ratings<TypeParam>(12, 9, 3, 7);
  auto const ratings = triples.ratings({.users = 12, .items = 9});
  // Five ratings at most do not determine six factors.
  EXPECT_EQ(expect_same_bits(ratings, 6, {.regularization = 0, .iterations = 1}).status,
            Status::singular);
  // The last rank's last item.
  Share<TypeParam> share(comm, layouts(comm.size(), ratings, 6).front(), ratings);
  auto model = start<TypeParam>(ratings, 6, {});
  if (share.items_end == 9)
    carroll::test::deep_copy(Kokkos::subview(model.V, 8, 2),
                             std::numeric_limits<TypeParam>::infinity());
  auto const info = share.als(model, {.start = AlsStart::given});
  EXPECT_EQ(info.status, Status::non_finite);
  for (double const x : carroll::test::factors_of(model.U).entry) EXPECT_TRUE(std::isnan(x));
  for (double const x : carroll::test::factors_of(model.V).entry) EXPECT_TRUE(std::isnan(x));
}

TEST(DistributedAlsWorkspace, IsForAnyNumberOfCalls) {
  auto const comm = world();
  auto const triples = carroll::test::random_ratings<float>(50, 30, 5, 9);
  auto const ratings = triples.ratings({.users = 50, .items = 30});
  AlsOptions const options{.iterations = 2};
  FactorView<float> const U("U", 50, 8), V("V", 30, 8), X("X", 50, 8), Y("Y", 30, 8);
  carroll::als(Exec(), ratings, U, V, options);
  auto const layout = distributed::als_layout(Exec(), comm.size(), ratings, 8);
  Share<float> const share(comm, layout, ratings);
  auto const workspace =
      distributed::als_workspace(comm, layout, share.by_user, share.by_item, 8, options);
  EXPECT_EQ(workspace.factors(), 8);
  EXPECT_GT(workspace.bytes(), 0U);
  for (int run = 0; run < 3; ++run) {
    carroll::test::deep_copy(X, -1.0F);
    carroll::test::deep_copy(Y, -1.0F);
    distributed::als(comm, share.by_user, share.by_item, X, Y, workspace);
    EXPECT_EQ(packed_bytes(X), packed_bytes(U));
    EXPECT_EQ(packed_bytes(Y), packed_bytes(V));
  }
}

TEST(DistributedAlsRows, AreThoseOfTheRanksOwnTriples) {
  auto const comm = world();
  int const me = comm.rank();
  auto const triples = carroll::test::random_ratings<float>(50, 30, 5, 9);
  auto const ratings = triples.ratings({.users = 50, .items = 30});
  auto const layout = distributed::als_layout(Exec(), comm.size(), ratings, 8);
  HostTriples<float> of_users, of_items;
  for (std::size_t e = 0; e < triples.count(); ++e) {
    int const user = triples.users[e], item = triples.items[e];
    if (layout.users.owner(user) == me)
      of_users.add(user - static_cast<int>(layout.users.begin(me)), item, triples.values[e]);
    if (layout.items.owner(item) == me)
      of_items.add(user, item - static_cast<int>(layout.items.begin(me)), triples.values[e]);
  }
  auto const count = [&](distributed::BlockLayout const& rows) {
    return static_cast<std::int32_t>(rows.count(me));
  };
  Share<float> const share(comm, layout, ratings);
  auto const expect = [](auto const& rows, auto const& wanted) {
    EXPECT_EQ(rows.row_count, wanted.row_count);
    EXPECT_EQ(rows.column_count, wanted.column_count);
    EXPECT_EQ(carroll::test::on_host(rows.offsets), carroll::test::on_host(wanted.offsets));
    EXPECT_EQ(carroll::test::on_host(rows.columns), carroll::test::on_host(wanted.columns));
    EXPECT_EQ(carroll::test::on_host(rows.values), carroll::test::on_host(wanted.values));
  };
  if (count(layout.users) > 0)
    expect(of_users.ratings({.users = count(layout.users), .items = 30}).by_user(), share.by_user);
  if (count(layout.items) > 0)
    expect(of_items.ratings({.users = 50, .items = count(layout.items)}).by_item(), share.by_item);
}

TEST(DistributedAlsMisuse, IsToldOnAllRanks) {
  auto const comm = world();
  int const last = comm.size() - 1;
  bool const here = comm.rank() == last;
  auto const triples = carroll::test::random_ratings<float>(50, 30, 5, 9);
  auto const ratings = triples.ratings({.users = 50, .items = 30});
  auto const layout = distributed::als_layout(Exec(), comm.size(), ratings, 8);
  Share<float> const share(comm, layout, ratings);
  FactorView<float> const U("U", 50, 8), V("V", 30, 8);
  carroll::test::deep_copy(U, 7.0F);
  // On the last rank alone something is wrong.
  auto const expect_refused = [&](auto const& rows, auto const& columns, auto const& X,
                                  std::string const& what) {
    SCOPED_TRACE(what);
    try {
      distributed::als(comm, layout, rows, columns, X, V);
      ADD_FAILURE() << "nothing is refused";
    } catch (distributed::RankError const& error) {
      EXPECT_FALSE(here);
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    } catch (std::invalid_argument const& error) {
      EXPECT_TRUE(here);
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
    for (double const x : carroll::test::factors_of(U).entry) EXPECT_EQ(x, 7);
  };
  FactorView<float> const short_of_rows("short", 49, 8);
  expect_refused(share.by_user, share.by_item, here ? short_of_rows : U, "U is 49×8, must be 50×8");
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const wide("wide", 50, 9);
  auto const gaps = Kokkos::subview(wide, Kokkos::ALL, std::pair(0, 8));
  using Strided = Kokkos::View<float**, Kokkos::LayoutStride, Memory>;
  expect_refused(share.by_user, share.by_item, here ? Strided(gaps) : Strided(U),
                 "U has rows 9 entries apart");
  auto rows = share.by_user;
  if (here) rows = carroll::row_range(Exec(), ratings.by_user(), 0, rows.row_count - 1);
  expect_refused(rows, share.by_item, U, "by_user has ");
  rows = share.by_user;
  if (here) {
    auto values = carroll::test::on_host(rows.values);
    values.back() = std::numeric_limits<float>::quiet_NaN();
    rows.values = carroll::test::on_device(values);
  }
  expect_refused(rows, share.by_item, U, "is not finite");
  rows = share.by_user;
  if (here) {
    auto offsets = carroll::test::on_host(rows.offsets);
    offsets[0] = 1;
    rows.offsets = carroll::test::on_device(offsets);
  }
  expect_refused(rows, share.by_item, U, "by_user.offsets must rise from 0");
  // On all ranks alike.
  auto const all_throw = [&](distributed::AlsLayout const& other, AlsOptions const& options) {
    EXPECT_THROW(distributed::als(comm, other, share.by_user, share.by_item, U, V, options),
                 std::invalid_argument);
  };
  distributed::AlsLayout of_nine = layout;
  of_nine.users = distributed::block_layout(9, 50);
  all_throw(of_nine, {});
  all_throw(layout, {.biases = AlsBiases::fixed});
  all_throw(layout, {.regularization = -1});
  HostTriples<float> fewer = triples;
  fewer.users.pop_back();
  fewer.items.pop_back();
  fewer.values.pop_back();
  Share<float> const other(comm, layout, fewer.ratings({.users = 50, .items = 30}));
  EXPECT_THROW(distributed::als(comm, layout, share.by_user, other.by_item, U, V),
               std::invalid_argument);
  // Different options.
  if (comm.size() > 1) {
    all_throw(layout, {.regularization = here ? 0.1 : 0.2});
    all_throw(layout, {.iterations = here ? 3 : 4});
    all_throw(layout, {.seed = here ? 3U : 4U});
    auto model = start<float>(ratings, 8, {.biases = AlsBiases::mean});
    if (here) model.mean += 1;
    EXPECT_THROW(distributed::als(comm, layout, share.by_user, share.by_item, model,
                                  {.biases = AlsBiases::mean, .start = AlsStart::given}),
                 std::invalid_argument);
  }
}

TEST(AlsLayout, IsEven) {
  std::vector<std::int64_t> offsets{0};
  for (int row = 0; row < 1000; ++row)
    offsets.push_back(offsets.back() + (row % 3 == 0 ? 0 : 1 + 400 / (row + 1)));
  std::vector<std::int64_t> const few{0, 4, 4, 5};
  for (int const ranks : {1, 2, 3, 7}) {
    auto const layout = distributed::als_layout(ranks, offsets, few, 12);
    ASSERT_EQ(layout.users.ranks(), ranks);
    EXPECT_EQ(layout.users.length(), 1000);
    EXPECT_EQ(layout.items.length(), 3);
    double total = 0, most = 0, largest = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      double work = 0;
      for (auto row = layout.users.begin(rank); row < layout.users.end(rank); ++row) {
        double const count = double(offsets[std::size_t(row) + 1] - offsets[std::size_t(row)]);
        double const of_row = count > 0 ? 2 * count * (144 + 36) + 1728.0 / 3 + 288 : 0;
        work += of_row;
        largest = std::max(largest, of_row);
      }
      total += work;
      most = std::max(most, work);
    }
    EXPECT_LE(most, total / ranks + largest);
  }
  EXPECT_THROW((void)distributed::als_layout(0, offsets, few, 12), std::invalid_argument);
  EXPECT_THROW((void)distributed::als_layout(2, std::vector<std::int64_t>{0, 3, 2}, few, 12),
               std::invalid_argument);
}

}  // namespace
