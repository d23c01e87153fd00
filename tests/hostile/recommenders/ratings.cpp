// SPDX-License-Identifier: BSD-3-Clause
// Ratings from triples in any order, with repeats and without, and their parts.
#include <carroll/ratings.hpp>
#include <carroll/split_ratings.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hostile/recommenders/drawn.hpp"
#include "hostile/recommenders/rounds.hpp"

namespace carroll::test {
namespace {

template <class Real>
using Pairs = std::map<std::pair<int, int>, Real>;

/// What is wrong with rows that should hold these pairs of (row, column).
template <class Real>
std::string what_is_wrong(RatingRows<Real, Memory> const& rows, Pairs<Real> const& pairs,
                          int row_count, int column_count) {
  if (rows.row_count != row_count || rows.column_count != column_count)
    return "extents " + std::to_string(rows.row_count) + "x" + std::to_string(rows.column_count);
  auto const offsets = on_host(rows.offsets);
  auto const columns = on_host(rows.columns);
  auto const values = on_host(rows.values);
  if (columns.size() != pairs.size() || values.size() != pairs.size())
    return std::to_string(columns.size()) + " ratings, not " + std::to_string(pairs.size());
  if (offsets.size() != place(row_count) + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(pairs.size()))
    return "offsets";
  std::size_t e = 0;
  for (auto const& [pair, value] : pairs) {
    auto const begin = static_cast<std::size_t>(offsets[place(pair.first)]);
    auto const end = static_cast<std::size_t>(offsets[place(pair.first + 1)]);
    if (e < begin || e >= end || columns[e] != pair.second ||
        std::memcmp(&values[e], &value, sizeof(Real)) != 0)
      return "rating " + std::to_string(e) + " is not " + std::to_string(pair.first) + ", " +
             std::to_string(pair.second) + ": " + std::to_string(value);
    ++e;
  }
  return {};
}
template <class Real>
std::string what_is_wrong(Ratings<Real, Memory> const& ratings, Pairs<Real> const& pairs, int users,
                          int items) {
  auto const wrong = what_is_wrong(ratings.by_user(), pairs, users, items);
  if (!wrong.empty()) return "by user: " + wrong;
  Pairs<Real> other;
  for (auto const& [pair, value] : pairs) other[{pair.second, pair.first}] = value;
  auto const too = what_is_wrong(ratings.by_item(), other, items, users);
  return too.empty() ? too : "by item: " + too;
}

template <class Real>
Pairs<Real> pairs_of(Ratings<Real, Memory> const& ratings) {
  Pairs<Real> pairs;
  auto const& rows = ratings.by_user();
  auto const offsets = on_host(rows.offsets);
  auto const columns = on_host(rows.columns);
  auto const values = on_host(rows.values);
  for (int u = 0; u < rows.row_count; ++u)
    for (auto e = offsets[place(u)]; e < offsets[place(u + 1)]; ++e)
      pairs[{u, columns[static_cast<std::size_t>(e)]}] = values[static_cast<std::size_t>(e)];
  return pairs;
}

template <class Real>
class RatingsRound {
 public:
  explicit RatingsRound(Round& round)
      : round_(round),
        random_(round.random),
        drawn_(random_, 300, random_.chance(0.1) ? 70000 / 10 : 200,
               static_cast<Values>(random_.index(6)), 0.1) {
    int const repeats = random_.chance(0.6) ? log_uniform(random_, 0, 50) : 0;
    auto& t = drawn_.triples;
    for (int r = 0; r < repeats && t.count() > 0; ++r) {
      auto const e = place(random_.index(static_cast<int>(t.count())));
      t.add(t.users[e], t.items[e], any_value<Real>(random_, drawn_.values));
    }
    if (random_.chance(0.5)) {  // anywhere
      std::vector<std::size_t> order(t.count());
      for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
      random_.shuffle(order);
      HostTriples<Real> other;
      for (auto const e : order) other.add(t.users[e], t.items[e], t.values[e]);
      t = other;
    }
    options_ = {.users = drawn_.users, .items = drawn_.items};
    options_.duplicates = static_cast<Duplicates>(random_.index(3));
    if (random_.chance(0.3)) options_.users = 0;
    if (random_.chance(0.3)) options_.items = 0;
  }

