// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/factor_model.hpp>
#include <carroll/predict.hpp>
#include <carroll/ratings.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/matrix.hpp"
#include "progress.hpp"
#include "recommend/run.hpp"

/// The methods of `carroll recommend`: one function each, one file each, one line each in `learn`.
namespace carroll::tool {

using Memory = ExecSpace::memory_space;
using Indices = Kokkos::View<std::int32_t*, Kokkos::LayoutRight, Memory>;
template <class Real>
using RatingVector = Kokkos::View<Real*, Kokkos::LayoutRight, Memory>;

/// What a method is given.
template <class Real>
struct Lesson {
  ExecSpace exec;
  Ratings<Real, Memory> const& ratings;
  LearnOptions const& options;
  Indices test_users, test_items;  ///< to be predicted later; −1: nothing is known of it
  Progress& progress;
};

/// What has been learnt: a model, or a way to predict without one.
template <class Real>
struct Learnt {
  std::string status = "success";
  std::vector<LearnStep> steps;
  std::optional<double> residual;
  std::optional<FactorModel<Real, Memory>> model;
  /// Predictions of pairs, where they are not the model's; empty: they are.
  std::function<PredictInfo(Indices const& users, Indices const& items, RatingVector<Real> const&)>
      predict;
  /// Of the test's pairs, where the method has them from learning; empty: it has not.
  RatingVector<Real> test_predictions;
};

template <class Real>
[[nodiscard]] Learnt<Real> learn_als(Lesson<Real> const& lesson);
template <class Real>
[[nodiscard]] Learnt<Real> learn_bias(Lesson<Real> const& lesson);
template <class Real>
[[nodiscard]] Learnt<Real> learn_gibbs(Lesson<Real> const& lesson);
template <class Real>
[[nodiscard]] Learnt<Real> learn_knn(Lesson<Real> const& lesson);
template <class Real>
[[nodiscard]] Learnt<Real> learn_sgd(Lesson<Real> const& lesson);
template <class Real>
[[nodiscard]] Learnt<Real> learn_svd(Lesson<Real> const& lesson);

/// An uninitialised model of the lesson's users and items, with biases or without.
template <class Real>
[[nodiscard]] FactorModel<Real, Memory> new_model(Lesson<Real> const& lesson, std::int64_t factors,
                                                  bool biases) {
  using Model = FactorModel<Real, Memory>;
  auto const users = lesson.ratings.users(), items = lesson.ratings.items();
  auto const matrix = [&](std::int32_t rows) {
    return detail::allocate_matrix<typename Model::Factors>(lesson.exec, "carroll::tool::factors",
                                                            static_cast<std::size_t>(rows),
                                                            static_cast<std::size_t>(factors));
  };
  auto const vector = [&](std::int32_t rows) {
    return detail::allocate<typename Model::Biases>(lesson.exec, "carroll::tool::biases",
                                                    biases ? rows : 0);
  };
  return {matrix(users), matrix(items), vector(users), vector(items), 0};
}

}  // namespace carroll::tool
