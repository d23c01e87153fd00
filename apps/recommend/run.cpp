// SPDX-License-Identifier: BSD-3-Clause
#include "recommend/run.hpp"

#include <algorithm>
#include <carroll/ranking_metrics.hpp>
#include <carroll/rating_metrics.hpp>
#include <carroll/recommend.hpp>
#include <carroll/split_ratings.hpp>
#include <chrono>
#include <map>
#include <stdexcept>

#include "enumerators.hpp"
#include "files/file_error.hpp"
#include "recommend/lists.hpp"
#include "recommend/methods.hpp"
#include "recommend/move.hpp"

namespace carroll::tool {

namespace {

template <class Real>
Learnt<Real> learn(Lesson<Real> const& lesson) {
  std::string const& method = lesson.options.method;
  if (method == "als") return learn_als(lesson);
  if (method == "sgd") return learn_sgd(lesson);
  if (method == "gibbs") return learn_gibbs(lesson);
  if (method == "knn") return learn_knn(lesson);
  if (method == "svd") return learn_svd(lesson);
  if (method == "bias") return learn_bias(lesson);
  throw std::logic_error("no method is called " + method);
}

/// The first two ratings of one item by one user, as the file has them.
[[noreturn]] void name_duplicates(RatingTable const& table) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> seen;
  for (std::int64_t e = 0; e < table.count(); ++e) {
    auto const k = static_cast<std::size_t>(e);
    auto const [first, is_new] = seen.emplace(std::pair(table.users[k], table.items[k]), e);
    if (is_new) continue;
    throw FileError(table.path, place_text(table, e) +
                                    ": the user has rated this item before, in " +
                                    place_text(table, first->second) +
                                    "; see --duplicates for what may become of it");
  }
  throw std::logic_error("no duplicates");
}

template <class Real>
Ratings<Real, Memory> ratings_of(ExecSpace const& exec, RatingTable const& table,
                                 RecommendTask const& task) {
  RatingsOptions options{task.users, task.items, named<Duplicates>(task.duplicates)};
  if (table.count() == 0 && (task.users == 0 || task.items == 0)) return {};
  try {
    return Ratings<Real, Memory>(exec, to_device(exec, table.users), to_device(exec, table.items),
                                 to_device_as<Real>(exec, table.values), options);
  } catch (std::invalid_argument const& error) {
    if (std::string(error.what()).find(" are both of user ") == std::string::npos) throw;
  }
  name_duplicates(table);
}

/// Those of a test whose users and items are known, for measures of rankings.
RatingTable known_part(RatingTable const& test) {
  RatingTable known;
  known.path = test.path;
  for (std::size_t k = 0; k < test.values.size(); ++k) {
    if (test.users[k] < 0 || test.items[k] < 0) continue;
    known.users.push_back(test.users[k]);
    known.items.push_back(test.items[k]);
    known.values.push_back(test.values[k]);
    if (!test.lines.empty()) known.lines.push_back(test.lines[k]);
  }
  return known;
}

/// The pairs of a test and their ratings.
template <class Real>
struct TestPairs {
  Indices users, items;
  RatingVector<Real> values;
  Ratings<Real, Memory> ratings;  ///< those that are known
};

template <class Real>
TestPairs<Real> pairs_of_ratings(ExecSpace const& exec, Ratings<Real, Memory> const& ratings) {
  auto const& rows = ratings.by_user();
  auto const offsets = to_host_vector(exec, rows.offsets);
  std::vector<std::int32_t> users;
  for (std::int32_t u = 0; u < rows.row_count; ++u)
    users.insert(users.end(),
                 static_cast<std::size_t>(offsets[std::size_t(u) + 1] - offsets[std::size_t(u)]),
                 u);
  return {to_device(exec, users), to_device(exec, to_host_vector(exec, rows.columns)),
          to_device(exec, to_host_vector(exec, rows.values)), ratings};
}

template <class Real>
PredictInfo predict_pairs(ExecSpace const& exec, Learnt<Real> const& learnt,
                          Ratings<Real, Memory> const& train, TestPairs<Real> const& pairs,
                          RatingVector<Real> const& into, LearnOptions const& options) {
  if (learnt.predict) return learnt.predict(pairs.users, pairs.items, into);
  return predict(exec, *learnt.model, train, pairs.users, pairs.items, into,
                 {options.lowest, options.highest});
}

template <class Real>
TestSummary tested(ExecSpace const& exec, Learnt<Real> const& learnt,
                   Ratings<Real, Memory> const& train, TestPairs<Real> const& pairs,
                   RecommendTask const& task) {
  auto const count = static_cast<std::int64_t>(pairs.values.extent(0));
  auto predictions =
      detail::allocate<RatingVector<Real>>(exec, "carroll::tool::predictions", count);
  TestSummary summary;
  auto const info = predict_pairs(exec, learnt, train, pairs, predictions, task.learn);
  summary.cold_users = info.cold_users;
  summary.cold_items = info.cold_items;
  if (learnt.test_predictions.extent(0) > 0) predictions = learnt.test_predictions;
  summary.errors = rating_metrics(exec, predictions, pairs.values);

  RankingOptions options;
  options.at = task.top;
  if (task.relevant_from) options.relevant_from = *task.relevant_from;
  summary.ranking = learnt.model && !learnt.predict
                        ? ranking_metrics(exec, *learnt.model, train, pairs.ratings, options)
                        : ranking_of_predictions(exec, learnt, train, pairs.ratings, options);
  return summary;
}

template <class Real>
void recommend_to(ExecSpace const& exec, Learnt<Real> const& learnt,
                  Ratings<Real, Memory> const& train, RecommendTask const& task,
                  RecommendResult& result) {
  result.columns = std::min<std::int64_t>(task.top, train.items());
  auto const users = to_device(exec, task.asked);
  auto const lists = best_of(exec, learnt, train, users, result.columns);
  result.items = to_host_vector(exec, flat(lists.ids));
  auto const scores = to_host_vector(exec, flat(lists.scores));
  result.scores.assign(scores.begin(), scores.end());
  auto const offsets = to_host_vector(exec, train.by_user().offsets);
  for (auto const user : task.asked) {
    auto const u = static_cast<std::size_t>(user);
    result.cold.push_back(offsets[u] == offsets[u + 1]);
  }
}

}  // namespace

