// SPDX-License-Identifier: BSD-3-Clause
// The best items of models whose scores are exact, predictions, and measures of both.
#include <carroll/predict.hpp>
#include <carroll/ranking_metrics.hpp>
#include <carroll/rating_metrics.hpp>
#include <carroll/recommend.hpp>
#include <carroll/similar_items.hpp>
#include <map>
#include <sstream>

#include "gemm_instances.hpp"
#include "hostile/recommenders/drawn.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "recommenders/predict/models.hpp"
#include "recommenders/predict/ranked.hpp"
#include "reduction_instances.hpp"

namespace carroll::test {
namespace {

/// A model, what its users have rated, and what may be asked.
template <class Real>
struct DrawnModel {
  DrawnRatings<Real> drawn;
  HostModel model;
  Ratings<Real, Memory> train;
  std::vector<bool> known_users, known_items;
  std::map<std::pair<int, int>, double> rated;
  std::string text;

  explicit DrawnModel(Random& random)
      : drawn(random, 80, random.chance(0.1) ? 3000 : 150, Values::halves, 0.05) {
    int const k = log_uniform(random, 0, random.chance(0.1) ? 300 : 30);
    model = random_model(drawn.users, drawn.items, k, random.chance(0.5),
                         static_cast<std::uint64_t>(random.index(100000)));
    // Equal items, whose order is that of their indices.
    for (int t = random.index(20); t > 0 && drawn.items > 1; --t) {
      int const from = random.index(drawn.items), to = random.index(drawn.items);
      for (int l = 0; l < k; ++l) model.V[place(to * k + l)] = model.V[place(from * k + l)];
      if (!model.item_bias.empty()) model.item_bias[place(to)] = model.item_bias[place(from)];
    }
    train = drawn.ratings();
    known_users = known<Real>(drawn.triples.users, drawn.users);
    known_items = known<Real>(drawn.triples.items, drawn.items);
    rated = drawn.triples.by_pair();
    text = drawn.text + ", k " + std::to_string(k) + (model.user_bias.empty() ? "" : ", biases");
  }
  [[nodiscard]] double score(int u, int i) const {
    return expected(model, known_users, known_items, u, i);
  }
  [[nodiscard]] std::vector<double> scores(int u, bool seen) const {
    std::vector<double> all;
    for (int i = 0; i < drawn.items; ++i)
      all.push_back(seen && rated.count({u, i}) > 0 ? never : score(u, i));
    return all;
  }
};

/// Lists of any strided layout.
template <class Real>
struct Lists {
  Kokkos::View<std::int32_t***, Kokkos::LayoutLeft, Memory> room;
  Kokkos::View<Real***, Kokkos::LayoutRight, Memory> more;
  Lists(std::size_t rows, std::size_t wanted, Random& random)
      : room("carroll_test::ids", place(1 + random.index(3)), rows, wanted),
        more("carroll_test::scores", rows, wanted, place(1 + random.index(3))) {}
  [[nodiscard]] auto ids() const { return Kokkos::subview(room, 0, Kokkos::ALL, Kokkos::ALL); }
  [[nodiscard]] auto scores() const { return Kokkos::subview(more, Kokkos::ALL, Kokkos::ALL, 0); }
};

template <class Real>
class RecommendRound {
 public:
  explicit RecommendRound(Round& round) : round_(round), random_(round.random), m_(random_) {
    wanted_ = place(log_uniform(random_, 0, m_.drawn.items));
    options_ = {.seen = random_.chance(0.7),
                .tile_bytes = random_.chance(0.5) ? 0 : 1 + random_.index(60000)};
  }

  void run() {
    std::vector<std::int32_t> asked;
    for (int t = log_uniform(random_, 0, 60); t > 0; --t)
      asked.push_back(random_.index(m_.drawn.users + 2) - 1);
    auto const device = on_device<Real>(m_.model);
    check(device, asked, -1);
    if (m_.model.factors > 0 && random_.chance(0.2)) {
      int const user = random_.index(m_.drawn.users);
      auto bad = m_.model;
      bad.U[place(user * bad.factors + random_.index(bad.factors))] =
          std::numeric_limits<double>::quiet_NaN();
      check(on_device<Real>(bad), asked, user);
    }
    predictions(device);
    round_.checked(1);
  }

