// SPDX-License-Identifier: BSD-3-Clause
// Neighbours against the formulas, and predictions from lists and from all rows.
#include <carroll/neighbours.hpp>
#include <set>
#include <sstream>

#include "hostile/recommenders/drawn.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "recommenders/neighbours/lists.hpp"
#include "recommenders/neighbours/oracle.hpp"
#include "support/copy.hpp"

namespace carroll::test {
namespace {

template <class Real>
class NeighboursRound {
 public:
  explicit NeighboursRound(Round& round)
      : round_(round),
        random_(round.random),
        // Deviations of these are 0 or far from it.
        drawn_(random_, 50, 50, random_.chance(0.8) ? Values::halves : Values::constant, 0),
        ratings_(drawn_.ratings()) {
    options_ = {.between = static_cast<Between>(random_.index(2)),
                .similarity = static_cast<Similarity>(random_.index(5)),
                .centring = static_cast<Centring>(random_.index(3)),
                .shrinkage = random_.chance(0.5) ? 0 : 20 * random_.uniform(),
                .least_common = random_.chance(0.5) ? 1 : 1 + random_.index(4),
                .signed_weights = random_.chance(0.3),
                .nearest = log_uniform(random_, 0, 60)};
    options_.baseline = {.user_damping = 1 + 20 * random_.uniform(),
                         .item_damping = 1 + 20 * random_.uniform(),
                         .rounds = random_.index(6)};
    if (random_.chance(0.3)) options_.lowest = 1, options_.highest = 4.5;
  }

  void run() {
    bool const of_users = options_.between == Between::users;
    int const rows = of_users ? drawn_.users : drawn_.items;
    NeighbourLists<Real> const lists(ratings_, options_, log_uniform(random_, 0, rows + 3));
    NeighbourOracle const oracle(drawn_.triples, drawn_.users, drawn_.items, options_);
    expect(lists.info().status == Status::success, "status");
    check(lists, oracle);
    NeighbourLists<Real> const other(new_instance_of<Exec>(), ratings_, options_, lists.listed());
    expect(same_entries(entries(lists.ids()), entries(other.ids())) &&
               same_entries(entries(lists.similarities()), entries(other.similarities())),
           "other bits by another instance");
    predictions(oracle, rows);
    if (ratings_.count() > 0 && random_.chance(0.15)) not_finite_ratings(rows);
    round_.checked(1);
  }

 private:
  /// Similarities are right, in order, of all rows that are neighbours beyond doubt, and of none
  /// that are not.
  void check(NeighbourLists<Real> const& lists, NeighbourOracle const& oracle) {
    double const tolerance = neighbour_tolerance<Real>(oracle.columns());
    for (int i = 0; i < oracle.rows(); ++i) {
      auto const complain = [&](int k, std::string const& what) {
        expect(false, "row " + std::to_string(i) + ", place " + std::to_string(k) + ": " + what);
      };
      std::set<int> seen;
      double before = std::numeric_limits<double>::infinity();
      int last = -1;
      for (int k = 0; k < lists.listed(); ++k) {
        int const j = lists.id(i, k);
        auto const s = static_cast<double>(lists.similarity(i, k));
        if (j < 0) {
          if (s != 0 || (k + 1 < lists.listed() && lists.id(i, k + 1) >= 0))
            return complain(k, "behind the last one");
          continue;
        }
        auto const wanted = oracle.similarity(i, j);
        if (!wanted) return complain(k, std::to_string(j) + " is no neighbour");
        if (!(std::fabs(s - *wanted) <= tolerance))
          return complain(k, std::to_string(j) + " has " + std::to_string(s) + ", not " +
                                 std::to_string(*wanted));
        if (!seen.insert(j).second || (!options_.signed_weights && !(s > 0)))
          return complain(k, std::to_string(j) + " twice, or not positive");
        if (!(s < before || (s == before && j > last)))
          return complain(k, std::to_string(j) + " is out of order");
        before = s;
        last = j;
      }
      bool const full = static_cast<int>(seen.size()) == lists.listed();
      double const least = full ? before : options_.signed_weights ? -2 : 0;
      for (int j = 0; j < oracle.rows(); ++j) {
        auto const s = oracle.similarity(i, j);
        if (s && seen.count(j) == 0 && *s > least + tolerance)
          return complain(lists.listed(), std::to_string(j) + " is left out");
      }
    }
  }

