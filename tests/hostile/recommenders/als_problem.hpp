// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/als.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/recommenders/drawn.hpp"
#include "recommenders/factors/oracle.hpp"
#include "support/copy.hpp"

namespace carroll::test {

template <class Real>
std::vector<double> doubles(std::vector<Real> const& values) {
  return std::vector<double>(values.begin(), values.end());
}

inline AlsOptions any_als_options(Random& random) {
  AlsOptions o;
  o.feedback = random.chance(0.4) ? Feedback::implicit : Feedback::explicit_;
  if (o.feedback == Feedback::explicit_) o.biases = static_cast<AlsBiases>(random.index(4));
  double const exponents[] = {0, 0.5, 1, 1, 2, random.uniform()};
  o.count_exponent = exponents[random.index(6)];
  o.regularization = std::ldexp(1 + random.uniform(), random.index(14) - 12);
  if (random.chance(0.07)) o.regularization = 0;
  o.item_damping = random.chance(0.2) ? 0 : 8 * random.uniform();
  o.user_damping = random.chance(0.2) ? 0 : 8 * random.uniform();
  o.confidence = random.chance(0.3) ? 0 : random.uniform();
  o.unobserved_weight = random.chance(0.1) ? 0 : random.uniform();
  o.counts_all_pairs = random.chance(0.5);
  o.solver = random.chance(0.5) ? AlsSolver::cholesky : static_cast<AlsSolver>(random.index(3));
  if (o.biases == AlsBiases::fitted && o.solver == AlsSolver::block_coordinates)
    o.solver = AlsSolver::cholesky;
  o.steps = 1 + random.index(5);
  o.block = log_uniform(random, 1, 140);
  o.iterations = random.chance(0.1) ? 0 : 1 + random.index(3);
  o.start = static_cast<AlsStart>(random.index(3));
  o.start_scale = random.uniform();
  o.seed = static_cast<std::uint64_t>(random.index(1000));
  o.objective = random.chance(0.3);
  return o;
}

/// Ratings, options and a start that nobody has chosen, and what als says of them at once.
template <class Real>
class AlsProblem {
 public:
  using Model = FactorModel<Real, Memory>;

  explicit AlsProblem(Round& round)
      : round_(round), random_(round.random), options_(any_als_options(random_)) {
    k_ = log_uniform(random_, 0, random_.chance(0.06) ? 300 : random_.chance(0.3) ? 130 : 40);
    int const most = k_ > 130 ? 12 : k_ > 40 ? 25 : 60;
    bool const positive = options_.feedback == Feedback::implicit;
    drawn_.emplace(random_, most, most,
                   positive ? Values::halves : static_cast<Values>(random_.index(6)),
                   k_ < 40 ? 0.1 : 0);
    ratings_ = drawn_->ratings();
    start_ = empty(options_.biases >= AlsBiases::fixed &&
                   (options_.start == AlsStart::given || random_.chance(0.5)));
    for (auto* values : {&start_.U, &start_.V}) fill(*values);
    if (options_.start == AlsStart::given && options_.biases == AlsBiases::fitted)
      for (auto* values : {&start_.user_bias, &start_.item_bias}) fill(*values);
    start_.mean = options_.start == AlsStart::given ? Real(1.5) : Real(0);
  }

 protected:
  [[nodiscard]] Model empty(bool biases) const {
    Model model;
    model.U = typename Model::Factors("carroll_test::U", place(drawn_->users), place(k_));
    model.V = typename Model::Factors("carroll_test::V", place(drawn_->items), place(k_));
    if (biases) {
      model.user_bias = typename Model::Biases("carroll_test::b", place(drawn_->users));
      model.item_bias = typename Model::Biases("carroll_test::b", place(drawn_->items));
    }
    return model;
  }
  template <class View>
  void fill(View const& view) {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t e = 0; e < host.size(); ++e)
      host.data()[e] = static_cast<Real>(random_.symmetric());
    carroll::test::deep_copy(view, host);
  }
  static Model copy(Model const& from) {
    Model to = from;
    auto const same = [](auto& view) {
      auto const other = view;
      view = Kokkos::create_mirror(Memory(), view);
      carroll::test::deep_copy(view, other);
    };
    same(to.U);
    same(to.V);
    if (from.user_bias.extent(0) > 0) same(to.user_bias);
    if (from.item_bias.extent(0) > 0) same(to.item_bias);
    return to;
  }

