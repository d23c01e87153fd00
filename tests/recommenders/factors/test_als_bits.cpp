// SPDX-License-Identifier: BSD-3-Clause
// What als promises besides its equations: an objective that falls, solvers that agree, bits that
// depend on the row alone, answers to misuse.
#include <gtest/gtest.h>

#include <carroll/als.hpp>
#include <carroll/fold_in.hpp>
#include <limits>
#include <stdexcept>
#include <string>

#include "recommenders/factors/oracle.hpp"
#include "support/copy.hpp"

namespace {

using namespace carroll::test;
using carroll::AlsOptions;
using carroll::AlsSolver;
using carroll::AlsStart;
using carroll::Feedback;
using carroll::Status;

/// The objective as it is on paper, from factors in double precision.
double objective(HostTriples<double> const& triples, Factors const& U, Factors const& V,
                 AlsOptions const& o) {
  auto const dot = [&](std::size_t u, std::size_t i) {
    double sum = 0;
    for (std::size_t f = 0; f < U.k; ++f) sum += U(u, f) * V(i, f);
    return sum;
  };
  std::map<std::pair<int, int>, double> const rated = triples.by_pair();
  std::vector<double> of_user(U.rows), of_item(V.rows);
  double sum = 0;
  for (auto const& [pair, value] : rated) {
    auto const u = static_cast<std::size_t>(pair.first), i = static_cast<std::size_t>(pair.second);
    ++of_user[u];
    ++of_item[i];
    bool const implicit = o.feedback == Feedback::implicit;
    double const miss = dot(u, i) - (implicit ? 1 : value);
    sum += (implicit ? 1 + o.confidence * value : 1) * miss * miss;
  }
  if (o.feedback == Feedback::implicit)
    for (std::size_t u = 0; u < U.rows; ++u)
      for (std::size_t i = 0; i < V.rows; ++i)
        if (o.counts_all_pairs || !rated.count({static_cast<int>(u), static_cast<int>(i)}))
          sum += o.unobserved_weight * dot(u, i) * dot(u, i);
  double const shift = o.feedback == Feedback::implicit ? o.unobserved_weight : 0;
  auto const norms = [&](Factors const& x, std::vector<double> const& count, std::size_t others) {
    for (std::size_t r = 0; r < x.rows; ++r) {
      double norm = 0;
      for (std::size_t f = 0; f < x.k; ++f) norm += x(r, f) * x(r, f);
      sum += o.regularization *
             std::pow(count[r] + shift * static_cast<double>(others), o.count_exponent) * norm;
    }
  };
  norms(U, of_user, V.rows);
  norms(V, of_item, U.rows);
  return sum;
}

TEST(AlsObjective, falls_and_is_right) {
  auto const triples = random_ratings<double>(60, 40, 9, 5);
  auto const ratings = triples.ratings({.users = 60, .items = 40});
  std::vector<AlsOptions> all(4);
  all[1].count_exponent = 0.5;
  all[2].feedback = all[3].feedback = Feedback::implicit;
  all[2].confidence = all[3].confidence = 0.5;
  all[2].unobserved_weight = 0.3;
  all[3].counts_all_pairs = false;
  for (AlsOptions o : all)
    for (auto const solver :
         {AlsSolver::cholesky, AlsSolver::conjugate_gradients, AlsSolver::block_coordinates}) {
      SCOPED_TRACE(std::string(to_string(o.feedback)) + ", " + std::string(to_string(solver)));
      o.solver = solver;
      o.block = 3;
      o.objective = true;
      o.iterations = 8;
      FactorView<double> const U("U", 60, 8), V("V", 40, 8);
      auto const info = carroll::als(Exec(), ratings, U, V, o);
      ASSERT_EQ(info.status, Status::success);
      ASSERT_EQ(info.objectives.size(), 8U);
      for (std::size_t i = 1; i < 8; ++i)
        EXPECT_LE(info.objectives[i], info.objectives[i - 1] * (1 + 1e-12)) << i;
      double const wanted = objective(triples, factors_of(U), factors_of(V), o);
      EXPECT_NEAR(info.objectives.back(), wanted, 1e-10 * wanted);
    }
}

TEST(AlsSolvers, agree_when_they_have_converged) {
  auto const triples = random_ratings<double>(60, 40, 9, 5);
  auto const ratings = triples.ratings({.users = 60, .items = 40});
  for (auto const feedback : {Feedback::explicit_, Feedback::implicit}) {
    FactorView<double> const exact("exact", 60, 10), V("V", 40, 10);
    AlsOptions o{.feedback = feedback, .regularization = 0.2, .iterations = 3};
    carroll::als(Exec(), ratings, exact, V, o);
    ASSERT_EQ(carroll::fold_in(Exec(), V, ratings.by_user(), exact, o).status, Status::success);
    for (auto const solver : {AlsSolver::conjugate_gradients, AlsSolver::block_coordinates}) {
      SCOPED_TRACE(std::string(to_string(solver)));
      FactorView<double> const U("U", 60, 10);
      o.solver = solver;
      o.steps = 40;
      o.block = 10;  // all at once: exact, but by another way
      carroll::fold_in(Exec(), V, ratings.by_user(), U, o);
      Factors const x = factors_of(U), y = factors_of(exact);
      for (std::size_t i = 0; i < x.entry.size(); ++i)
        EXPECT_NEAR(x.entry[i], y.entry[i], 1e-9) << i;
    }
  }
}

/// Every row by itself.
template <class Real>
void expect_rows_alone(AlsOptions const& options, std::size_t k) {
  auto const triples = random_ratings<Real>(9000, 30, 3, 11);
  auto const ratings = triples.ratings({.users = 9000, .items = 30});
  FactorView<Real> const U("U", 9000, k), V("V", 30, k), again("again", 30, k);
  carroll::als(Exec(), ratings, U, V, options);
  // Items as new rows, all of them: the last half step once more.
  carroll::fold_in(Exec(), U, ratings.by_item(), again, options);
  EXPECT_TRUE(same_bits(V, again));
  auto const offsets = on_host(ratings.by_item().offsets);
  for (std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{29}}) {
    auto rows = ratings.by_item();
    std::pair<std::size_t, std::size_t> const range(static_cast<std::size_t>(offsets[i]),
                                                    static_cast<std::size_t>(offsets[i + 1]));
    rows.offsets = on_device(
        std::vector<std::int64_t>{0, static_cast<std::int64_t>(range.second - range.first)});
    rows.columns = Kokkos::subview(ratings.by_item().columns, range);
    rows.values = Kokkos::subview(ratings.by_item().values, range);
    rows.row_count = 1;
    FactorView<Real> const alone("alone", 1, k);
    carroll::fold_in(Exec(), U, rows, alone, options);
    EXPECT_TRUE(
        same_bits(alone, FactorView<Real>(Kokkos::subview(V, std::pair(i, i + 1), Kokkos::ALL))))
        << "item " << i;
  }
}