  void run() {
    auto const& t = drawn_.triples;
    int const users = extent(options_.users, t.users), items = extent(options_.items, t.items);
    Pairs<Real> pairs;
    std::map<std::pair<int, int>, std::vector<std::size_t>> repeats;
    for (std::size_t e = 0; e < t.count(); ++e) {
      auto& at = repeats[{t.users[e], t.items[e]}];
      Real& value = pairs[{t.users[e], t.items[e]}];
      bool const adds = !at.empty() && options_.duplicates == Duplicates::sum;
      value = adds ? value + t.values[e] : t.values[e];
      at.push_back(e);
    }
    std::string refusal;
    if (options_.duplicates == Duplicates::refuse)
      for (auto const& [pair, at] : repeats)
        if (at.size() > 1) {
          refusal = "triples " + std::to_string(at[0]) + " and " + std::to_string(at[1]) +
                    " are both of user " + std::to_string(pair.first) + " and item " +
                    std::to_string(pair.second) + ";";
          break;
        }
    Ratings<Real, Memory> ratings;
    std::string const text = said([&] { ratings = made(Exec(), t); });
    if (refusal.empty() ? !text.empty() : text.find(refusal) == std::string::npos)
      return complain("said “" + text + "”, expected “" + refusal + "”");
    if (refusal.empty()) {
      complain_if(what_is_wrong(ratings, pairs, users, items));
      complain_if(what_is_wrong(made(new_instance_of<Exec>(), t), pairs, users, items),
                  "another instance: ");
      shuffled(pairs, users, items);
    }
    if (t.count() > 0) bad();
    round_.checked(1);
  }

 private:
  static int extent(std::int32_t wanted, std::vector<std::int32_t> const& indices) {
    if (wanted > 0) return wanted;
    return indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end()) + 1;
  }
  Ratings<Real, Memory> made(Exec const& exec, HostTriples<Real> const& t) {
    return Ratings<Real, Memory>(exec, strided(t.users, 1 + random_.index(3)),
                                 strided(t.items, 1 + random_.index(3)),
                                 strided(t.values, 1 + random_.index(3)), options_);
  }
  void shuffled(Pairs<Real> const& pairs, int users, int items) {
    std::vector<std::pair<std::pair<int, int>, Real>> list(pairs.begin(), pairs.end());
    random_.shuffle(list);
    HostTriples<Real> t;
    for (auto const& [pair, value] : list) t.add(pair.first, pair.second, value);
    complain_if(what_is_wrong(made(Exec(), t), pairs, users, items), "shuffled: ");
  }
  /// Some that are none: the first is told.
  void bad() {
    auto t = drawn_.triples;
    auto const count = static_cast<int>(t.count());
    int first = count;
    std::string what;
    for (int b = 1 + random_.index(3); b > 0; --b) {
      int const e = random_.index(count);
      if (e == first) continue;
      std::string text;
      switch (random_.index(3)) {
        case 0:
          t.users[place(e)] =
              options_.users == 0 || random_.chance(0.5) ? -1 - random_.index(9) : options_.users;
          text = "its user is " + std::to_string(t.users[place(e)]);
          break;
        case 1:
          if (t.users[place(e)] < 0 || t.users[place(e)] >= drawn_.users) continue;
          t.items[place(e)] = options_.items == 0 || random_.chance(0.5)
                                  ? std::numeric_limits<std::int32_t>::min()
                                  : options_.items + random_.index(9);
          text = "its item is " + std::to_string(t.items[place(e)]);
          break;
        default:
          if (t.users[place(e)] < 0 || t.users[place(e)] >= drawn_.users || t.items[place(e)] < 0 ||
              t.items[place(e)] >= drawn_.items)
            continue;
          t.values[place(e)] = not_finite<Real>(random_);
          text = "its rating is ";
      }
      if (e < first) first = e, what = text;
    }
    if (first == count) return;
    what = "triple " + std::to_string(first) + ": " + what;
    std::string const text = said([&] { (void)made(Exec(), t); });
    if (text.find(what) == std::string::npos)
      complain("said “" + text + "”, expected “" + what + "”");
  }
  void complain_if(std::string const& text, std::string const& before = "") {
    if (!text.empty()) complain(before + text);
  }
  void complain(std::string const& text) {
    round_.wrong("ratings: " + drawn_.text + ", repeats " +
                 std::string(to_string(options_.duplicates)) + ": " + text);
  }

