// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "support/lstsq/drivers.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"

/// Least-squares problems that nobody chose.
namespace carroll::test {

struct LstsqShape {
  int m, n, p;
};

/// Mostly small, of every shape about those at which kernels of the decomposition change.
inline LstsqShape draw_lstsq_shape(Random& random) {
  int const drawn = random.index(100);
  int const p = random.chance(0.7) ? 1 + random.index(4) : random.index(70);
  if (drawn < 2) return {33 + random.index(60), 33 + random.index(40), p};
  if (drawn < 5) return {60 + random.index(300), 1 + random.index(16), p};
  if (drawn < 8) return {1 + random.index(16), 60 + random.index(80), p};
  int const most = drawn < 25 ? 4 : drawn < 75 ? 10 : drawn < 95 ? 24 : 40;
  int const m = random.index(most + 1);
  return {m, random.chance(0.3) ? m : random.index(most + 1), p};
}

template <class T>
struct DrawnLstsq {
  LstsqProblem<T> problem;
  std::string kind;
  bool finite = true;
};

/// All of a matrix, or a column of it, near an end of the range.
template <class T>
void move_to_an_end(Random& random, HostMatrix<T>& M, int first, int count) {
  using Real = RealOf<T>;
  using Limits = std::numeric_limits<Real>;
  Real largest = 0;
  for (int j = first; j < first + count; ++j)
    for (int i = 0; i < M.rows; ++i) largest = std::max(largest, detail::largest_part(M(i, j)));
  if (!(largest > 0) || !std::isfinite(largest)) return;
  int const to = random.chance(0.5) ? Limits::max_exponent - random.index(3)
                                    : Limits::min_exponent - random.index(Limits::digits);
  int const shift = to - 1 - std::ilogb(largest);
  for (int j = first; j < first + count; ++j)
    for (int i = 0; i < M.rows; ++i) M(i, j) = detail::scale_parts(M(i, j), shift);
}

/// A right-hand side of noise, in the range of A, of both, or nothing.
template <class T>
void draw_right_side(Random& random, LstsqProblem<T>& problem, int j) {
  auto const& [A, B] = problem;
  bool const in_range = random.chance(0.4);
  double const noise = random.chance(0.1) ? 0 : in_range ? 1e-3 * random.uniform() : 1;
  for (int i = 0; i < A.rows; ++i) problem.B(i, j) = normal_entry<T>(random, noise);
  for (int k = 0; in_range && k < A.cols; ++k) {
    auto const x = static_cast<RealOf<T>>(random.symmetric());
    for (int i = 0; i < A.rows; ++i) {
      T const sum = problem.B(i, j) + A(i, k) * x;
      if (std::isfinite(detail::largest_part(sum))) problem.B(i, j) = sum;
    }
  }
}

/// Of any kind; of complex matrices both parts of one or two kinds, or one part zero.
template <class T>
HostMatrix<T> draw_any_matrix(Random& random, LstsqShape const& shape, std::string& kind) {
  using Real = RealOf<T>;
  auto const& types = all_matrix_types();
  auto const draw = [&] {
    auto const type = types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
    kind += (kind.empty() ? "" : " + i ") + std::string(to_string(type));
    return make_matrix<Real>(type, shape.m, shape.n,
                             static_cast<std::uint64_t>(random.index(1 << 30)));
  };
  auto const re = draw();
  if constexpr (is_complex<T>) {
    auto const im = random.chance(0.6) ? draw() : HostMatrix<Real>(shape.m, shape.n);
    bool const swaps = random.chance(0.5);
    HostMatrix<T> A(shape.m, shape.n);
    for (std::size_t k = 0; k < A.data.size(); ++k)
      A.data[k] = swaps ? T(im.data[k], re.data[k]) : T(re.data[k], im.data[k]);
    return A;
  } else {
    return re;
  }
}

template <class T>
DrawnLstsq<T> draw_lstsq(Random& random, LstsqShape const& shape) {
  using Real = RealOf<T>;
  DrawnLstsq<T> drawn;
  auto& [A, B] = drawn.problem;
  A = draw_any_matrix<T>(random, shape, drawn.kind);
  for (int repeats = random.chance(0.2) ? 1 + random.index(3) : 0; repeats > 0 && shape.n > 0;
       --repeats) {
    int const from = random.index(shape.n), to = random.index(shape.n);
    for (int i = 0; i < shape.m; ++i) A(i, to) = random.chance(0.01) ? T(0) : A(i, from);
    drawn.kind += ", a column again";
  }
  if (random.chance(0.1)) {
    move_to_an_end(random, A, 0, shape.n);
    drawn.kind += ", scaled";
  }
  B = HostMatrix<T>(shape.m, shape.p);
  for (int j = 0; j < shape.p; ++j) {
    draw_right_side(random, drawn.problem, j);
    if (random.chance(0.1)) move_to_an_end(random, B, j, 1);
  }
  auto const spoil = [&](HostMatrix<T>& M, char const* what) {
    if (M.data.empty() || !random.chance(0.02)) return;
    using Limits = std::numeric_limits<Real>;
    auto const parts = parts_in(M.data);
    parts[static_cast<std::size_t>(random.index(static_cast<int>(parts.size())))] =
        random.chance(0.5) ? Limits::quiet_NaN()
                           : Limits::infinity() * static_cast<Real>(random.sign());
    drawn.kind += what;
    drawn.finite = false;
  };
  spoil(A, ", A not finite");
  spoil(B, ", B not finite");
  return drawn;
}

}  // namespace carroll::test
