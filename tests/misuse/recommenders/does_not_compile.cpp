// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/predict.hpp>
#include <carroll/ranking_metrics.hpp>
#include <carroll/rating_metrics.hpp>
#include <carroll/ratings.hpp>
#include <carroll/recommend.hpp>
#include <carroll/similar_items.hpp>
#include <cstdint>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
template <class T>
using View = Kokkos::View<T, Memory>;
using Indices = View<std::int32_t*>;

[[maybe_unused]] void calls() {
  Exec const exec;
  [[maybe_unused]] carroll::Ratings<float, Memory> const ratings;
  [[maybe_unused]] carroll::FactorModel<float, Memory> const model;

#if defined(CARROLL_CASE_ratings_of_int)
  carroll::Ratings(exec, Indices(), Indices(), View<int*>());
#elif defined(CARROLL_CASE_ratings_users_of_long)
  carroll::Ratings(exec, View<long*>(), Indices(), View<float*>());
#elif defined(CARROLL_CASE_ratings_items_of_rank_2)
  carroll::Ratings(exec, Indices(), View<std::int32_t**>(), View<float*>());
#elif defined(CARROLL_CASE_ratings_values_of_rank_2)
  carroll::Ratings(exec, Indices(), Indices(), View<float**>());
#elif defined(CARROLL_CASE_predict_users_of_long)
  (void)carroll::predict(exec, model, View<long*>(), Indices(), View<float*>());
#elif defined(CARROLL_CASE_predict_of_another_type)
  (void)carroll::predict(exec, model, Indices(), Indices(), View<double*>());
#elif defined(CARROLL_CASE_predict_of_constants)
  (void)carroll::predict(exec, model, Indices(), Indices(), View<float const*>());
#elif defined(CARROLL_CASE_recommend_users_of_long)
  (void)carroll::recommend(exec, model, ratings, View<long*>(), View<std::int32_t**>(),
                           View<float**>());
#elif defined(CARROLL_CASE_recommend_ids_of_long)
  (void)carroll::recommend(exec, model, ratings, Indices(), View<long**>(), View<float**>());
#elif defined(CARROLL_CASE_recommend_ids_of_rank_1)
  (void)carroll::recommend(exec, model, ratings, Indices(), Indices(), View<float**>());
#elif defined(CARROLL_CASE_recommend_scores_of_another_type)
  (void)carroll::recommend(exec, model, ratings, Indices(), View<std::int32_t**>(),
                           View<double**>());
#elif defined(CARROLL_CASE_similar_items_of_int)
  (void)carroll::similar_items(exec, View<int**>(), Indices(), View<std::int32_t**>(),
                               View<float**>());
#elif defined(CARROLL_CASE_rating_metrics_of_int)
  (void)carroll::rating_metrics(exec, View<float*>(), View<int*>());
#elif defined(CARROLL_CASE_ranking_metrics_ids_of_rank_1)
  (void)carroll::ranking_metrics(exec, Indices(), Indices(), ratings);
#else
  (void)exec;
#endif
}

}  // namespace
