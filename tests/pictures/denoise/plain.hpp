// SPDX-License-Identifier: BSD-3-Clause
// Denoising by its definition, in double precision, with a decomposition of its own: an oracle that
// shares no code with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace carroll::test {

using Rows = std::vector<std::vector<double>>;

/// rows := U·f(S)·Vᵀ by one-sided rotations (Hestenes 1958) of the rows' columns.
inline Rows with_singular_values(Rows const& rows, std::function<double(double)> const& f) {
  std::size_t const m = rows.size(), n = m > 0 ? rows[0].size() : 0;
  Rows a = rows, v(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) v[i][i] = 1;
  auto const rotate = [](Rows& x, std::size_t p, std::size_t q, double c, double s) {
    for (auto& row : x) {
      double const xp = row[p], xq = row[q];
      row[p] = c * xp - s * xq;
      row[q] = s * xp + c * xq;
    }
  };
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool quiet = true;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (auto const& row : a) {
          pp += row[p] * row[p];
          qq += row[q] * row[q];
          pq += row[p] * row[q];
        }
        if (std::abs(pq) <= 1e-15 * std::sqrt(pp * qq)) continue;
        quiet = false;
        double const zeta = (qq - pp) / (2 * pq);
        double const t = std::copysign(1, zeta) / (std::abs(zeta) + std::hypot(1, zeta));
        double const c = 1 / std::hypot(1, t);
        rotate(a, p, q, c, c * t);
        rotate(v, p, q, c, c * t);
      }
    if (quiet) break;
  }
  Rows result(m, std::vector<double>(n));
  for (std::size_t k = 0; k < n; ++k) {
    double square = 0;
    for (auto const& row : a) square += row[k] * row[k];
    double const value = std::sqrt(square), part = value > 0 ? f(value) / value : 0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) result[i][j] += part * a[i][k] * v[j][k];
  }
  return result;
}

/// What weights c·√m·τ²/σ' make of σ, as long as it takes for σ' to stay; from above.
inline double reweighted(double sigma, double weight, int members, double noise) {
  double value = sigma;
  for (int i = 0; i < 100000 && value > 0; ++i) {
    double const next = std::max(sigma - weight * std::sqrt(members) * noise * noise / value, 0.0);
    if (std::abs(next - value) <= 1e-15 * sigma) break;
    value = next;
  }
  return value;
}

struct PlainOptions {
  double noise, weight, feedback, residual;
  int patch, step, window, members, fewer, iterations, searched_every;
};

/// A picture of `height` rows.
class PlainDenoise {
 public:
  PlainDenoise(std::vector<double> noisy, int height, int width, PlainOptions const& options)
      : noisy_(std::move(noisy)),
        current_(noisy_),
        height_(height),
        width_(width),
        options_(options),
        patch_(std::min({options.patch, height, width})) {}

  std::vector<double> run() {
    for (int i = 0; i < options_.iterations; ++i) iterate(i);
    return current_;
  }

 private:
  struct Place {
    int y, x;
  };
  [[nodiscard]] double at(std::vector<double> const& picture, int y, int x) const {
    return picture[static_cast<std::size_t>(y * width_ + x)];
  }
  [[nodiscard]] std::vector<double> patch_at(std::vector<double> const& picture, Place p) const {
    std::vector<double> patch;
    for (int i = 0; i < patch_; ++i)
      for (int j = 0; j < patch_; ++j) patch.push_back(at(picture, p.y + i, p.x + j));
    return patch;
  }
  [[nodiscard]] static double distance(std::vector<double> const& a, std::vector<double> const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
  }
  [[nodiscard]] std::vector<int> grid(int places) const {
    std::vector<int> starts;
    for (int i = 0; i < places; i += options_.step) starts.push_back(i);
    if (starts.back() != places - 1) starts.push_back(places - 1);
    return starts;
  }

  [[nodiscard]] std::vector<Place> similar(Place reference, int members) const {
    int const r = options_.window;
    std::vector<std::pair<double, Place>> all;
    auto const mine = patch_at(current_, reference);
    for (int y = std::max(reference.y - r, 0); y <= std::min(reference.y + r, height_ - patch_);
         ++y)
      for (int x = std::max(reference.x - r, 0); x <= std::min(reference.x + r, width_ - patch_);
           ++x)
        all.push_back({distance(mine, patch_at(current_, {y, x})), {y, x}});
    std::stable_sort(all.begin(), all.end(),
                     [](auto const& a, auto const& b) { return a.first < b.first; });
    std::vector<Place> places;
    for (int m = 0; m < members; ++m) places.push_back(all[static_cast<std::size_t>(m)].second);
    return places;
  }

  void iterate(int iteration) {
    for (std::size_t i = 0; i < current_.size() && iteration > 0; ++i)
      current_[i] += options_.feedback * (noisy_[i] - current_[i]);
    int const corner = (std::min(options_.window, height_ - patch_) + 1) *
                       (std::min(options_.window, width_ - patch_) + 1);
    int const most = std::min(options_.members, corner);
    auto const ys = grid(height_ - patch_ + 1), xs = grid(width_ - patch_ + 1);
    if (iteration % options_.searched_every == 0) {
      members_ =
          std::max(most - options_.fewer * (iteration / options_.searched_every), (most + 3) / 4);
      stacks_.clear();
      for (int y : ys)
        for (int x : xs) stacks_.push_back(similar({y, x}, members_));
    }
    std::vector<double> sums(current_.size()), counts(current_.size());
    std::size_t stack = 0;
    for (int y : ys)
      for (int x : xs) estimate({y, x}, iteration, stacks_[stack++], sums, counts);
    for (std::size_t i = 0; i < current_.size(); ++i)
      if (counts[i] > 0) current_[i] = sums[i] / counts[i];
  }

  void estimate(Place reference, int iteration, std::vector<Place> const& places,
                std::vector<double>& sums, std::vector<double>& counts) const {
    double noise = options_.noise;
    if (iteration > 0) {
      double const removed =
          distance(patch_at(noisy_, reference), patch_at(current_, reference)) / (patch_ * patch_);
      noise = options_.residual * std::sqrt(std::abs(noise * noise - removed));
    }
    Rows rows;
    for (Place p : places) rows.push_back(patch_at(current_, p));
    std::vector<double> mean(rows[0].size());
    for (auto const& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        mean[i] += row[i] / static_cast<double>(rows.size());
    for (auto& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) row[i] -= mean[i];
    Rows const clean = with_singular_values(rows, [&](double sigma) {
      return reweighted(sigma, options_.weight, static_cast<int>(places.size()), noise);
    });
    for (std::size_t m = 0; m < places.size(); ++m)
      for (int i = 0; i < patch_; ++i)
        for (int j = 0; j < patch_; ++j) {
          auto const k = static_cast<std::size_t>((places[m].y + i) * width_ + places[m].x + j);
          auto const e = static_cast<std::size_t>(i * patch_ + j);
          sums[k] += clean[m][e] + mean[e];
          counts[k] += 1;
        }
  }

  std::vector<double> noisy_, current_;
  int height_, width_;
  PlainOptions options_;
  int patch_, members_ = 0;
  std::vector<std::vector<Place>> stacks_;
};

}  // namespace carroll::test
