// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/loops.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "scaling/clock.hpp"

namespace carroll::tool {

double sum_by_loop(std::vector<double> const& x) {
  double sum = 0;
  for (double const entry : x) sum += entry;
  return sum;
}

double dot_by_loop(std::vector<double> const& x, std::vector<double> const& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

void add_by_loop(std::vector<double> const& x, std::vector<double> const& y,
                 std::vector<double>& z) {
  for (std::size_t k = 0; k < x.size(); ++k) z[k] = x[k] + y[k];
}

void multiply_by_loop(HostMatrix<double> const& A, HostMatrix<double> const& B,
                      HostMatrix<double>& C) {
  std::ranges::fill(C.values, 0.0);
  for (std::int64_t j = 0; j < B.cols; ++j)
    for (std::int64_t k = 0; k < A.cols; ++k)
      for (std::int64_t i = 0; i < A.rows; ++i) C(i, j) += A(i, k) * B(k, j);
}

double determinant_by_loop(HostMatrix<double> A) {
  double log_abs = 0;
  for (std::int64_t k = 0; k < A.cols; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < A.rows; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    for (std::int64_t j = k; j < A.cols; ++j) std::swap(A(k, j), A(pivot, j));
    log_abs += std::log(std::abs(A(k, k)));
    for (std::int64_t i = k + 1; i < A.rows; ++i) A(i, k) /= A(k, k);
    for (std::int64_t j = k + 1; j < A.cols; ++j)
      for (std::int64_t i = k + 1; i < A.rows; ++i) A(i, j) -= A(i, k) * A(k, j);
  }
  return log_abs;
}

namespace {

/// Columns p and q of `A`, turned by the rotation of cosine c and sine s.
void rotate_columns(HostMatrix<double>& A, std::int64_t p, std::int64_t q, double c, double s) {
  for (std::int64_t i = 0; i < A.rows; ++i) {
    double const left = A(i, p), right = A(i, q);
    A(i, p) = c * left - s * right;
    A(i, q) = s * left + c * right;
  }
}

}  // namespace

double svd_by_loop(HostMatrix<double> A) {
  HostMatrix<double> V{A.cols, A.cols,
                       std::vector<double>(static_cast<std::size_t>(A.cols * A.cols))};
  for (std::int64_t j = 0; j < A.cols; ++j) V(j, j) = 1;
  auto const dot = [&](std::int64_t p, std::int64_t q) {
    double sum = 0;
    for (std::int64_t i = 0; i < A.rows; ++i) sum += A(i, p) * A(i, q);
    return sum;
  };
  double largest_cosine = 1;
  constexpr int most_sweeps = 30;
  for (int sweep = 0; sweep < most_sweeps && largest_cosine > 1e-14; ++sweep) {
    largest_cosine = 0;
    for (std::int64_t p = 0; p < A.cols; ++p) {
      for (std::int64_t q = p + 1; q < A.cols; ++q) {
        double const alpha = dot(p, p), beta = dot(q, q), gamma = dot(p, q);
        if (gamma == 0) continue;
        largest_cosine = std::max(largest_cosine, std::abs(gamma) / std::sqrt(alpha * beta));
        double const zeta = (beta - alpha) / (2 * gamma);
        double const t = std::copysign(1 / (std::abs(zeta) + std::hypot(1.0, zeta)), zeta);
        double const c = 1 / std::hypot(1.0, t);
        rotate_columns(A, p, q, c, c * t);
        rotate_columns(V, p, q, c, c * t);
      }
    }
  }
  double largest = 0;
  for (std::int64_t j = 0; j < A.cols; ++j) largest = std::max(largest, dot(j, j));
  return std::sqrt(largest);
}

double addition_seconds() {
  std::vector<double> const x(4096, 1.0);  // in the first cache
  constexpr int passes = 500;
  double volatile sink = 0;
  return least_seconds(25,
                       [&] {
                         for (int pass = 0; pass < passes; ++pass) sink = sum_by_loop(x);
                       }) /
         (passes * static_cast<double>(x.size()));
}

double hand_over_seconds() {
  constexpr int rounds = 50, most_trials = 200;
  constexpr double long_enough = 0.1;     // where threads have to wait for a processor
  alignas(64) std::atomic<int> ball = 0;  // odd: the other thread's turn; below 0: the end
  auto const wait_until = [&ball](auto const& is_mine) {
    for (int spin = 1;; ++spin) {
      int const seen = ball.load(std::memory_order_acquire);
      if (is_mine(seen)) return seen;
      if (spin % 1024 == 0) std::this_thread::yield();
    }
  };
  std::thread other([&] {
    for (;;) {
      int const seen = wait_until([](int turn) { return turn < 0 || turn % 2 == 1; });
      if (seen < 0) return;
      ball.store(seen + 1, std::memory_order_release);
    }
  });
  double least = HUGE_VAL, all = 0;
  for (int trial = 0; trial < most_trials && all < long_enough; ++trial) {
    double const seconds = seconds_of([&] {
      for (int round = 0; round < rounds; ++round) {
        int const turn = ball.load(std::memory_order_relaxed) + 1;
        ball.store(turn, std::memory_order_release);
        wait_until([turn](int seen) { return seen == turn + 1; });
      }
    });
    least = std::min(least, seconds);
    all += seconds;
  }
  ball.store(-1, std::memory_order_release);
  other.join();
  return least / (2 * rounds);
}

}  // namespace carroll::tool
