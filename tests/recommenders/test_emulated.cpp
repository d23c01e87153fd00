// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/detail/device/emulated/space.hpp>
//
// The devices' kernels on the host, threads taking turns: neighbours by lanes and descents by warps
// are the bits of the host's kernels, which other tests hold to the formulas; and those of the
// host's narrower registers.
#include <gtest/gtest.h>

#include <carroll/neighbours.hpp>
#include <carroll/sgd.hpp>
#include <numeric>

#include "recommenders/neighbours/lists.hpp"
#include "recommenders/sgd/models.hpp"
#include "support/emulated_types.hpp"

namespace {

using namespace carroll::test;
using carroll::Similarity;
using carroll::detail::EmulatedSpace;
using carroll::detail::SgdBlockOnHost;
using carroll::detail::SgdProblem;

/// A descent's memory, on the host.
template <class Real>
struct Descent {
  carroll::detail::SgdSchedule<Real> const& schedule;
  std::vector<Real> u, v, user_bias, item_bias;
  std::vector<double> measures;
  int chunks;

  Descent(carroll::detail::SgdSchedule<Real> const& order, int chunks_)
      : schedule(order), chunks(chunks_) {
    Random random(17);
    std::size_t const width = static_cast<std::size_t>(32 * chunks);
    u.resize(order.users.place.size() * width);
    v.resize(order.items.place.size() * width);
    user_bias.resize(order.users.place.size());
    item_bias.resize(order.items.place.size());
    for (auto* values : {&u, &v, &user_bias, &item_bias})
      for (Real& x : *values) x = static_cast<Real>(0.2 * random.symmetric());
    measures.resize(2 * (order.begins.size() - 1));
  }
  SgdProblem<Real> problem() {
    return {.u = u.data(),
            .v = v.data(),
            .user_bias = user_bias.data(),
            .item_bias = item_bias.data(),
            .chunks = chunks,
            .layout = {},
            .mean = Real(3.1),
            .step = Real(0.03),
            .keep = Real(0.998),
            .bias_keep = Real(0.999),
            .ratings = schedule.ratings.data(),
            .begins = schedule.begins.data(),
            .blocks = schedule.blocks,
            .with_biases = true,
            .penalty = 0.06,
            .bias_penalty = 0.01,
            .measures = measures.data()};
  }
  template <class ExecSpace>
  void run(ExecSpace const& exec) {
    std::vector<std::uint64_t> turns(static_cast<std::size_t>(schedule.blocks) + 1);
    auto p = problem();
    if (carroll::detail::has_warps<ExecSpace>)
      p.layout.vector = carroll::detail::SgdLayout::vector_of<Real>(chunks);
    auto const place = [&](std::size_t f) {
      return static_cast<std::size_t>(p.layout.place(static_cast<std::int64_t>(f)));
    };
    rearrange([&](Real* to, Real const* from, std::size_t f) { to[place(f)] = from[f]; });
    carroll::detail::enqueue_sgd_epoch(exec, p, turns.data());
    carroll::detail::enqueue_sgd_measures(exec, p);
    Kokkos::fence();
    rearrange([&](Real* to, Real const* from, std::size_t f) { to[f] = from[place(f)]; });
  }
  template <class F>
  void rearrange(F const& move) {
    auto const width = static_cast<std::size_t>(32 * chunks);
    for (auto* factors : {&u, &v}) {
      auto const from = *factors;
      for (std::size_t row = 0; row < from.size(); row += width)
        for (std::size_t f = 0; f < width; ++f) move(factors->data() + row, from.data() + row, f);
    }
  }
  /// With registers of so many bytes.
  template <int Bytes>
  void run_by_registers() {
    auto const p = problem();
    auto const all = [&]<bool Measure>(std::bool_constant<Measure>, int step) {
      for (int i = 0; i < (Measure ? p.blocks * p.blocks : p.blocks); ++i) {
        SgdBlockOnHost<Real, 0, Measure> const block{p, Measure ? i : p.block(i, step)};
        carroll::detail::by_itself<Bytes>([&] { block.template run<Bytes>(); });
      }
    };
    for (int step = 0; step < p.blocks; ++step) all(std::false_type{}, step);
    all(std::true_type{}, 0);
  }
  bool operator==(Descent const& other) const {
    return u == other.u && v == other.v && user_bias == other.user_bias &&
           item_bias == other.item_bias && measures == other.measures;
  }
};

template <class Real>
class EmulatedTest : public ::testing::Test {};
using Scalars = carroll::test::EmulatedTypes<::testing::Types<float>, ::testing::Types<double>>;
TYPED_TEST_SUITE(EmulatedTest, Scalars);

// One block has more ratings than are staged at once.
TYPED_TEST(EmulatedTest, DescentsByWarpsAndByAnyRegistersAreTheSameBits) {
  auto const ratings = random_triples<TypeParam>(40, 30, 0.5, 31).ratings();
  for (int const blocks : {1, 4})
    for (int const chunks : {0, 1, 2, 3, 4, 8}) {
      SCOPED_TRACE(testing::Message() << blocks << ' ' << chunks);
      auto const schedule = schedule_of(ratings, blocks, 2);
      Descent<TypeParam> on_host(schedule, chunks), by_warps(schedule, chunks);
      on_host.run(Kokkos::DefaultHostExecutionSpace());
      by_warps.run(EmulatedSpace{});
      EXPECT_TRUE(on_host == by_warps);
      Descent<TypeParam> narrow(schedule, chunks);
      narrow.template run_by_registers<16>();
      EXPECT_TRUE(on_host == narrow);
      if (carroll::detail::host_vector_bytes() >= 32) {
        Descent<TypeParam> wider(schedule, chunks);
        wider.template run_by_registers<32>();
        EXPECT_TRUE(on_host == wider);
      }
    }
}

/// Teams of two warps, which draw rows from a ticket.
template <class Real>
struct EmulatedTeams : carroll::detail::RowTeams<Real> {
  std::vector<std::byte> memory;

