// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/pseudoinverse/types.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/pseudoinverse/least_squares_oracle.hpp"
#include "support/random.hpp"

/// Batches of arrow Jacobians that nobody has chosen.
namespace carroll::test {

inline std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// One frame on the host, rows in the order of the segments.
template <class Real>
struct ArrowFrame {
  std::vector<Real> motion;   // n×k, by rows
  std::vector<Real> depth;    // n
  std::vector<Real> rhs;      // n×r, by columns
  std::vector<int> offsets;   // m+1
  std::vector<Real> damping;  // k+m, or empty
};

template <class Real>
struct ArrowFrames {
  std::string kind;
  int n = 0, k = 1, m = 0, r = 1;
  PseudoinverseOptions options;
  std::vector<ArrowFrame<Real>> frames;

  [[nodiscard]] int count() const { return static_cast<int>(frames.size()); }
  [[nodiscard]] std::string text() const {
    return kind + (sizeof(Real) == 4 ? " float" : " double") + " n " + std::to_string(n) + " k " +
           std::to_string(k) + " m " + std::to_string(m) + " frames " + std::to_string(count()) +
           " method " + std::to_string(static_cast<int>(options.method)) + " path " +
           std::to_string(static_cast<int>(options.path)) + " weight " +
           std::to_string(static_cast<int>(options.weight)) + " damping " +
           std::to_string(options.damping) + (frames[0].damping.empty() ? "" : "+");
  }
};

/// Do they rise from 0 to n?
inline bool usable(std::vector<int> const& offsets, int n) {
  return offsets.front() == 0 && offsets.back() == n &&
         std::is_sorted(offsets.begin(), offsets.end());
}

/// Root of the weight of a row, as PseudoinverseOptions promises it.
inline long double weight_root(PseudoinverseOptions const& options, long double d) {
  long double const c = options.weight_scale, size = std::abs(d);
  if (options.weight == RobustWeight::huber) return size > c ? std::sqrt(c / size) : 1.0L;
  if (options.weight == RobustWeight::tukey)
    return size >= c ? 0.0L : (c - size) / c * ((c + size) / c);
  return 1.0L;
}

template <class Real>
long double damping_of(ArrowFrames<Real> const& all, ArrowFrame<Real> const& frame, int c) {
  return static_cast<long double>(all.options.damping) +
         (frame.damping.empty() ? 0.0L : static_cast<long double>(frame.damping[at(c)]));
}

/// A with weights, the roots of the damping below it.
template <class Real>
LongMatrix dense_jacobian(ArrowFrames<Real> const& all, ArrowFrame<Real> const& frame) {
  int const columns = all.k + all.m;
  bool const damped = all.options.damping > 0 || !frame.damping.empty();
  LongMatrix A(all.n + (damped ? columns : 0), columns);
  for (int s = 0; s < all.m; ++s)
    for (int i = frame.offsets[at(s)]; i < frame.offsets[at(s + 1)]; ++i)
      A(i, all.k + s) =
          weight_root(all.options, frame.rhs[at(i)]) * static_cast<long double>(frame.depth[at(i)]);
  for (int i = 0; i < all.n; ++i)
    for (int j = 0; j < all.k; ++j)
      A(i, j) = weight_root(all.options, frame.rhs[at(i)]) *
                static_cast<long double>(frame.motion[at(i * all.k + j)]);
  for (int j = 0; damped && j < columns; ++j)
    A(all.n + j, j) = std::sqrt(damping_of(all, frame, j));
  return A;
}

template <class Real>
std::vector<long double> dense_rhs(ArrowFrames<Real> const& all, ArrowFrame<Real> const& frame,
                                   int rows) {
  std::vector<long double> d(at(rows));
  for (int i = 0; i < all.n; ++i)
    d[at(i)] =
        weight_root(all.options, frame.rhs[at(i)]) * static_cast<long double>(frame.rhs[at(i)]);
  return d;
}

/// Segments of all sorts: cut anywhere, of a row each, one that has all, empty ones in between.
inline std::vector<int> random_offsets(Random& random, int n, int m) {
  std::vector<int> offsets(at(m + 1), 0);
  int const way = random.index(4);
  for (int s = 1; s < m; ++s)
    offsets[at(s)] = way == 0   ? static_cast<int>(static_cast<std::int64_t>(n) * s / m)
                     : way == 1 ? std::min(s, n)
                     : way == 2 ? (random.chance(0.5) ? 0 : n)
                                : random.index(n + 1);
  std::sort(offsets.begin(), offsets.end());
  if (m > 0) offsets[at(m)] = n;
  return offsets;
}

/// Offsets that do not rise from 0 to n.
inline std::vector<int> unusable_offsets(Random& random, int n, int m) {
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  for (;;) {
    auto offsets = random_offsets(random, n, m);
    int const changes = 1 + random.index(3);
    for (int c = 0; c < changes; ++c) {
      int& offset = offsets[at(random.index(m + 1))];
      int const wild[] = {least,
                          least + 1,
                          most,
                          most - 1,
                          -1,
                          n + 1,
                          n + 4000,
                          -n,
                          n,
                          random.index(n + 1),
                          0,
                          static_cast<int>(static_cast<unsigned>(offset) - 1U),
                          static_cast<int>(static_cast<unsigned>(offset) + 1U)};
      offset = wild[random.index(13)];
    }
    if (random.chance(0.1)) random.shuffle(offsets);
    if (random.chance(0.05)) std::reverse(offsets.begin(), offsets.end());
    if (!usable(offsets, n)) return offsets;
  }
}

}  // namespace carroll::test
