// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/split/marks.hpp>
#include <carroll/predict.hpp>
#include <carroll/rating_metrics.hpp>
#include <cstdint>
#include <string>

#include "recommend/methods.hpp"

namespace carroll::tool {

/// The user of each rating.
template <class Real>
struct ListUsers {
  RatingRows<Real, Memory> rows;
  Indices users;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    users(e) = detail::row_of(rows.offsets, rows.row_count, e);
  }
};

/// The error of a model on the ratings that it is learnt from.
template <class Real>
class TrainError {
 public:
  TrainError(ExecSpace const& exec, Ratings<Real, Memory> const& ratings)
      : exec_(exec),
        rows_(ratings.by_user()),
        users_(detail::allocate<Indices>(exec, "carroll::tool::users", ratings.count())),
        predictions_(detail::allocate<RatingVector<Real>>(exec, "carroll::tool::predictions",
                                                          ratings.count())) {
    Kokkos::parallel_for("carroll::tool::users", detail::Range<ExecSpace>(exec, 0, ratings.count()),
                         ListUsers<Real>{rows_, users_});
  }
  double operator()(FactorModel<Real, Memory> const& model) const {
    (void)predict(exec_, model, users_, rows_.columns, predictions_);
    return rating_metrics(exec_, predictions_, rows_.values).rmse;
  }

 private:
  ExecSpace exec_;
  RatingRows<Real, Memory> rows_;
  Indices users_;
  RatingVector<Real> predictions_;
};

/// For the line of progress.
inline std::string step_text(LearnStep const& step) {
  std::string text;
  if (step.objective) text += ", objective " + std::to_string(*step.objective);
  if (step.rmse) text += ", RMSE " + std::to_string(*step.rmse);
  return text;
}

}  // namespace carroll::tool
