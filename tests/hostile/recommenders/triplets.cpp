// SPDX-License-Identifier: BSD-3-Clause
// Singular triplets of ratings, and the graph filter, against Jacobi's method on the table.
#include <carroll/graph_filter.hpp>
#include <carroll/ratings/truncated_svd.hpp>
#include <sstream>

#include "hostile/recommenders/drawn.hpp"
#include "hostile/recommenders/rounds.hpp"
#include "recommenders/predict/ranked.hpp"
#include "recommenders/svd/oracle.hpp"
#include "support/tolerance.hpp"
#include "svd_instances.hpp"

namespace carroll::test {
namespace {

template <class Real>
Table table_of(DrawnRatings<Real> const& drawn) {
  Table table(place(drawn.users), std::vector<double>(place(drawn.items)));
  auto const& t = drawn.triples;
  for (std::size_t e = 0; e < t.count(); ++e)
    table[place(t.users[e])][place(t.items[e])] = static_cast<double>(t.values[e]);
  return table;
}

template <class Real>
struct Triplets {
  TruncatedSvdInfo<Real> info;
  std::vector<Real> U, S, V;
};
template <class Real>
Triplets<Real> triplets_of(Exec const& exec, RatingRows<Real, Memory> const& by_user,
                           RatingRows<Real, Memory> const& by_item, int k,
                           TruncatedSvdOptions const& options, int gap) {
  using Room = Kokkos::View<Real***, Kokkos::LayoutRight, Memory>;
  Room const u("carroll_test::U", place(by_user.row_count), place(k), place(gap)),
      v("carroll_test::V", place(by_item.row_count), place(k), place(gap));
  auto const U = Kokkos::subview(u, Kokkos::ALL, Kokkos::ALL, 0);
  auto const V = Kokkos::subview(v, Kokkos::ALL, Kokkos::ALL, 0);
  Kokkos::View<Real*, Memory> const S("carroll_test::S", place(k));
  auto const info = truncated_svd(exec, by_user, by_item, U, S, V, options);
  return {info, entries(U), entries(S), entries(V)};
}

}  // namespace

template <class Real>
void svd_round(Round& round) {
  Random& random = round.random;
  DrawnRatings<Real> const drawn(random, 40, 40, static_cast<Values>(random.index(6)), 0.02);
  auto const ratings = drawn.ratings();
  auto const m = place(drawn.users), n = place(drawn.items);
  int const k = log_uniform(random, 0, std::min(drawn.users, drawn.items));
  TruncatedSvdOptions options{.seed = static_cast<std::uint64_t>(random.index(1000))};
  if (random.chance(0.3)) options.power_steps = random.index(6);
  if (random.chance(0.3)) options.oversampling = 1 + random.index(8);
  auto const complain = [&](std::string const& what) {
    std::ostringstream text;
    text << "svd: " << drawn.text << ", rank " << k << ", power_steps " << options.power_steps
         << ", oversampling " << options.oversampling << ", seed " << options.seed << ": " << what;
    round.wrong(text.str());
  };
  auto const& by_user = ratings.by_user();
  auto const& by_item = ratings.by_item();
  auto const found = triplets_of(Exec(), by_user, by_item, k, options, 1 + random.index(3));
  auto const other = triplets_of(new_instance_of<Exec>(), by_user, by_item, k, options, 1);
  if (!same_entries(found.U, other.U) || !same_entries(found.S, other.S) ||
      !same_entries(found.V, other.V))
    complain("other bits by another instance, elsewhere");
  auto const status = found.info.status;
  if (status != Status::success && status != Status::not_converged)
    return complain("status " + std::string(to_string(status)));
  auto const table = table_of(drawn);
  auto const wide = place(k);
  double const top = k > 0 ? static_cast<double>(found.S[0]) : 0;
  double const rounding = 20.0 * static_cast<double>(std::max(m, n)) * epsilon<Real>;
  for (std::size_t l = 0; l < wide; ++l) {
    auto const s = static_cast<double>(found.S[l]);
    if (!(s >= 0) || (l > 0 && found.S[l] > found.S[l - 1])) return complain("S is not descending");
    for (auto const& [Q, rows] : {std::pair(&found.U, m), {&found.V, n}})
      for (std::size_t j = 0; j <= l; ++j) {
        double product = 0;
        for (std::size_t i = 0; i < rows; ++i)
          product +=
              static_cast<double>((*Q)[i * wide + l]) * static_cast<double>((*Q)[i * wide + j]);
        if (!(std::fabs(product - (l == j ? 1 : 0)) <= rounding + 60 * epsilon<Real>))
          return complain("columns " + std::to_string(j) + " and " + std::to_string(l) +
                          " have the product " + std::to_string(product));
      }
    // Of tall tables the image of V, of wide ones that of U.
    bool const tall = m >= n;
    auto const& right = tall ? found.V : found.U;
    auto const& left = tall ? found.U : found.V;
    double square = 0;
    for (std::size_t a = 0; a < (tall ? m : n); ++a) {
      double image = -s * static_cast<double>(left[a * wide + l]);
      for (std::size_t b = 0; b < (tall ? n : m); ++b)
        image += (tall ? table[a][b] : table[b][a]) * static_cast<double>(right[b * wide + l]);
      square += image * image;
    }
    double const allowed = (1.01 * static_cast<double>(found.info.residual) + rounding) * top;
    if (!(std::sqrt(square) <= allowed)) {
      std::ostringstream text;
      text << "residual " << std::sqrt(square) / top << " of triplet " << l << ", said "
           << found.info.residual;
      return complain(text.str());
    }
  }
  if (k > 0 && status == Status::success) {
    auto const plain = plain_svd(table);
    for (std::size_t l = 0; l < wide; ++l) {
      double const bound =
          rounding * plain.values[0] + static_cast<double>(found.info.residual) * plain.values[0];
      if (!(std::fabs(static_cast<double>(found.S[l]) - plain.values[l]) <= bound))
        return complain("singular value " + std::to_string(l) + " is " +
                        std::to_string(found.S[l]) + ", not " + std::to_string(plain.values[l]));
    }
  }
  if (k > 0 && ratings.count() > 0 && random.chance(0.2)) {
    bool const tall = m >= n;
    auto const e = place(random.index(static_cast<int>(ratings.count())));
    auto const bad = with_value(by_user, e, not_finite<Real>(random));
    auto const bad_items = with_value(by_item, e, not_finite<Real>(random));
    auto const result =
        triplets_of(Exec(), tall ? bad : by_user, tall ? by_item : bad_items, k, options, 1);
    if (result.info.status != Status::non_finite || !all_nan_in(result.U) ||
        !all_nan_in(result.S) || !all_nan_in(result.V))
      complain("a rating that is not finite: status " + std::string(to_string(result.info.status)));
  }
  round.checked(1);
}

template <class Real>
void graph_filter_round(Round& round) {
  Random& random = round.random;
  DrawnRatings<Real> const drawn(random, 30, 30,
                                 random.chance(0.7) ? Values::halves : Values::constant, 0);
  auto const ratings = drawn.ratings();
  auto const m = place(drawn.users), n = place(drawn.items);
  auto const table = table_of(drawn);
  std::vector<double> user_sums(m), item_sums(n);
  for (std::size_t u = 0; u < m; ++u)
    for (std::size_t i = 0; i < n; ++i) user_sums[u] += table[u][i], item_sums[i] += table[u][i];
  Table normal = table;
  for (std::size_t u = 0; u < m; ++u)
    for (std::size_t i = 0; i < n; ++i)
      if (normal[u][i] != 0) normal[u][i] /= std::sqrt(user_sums[u] * item_sums[i]);
  auto const plain = plain_svd(normal);
  // The space of k vectors is one only where a gap follows.
  auto const value = [&](int l) { return l < int(n) ? plain.values[place(l)] : 0; };
  int const most = std::min(drawn.users, drawn.items);
  int k = log_uniform(random, 0, most);
  auto const gap = [&] { return k == 0 || k == int(n) ? 1. : value(k - 1) - value(k); };
  while (k > 0 && gap() < 0.03) --k;
  GraphFilterOptions options{.rank = k, .low_pass_weight = random.symmetric()};
  if (random.chance(0.5)) options.svd = {};
  auto const complain = [&](std::string const& what) {
    std::ostringstream text;
    text << "graph_filter: " << drawn.text << ", rank " << k << ", weight "
         << options.low_pass_weight << ": " << what;
    round.wrong(text.str());
  };
  std::vector<std::int32_t> asked;
  for (int t = log_uniform(random, 1, 40); t > 0; --t)
    asked.push_back(random.index(drawn.users + 2) - 1);
  using Ids = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;
  using Scores = Kokkos::View<Real**, Kokkos::LayoutLeft, Memory>;
  struct Result {
    GraphFilter<Real, Memory> filter;
    std::vector<std::int32_t> ids;
    std::vector<Real> scores;
  };
  auto const call = [&](Exec const& exec, std::vector<std::int32_t> const& users) {
    Result result{graph_filter(exec, ratings, options), {}, {}};
    Ids const ids("carroll_test::ids", users.size(), n);
    Scores const scores("carroll_test::scores", users.size(), n);
    (void)recommend(exec, result.filter, strided(users, 1 + random.index(3)), ids, scores);
    result.ids = entries(ids);
    result.scores = entries(scores);
    return result;
  };
  auto const found = call(Exec(), asked), other = call(new_instance_of<Exec>(), asked);
  if (!same_entries(found.ids, other.ids) || !same_entries(found.scores, other.scores))
    complain("other bits by another instance");
  auto const alone = call(Exec(), {asked.back()});
  if (!same_entries(alone.scores,
                    std::vector<Real>(found.scores.end() - int(n), found.scores.end())))
    complain("other bits alone");
  double const angle = static_cast<double>(found.filter.svd.residual) / gap();
  auto const rated = drawn.triples.by_pair();
  for (std::size_t t = 0; t < asked.size(); ++t) {
    int const u = asked[t];
    bool const is_known = u >= 0 && u < drawn.users && user_sums[place(u)] > 0;
    // Cold ones have the bias-only answer, 0.
    if (!is_known) continue;
    std::vector<double> scores(n);
    double size = 0;
    for (std::size_t v = 0; v < m; ++v) {
      double share = 0;
      for (std::size_t i = 0; i < n; ++i) share += table[place(u)][i] * normal[v][i];
      for (std::size_t j = 0; j < n; ++j) scores[j] += share * normal[v][j];
    }
    for (double const x : scores) size = std::max(size, x);
    double norm = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (item_sums[i] > 0) norm += table[place(u)][i] * table[place(u)][i] / item_sums[i];
      largest = std::max(largest, std::sqrt(item_sums[i]));
    }
    size += std::fabs(options.low_pass_weight) * std::sqrt(norm) * largest;
    for (std::size_t l = 0; l < place(k); ++l) {
      auto const& v = plain.right[l];
      double part = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (item_sums[i] > 0) part += table[place(u)][i] / std::sqrt(item_sums[i]) * v[i];
      for (std::size_t j = 0; j < n; ++j)
        scores[j] += options.low_pass_weight * part * v[j] * std::sqrt(item_sums[j]);
    }
    double const tolerance =
        (4 * angle + 20 * static_cast<double>(m + n) * epsilon<Real>)*(size + 1e-30);
    std::vector<bool> used(n);
    for (std::size_t p = 0; p < n; ++p) {
      auto const id = found.ids[t * n + p];
      auto const score = static_cast<double>(found.scores[t * n + p]);
      if (id < 0) continue;
      if (used[place(id)] || rated.count({u, id}) > 0)
        return complain("item " + std::to_string(id) + " twice, or seen");
      used[place(id)] = true;
      if (!(std::fabs(score - scores[place(id)]) <= tolerance))
        return complain("user " + std::to_string(u) + ", item " + std::to_string(id) + ": " +
                        std::to_string(score) + ", not " + std::to_string(scores[place(id)]) +
                        ", tolerance " + std::to_string(tolerance));
      if (p > 0 &&
          !(found.scores[t * n + p - 1] > found.scores[t * n + p] || found.ids[t * n + p - 1] < id))
        return complain("out of order");
    }
    for (std::size_t i = 0; i < n; ++i)
      if (!used[i] && rated.count({u, static_cast<int>(i)}) == 0)
        return complain("item " + std::to_string(i) + " is left out");
  }
  round.checked(1);
}

template void svd_round<float>(Round&);
template void svd_round<double>(Round&);
template void graph_filter_round<float>(Round&);
template void graph_filter_round<double>(Round&);

}  // namespace carroll::test