 private:
  void check(FactorModel<Real, Memory> const& device, std::vector<std::int32_t> const& asked,
             int bad_user) {
    Lists<Real> const lists(asked.size(), wanted_, random_), others(asked.size(), wanted_, random_);
    auto const info = recommend(Exec(), device, m_.train, strided(asked, 1 + random_.index(3)),
                                lists.ids(), lists.scores(), options_);
    auto const ids = entries(lists.ids());
    auto const scores = entries(lists.scores());
    std::int64_t cold = 0, not_full = 0, bad = 0;
    for (std::size_t t = 0; t < asked.size(); ++t) {
      int const u = asked[t];
      bool const known = u >= 0 && u < m_.drawn.users && m_.known_users[place(u)];
      bool const is_bad = known && u == bad_user && has_candidates(u);
      bad += is_bad;
      cold += !known;
      auto const best = ranked(m_.scores(u, options_.seen), wanted_);
      if (wanted_ == 0 || (bad_user >= 0 && u == bad_user && known)) {
        for (std::size_t p = 0; is_bad && p < wanted_; ++p)
          if (ids[t * wanted_ + p] != -1 || !std::isnan(scores[t * wanted_ + p]))
            return complain("user " + std::to_string(u) + " has NaN, and a list");
        continue;
      }
      not_full += best.ids.back() == -1;
      for (std::size_t p = 0; p < wanted_; ++p)
        if (ids[t * wanted_ + p] != best.ids[p] ||
            static_cast<double>(scores[t * wanted_ + p]) != best.scores[p])
          return complain("user " + std::to_string(u) + ", place " + std::to_string(p) + ": " +
                          std::to_string(ids[t * wanted_ + p]) + " of " +
                          std::to_string(scores[t * wanted_ + p]) + ", not " +
                          std::to_string(best.ids[p]) + " of " + std::to_string(best.scores[p]));
    }
    if (wanted_ > 0 && !asked.empty()) {
      if (info.status != (bad > 0 ? Status::non_finite : Status::success))
        complain("status " + std::string(to_string(info.status)));
      if (info.cold_users != cold ||
          info.cold_items != std::count(m_.known_items.begin(), m_.known_items.end(), false))
        complain("cold ones");
      if (bad_user < 0 && info.not_full != not_full)
        complain("not_full " + std::to_string(info.not_full) + ", not " + std::to_string(not_full));
    }
    (void)recommend(new_instance_of<Exec>(), device, m_.train, on_device(asked), others.ids(),
                    others.scores());
    if (options_.seen && bad_user < 0 &&
        (!same_entries(ids, entries(others.ids())) ||
         !same_entries(scores, entries(others.scores()))))
      complain("other bits by another instance and other tiles");
  }
  [[nodiscard]] bool has_candidates(int u) const {
    for (int i = 0; i < m_.drawn.items; ++i)
      if (m_.known_items[place(i)] && !(options_.seen && m_.rated.count({u, i}) > 0)) return true;
    return false;
  }

  void predictions(FactorModel<Real, Memory> const& device) {
    std::vector<std::int32_t> users, items;
    std::vector<Real> values;
    bool const cut = random_.chance(0.3), trained = random_.chance(0.8);
    PredictOptions options;
    if (cut) options = {.lowest = 2.5, .highest = 4};
    std::int64_t cold_users = 0, cold_items = 0;
    std::vector<bool> const all_users(place(m_.drawn.users), true),
        all_items(place(m_.drawn.items), true);
    auto const& known_users = trained ? m_.known_users : all_users;
    auto const& known_items = trained ? m_.known_items : all_items;
    for (int q = log_uniform(random_, 0, 500); q > 0; --q) {
      int const u = random_.index(m_.drawn.users + 2) - 1,
                i = random_.index(m_.drawn.items + 2) - 1;
      users.push_back(u);
      items.push_back(i);
      cold_users += u < 0 || u >= m_.drawn.users || !known_users[place(u)];
      cold_items += i < 0 || i >= m_.drawn.items || !known_items[place(i)];
      values.push_back(any_value<Real>(random_, Values::normal));
    }
    auto const out = strided(std::vector<Real>(users.size()), 1 + random_.index(3));
    auto const user_list = strided(users, 1 + random_.index(3));
    auto const item_list = strided(items, 1 + random_.index(3));
    auto const info = trained
                          ? predict(Exec(), device, m_.train, user_list, item_list, out, options)
                          : predict(Exec(), device, user_list, item_list, out, options);
    if (info.status != Status::success || info.cold_users != cold_users ||
        info.cold_items != cold_items)
      complain("predict: status or cold ones");
    Kokkos::View<Real*, Memory> const packed("carroll_test::packed", users.size());
    Kokkos::deep_copy(packed, out);
    auto const found = on_host(packed);
    long double squares = 0, sizes = 0;
    for (std::size_t q = 0; q < users.size(); ++q) {
      double wanted = expected(m_.model, known_users, known_items, users[q], items[q]);
      if (cut) wanted = std::clamp(wanted, 2.5, 4.);
      if (static_cast<double>(found[q]) != wanted)
        return complain("predict " + std::to_string(users[q]) + ", " + std::to_string(items[q]) +
                        ": " + std::to_string(found[q]) + ", not " + std::to_string(wanted));
      long double const e = static_cast<long double>(found[q]) - values[q];
      squares += e * e, sizes += std::fabs(e);
    }
    auto const metrics = rating_metrics(Exec(), out, strided(values, 1 + random_.index(3)));
    auto const n = std::max<long double>(1, static_cast<long double>(users.size()));
    if (metrics.status != Status::success ||
        metrics.count != static_cast<std::int64_t>(users.size()) ||
        !(std::fabs(metrics.rmse - std::sqrt(squares / n)) <= 1e-14 * (1 + metrics.rmse)) ||
        !(std::fabs(metrics.mae - sizes / n) <= 1e-14 * (1 + metrics.mae)))
      complain("rating_metrics: rmse " + std::to_string(metrics.rmse));
    if (values.empty()) return;
    values[place(random_.index(static_cast<int>(values.size())))] = not_finite<Real>(random_);
    if (rating_metrics(Exec(), out, on_device(values)).status != Status::non_finite)
      complain("rating_metrics of what is not finite");
  }

