// SPDX-License-Identifier: BSD-3-Clause
#include "recommend/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/json.hpp"
#include "output/table.hpp"

namespace carroll::tool {

namespace {

Json test_json(TestSummary const& test, int top) {
  RankingMetrics const& ranking = test.ranking;
  return {{"count", test.errors.count},
          {"rmse", test.errors.rmse},
          {"mae", test.errors.mae},
          {"cold_users", test.cold_users},
          {"cold_items", test.cold_items},
          {"ranking",
           {{"at", top},
            {"users", ranking.users},
            {"precision", ranking.precision},
            {"recall", ranking.recall},
            {"map", ranking.map},
            {"ndcg", ranking.ndcg},
            {"hit_rate", ranking.hit_rate}}}};
}

/// Calls take(item, score) for the items of an asked user, best first.
template <class Take>
void for_each_item(RecommendReport const& report, std::size_t t, Take const& take) {
  auto const columns = static_cast<std::size_t>(report.result.columns);
  for (std::size_t place = t * columns; place < (t + 1) * columns; ++place)
    if (report.result.items[place] >= 0)
      take(report.items->name(report.result.items[place]), report.result.scores[place]);
}

}  // namespace

std::string json(RecommendReport const& report) {
  auto const& result = report.result;
  Json object{{"status", result.status},
              {"method", report.method},
              {"users", report.users->count()},
              {"items", report.items->count()},
              {"ratings", result.ratings},
              {"factors", result.factors},
              {"precision", name_of(report.precision)},
              {"backend", result.backend}};
  Json steps = Json::array();
  for (auto const& step : result.steps) {
    steps.push_back(Json{{"objective", or_null(step.objective)}, {"rmse", or_null(step.rmse)}});
  }
  object["iterations"] = steps;
  object["residual"] = or_null(result.residual);
  object["test"] = result.test ? test_json(*result.test, report.top) : Json();
  if (!report.asked.empty()) {
    Json lists = Json::array();
    for (std::size_t t = 0; t < report.asked.size() && result.columns > 0; ++t) {
      Json list{{"user", report.users->name(report.asked[t])},
                {"cold", bool{result.cold[t]}},
                {"items", Json::array()}};
      for_each_item(report, t, [&](std::string const& item, double score) {
        list["items"].push_back(Json{{"item", item}, {"score", number(score, report.precision)}});
      });
      lists.push_back(list);
    }
    object["recommendations"] = lists;
  }
  object["seconds"] = result.seconds;
  return line(object);
}

std::string table(RecommendReport const& report) {
  auto const& result = report.result;
  std::string text;
  add_line(text, "ratings",
           fmt::format("{} of {} items by {} users, {}", result.ratings, report.items->count(),
                       report.users->count(), report.input));
  add_line(text, "method",
           result.factors > 0 ? fmt::format("{}, {} factors", report.method, result.factors)
                              : report.method);
  add_line(text, "status", result.status);
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    // The first ones, and then ever fewer of many.
    bool const shown = k < 5 || (k + 1) % 5 == 0 || k + 1 == result.steps.size();
    auto const& step = result.steps[k];
    if (!shown) continue;
    std::string value;
    if (step.objective) value += fmt::format("objective {:.6g}", *step.objective);
    if (step.rmse) value += fmt::format("{}RMSE {:.4f}", value.empty() ? "" : ", ", *step.rmse);
    add_line(text, fmt::format("iteration {}", k + 1), value);
  }
  if (result.residual) add_line(text, "residual", fmt::format("{:.1e}", *result.residual));
  if (result.test) {
    auto const& test = *result.test;
    add_line(text, "test",
             fmt::format("{} ratings, RMSE {:.4f}, MAE {:.4f}", test.errors.count, test.errors.rmse,
                         test.errors.mae));
    if (test.cold_users + test.cold_items > 0)
      add_line(text, "",
               fmt::format("of users nothing is known of: {}, of items: {}", test.cold_users,
                           test.cold_items));
    add_line(text, fmt::format("ranking at {}", report.top),
             fmt::format("precision {:.4f}, recall {:.4f}, MAP {:.4f}", test.ranking.precision,
                         test.ranking.recall, test.ranking.map));
    add_line(text, "",
             fmt::format("NDCG {:.4f}, hit rate {:.4f}, {} users", test.ranking.ndcg,
                         test.ranking.hit_rate, test.ranking.users));
  }
  std::size_t const shown = std::min(report.shown, report.asked.size());
  for (std::size_t t = 0; t < shown && result.columns > 0; ++t) {
    text += fmt::format("\nfor {}{}\n", report.users->name(report.asked[t]),
                        result.cold[t] ? ", of whom nothing is known" : "");
    for_each_item(report, t, [&](std::string const& item, double score) {
      text += fmt::format("  {:>10.4f}  {}\n", score, item);
    });
  }
  if (shown < report.asked.size())
    text += fmt::format("\nand for {} more users\n", report.asked.size() - shown);
  if (shown > 0) text += "\n";
  for (auto const& file : report.files) add_line(text, "written", file);
  add_line(text, "time",
           fmt::format("{:.3f} s of learning, {}, {} precision", result.seconds, result.backend,
                       name_of(report.precision)));
  return text;
}

}  // namespace carroll::tool
