// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "hostile/members.hpp"
#include "hostile/pseudoinverse/arrow_batch.hpp"

/// What the entries are; see the kinds of the tester.
namespace carroll::test {

struct ArrowShape {
  int frames, n, k, m, r;
};

inline ArrowShape draw_shape(Random& random, bool large) {
  constexpr int motions[] = {1, 1, 1, 3, 3, 6, 6, 2, 4, 5, 7, 8};
  int const k = motions[random.index(12)];
  if (large) {
    int const n = 300 + random.index(random.chance(0.2) ? 6000 : 1500);
    int const m = 1 + random.index(random.chance(0.5) ? 20 : n / 4);
    return {1 + random.index(4), n, k, m, 1};
  }
  // Mostly more rows than columns; edges of vectors, lanes and windows.
  constexpr int edges[] = {1,  7,  8,  15,  16,  17,  31,  32,  33,
                           63, 64, 65, 127, 128, 129, 255, 256, 257};
  int const n = random.chance(0.3)   ? edges[random.index(18)]
                : random.chance(0.9) ? 1 + random.index(40)
                                     : random.index(260);
  int const m = n == 0 ? random.index(3) : 1 + random.index(random.chance(0.8) ? 5 : 12);
  int const most = random.chance(0.2) ? 48 : 12;
  int const room = on_device && random.chance(0.9) ? 100'000 / ((n + 1) * (k + m)) : 0;
  return {1 + random.index(std::max(most, std::min(room, 800))), n, k, m,
          random.chance(0.2) ? 1 + random.index(3) : 1};
}

/// 10^±decades, as a power of two.
inline double power(Random& random, double decades) {
  return std::exp2(std::floor(random.symmetric() * decades * 3.32));
}

template <class Real>
ArrowFrame<Real> full_rank_frame(Random& random, ArrowShape const& shape) {
  ArrowFrame<Real> frame;
  auto const number = [&] { return static_cast<Real>(random.normal()); };
  for (int i = 0; i < shape.n * shape.k; ++i) frame.motion.push_back(number());
  for (int i = 0; i < shape.n; ++i) frame.depth.push_back(number());
  for (int i = 0; i < shape.n * shape.r; ++i) frame.rhs.push_back(number());
  frame.offsets = random_offsets(random, shape.n, shape.m);
  return frame;
}

/// A number that Real has.
template <class Real>
Real held(double x) {
  double const most = sizeof(Real) == sizeof(float) ? 3e38 : 1e300;
  return static_cast<Real>(std::fmax(-most, std::fmin(x, most)));
}

/// Columns, rows and depths of any size.
template <class Real>
void grade(Random& random, ArrowShape const& shape, bool extreme, ArrowFrame<Real>& frame) {
  // Squares and quotients of them stay numbers: of double that is asked of the caller.
  double const decades = sizeof(Real) == sizeof(double) ? 45 : extreme ? 40 : 12;
  int const way = random.index(4);
  double const all = way == 0 ? power(random, decades) : 1;
  for (int j = 0; j < shape.k; ++j) {
    double const factor = all * (way == 1 ? power(random, decades) : 1);
    for (int i = 0; i < shape.n; ++i)
      frame.motion[at(i * shape.k + j)] = held<Real>(frame.motion[at(i * shape.k + j)] * factor);
  }
  for (int s = 0; s < shape.m; ++s) {
    double const factor = all * (way >= 2 ? power(random, decades) : 1);
    for (int i = frame.offsets[at(s)]; i < frame.offsets[at(s + 1)]; ++i)
      frame.depth[at(i)] = held<Real>(frame.depth[at(i)] * factor);
  }
  double const right = random.chance(0.3) ? power(random, decades) : 1;
  for (Real& d : frame.rhs) d = held<Real>(d * right);
  if (way == 3 && shape.n > 0 && random.chance(0.3)) {  // rows
    int const row = random.index(shape.n);
    double const factor = power(random, 3);
    for (int j = 0; j < shape.k; ++j)
      frame.motion[at(row * shape.k + j)] =
          held<Real>(frame.motion[at(row * shape.k + j)] * factor);
    frame.depth[at(row)] = held<Real>(frame.depth[at(row)] * factor);
  }
}

/// Dependent columns, exactly so: of small integers, times powers of two.
template <class Real>
void make_dependent(Random& random, ArrowShape const& shape, ArrowFrame<Real>& frame) {
  auto const integer = [&] { return static_cast<Real>(random.index(15) - 7); };
  for (Real& b : frame.motion) b = integer();
  for (Real& u : frame.depth) u = random.chance(0.1) ? Real(0) : integer();
  for (Real& d : frame.rhs) d = integer();
  auto const entry = [&](int i, int j) -> Real& { return frame.motion[at(i * shape.k + j)]; };
  int const changes = 1 + random.index(2);
  for (int c = 0; c < changes; ++c) {
    int const j = random.index(shape.k), l = random.index(shape.k);
    int const way = random.index(5);
    Real const factor = static_cast<Real>(std::ldexp(random.index(5) - 2, random.index(9) - 4));
    for (int i = 0; i < shape.n; ++i) {
      if (way == 0) entry(i, j) = 0;
      if (way == 1) entry(i, j) = entry(i, l);
      if (way == 2) entry(i, j) = factor * entry(i, l);
      if (way == 3) entry(i, j) = factor * frame.depth[at(i)];
      if (way == 4 && shape.k > 2)
        entry(i, j) = entry(i, (j + 1) % shape.k) - entry(i, (j + 2) % shape.k);
    }
  }
  for (int s = 0; s < shape.m && random.chance(0.5); ++s) {
    auto const factor = static_cast<Real>(std::exp2(-random.index(24)));
    for (int i = frame.offsets[at(s)]; i < frame.offsets[at(s + 1)]; ++i)
      frame.depth[at(i)] *= random.chance(0.02) ? Real(0) : factor;
  }
}

template <class Real>
ArrowFrames<Real> draw_frames(Random& random, std::string_view kind) {
  ArrowFrames<Real> all;
  bool const large = kind == "large";
  auto const shape = draw_shape(random, large);
  all.kind = kind;
  all.n = shape.n;
  all.k = shape.k;
  all.m = shape.m;
  all.r = shape.r;
  if (random.chance(0.3))
    all.options.method = PseudoinverseMethod::normal_equations;
  else if (random.chance(0.3))
    all.options.method = PseudoinverseMethod::structured_qr;
  else if ((shape.k == 1 || (detail::has_warps<Exec> && (shape.k == 3 || shape.k == 6))) &&
           random.chance(0.2))
    all.options.method = PseudoinverseMethod::cholesky_qr;
  bool const tiles = shape.k == 1 || all.options.method != PseudoinverseMethod::cholesky_qr;
  if (tiles && random.chance(0.1)) all.options.path = PseudoinversePath::row_tiles;
  if (random.chance(0.2)) all.options.damping = random.chance(0.5) ? 1e-3 : 0.7;
  if (random.chance(0.2)) {
    all.options.weight = random.chance(0.5) ? RobustWeight::huber : RobustWeight::tukey;
    all.options.weight_scale = 0.5 + 2 * random.uniform();
  }
  bool const damped = random.chance(0.15);
  for (int f = 0; f < shape.frames; ++f) {
    auto frame = full_rank_frame<Real>(random, shape);
    if (kind == "graded" || kind == "extreme") grade(random, shape, kind == "extreme", frame);
    if (kind == "deficient") make_dependent(random, shape, frame);
    for (int c = 0; damped && c < shape.k + shape.m; ++c)
      frame.damping.push_back(static_cast<Real>(random.chance(0.4) ? 0.0 : random.uniform()));
    all.frames.push_back(std::move(frame));
  }
  if (kind == "graded" || kind == "extreme") all.options.damping = 0;
  return all;
}

}  // namespace carroll::test
