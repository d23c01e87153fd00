// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/sgd.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "recommenders/sgd/models.hpp"

namespace carroll::test {

/// The method as it is written, in double precision.
template <class Real>
struct PlainSgd {
  int k;
  std::vector<double> U, V, user_bias, item_bias;
  double mean;

  void run(detail::SgdSchedule<Real> const& schedule, SgdOptions const& options, bool biases) {
    auto const inverse = [](std::vector<std::int32_t> const& places) {
      std::vector<std::size_t> rows(places.size());
      for (std::size_t r = 0; r < places.size(); ++r) rows[std::size_t(places[r])] = r;
      return rows;
    };
    auto const users = inverse(schedule.users.place), items = inverse(schedule.items.place);
    auto const p = static_cast<std::size_t>(schedule.blocks), width = static_cast<std::size_t>(k);
    for (int t = 0; t < options.epochs; ++t) {
      double eta = options.learning_rate;
      if (options.schedule == LearningRate::inverse) eta /= 1 + options.decay * t;
      if (options.schedule == LearningRate::linear) eta *= 1 - options.decay * t / options.epochs;
      double const lambda = options.regularization, bias_lambda = options.bias_regularization;
      for (std::size_t s = 0; s < p; ++s)
        for (std::size_t b = 0; b < p; ++b) {
          std::size_t const block = b * p + (b + s) % p;
          for (auto e = schedule.begins[block]; e < schedule.begins[block + 1]; ++e) {
            auto const& rating = schedule.ratings[std::size_t(e)];
            std::size_t const u = users[std::size_t(rating.user)];
            std::size_t const i = items[std::size_t(rating.item)];
            double error = static_cast<double>(rating.value) - mean;
            if (biases) error -= user_bias[u] + item_bias[i];
            for (std::size_t f = 0; f < width; ++f) error -= U[u * width + f] * V[i * width + f];
            for (std::size_t f = 0; f < width; ++f) {
              double& x = U[u * width + f];
              double& y = V[i * width + f];
              double const old = x;
              x += 2 * eta * (error * y - lambda * x);
              y += 2 * eta * (error * old - lambda * y);
            }
            if (!biases) continue;
            user_bias[u] += 2 * eta * (error - bias_lambda * user_bias[u]);
            item_bias[i] += 2 * eta * (error - bias_lambda * item_bias[i]);
          }
        }
    }
  }
};

}  // namespace carroll::test