  void looks_right(std::vector<Real> const& all) {
    auto const cold = [](std::vector<std::int32_t> const& indices, int count) {
      std::vector<bool> seen(place(count));
      for (auto const i : indices) seen[place(i)] = true;
      return std::count(seen.begin(), seen.end(), false);
    };
    expect(info_.cold_users == cold(drawn_->triples.users, drawn_->users), "cold users");
    expect(info_.cold_items == cold(drawn_->triples.items, drawn_->items), "cold items");
    bool const may_fail = info_.status == Status::singular && may_be_singular(all);
    if (info_.status == Status::non_finite)
      expect(all_nan_in(entries(model_.U)) && all_nan_in(entries(model_.V)), "U and V are not NaN");
    else
      expect(all_finite_in(all), "not finite, " + status());
    expect(info_.status == Status::success || may_fail, status());
    expect((info_.status == Status::singular) == (info_.singular_rows > 0) ||
               info_.status == Status::non_finite,
           "singular rows " + std::to_string(info_.singular_rows));
    if (options_.biases >= AlsBiases::mean && !are_given()) {
      long double sum = 0, size = 0;
      for (Real const r : drawn_->triples.values) sum += r, size += std::fabs(r);
      auto const n = std::max<long double>(1, static_cast<long double>(drawn_->triples.count()));
      expect(std::fabs(model_.mean - sum / n) <= 4 * epsilon() * size / n,
             "mean " + std::to_string(model_.mean));
    }
    if (options_.biases == AlsBiases::fixed) damped_means();
  }

  /// Whether λ may vanish beside what is added to it.
  [[nodiscard]] bool may_be_singular(std::vector<Real> const& all) const {
    double largest = 1;
    for (Real const x : all) largest = std::max(largest, std::fabs(static_cast<double>(x)));
    auto const terms = static_cast<double>(std::max(drawn_->users, drawn_->items));
    return options_.regularization < 1e3 * epsilon() * largest * largest * terms;
  }
  [[nodiscard]] bool are_given() const {
    return options_.start == AlsStart::given && options_.biases == AlsBiases::fitted;
  }

  void damped_means() {
    auto const items = doubles(entries(model_.item_bias)),
               users = doubles(entries(model_.user_bias));
    for (bool const by_item : {true, false}) {
      auto const rows =
          rows_of(drawn_->triples, by_item, by_item ? drawn_->items : drawn_->users,
                  static_cast<double>(model_.mean), by_item ? std::vector<double>{} : items, {});
      for (std::size_t r = 0; r < rows.size(); ++r) {
        double sum = 0, size = 0;
        for (std::size_t e = 0; e < rows[r].targets.size(); ++e) {
          sum += rows[r].targets[e];
          size += std::fabs(rows[r].values[e]) + 2 * std::fabs(static_cast<double>(model_.mean));
        }
        double const count = static_cast<double>(rows[r].targets.size()) +
                             (by_item ? options_.item_damping : options_.user_damping);
        double const wanted = rows[r].targets.empty() ? 0 : sum / count;
        double const found = by_item ? items[r] : users[r];
        if (!expect(std::fabs(found - wanted) <= 64 * epsilon() * size / std::max(count, 1e-9),
                    (by_item ? "item " : "user ") + std::to_string(r) + " has the bias " +
                        std::to_string(found) + ", not " + std::to_string(wanted)))
          return;
      }
    }
  }

  [[nodiscard]] static double epsilon() { return std::numeric_limits<Real>::epsilon(); }
  [[nodiscard]] std::string status() const {
    return "status " + std::string(carroll::to_string(info_.status));
  }
  bool expect(bool fine, std::string const& what) {
    if (!fine) expect_not(what);
    return fine;
  }
  void expect_not(std::string const& what) {
    std::ostringstream text;
    text << "als: " << drawn_->text << ", k " << k_ << ", " << to_string(options_.feedback)
         << ", biases " << to_string(options_.biases) << ", " << to_string(options_.solver)
         << ", start " << to_string(options_.start) << ", lambda " << options_.regularization
         << "*count^" << options_.count_exponent << ", confidence " << options_.confidence
         << ", unobserved " << options_.unobserved_weight
         << (options_.counts_all_pairs ? " of all" : "") << ", iterations " << options_.iterations
         << ": " << what;
    round_.wrong(text.str());
  }

  Round& round_;
  Random& random_;
  AlsOptions options_;
  int k_ = 0;
  std::optional<DrawnRatings<Real>> drawn_;
  Ratings<Real, Memory> ratings_;
  Model start_, model_;
  AlsInfo info_;
};

}  // namespace carroll::test
