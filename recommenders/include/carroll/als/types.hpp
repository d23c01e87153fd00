// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace carroll {

/// What a rating says.
enum class Feedback {
  explicit_,  ///< a value that the model is to come near to; of what is not there, nothing
  implicit,   ///< how sure it is that the user wants the item; of what is not there, that it is not
};

// GCC warns of an enumerator of a scoped enumeration as if it hid carroll::none.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What the model has besides the product of factors, of explicit ratings.
enum class AlsBiases {
  zero,
  mean,    ///< the mean of all ratings
  fixed,   ///< and biases of users and items from damped means, before the factors
  fitted,  ///< and biases that are unknowns of the rows' equations
};
#pragma GCC diagnostic pop

/// How a row's equations are solved.
enum class AlsSolver {
  cholesky,             ///< exactly
  conjugate_gradients,  ///< by some steps from the row as it is (Takács, Pilászy and Tikk 2011)
  /// Exactly for some factors at a time, the others as they are (iALS++, Rendle, Krichene, Zhang
  /// and Koren 2022).
  block_coordinates,
};

/// Where the iteration begins. Only the items' factors matter, and the users' too unless the solver
/// is exact; what is not given is drawn by counter-based random numbers.
enum class AlsStart {
  random,      ///< normal numbers of standard deviation start_scale/√k
  item_means,  ///< the same, but for each item's first factor, the mean of its ratings
  given,       ///< as U and V are, and biases and mean with AlsBiases::fitted
};

/// The enumerator's name.
[[nodiscard]] constexpr std::string_view to_string(Feedback feedback) noexcept {
  switch (feedback) {
    case Feedback::explicit_: return "explicit";
    case Feedback::implicit: return "implicit";
  }
  return "unknown";
}
[[nodiscard]] constexpr std::string_view to_string(AlsBiases biases) noexcept {
  switch (biases) {
    case AlsBiases::zero: return "zero";
    case AlsBiases::mean: return "mean";
    case AlsBiases::fixed: return "fixed";
    case AlsBiases::fitted: return "fitted";
  }
  return "unknown";
}
[[nodiscard]] constexpr std::string_view to_string(AlsSolver solver) noexcept {
  switch (solver) {
    case AlsSolver::cholesky: return "cholesky";
    case AlsSolver::conjugate_gradients: return "conjugate_gradients";
    case AlsSolver::block_coordinates: return "block_coordinates";
  }
  return "unknown";
}
[[nodiscard]] constexpr std::string_view to_string(AlsStart start) noexcept {
  switch (start) {
    case AlsStart::random: return "random";
    case AlsStart::item_means: return "item_means";
    case AlsStart::given: return "given";
  }
  return "unknown";
}

struct AlsOptions {
  Feedback feedback = Feedback::explicit_;
  AlsBiases biases = AlsBiases::zero;  ///< of explicit feedback
  /// λ of a row is regularization·(its ratings + α₀·(columns))^count_exponent, α₀ being 0 with
  /// explicit feedback. An exponent of 0 is a fixed λ, 1 one by count (ALS-WR, Zhou, Wilkinson,
  /// Schreiber and Pan 2008; with implicit feedback Rendle's ν).
  double regularization = 0.08;
  double count_exponent = 1;
  double item_damping = 5;   ///< of AlsBiases::fixed: Σ(r - mean)/(ratings + damping), of items
  double user_damping = 10;  ///< first, then of what they leave, of users

  // Implicit feedback: Σ (1 + confidence·r)·(u·v - 1)² over the ratings + α₀·Σ (u·v)².
  double confidence = 0;
  double unobserved_weight = 1;  ///< α₀
  /// The second sum is over all pairs of a user and an item (Rendle), or over those without a
  /// rating (Hu, Koren and Volinsky 2008).
  bool counts_all_pairs = true;

  AlsSolver solver = AlsSolver::cholesky;
  int steps = 3;    ///< of conjugate gradients
  int block = 128;  ///< factors at a time of block coordinates
  int iterations = 15;
  AlsStart start = AlsStart::random;
  double start_scale = 0.1;
  std::uint64_t seed = 0;
  bool objective = false;  ///< of each iteration; a fence and O(ratings·k) work for each
  bool residual = true;    ///< at the end; O(ratings·k) work
};

struct AlsInfo {
  /// non_finite: factors have overflowed, all outputs are NaN; singular: some rows' equations have
  /// been, in working precision: factors that they do not determine are 0.
  Status status = Status::success;
  int iterations = 0;
  std::int64_t cold_users = 0;  ///< without ratings: their factors are 0
  std::int64_t cold_items = 0;
  std::int64_t singular_rows = 0;  ///< in all iterations
  /// The largest ‖b - A·x‖/‖b‖ over the items' normal equations after the last iteration, in the
  /// 2-norm; what has b = 0 is left out.
  double residual = 0;
  /// Of each iteration, if asked for: the weighted squared errors, and the regularization Σ λ‖x‖²
  /// over users and items.
  std::vector<double> objectives;
};

}  // namespace carroll
