// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/als.hpp>
#include <carroll/gibbs.hpp>
#include <vector>

#include "recommenders/quality.hpp"

/// The methods that quality.cpp measures, and the settings that it chooses from.
namespace carroll::perf {

/// predictions := mean + biases + u·v.
inline void predict(FactorModel<Real, Memory> const& model, Task const& t,
                    Kokkos::View<Real*, Memory> const& predictions) {
  auto const users = t.users, items = t.items;
  Kokkos::parallel_for(
      "carroll_perf::predict",
      Kokkos::RangePolicy<Exec>(t.exec, 0, static_cast<int>(predictions.extent(0))),
      KOKKOS_LAMBDA(int p) {
        int const u = users(p), i = items(p);
        Real value = model.mean;
        if (model.user_bias.extent(0) > 0) value += model.user_bias(u) + model.item_bias(i);
        for (std::size_t f = 0; f < model.U.extent(1); ++f) value += model.U(u, f) * model.V(i, f);
        predictions(p) = value;
      });
  t.exec.fence("carroll_perf::predict");
}

inline FactorModel<Real, Memory> empty_model(Task const& t, int k) {
  FactorModel<Real, Memory> model;
  using Factors = FactorModel<Real, Memory>::Factors;
  model.U = Factors("U", static_cast<std::size_t>(t.ratings.users()), static_cast<std::size_t>(k));
  model.V = Factors("V", static_cast<std::size_t>(t.ratings.items()), static_cast<std::size_t>(k));
  return model;
}

inline std::vector<Setting> als_settings(std::vector<int> const& factors,
                                         std::vector<double> const& regularizations,
                                         AlsOptions options) {
  std::vector<Setting> settings;
  for (int const k : factors)
    for (double const regularization : regularizations) {
      options.regularization = regularization;
      settings.push_back({"k=" + std::to_string(k) + " lambda=" + std::to_string(regularization),
                          [=](Task const& t, Kokkos::View<Real*, Memory> const& predictions) {
                            auto model = empty_model(t, k);
                            auto const info = als(t.exec, t.ratings, model, options);
                            if (info.status != Status::success)
                              throw std::runtime_error("als: " +
                                                       std::string(to_string(info.status)));
                            predict(model, t, predictions);
                          }});
    }
  return settings;
}

inline Setting gibbs_setting(int k, GibbsOptions const& options) {
  return {"k=" + std::to_string(k) + " alpha=" + std::to_string(options.precision),
          [=](Task const& t, Kokkos::View<Real*, Memory> const& predictions) {
            auto model = empty_model(t, k);
            GibbsOptions cut_off = options;
            cut_off.least = t.least;
            cut_off.most = t.most;
            auto const info = gibbs(t.exec, t.ratings, model, cut_off,
                                    GibbsPairs{t.users, t.items, predictions, none});
            if (info.status != Status::success)
              throw std::runtime_error("gibbs: " + std::string(to_string(info.status)));
          }};
}

inline std::vector<Method> methods() {
  return {
      {"als",
       [](std::string const& data) {
         AlsOptions options;
         options.biases = AlsBiases::fitted;
         options.iterations = 20;
         return data == "ml-100k" ? als_settings({100}, {.1, .11, .12, .13}, options)
                                  : als_settings({64}, {.06, .07, .08, .09}, options);
       }},
      {"gibbs",
       [](std::string const&) {
         GibbsOptions options;
         return std::vector<Setting>{gibbs_setting(32, options)};
       }},
  };
}

}  // namespace carroll::perf