TEST(AlsBits, of_a_row_depend_on_it_alone) {
  expect_rows_alone<float>({.iterations = 1}, 24);
  expect_rows_alone<double>({.iterations = 1}, 17);
  expect_rows_alone<float>({.feedback = Feedback::implicit, .confidence = 1, .iterations = 1}, 33);
}

TEST(AlsBits, leave_no_trace_of_slots) {
  namespace detail = carroll::detail;
  auto const triples = random_ratings<float>(30000, 6, 4, 13);
  auto const ratings = triples.ratings({.users = 30000, .items = 6});
  constexpr int k = 20;
  FactorView<float> const U("U", 30000, k), V("V", 6, k);
  carroll::als(Exec(), ratings, U, V, {.iterations = 1});
  Exec const exec;
  auto const rows = ratings.by_item();
  auto const offsets = on_host(rows.offsets);
  for (std::int64_t const most : {3, 4, 7, 100}) {
    FactorView<float> const again("again", 6, k);
    detail::RowSchedule schedule;
    schedule.plan = detail::RowPlan(offsets, most);
    EXPECT_LE(schedule.plan.slots, most);
    if (most == 3) {
      EXPECT_GT(schedule.plan.waves.size(), 7U);
    }
    detail::RowMemory<Exec, float> memory;
    memory.slots = schedule.plan.slots;
    auto const bytes = detail::allocate_arena(exec, "carroll_test", [&](detail::Arena& arena) {
      schedule.lay_out(arena);
      memory.lay_out(arena, exec, k);
    });
    schedule.copy(exec);
    detail::set_to_zero(exec, memory.findings, 1);
    detail::FactorSide<float> const own{again.data(), k, nullptr}, other{U.data(), k, nullptr};
    float const* const no_gram = nullptr;
    detail::enqueue_rows(exec,
                         detail::row_equations(rows, own, other, k, 0.0F, AlsOptions{}, no_gram),
                         schedule, memory);
    exec.fence();
    EXPECT_TRUE(same_bits(V, again)) << most << " slots";
  }
}

TEST(AlsBits, are_those_of_any_run) {
  auto const triples = random_ratings<float>(300, 50, 20, 17);
  auto const ratings = triples.ratings({.users = 300, .items = 50});
  FactorView<float> const U("U", 300, 32), V("V", 50, 32), X("X", 300, 32), Y("Y", 50, 32);
  carroll::als(Exec(), ratings, U, V, {.iterations = 3, .seed = 4});
  auto const workspace =
      carroll::als_workspace(Exec(), ratings, 32, AlsOptions{.iterations = 3, .seed = 4});
  for (int run = 0; run < 3; ++run) {
    carroll::als(Exec(), ratings, X, Y, workspace);
    EXPECT_TRUE(same_bits(U, X) && same_bits(V, Y));
  }
  // Instances with a part of the threads each, where there are several.
  for (auto const& exec : Kokkos::Experimental::partition_space(Exec(), 1, 1)) {
    carroll::als(exec, ratings, X, Y, {.iterations = 3, .seed = 4});
    EXPECT_TRUE(same_bits(U, X) && same_bits(V, Y));
  }
  carroll::als(Exec(), ratings, X, Y, {.iterations = 3, .seed = 5});
  EXPECT_FALSE(same_bits(U, X));
}

