// SPDX-License-Identifier: BSD-3-Clause
// Recommenders on ratings that nobody has chosen: against plain oracles, and the same bits alone,
// in batches, by one thread, elsewhere.
#include <string_view>

#include "hostile/recommenders/rounds.hpp"

namespace carroll::test {

std::string_view const hostile_name = "recommenders";
std::string_view const hostile_about =
    "Ratings from triples, als and fold_in, gibbs, sgd, neighbours, recommend, predict, "
    "similar_items, measures, truncated_svd and graph_filter on random ratings, with rows that are "
    "empty and one that is long: against plain sums in double precision and more, the same bits "
    "for any number of threads, alone and in batches; what is not finite is refused or told.";
std::string_view const hostile_kinds =
    "ratings,split,als,gibbs,sgd,neighbours,recommend,measures,similar,svd,graph_filter,single,"
    "double";

namespace {

constexpr std::string_view functions[] = {"ratings", "split",      "als",         "gibbs",
                                          "sgd",     "neighbours", "recommend",   "measures",
                                          "similar", "svd",        "graph_filter"};
constexpr int weights[] = {3, 1, 6, 1, 2, 4, 3, 2, 1, 2, 2};

template <class Real>
void one_round(Round& round, std::string_view function) {
  if (function == "ratings") return ratings_round<Real>(round);
  if (function == "split") return split_round<Real>(round);
  if (function == "als") return als_round<Real>(round);
  if (function == "gibbs") return gibbs_round<Real>(round);
  if (function == "sgd") return sgd_round<Real>(round);
  if (function == "neighbours") return neighbours_round<Real>(round);
  if (function == "recommend") return recommend_round<Real>(round);
  if (function == "measures") return measures_round<Real>(round);
  if (function == "similar") return similar_round<Real>(round);
  if (function == "svd") return svd_round<Real>(round);
  graph_filter_round<Real>(round);
}

std::string_view any_function(Random& random) {
  int all = 0;
  for (int const weight : weights) all += weight;
  int drawn = random.index(all);
  std::size_t f = 0;
  while (drawn >= weights[f]) drawn -= weights[f++];
  return functions[f];
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  std::string_view function = any_function(round.random);
  bool single = round.random.chance(0.5);
  for (std::string_view const name : functions)
    if (kind == name) function = name;
  if (kind == "single" || kind == "double") single = kind == "single";
  single ? one_round<float>(round, function) : one_round<double>(round, function);
}

}  // namespace carroll::test
