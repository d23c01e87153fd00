// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/none.hpp>
#include <carroll/status.hpp>
#include <cstdint>

namespace carroll {

/// Where the chain begins.
enum class GibbsStart {
  random,  ///< normal numbers of standard deviation start_scale/√k
  given,   ///< U and V as they are: of ALS, say
};

struct GibbsOptions {
  double precision = 2;  ///< α of the ratings' noise: its variance is 1/α
  int burn_in = 20;      ///< sweeps before any is counted
  int sweeps = 200;      ///< that are
  GibbsStart start = GibbsStart::random;
  double start_scale = 0.3;
  /// Of the prior of a side's mean and precision: μ ~ N(0, (mean_weight·Λ)⁻¹), Λ ~ Wishart(I/scale,
  /// k + extra_freedom).
  double mean_weight = 2;
  double scale = 1;
  double extra_freedom = 0;
  /// U and V become the means over the sweeps that are counted, else the last ones. The chain may
  /// turn, so that products of means are a bit worse than means of products, which is what
  /// predictions are.
  bool posterior_means = false;
  double least = 0, most = 0;  ///< predictions are cut off to these, unless they are equal
  std::uint64_t seed = 0;
};

/// Pairs for which gibbs() is to predict ratings: four Views of rank 1 and one length, or
/// carroll::none for any of the last two.
template <class Users, class Items, class Mean = None, class Variance = None>
struct GibbsPairs {
  Users users;        ///< std::int32_t
  Items items;        ///< std::int32_t
  Mean mean;          ///< of the ratings' type, overwritten: the mean of the prediction
  Variance variance;  ///< and its variance, 1/α of the rating's own noise included
};
template <class Users, class Items, class Mean, class Variance>
GibbsPairs(Users, Items, Mean, Variance) -> GibbsPairs<Users, Items, Mean, Variance>;

struct GibbsInfo {
  /// non_finite: factors given are not finite, or have overflowed; all outputs are NaN.
  Status status = Status::success;
  int sweeps = 0;               ///< counted
  double mean = 0;              ///< of the ratings; a prediction is mean + u·v
  std::int64_t cold_users = 0;  ///< without ratings: drawn from the prior
  std::int64_t cold_items = 0;
};

}  // namespace carroll
