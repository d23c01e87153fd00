// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/sgd.hpp>

#include "recommend/methods.hpp"

namespace carroll::tool {

template <class Real>
Learnt<Real> learn_sgd(Lesson<Real> const& lesson) {
  auto const& wanted = lesson.options;
  SgdOptions options;
  options.regularization = wanted.regularization.value_or(options.regularization);
  options.learning_rate = wanted.learning_rate.value_or(options.learning_rate);
  options.epochs = wanted.iterations.value_or(options.epochs);
  options.seed = wanted.seed;
  options.trace = true;
  lesson.progress.phase("sgd: " + std::to_string(options.epochs) + " epochs over " +
                        std::to_string(lesson.ratings.count()) + " ratings");
  auto model = new_model(lesson, wanted.factors, true);
  auto const info = sgd(lesson.exec, lesson.ratings.by_user(), model, options);
  Learnt<Real> learnt;
  learnt.status = to_string(info.status);
  for (auto const& measure : info.trace) learnt.steps.push_back({measure.objective, measure.rmse});
  learnt.model = model;
  return learnt;
}

template Learnt<float> learn_sgd(Lesson<float> const&);
template Learnt<double> learn_sgd(Lesson<double> const&);

}  // namespace carroll::tool
