// SPDX-License-Identifier: BSD-3-Clause
// Measures of rankings, and similar items.
#include <carroll/ranking_metrics.hpp>
#include <carroll/similar_items.hpp>
#include <sstream>

#include "gemm_instances.hpp"
#include "hostile/recommenders/drawn_model.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "reduction_instances.hpp"
#include "support/copy.hpp"

namespace carroll::test {

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
  carroll::test::deep_copy(lists.room, host);
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

template void measures_round<float>(Round&);
template void measures_round<double>(Round&);
template void similar_round<float>(Round&);
template void similar_round<double>(Round&);

}  // namespace carroll::test
