// SPDX-License-Identifier: BSD-3-Clause
// The best items of models whose scores are exact, predictions and their errors.
#include <carroll/predict.hpp>
#include <carroll/rating_metrics.hpp>
#include <carroll/recommend.hpp>

#include "gemm_instances.hpp"
#include "hostile/recommenders/drawn_model.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "reduction_instances.hpp"
#include "support/copy.hpp"

namespace carroll::test {
namespace {

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
    carroll::test::deep_copy(packed, out);
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

template void recommend_round<float>(Round&);
template void recommend_round<double>(Round&);

}  // namespace carroll::test
