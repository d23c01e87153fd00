// SPDX-License-Identifier: BSD-3-Clause
#include "recommend/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/json.hpp"
#include "output/table.hpp"

namespace carroll::tool {

namespace {

Json test_json(TestSummary const& test, int top) {
  Json object;
  object["count"] = test.count;
  object["rmse"] = test.rmse;
  object["mae"] = test.mae;
  object["cold_users"] = test.cold_users;
  object["cold_items"] = test.cold_items;
  Json& ranking = object["ranking"];
  ranking["at"] = top;
  ranking["users"] = test.users;
  ranking["precision"] = test.precision;
  ranking["recall"] = test.recall;
  ranking["map"] = test.map;
  ranking["ndcg"] = test.ndcg;
  ranking["hit_rate"] = test.hit_rate;
  return object;
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
  Json object;
  object["status"] = result.status;
  object["method"] = report.method;
  object["users"] = report.users->count();
  object["items"] = report.items->count();
  object["ratings"] = result.ratings;
  object["factors"] = result.factors;
  object["precision"] = name_of(report.precision);
  object["backend"] = result.backend;
  Json steps = Json::array();
  for (auto const& step : result.steps) {
    Json entry;
    entry["objective"] = or_null(step.objective);
    entry["rmse"] = or_null(step.rmse);
    steps.push_back(entry);
  }
  object["iterations"] = steps;
  object["residual"] = or_null(result.residual);
  object["test"] = result.test ? test_json(*result.test, report.top) : Json();
  if (!report.asked.empty()) {
    Json lists = Json::array();
    for (std::size_t t = 0; t < report.asked.size() && result.columns > 0; ++t) {
      Json list;
      list["user"] = report.users->name(report.asked[t]);
      list["cold"] = bool{result.cold[t]};
      list["items"] = Json::array();
      for_each_item(report, t, [&](std::string const& item, double score) {
        Json entry;
        entry["item"] = item;
        entry["score"] = number(score, report.precision);
        list["items"].push_back(entry);
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
             fmt::format("{} ratings, RMSE {:.4f}, MAE {:.4f}", test.count, test.rmse, test.mae));
    if (test.cold_users + test.cold_items > 0)
      add_line(text, "",
               fmt::format("of users nothing is known of: {}, of items: {}", test.cold_users,
                           test.cold_items));
    add_line(text, fmt::format("ranking at {}", report.top),
             fmt::format("precision {:.4f}, recall {:.4f}, MAP {:.4f}", test.precision, test.recall,
                         test.map));
    add_line(text, "",
             fmt::format("NDCG {:.4f}, hit rate {:.4f}, {} users", test.ndcg, test.hit_rate,
                         test.users));
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
