// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carroll::perf {
namespace {

using Number = long double;

Number dot(Number const* x, Number const* y, std::size_t n) {
  Number sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

double norm_of(std::vector<double> const& x) {
  double sum = 0;
  for (double const entry : x) sum += entry * entry;
  return std::sqrt(sum);
}

double distance(std::vector<double> const& x, std::vector<double> const& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(sum);
}

template <class Real>
void account(ArrowCheck& check, double error, double condition, double summed) {
  constexpr double eps = std::numeric_limits<Real>::epsilon();
  double const residual = error / (condition * eps * std::sqrt(1 + summed));
  check.error = std::max(check.error, error);
  check.residual = std::max(check.residual, residual);
  if (!(residual <= 30)) check.fault = "result wrong";
}

}  // namespace

ArrowReference::ArrowReference(HostFrame frame) : frame_(std::move(frame)) {
  auto const n = static_cast<std::size_t>(frame_.rows),
             k = static_cast<std::size_t>(frame_.motions);
  auto const m = static_cast<std::size_t>(frame_.depths());
  q_.assign(frame_.motion.begin(), frame_.motion.end());
  std::vector<Number> r(frame_.residual.begin(), frame_.residual.end());
  std::vector<Number> gamma(m);
  beta_.assign(m * k, 0);
  d_.assign(m, 0);
  segment_.assign(n, 0);
  std::vector<Number> norms(k);
  for (std::size_t j = 0; j < k; ++j) norms[j] = std::sqrt(dot(&q_[j * n], &q_[j * n], n));

  for (std::size_t i = 0; i < m; ++i) {
    auto const begin = static_cast<std::size_t>(frame_.offsets[i]);
    auto const end = static_cast<std::size_t>(frame_.offsets[i + 1]);
    for (std::size_t p = begin; p < end; ++p) {
      segment_[p] = static_cast<int>(i);
      d_[i] += Number(frame_.depth[p]) * frame_.depth[p];
    }
    if (d_[i] == 0) continue;
    auto const eliminate = [&](Number* column, Number& coefficient) {
      for (int repetition = 0; repetition < 2; ++repetition) {
        Number sum = 0;
        for (std::size_t p = begin; p < end; ++p) sum += frame_.depth[p] * column[p];
        sum /= d_[i];
        for (std::size_t p = begin; p < end; ++p) column[p] -= sum * frame_.depth[p];
        coefficient += sum;
      }
    };
    for (std::size_t j = 0; j < k; ++j) eliminate(&q_[j * n], beta_[i * k + j]);
    eliminate(r.data(), gamma[i]);
  }

  std::vector<Number> R(k * k), z(k);
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < k; ++j) {
    for (int repetition = 0; repetition < 2; ++repetition)
      for (std::size_t c = 0; c < j; ++c) {
        Number const share = dot(&q_[c * n], &q_[j * n], n);
        R[c * k + j] += share;
        for (std::size_t p = 0; p < n; ++p) q_[j * n + p] -= share * q_[c * n + p];
      }
    Number const left = std::sqrt(dot(&q_[j * n], &q_[j * n], n));
    R[j * k + j] = left;
    shortest = std::min(shortest, static_cast<double>(left));
    condition_ = std::max(condition_, static_cast<double>(norms[j] / left));
    for (std::size_t p = 0; p < n; ++p) q_[j * n + p] /= left;
    z[j] = dot(&q_[j * n], r.data(), n);
  }
  inverse_r_.assign(k * k, 0);
  for (std::size_t j = 0; j < k; ++j)
    for (std::size_t i = j + 1; i-- > 0;) {
      Number sum = i == j ? 1 : 0;
      for (std::size_t t = i + 1; t <= j; ++t) sum -= R[i * k + t] * inverse_r_[t * k + j];
      inverse_r_[i * k + j] = sum / R[i * k + i];
    }
  std::vector<Number> y(k);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = i; j < k; ++j) y[i] += inverse_r_[i * k + j] * z[j];
  step_.motion.assign(y.begin(), y.end());
  motion_size_ = norm_of(frame_.residual) / shortest / std::sqrt(static_cast<double>(n));
  step_.depth.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    Number xi = gamma[i];
    for (std::size_t j = 0; j < k; ++j) xi -= beta_[i * k + j] * y[j];
    step_.depth[i] = static_cast<double>(xi);
  }
}

std::vector<double> ArrowReference::column(int p) const {
  auto const n = static_cast<std::size_t>(frame_.rows),
             k = static_cast<std::size_t>(frame_.motions);
  auto const row = static_cast<std::size_t>(p);
  std::vector<Number> eta(k);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = i; j < k; ++j) eta[i] += inverse_r_[i * k + j] * q_[j * n + row];
  std::vector<double> column(eta.begin(), eta.end());
  for (std::size_t i = 0; i < d_.size(); ++i) {
    Number entry = 0;
    for (std::size_t j = 0; j < k; ++j) entry -= beta_[i * k + j] * eta[j];
    if (segment_[row] == static_cast<int>(i) && d_[i] > 0) entry += frame_.depth[row] / d_[i];
    column.push_back(static_cast<double>(entry));
  }
  return column;
}

template <class Real>
void check_step(ArrowCheck& check, ArrowStep const& found, ArrowReference const& reference,
                double summed) {
  ArrowStep const& wanted = reference.step();
  double const condition = reference.condition();
  double const size = std::max(norm_of(wanted.motion), reference.motion_size());
  account<Real>(check, distance(found.motion, wanted.motion) / size, condition, summed);
  account<Real>(check, distance(found.depth, wanted.depth) / norm_of(wanted.depth), condition,
                summed);
}
template void check_step<float>(ArrowCheck&, ArrowStep const&, ArrowReference const&, double);
template void check_step<double>(ArrowCheck&, ArrowStep const&, ArrowReference const&, double);

template <class Real>
void check_column(ArrowCheck& check, std::vector<double> const& found,
                  std::vector<double> const& wanted, ArrowReference const& reference,
                  double summed) {
  account<Real>(check, distance(found, wanted) / norm_of(wanted), reference.condition(), summed);
}
template void check_column<float>(ArrowCheck&, std::vector<double> const&,
                                  std::vector<double> const&, ArrowReference const&, double);
template void check_column<double>(ArrowCheck&, std::vector<double> const&,
                                   std::vector<double> const&, ArrowReference const&, double);

std::vector<int> sampled(int count, int samples) {
  std::vector<int> found;
  for (int i = 0; i < samples; ++i) {
    auto const at = static_cast<int>(static_cast<double>(i) * (count - 1) / (samples - 1) + 0.5);
    if (found.empty() || found.back() != at) found.push_back(at);
  }
  return found;
}

}  // namespace carroll::perf