  EmulatedTeams(int width_, std::int64_t rows_, std::int32_t capacity_) {
    this->teams = 3;
    this->threads = 64;
    this->width = width_;
    this->rows = rows_;
    this->capacity = capacity_;
    carroll::detail::Arena counted;
    this->lay_out(counted);
    memory.resize(static_cast<std::size_t>(counted.bytes()) + 128);
    auto const past = reinterpret_cast<std::uintptr_t>(memory.data()) % 128;
    carroll::detail::Arena arena(memory.data() + (128 - past) % 128);
    this->lay_out(arena);
  }
};

TYPED_TEST(EmulatedTest, NeighboursByLanesAreTheSameBits) {
  auto const ratings =
      random_triples<TypeParam>(14, 34, 0.3, 32).ratings({.users = 15, .items = 35});
  std::vector<std::int32_t> users, items;
  for (int u = 0; u < 15; ++u)
    for (int i = 0; i < 35; i += 9 + u % 3) users.push_back(u), items.push_back(i);
  for (Similarity const similarity : {Similarity::pearson, Similarity::pearson_corated,
                                      Similarity::cosine_rows, Similarity::euclid})
    for (bool const signed_weights : {similarity == Similarity::pearson}) {
      carroll::NeighbourOptions const options{
          .similarity = similarity, .signed_weights = signed_weights, .nearest = 4};
      SCOPED_TRACE(testing::Message() << to_string(similarity) << signed_weights);
      int const listed = 4;
      NeighbourLists<TypeParam> const lists(ratings, options, listed);
      Kokkos::View<TypeParam*, Memory> const predictions("predictions", users.size());
      (void)carroll::predict_neighbours(Exec(), ratings, on_device(users), on_device(items),
                                        predictions, options);

      using namespace carroll::detail;
      ComparedRatings<Exec, TypeParam> compared(Exec(), ratings.by_user(), ratings.by_item(),
                                                options);
      compared.prepare(Exec(), options, true);
      Exec().fence();
      int const rows = ratings.items();
      using Ids = Kokkos::View<std::int32_t**, Memory>;
      using Values = Kokkos::View<TypeParam**, Memory>;
      Ids const ids("ids", static_cast<std::size_t>(rows), listed);
      Values const values("similarities", static_cast<std::size_t>(rows), listed);
      EmulatedTeams<TypeParam> const teams(compared.problem.width, rows, listed);
      compare_rows("test", EmulatedSpace{}, compared.problem,
                   static_cast<RowTeams<TypeParam> const&>(teams),
                   TakeNearest<EmulatedSpace, TypeParam, Ids, Values>{ids, values});
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < listed; ++k) {
          EXPECT_EQ(ids(i, k), lists.id(i, k)) << i << ' ' << k;
          EXPECT_EQ(values(i, k), lists.similarity(i, k)) << i << ' ' << k;
        }

      Kokkos::View<TypeParam*, Memory> const emulated("predictions", users.size());
      Kokkos::View<std::uint8_t*, Memory> const alone("alone", users.size());
      RatingQueries<TypeParam, Memory> const queries{
          compared.levels, on_device(items), on_device(users), emulated,
          alone,           options.lowest,   options.highest};
      using Bare = BareAnswerKernel<Exec, TypeParam, Memory>;
      Kokkos::parallel_for("test", typename Bare::Policy(Exec(), 0, std::int64_t(users.size())),
                           Bare{queries});
      Exec().fence();
      SortedQueries const sorted(carroll::test::on_host(compared.rows.offsets),
                                 carroll::test::on_host(compared.columns.offsets), items, users);
      EmulatedTeams<TypeParam> const others(compared.problem.width, rows, options.nearest);
      compare_rows(
          "test", EmulatedSpace{}, compared.problem,
          static_cast<RowTeams<TypeParam> const&>(others),
          TakeQueries<EmulatedSpace, TypeParam, Memory>{
              queries, compared.columns, compared.deviations,
              carroll::test::on_device(sorted.begins), carroll::test::on_device(sorted.order)});
      EXPECT_EQ(carroll::test::on_host(emulated), carroll::test::on_host(predictions));
    }
}

}  // namespace