  struct Answers {
    NeighbourPredictionInfo info;
    std::vector<Real> values;
  };
  Answers from_all(Exec const& exec, std::vector<std::int32_t> const& users,
                   std::vector<std::int32_t> const& items) {
    auto const predictions = strided(std::vector<Real>(users.size()), 1 + random_.index(3));
    Answers answers;
    answers.info = predict_neighbours(exec, ratings_, strided(users, 1 + random_.index(3)),
                                      strided(items, 1 + random_.index(3)), predictions, options_);
    Kokkos::View<Real*, Memory> const packed("carroll_test::packed", users.size());
    carroll::test::deep_copy(packed, predictions);
    answers.values = on_host(packed);
    return answers;
  }

  void predictions(NeighbourOracle const& oracle, int rows) {
    std::vector<std::int32_t> users, items;
    for (int q = log_uniform(random_, 1, 400); q > 0; --q) {
      users.push_back(random_.index(drawn_.users + 2) - 1);
      items.push_back(random_.index(drawn_.items + 2) - 1);
    }
    auto const all = from_all(Exec(), users, items);
    expect(same_entries(all.values, from_all(new_instance_of<Exec>(), users, items).values),
           "other predictions by another instance");
    NeighbourLists<Real> const lists(ratings_, options_, rows);
    Kokkos::View<Real*, Memory> const predictions("carroll_test::predictions", users.size());
    auto const info = predict_neighbours(Exec(), ratings_, lists.ids(), lists.similarities(),
                                         on_device(users), on_device(items), predictions, options_);
    expect(same_entries(all.values, on_host(predictions)) && info.bias_only == all.info.bias_only,
           "other predictions from full lists");
    for (int t = 0; t < 3; ++t) {
      auto const q = place(random_.index(static_cast<int>(users.size())));
      auto const alone = from_all(Exec(), {users[q]}, {items[q]});
      expect(same_entries(alone.values, {all.values[q]}), "another prediction alone");
    }
    formula(oracle, lists, users, items, all);
  }

  void formula(NeighbourOracle const& oracle, NeighbourLists<Real> const& lists,
               std::vector<std::int32_t> const& users, std::vector<std::int32_t> const& items,
               Answers const& all) {
    std::vector<bool> rated_user(place(drawn_.users)), rated_item(place(drawn_.items));
    for (auto const u : drawn_.triples.users) rated_user[place(u)] = true;
    for (auto const i : drawn_.triples.items) rated_item[place(i)] = true;
    std::int64_t alone = 0, cold_users = 0, cold_items = 0;
    for (std::size_t q = 0; q < users.size(); ++q) {
      int const u = users[q], i = items[q];
      bool const known_user = u >= 0 && u < drawn_.users, known_item = i >= 0 && i < drawn_.items;
      cold_users += !known_user || !rated_user[place(u)];
      cold_items += !known_item || !rated_item[place(i)];
      if (!known_user || !known_item) {
        ++alone;
        expect(std::isfinite(all.values[q]), "not finite");
        continue;
      }
      bool const of_users = options_.between == Between::users;
      int const row = of_users ? u : i, column = of_users ? i : u;
      double product = 0, weight = 0, size = 0;
      for (int k = 0, found = 0; k < lists.listed() && found < options_.nearest; ++k) {
        int const other = lists.id(row, k);
        if (other < 0 || !oracle.at(other, column)) continue;
        ++found;
        auto const s = static_cast<double>(lists.similarity(row, k));
        product += s * (*oracle.at(other, column) - oracle.level(other, column));
        weight += s;
        size += std::fabs(s);
      }
      // A sum of similarities that cancel may be 0 by one way of rounding only.
      if (weight != 0 && std::fabs(weight) < 1e-3 * size) return;
      bool const bare = weight == 0;
      alone += bare;
      double const level = bare ? oracle.answer_alone(row, column) : oracle.level(row, column);
      double const wanted =
          std::clamp(bare ? level : level + product / weight, options_.lowest, options_.highest);
      double const tolerance =
          20 * neighbour_tolerance<Real>(1) * (1 + (bare ? 0 : size / std::fabs(weight))) +
          std::fabs(wanted) * epsilon<Real>;
      if (!expect(std::fabs(static_cast<double>(all.values[q]) - wanted) <= tolerance,
                  "user " + std::to_string(u) + ", item " + std::to_string(i) + ": predicted " +
                      std::to_string(all.values[q]) + ", not " + std::to_string(wanted)))
        return;
    }
    expect(all.info.bias_only == alone,
           "bias_only " + std::to_string(all.info.bias_only) + ", not " + std::to_string(alone));
    expect(all.info.cold_users == cold_users && all.info.cold_items == cold_items, "cold ones");
  }