TEST(AlsMisuse, is_answered) {
  auto const triples = random_ratings<float>(10, 8, 3, 1);
  auto const ratings = triples.ratings({.users = 10, .items = 8});
  FactorView<float> const U("U", 10, 4), V("V", 8, 4);
  Exec const exec;
  EXPECT_THROW(carroll::als(exec, ratings, V, V), std::invalid_argument);
  EXPECT_THROW(carroll::als(exec, ratings, U, FactorView<float>("V", 8, 5)), std::invalid_argument);
  EXPECT_THROW(carroll::als(exec, ratings, U, V, {.regularization = -1}), std::invalid_argument);
  EXPECT_THROW(carroll::als(exec, ratings, U, V, {.biases = carroll::AlsBiases::fitted}),
               std::invalid_argument);
  EXPECT_THROW(carroll::als(exec, ratings, U, V, {.iterations = -1}), std::invalid_argument);
  EXPECT_THROW(carroll::als(exec, ratings, U, V,
                            {.regularization = std::numeric_limits<double>::infinity()}),
               std::invalid_argument);
  Kokkos::View<float**, Kokkos::LayoutLeft, Memory> const left("left", 8, 4);
  EXPECT_THROW(carroll::als(exec, ratings, U, left), std::invalid_argument);
  auto rows = ratings.by_user();
  rows.column_count = 7;
  EXPECT_THROW(carroll::fold_in(exec, Kokkos::subview(V, std::pair(0, 7), Kokkos::ALL), rows, U),
               std::invalid_argument);
  rows = ratings.by_user();
  auto values = on_host(rows.values);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  rows.values = on_device(values);
  EXPECT_THROW(carroll::fold_in(exec, V, rows, U), std::invalid_argument);
}

TEST(AlsBiases, that_are_fixed_are_those_of_the_ratings_for_any_start) {
  auto const triples = random_ratings<double>(20, 15, 5, 19);
  auto const ratings = triples.ratings({.users = 20, .items = 15});
  carroll::FactorModel<double, Memory> drawn, given;
  for (auto* const model : {&drawn, &given}) {
    model->U = FactorView<double>("U", 20, 4);
    model->V = FactorView<double>("V", 15, 4);
    carroll::test::deep_copy(model->V, 0.5);
  }
  AlsOptions options{.biases = carroll::AlsBiases::fixed, .iterations = 1};
  carroll::als(Exec(), ratings, drawn, options);
  options.start = AlsStart::given;
  carroll::als(Exec(), ratings, given, options);
  EXPECT_EQ(given.mean, drawn.mean);
  EXPECT_EQ(on_host(given.user_bias), on_host(drawn.user_bias));
  EXPECT_EQ(on_host(given.item_bias), on_host(drawn.item_bias));
}

TEST(AlsStatus, tells_of_what_is_not_finite_and_of_what_is_singular) {
  auto const triples = random_ratings<float>(10, 8, 3, 1);
  auto const ratings = triples.ratings({.users = 10, .items = 8});
  FactorView<float> const U("U", 10, 6), V("V", 8, 6);
  carroll::test::deep_copy(V, 1.0F);
  carroll::test::deep_copy(Kokkos::subview(V, 3, 2), std::numeric_limits<float>::infinity());
  auto info = carroll::als(Exec(), ratings, U, V, {.start = AlsStart::given});
  EXPECT_EQ(info.status, Status::non_finite);
  for (double const x : factors_of(V).entry) EXPECT_TRUE(std::isnan(x));
  for (double const x : factors_of(U).entry) EXPECT_TRUE(std::isnan(x));
  // Five ratings at most do not determine six factors.
  info = carroll::als(Exec(), ratings, U, V, {.regularization = 0, .iterations = 1});
  EXPECT_EQ(info.status, Status::singular);
  EXPECT_GE(info.singular_rows, 9);
  for (double const x : factors_of(U).entry) EXPECT_TRUE(std::isfinite(x));
}

TEST(AlsEmpty, problems_succeed) {
  HostTriples<float> const none;
  auto const ratings = none.ratings({.users = 3, .items = 2});
  FactorView<float> const U("U", 3, 4), V("V", 2, 4), U0("U0", 3, 0), V0("V0", 2, 0);
  auto info = carroll::als(Exec(), ratings, U, V, {.objective = true});
  EXPECT_EQ(info.status, Status::success);
  EXPECT_EQ(info.cold_users, 3);
  for (double const x : factors_of(U).entry) EXPECT_EQ(x, 0);
  info = carroll::als(Exec(), ratings, U0, V0, {.feedback = Feedback::implicit});
  EXPECT_EQ(info.status, Status::success);
  auto const nobody = none.ratings();
  FactorView<float> const empty("empty", 0, 4);
  EXPECT_EQ(carroll::als(Exec(), nobody, empty, empty).status, Status::success);
}

}  // namespace