  Round& round_;
  Random& random_;
  DrawnRatings<Real> drawn_;
  RatingsOptions options_;
};

}  // namespace

template <class Real>
void ratings_round(Round& round) {
  RatingsRound<Real>(round).run();
}

template <class Real>
void split_round(Round& round) {
  Random& random = round.random;
  DrawnRatings<Real> const drawn(random, 100, 100, static_cast<Values>(random.index(6)), 0.1);
  auto const ratings = drawn.ratings();
  SplitOptions const options{.split = static_cast<Split>(random.index(3)),
                             .fraction = random.chance(0.2) ? random.index(2) : random.uniform(),
                             .leave_out = log_uniform(random, 0, 20),
                             .seed = static_cast<std::uint64_t>(random.index(1000))};
  HostTriples<double> times;
  std::map<std::pair<int, int>, double> when;
  int const instants = log_uniform(random, 1, 5000);
  for (std::size_t e = 0; e < drawn.triples.count(); ++e) {
    times.add(drawn.triples.users[e], drawn.triples.items[e], random.index(instants));
    when[{drawn.triples.users[e], drawn.triples.items[e]}] = times.values.back();
  }
  auto const complain = [&](std::string const& text) {
    round.wrong("split " + std::string(to_string(options.split)) + ", fraction " +
                std::to_string(options.fraction) + ", leave_out " +
                std::to_string(options.leave_out) + ": " + drawn.text + ": " + text);
  };
  auto const clock = times.ratings({.users = drawn.users, .items = drawn.items});
  auto const parts = split_ratings(Exec(), ratings, clock, options);
  auto const train = pairs_of(parts.train), test = pairs_of(parts.test);
  auto together = train;
  together.insert(test.begin(), test.end());
  if (together != pairs_of(ratings) || together.size() != train.size() + test.size())
    complain("the parts are not the whole");
  for (auto const* part : {&parts.train, &parts.test}) {
    auto const wrong = what_is_wrong(*part, pairs_of(*part), drawn.users, drawn.items);
    if (!wrong.empty()) complain(wrong);
  }
  auto const other = split_ratings(new_instance_of<Exec>(), ratings, clock, options);
  if (pairs_of(other.test) != test) complain("other ones by another instance");
  if (options.split == Split::leave_out) {
    std::map<int, int> all, kept_back;
    for (auto const& [pair, value] : together) ++all[pair.first];
    for (auto const& [pair, value] : test) ++kept_back[pair.first];
    for (auto const& [user, count] : all) {
      int const wanted = count > options.leave_out ? options.leave_out : 0;
      if (kept_back[user] != wanted) complain("of user " + std::to_string(user));
    }
  } else if (options.split == Split::temporal) {
    double last = -1, first = instants;
    for (auto const& [pair, value] : train) last = std::max(last, when[pair]);
    for (auto const& [pair, value] : test) first = std::min(first, when[pair]);
    double const wanted = std::floor(options.fraction * static_cast<double>(together.size()));
    if (!test.empty() && !train.empty() && first <= last) complain("not the latest");
    if (static_cast<double>(test.size()) > wanted) complain("too many");
    std::size_t instant = 0;  // the last one in train could not have gone, too
    for (auto const& [pair, value] : train) instant += when[pair] == last;
    if (!train.empty() && static_cast<double>(test.size() + instant) <= wanted) complain("too few");
  } else {
    // Whatever else is there.
    std::vector<int> half;
    for (int u = 0; u < drawn.users; ++u) half.push_back(random.index(2));
    HostTriples<Real> fewer;
    for (std::size_t e = 0; e < drawn.triples.count(); ++e)
      if (half[place(drawn.triples.users[e])] == 1)
        fewer.add(drawn.triples.users[e], drawn.triples.items[e], drawn.triples.values[e]);
    auto const again = pairs_of(
        split_ratings(Exec(), fewer.ratings({.users = drawn.users, .items = drawn.items}), options)
            .test);
    for (auto const& [pair, value] : test)
      if (half[place(pair.first)] == 1 && again.count(pair) == 0)
        return complain("another choice without the other users");
  }
  round.checked(1);
}

template void ratings_round<float>(Round&);
template void ratings_round<double>(Round&);
template void split_round<float>(Round&);
template void split_round<double>(Round&);

}  // namespace carroll::test
