// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/als.hpp>

#include "recommend/methods.hpp"
#include "recommend/train_error.hpp"

namespace carroll::tool {

/// An iteration at a time, so that each can be told of: exact ones go on from V alone.
template <class Real>
Learnt<Real> learn_als(Lesson<Real> const& lesson) {
  auto const& [exec, ratings, wanted, users, items, progress] = lesson;
  AlsOptions options;
  options.feedback = wanted.implicit ? Feedback::implicit : Feedback::explicit_;
  options.biases = wanted.implicit ? AlsBiases::zero : AlsBiases::fitted;
  options.regularization = wanted.regularization.value_or(options.regularization);
  options.confidence = wanted.confidence;
  options.seed = wanted.seed;
  options.objective = true;
  int const iterations = wanted.iterations.value_or(options.iterations);
  options.iterations = 1;
  Learnt<Real> learnt;
  auto model = new_model(lesson, wanted.factors, !wanted.implicit);
  TrainError<Real> const error(exec, ratings);
  auto workspace = als_workspace(exec, ratings, wanted.factors, options);
  for (int k = 0; k < iterations; ++k) {
    auto const info = als(exec, ratings, model, workspace);
    if (k == 0) {
      options.start = AlsStart::given;
      workspace = als_workspace(exec, ratings, wanted.factors, options);
    }
    LearnStep step{info.objectives.back(), std::nullopt};
    if (!wanted.implicit) step.rmse = error(model);
    learnt.steps.push_back(step);
    learnt.residual = info.residual;
    // Rows that do not determine all factors have the least ones, which is no trouble.
    learnt.status = to_string(info.status == Status::singular ? Status::success : info.status);
    if (learnt.status != "success") break;
    progress.phase("als: iteration " + std::to_string(k + 1) + " of " + std::to_string(iterations) +
                   step_text(step));
  }
  learnt.model = model;
  return learnt;
}

template Learnt<float> learn_als(Lesson<float> const&);
template Learnt<double> learn_als(Lesson<double> const&);

}  // namespace carroll::tool
