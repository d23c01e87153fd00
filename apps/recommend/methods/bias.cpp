// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/baseline.hpp>

#include "recommend/methods.hpp"

namespace carroll::tool {

namespace {

template <class Real>
struct Narrow {
  Kokkos::View<double const*, Memory> from;
  RatingVector<Real> to;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { to(e) = static_cast<Real>(from(e)); }
};

}  // namespace

template <class Real>
Learnt<Real> learn_bias(Lesson<Real> const& lesson) {
  BaselineOptions options;
  if (lesson.options.regularization)
    options.user_damping = options.item_damping = *lesson.options.regularization;
  if (lesson.options.iterations) options.rounds = *lesson.options.iterations;
  auto const& exec = lesson.exec;
  auto const baseline =
      rating_baseline(exec, lesson.ratings.by_user(), lesson.ratings.by_item(), options);
  auto model = new_model(lesson, 0, true);
  model.mean = static_cast<Real>(baseline.mean);
  auto const narrow = [&](auto const& from, auto const& to) {
    Kokkos::parallel_for("carroll::tool::narrow",
                         detail::Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(to.extent(0))),
                         Narrow<Real>{from, to});
  };
  narrow(baseline.user_bias, model.user_bias);
  narrow(baseline.item_bias, model.item_bias);
  exec.fence("carroll::tool: biases");
  Learnt<Real> learnt;
  learnt.status = to_string(baseline.status);
  learnt.model = model;
  return learnt;
}

template Learnt<float> learn_bias(Lesson<float> const&);
template Learnt<double> learn_bias(Lesson<double> const&);

}  // namespace carroll::tool