  void not_finite_ratings(int rows) {
    auto const e = place(random_.index(static_cast<int>(ratings_.count())));
    Real const bad = not_finite<Real>(random_);
    auto const by_user = with_value(ratings_.by_user(), e, bad);
    // The same rating by item.
    auto const columns = on_host(by_user.columns);
    auto const offsets = on_host(by_user.offsets);
    int user = 0;
    while (offsets[place(user + 1)] <= static_cast<std::int64_t>(e)) ++user;
    auto const& items = ratings_.by_item();
    auto const item_offsets = on_host(items.offsets);
    auto const users = on_host(items.columns);
    auto at = static_cast<std::size_t>(item_offsets[place(columns[e])]);
    while (users[at] != user) ++at;
    auto const by_item = with_value(items, at, bad);
    typename NeighbourLists<Real>::Ids const ids("carroll_test::ids", place(rows), 3);
    typename NeighbourLists<Real>::Similarities const similarities("carroll_test::s", place(rows),
                                                                   3);
    auto const info = neighbours(Exec(), by_user, by_item, ids, similarities, options_);
    auto const found = entries(ids);
    expect(info.status == Status::non_finite &&
               std::all_of(found.begin(), found.end(), [](std::int32_t id) { return id == -1; }) &&
               all_nan_in(entries(similarities)),
           "a rating that is not finite: status " + std::string(carroll::to_string(info.status)));
    std::vector<std::int32_t> const zeros(4, 0);
    Kokkos::View<Real*, Memory> const predictions("carroll_test::predictions", 4);
    auto const said_so = predict_neighbours(Exec(), by_user, by_item, on_device(zeros),
                                            on_device(zeros), predictions, options_);
    expect(said_so.status == Status::non_finite && all_nan_in(on_host(predictions)),
           "predictions from a rating that is not finite");
  }

  bool expect(bool fine, std::string const& what) {
    if (fine) return true;
    std::ostringstream text;
    text << "neighbours: " << drawn_.text << ", " << to_string(options_.between) << ' '
         << to_string(options_.similarity) << ' ' << to_string(options_.centring) << ", shrinkage "
         << options_.shrinkage << ", least_common " << options_.least_common
         << (options_.signed_weights ? ", signed" : "") << ", nearest " << options_.nearest << ": "
         << what;
    round_.wrong(text.str());
    return false;
  }

  Round& round_;
  Random& random_;
  DrawnRatings<Real> drawn_;
  Ratings<Real, Memory> ratings_;
  NeighbourOptions options_;
};

}  // namespace

template <class Real>
void neighbours_round(Round& round) {
  NeighboursRound<Real>(round).run();
}

template void neighbours_round<float>(Round&);
template void neighbours_round<double>(Round&);

}  // namespace carroll::test