template <class Real>
RecommendResult recommend_items(RecommendTask const& task, bool with_model, HostModel<Real>& model,
                                Progress& progress) {
  ExecSpace const exec;
  RecommendResult result;
  result.backend = ExecSpace::name();
  progress.phase("sorting " + std::to_string(task.ratings->count()) + " ratings");
  auto train = ratings_of<Real>(exec, *task.ratings, task);
  std::optional<TestPairs<Real>> test;
  if (task.hold_out > 0) {
    auto parts = split_ratings(exec, train, {Split::random, task.hold_out, 1, task.learn.seed});
    train = parts.train;
    test = pairs_of_ratings(exec, parts.test);
  } else if (task.test != nullptr) {
    test = TestPairs<Real>{to_device(exec, task.test->users), to_device(exec, task.test->items),
                           to_device_as<Real>(exec, task.test->values),
                           ratings_of<Real>(exec, known_part(*task.test), task)};
  }
  result.ratings = train.count();

  Learnt<Real> learnt;
  auto const start = std::chrono::steady_clock::now();
  if (with_model) {
    learnt.model = to_device(exec, model);
  } else {
    progress.phase(task.learn.method + ": learning from " + std::to_string(train.count()) +
                   " ratings");
    learnt = learn(Lesson<Real>{exec, train, task.learn, test ? test->users : Indices(),
                                test ? test->items : Indices(), progress});
    exec.fence("carroll::tool: learnt");
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.status = learnt.status;
  result.steps = learnt.steps;
  result.residual = learnt.residual;
  if (learnt.model) result.factors = learnt.model->factors();
  if (learnt.status == "non_finite" || learnt.status == "overflow") return result;
  if (test) {
    progress.phase("testing " + std::to_string(test->values.extent(0)) + " ratings");
    result.test = tested(exec, learnt, train, *test, task);
  }
  if (!task.asked.empty()) {
    progress.phase("recommending items to " + std::to_string(task.asked.size()) + " users");
    recommend_to(exec, learnt, train, task, result);
  }
  if (task.copy_model && learnt.model) model = to_host(exec, *learnt.model);
  return result;
}

template RecommendResult recommend_items(RecommendTask const&, bool, HostModel<float>&, Progress&);
template RecommendResult recommend_items(RecommendTask const&, bool, HostModel<double>&, Progress&);

}  // namespace carroll::tool
