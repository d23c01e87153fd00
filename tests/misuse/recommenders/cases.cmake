set(recommender_cases
  "ratings_of_int|Ratings: Real must be float or double"
  "ratings_users_of_long|Ratings: users must be a strided View of std::int32_t"
  "ratings_items_of_rank_2|Ratings: items must be a strided View of std::int32_t, of rank 1"
  "ratings_values_of_rank_2|Ratings: values must be a strided View of float or double, of rank 1"
  "predict_users_of_long|predict: users and items must be strided Views of std::int32_t"
  "predict_of_another_type|predict: predictions must be a writable strided View of the model's"
  "predict_of_constants|predict: predictions must be a writable strided View"
  "recommend_users_of_long|recommend: users must be a strided View of std::int32_t"
  "recommend_ids_of_long|recommend: ids must be a writable strided View of std::int32_t"
  "recommend_ids_of_rank_1|recommend: ids must be a writable strided View of std::int32_t, of rank 2"
  "recommend_scores_of_another_type|recommend: scores must be a writable strided View of the model's"
  "similar_items_of_int|similar_items: V must be a strided View of float or double"
  "rating_metrics_of_int|rating_metrics: predictions and ratings must be strided Views of float or double"
  "ranking_metrics_ids_of_rank_1|ranking_metrics: ids must be a strided View of std::int32_t, of rank 2")
carroll_add_compile_failures(recommenders recommenders/does_not_compile.cpp ${recommender_cases})
