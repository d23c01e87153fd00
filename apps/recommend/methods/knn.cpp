// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/neighbours.hpp>

#include "recommend/methods.hpp"

namespace carroll::tool {

/// Items by the correlation of what ratings are above the biases, shrunk where few users have rated
/// both. There is nothing to be learnt beforehand.
template <class Real>
Learnt<Real> learn_knn(Lesson<Real> const& lesson) {
  NeighbourOptions options;
  options.between = Between::items;
  options.centring = Centring::baseline;
  options.shrinkage = lesson.options.regularization.value_or(50);
  options.nearest = lesson.options.neighbours;
  options.lowest = lesson.options.lowest;
  options.highest = lesson.options.highest;
  Learnt<Real> learnt;
  learnt.predict = [exec = lesson.exec, ratings = lesson.ratings, options](
                       Indices const& users, Indices const& items, RatingVector<Real> const& into) {
    auto const info =
        predict_neighbours(exec, ratings.by_user(), ratings.by_item(), users, items, into, options);
    return PredictInfo{info.status, info.cold_users, info.cold_items};
  };
  return learnt;
}

template Learnt<float> learn_knn(Lesson<float> const&);
template Learnt<double> learn_knn(Lesson<double> const&);

}  // namespace carroll::tool
