// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/biases.hpp>

#include "recommend/methods.hpp"

namespace carroll::tool {

template <class Real>
Learnt<Real> learn_bias(Lesson<Real> const& lesson) {
  BiasOptions options;
  if (lesson.options.regularization)
    options.user_damping = options.item_damping = *lesson.options.regularization;
  if (lesson.options.iterations) options.sweeps = *lesson.options.iterations;
  Learnt<Real> learnt;
  learnt.model = fit_biases(lesson.exec, lesson.ratings, options);
  return learnt;
}

template Learnt<float> learn_bias(Lesson<float> const&);
template Learnt<double> learn_bias(Lesson<double> const&);

}  // namespace carroll::tool
