// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// How many singular values of a picture to keep. A rank-k truncation A_k of a picture A with
/// singular values σ loses ‖A − A_k‖² = Σ_{j>k} σ_j² (Eckart and Young, Psychometrika 1, 1936): the
/// mean squared error, and with it the peak signal-to-noise ratio, of every k follows from the
/// values alone.
///
/// `values` are all singular values, descending. Tails are added from the smallest on.
/// Misuse throws std::invalid_argument.
namespace carroll {

namespace detail {

/// Σ_{j>k} σ_j² for k from 0 to their number.
inline std::vector<double> squared_tails(std::span<double const> values) {
  std::vector<double> tails(values.size() + 1, 0);
  for (std::size_t k = values.size(); k > 0; --k)
    tails[k - 1] = tails[k] + values[k - 1] * values[k - 1];
  return tails;
}

/// The first k whose tail is at most `most`.
inline std::int64_t rank_of_tail(std::vector<double> const& tails, double most) {
  auto const found = std::find_if(tails.begin(), tails.end(), [&](double t) { return t <= most; });
  return found - tails.begin();
}

}  // namespace detail

/// Mean squared error of the rank-k truncation of a picture of so many samples.
[[nodiscard]] inline double truncation_mse(std::span<double const> values, std::int64_t rank,
                                           std::int64_t samples) {
  detail::require(rank >= 0 && rank <= static_cast<std::int64_t>(values.size()) && samples >= 1,
                  "carroll::truncation_mse", [&] {
                    return "the rank is " + std::to_string(rank) + ", must be from 0 to " +
                           std::to_string(values.size());
                  });
  return detail::squared_tails(values)[static_cast<std::size_t>(rank)] /
         static_cast<double>(samples);
}

/// The smallest k that keeps the fraction `energy` of Σσ². Of grey levels as they are, the first
/// value has most of it, and what looks like anything needs .99 and more; of levels less their mean
/// .9 begins to say something.
[[nodiscard]] inline std::int64_t rank_of_energy(std::span<double const> values, double energy) {
  detail::require(energy > 0 && energy <= 1, "carroll::rank_of_energy", [&] {
    return "the energy is " + std::to_string(energy) + ", must be above 0, and 1 at most";
  });
  auto const tails = detail::squared_tails(values);
  return detail::rank_of_tail(tails, (1 - energy) * tails[0]);
}

/// The smallest k whose truncation has at most this mean squared error: of a peak signal-to-noise
/// ratio, `mse_of_psnr`.
[[nodiscard]] inline std::int64_t rank_of_mse(std::span<double const> values, double mse,
                                              std::int64_t samples) {
  detail::require(mse >= 0 && samples >= 1, "carroll::rank_of_mse",
                  [&] { return "the error is " + std::to_string(mse) + ", must be 0 or more"; });
  return detail::rank_of_tail(detail::squared_tails(values), mse * static_cast<double>(samples));
}

/// The largest k whose factors of a picture of rows×columns, k(rows + columns + 1) numbers, are at
/// most so many.
[[nodiscard]] inline std::int64_t rank_of_numbers(std::int64_t rows, std::int64_t columns,
                                                  std::int64_t numbers) {
  detail::require(rows >= 1 && columns >= 1 && numbers >= 0, "carroll::rank_of_numbers", [&] {
    return "the picture is " + detail::extents_text({rows, columns}) + ", must be 1×1 or more";
  });
  return std::min(std::min(rows, columns), numbers / (rows + columns + 1));
}

}  // namespace carroll