  void complain(std::string const& what) {
    round_.wrong("recommend: " + m_.text + ", " + std::to_string(wanted_) + " best" +
                 (options_.seen ? "" : " of all") + ", tiles of " +
                 std::to_string(options_.tile_bytes) + ": " + what);
  }

  Round& round_;
  Random& random_;
  DrawnModel<Real> m_;
  std::size_t wanted_ = 0;
  RecommendOptions options_;
};

}  // namespace

template <class Real>
void recommend_round(Round& round) {
  RecommendRound<Real>(round).run();
}

template <class Real>
void measures_round(Round& round) {
  Random& random = round.random;
  DrawnModel<Real> m(random);
  HostTriples<Real> train, test;
  double const share = random.uniform(), cold = 0.3 * random.uniform();
  std::vector<bool> is_cold;
  for (int u = 0; u < m.drawn.users; ++u) is_cold.push_back(random.chance(cold));
  auto const& t = m.drawn.triples;
  for (std::size_t e = 0; e < t.count(); ++e)
    (is_cold[place(t.users[e])] || random.chance(share) ? test : train)
        .add(t.users[e], t.items[e], t.values[e]);
  RatingsOptions const extents{.users = m.drawn.users, .items = m.drawn.items};
  auto const learnt = train.ratings(extents), tested = test.ratings(extents);
  m.known_users = known<Real>(train.users, m.drawn.users);
  m.known_items = known<Real>(train.items, m.drawn.items);
  m.rated = train.by_pair();
  auto const relevant_ones = test.by_pair();
  int const at = log_uniform(random, 1, m.drawn.items + 5);
  double const from = random.chance(0.5) ? never : 3;
  Measured sums;
  std::int64_t counted = 0, cold_users = 0;
  std::vector<std::int32_t> users;
  auto const length = place(std::min(at, m.drawn.items));
  Lists<Real> const lists(place(m.drawn.users), length, random);
  auto const host = Kokkos::create_mirror_view(lists.room);
  for (int u = 0; u < m.drawn.users; ++u) {
    std::vector<bool> relevant;
    for (int i = 0; i < m.drawn.items; ++i) {
      auto const found = relevant_ones.find({u, i});
      relevant.push_back(found != relevant_ones.end() && found->second >= from);
    }
    auto const best = ranked(m.scores(u, true), length);
    users.push_back(u);
    for (std::size_t p = 0; p < length; ++p) host(0, place(u), p) = best.ids[p];
    if (std::count(relevant.begin(), relevant.end(), true) == 0) continue;
    auto const own = measured(best.ids, relevant);
    sums.precision += own.precision;
    sums.recall += own.recall;
    sums.map += own.map;
    sums.ndcg += own.ndcg;
    sums.hit_rate += own.hit_rate;
    ++counted;
    cold_users += !m.known_users[place(u)];
  }
  Kokkos::deep_copy(lists.room, host);
  auto const check = [&](RankingMetrics const& found, char const* what) {
    double const n = static_cast<double>(std::max<std::int64_t>(counted, 1));
    auto const near = [](double a, double b) { return std::fabs(a - b) <= 1e-12; };
    if (found.users != counted || !near(found.precision, sums.precision / n) ||
        !near(found.recall, sums.recall / n) || !near(found.map, sums.map / n) ||
        !near(found.ndcg, sums.ndcg / n) || !near(found.hit_rate, sums.hit_rate / n)) {
      std::ostringstream text;
      text << "ranking_metrics " << what << ": " << m.text << ", at " << at << ": " << found.users
           << " users, ndcg " << found.ndcg << ", map " << found.map << ", not " << counted << ", "
           << sums.ndcg / n << ", " << sums.map / n;
      round.wrong(text.str());
    }
  };
  auto const device = on_device<Real>(m.model);
  auto const metrics =
      ranking_metrics(Exec(), device, learnt, tested, {.at = at, .relevant_from = from});
  check(metrics, "of the model");
  round.expect(metrics.cold_users == cold_users, "ranking_metrics: " + m.text + ": cold users");
  check(ranking_metrics(new_instance_of<Exec>(), strided(users, 2), lists.ids(), tested, from),
        "of lists");
  round.checked(1);
}

template <class Real>
void similar_round(Round& round) {
  Random& random = round.random;
  int const items = log_uniform(random, 1, 400), k = log_uniform(random, 0, 60);
  HostModel model{0, items, k, {}, {}, {}, {}, 0};
  for (int i = 0; i < items; ++i) {
    // Far ends of the range change no angle; some rows are 0, some those of others.
    double const scale = random.chance(0.1) ? std::ldexp(1, random.index(160) - 80) : 1;
    bool const zero = random.chance(0.05), twin = i > 0 && random.chance(0.1);
    int const other = twin ? random.index(i) : 0;
    for (int l = 0; l < k; ++l) {
      double const x = twin ? model.V[place(other * k + l)]
                            : scale * static_cast<double>(static_cast<Real>(random.normal()));
      model.V.push_back(zero ? 0 : x);
    }
  }
  auto const wanted = place(log_uniform(random, 0, items - 1));
  std::vector<std::int32_t> asked;
  for (int t = log_uniform(random, 0, 40); t > 0; --t) asked.push_back(random.index(items + 2) - 1);
  auto const complain = [&](std::string const& what) {
    round.wrong("similar_items: " + std::string(real_name<Real>) + ", " + std::to_string(items) +
                " items, k " + std::to_string(k) + ", " + std::to_string(wanted) +
                " best: " + what);
  };
  Lists<Real> const lists(asked.size(), wanted, random), others(asked.size(), wanted, random);
  auto const V = on_device<Real>(model).V;
  auto const info =
      similar_items(Exec(), V, strided(asked, 1 + random.index(3)), lists.ids(), lists.scores());
  (void)similar_items(new_instance_of<Exec>(), V, on_device(asked), others.ids(), others.scores());
  auto const ids = entries(lists.ids());
  auto const cosines = entries(lists.scores());
  if (!same_entries(ids, entries(others.ids())) || !same_entries(cosines, entries(others.scores())))
    complain("other bits by another instance");
  if (info.status != Status::success) complain("status");
  std::vector<double> lengths;
  for (int i = 0; i < items; ++i) {
    double square = 0;
    for (int l = 0; l < k; ++l) square += model.V[place(i * k + l)] * model.V[place(i * k + l)];
    lengths.push_back(std::sqrt(square));
  }
  double const tolerance = (k + 16) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  std::int64_t unknown = 0;
  for (std::size_t t = 0; t < asked.size(); ++t) {
    int const own = asked[t];
    if (own < 0 || own >= items) {
      ++unknown;
      for (std::size_t p = 0; p < wanted; ++p)
        if (ids[t * wanted + p] != -1) return complain("similar to what is not there");
      continue;
    }
    std::vector<double> all;
    for (int i = 0; i < items; ++i) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += model.V[place(own * k + l)] * model.V[place(i * k + l)];
      double const length = lengths[place(own)] * lengths[place(i)];
      all.push_back(i == own ? never : length > 0 ? sum / length : 0);
    }
    auto const best = ranked(all, wanted);
    std::vector<bool> used(place(items));
    for (std::size_t p = 0; p < wanted; ++p) {
      auto const id = ids[t * wanted + p];
      auto const cosine = static_cast<double>(cosines[t * wanted + p]);
      if (id < 0 || used[place(id)] || !(std::fabs(cosine - best.scores[p]) <= tolerance) ||
          !(std::fabs(all[place(id)] - cosine) <= tolerance))
        return complain("item " + std::to_string(own) + ", place " + std::to_string(p) + ": " +
                        std::to_string(id) + " of " + std::to_string(cosine) + ", not " +
                        std::to_string(best.scores[p]));
      used[place(id)] = true;
      if (p > 0 && cosines[t * wanted + p] == cosines[t * wanted + p - 1] &&
          ids[t * wanted + p - 1] > id)
        return complain("equals are out of order");
    }
  }
  if (wanted > 0 && info.unknown != unknown) complain("unknown " + std::to_string(info.unknown));
  round.checked(1);
}

template void recommend_round<float>(Round&);
template void recommend_round<double>(Round&);
template void measures_round<float>(Round&);
template void measures_round<double>(Round&);
template void similar_round<float>(Round&);
template void similar_round<double>(Round&);

}  // namespace carroll::test
