// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace carroll {

/// How the step η goes down, t the epoch from 0.
enum class LearningRate {
  constant,  ///< η
  inverse,   ///< η / (1 + decay·t)
  linear,    ///< η·(1 − decay·t/epochs)
};

/// Where factors and biases begin.
enum class SgdStart {
  random,  ///< factors normal about 0, biases 0
  given,   ///< what the model holds
};

struct SgdOptions {
  int epochs = 40;  ///< each goes through all ratings once
  /// η. Steps are along the gradient of e² + λ(‖u‖² + ‖v‖²), with its factor 2, as the course has
  /// it, whose η is below 0.002: u += 2η(e·v − λ·u).
  double learning_rate = 0.01;
  LearningRate schedule = LearningRate::linear;
  double decay = 0.95;
  double regularization = 0.06;       ///< λ of the factors, for each rating once
  double bias_regularization = 0.01;  ///< λ of the biases, likewise
  bool subtract_mean = true;          ///< else the model's mean is 0
  SgdStart start = SgdStart::random;
  double start_deviation = 0.1;  ///< of a factor's entries, times √k
  std::uint64_t seed = 0;        ///< of the start, and of the order of ratings
  bool trace = false;            ///< measure after every epoch
  int blocks = 0;                ///< p; 0: by the number of ratings, users and items
};

/// Measured on the ratings themselves.
struct SgdMeasure {
  double rmse = 0;
  /// Σ e² + λ Σ_(u,i) (‖u‖² + ‖v‖²) + the same of the biases: norms once for each rating, which is
  /// what the steps go down on.
  double objective = 0;
};

struct SgdInfo {
  /// success; non_finite: a rating is NaN or infinite; overflow: steps were so large that factors
  /// have left the finite numbers. With the latter two the model is NaN.
  Status status = Status::success;
  int epochs = 0;
  int blocks = 0;      ///< p
  double balance = 1;  ///< ratings of the largest block of each step, over the mean
  SgdMeasure last;     ///< of the model that is handed back
  std::vector<SgdMeasure> trace;
  std::size_t bytes = 0;  ///< of device memory taken meanwhile
};

[[nodiscard]] constexpr std::string_view to_string(LearningRate schedule) noexcept {
  switch (schedule) {
    case LearningRate::constant: return "constant";
    case LearningRate::inverse: return "inverse";
    case LearningRate::linear: return "linear";
  }
  return "unknown";
}

}  // namespace carroll
