// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "hostile/batch_round.hpp"
#include "support/field_matrix.hpp"
#include "support/svd/matrix_types.hpp"

/// Matrices that nobody chose, for the tester of QR factorisations.
namespace carroll::test {

template <class Value>
struct DrawnForQr {
  HostMatrix<Value> A;
  std::string kind;
  bool finite = true;
};

struct Shape {
  int m, n;
};

/// Mostly small, of every shape about those at which kernels change.
inline Shape draw_shape(Random& random) {
  int const drawn = random.index(100);
  if (drawn < 2) return {100 + random.index(60), 30 + random.index(110)};
  if (drawn < 5) return {60 + random.index(300), 1 + random.index(16)};
  int const most = drawn < 25 ? 4 : drawn < 70 ? 10 : drawn < 92 ? 24 : 60;
  int const m = random.index(most + 1);
  return {m, random.chance(0.3) ? m : random.index(most + 1)};
}

/// Brings columns far up or down, or among the subnormal numbers, each by itself or all alike.
template <class Value>
void move_columns(Random& random, DrawnForQr<Value>& drawn) {
  using Real = RealOf<Value>;
  using Limits = std::numeric_limits<Real>;
  if (!random.chance(0.15)) return;
  bool const alike = random.chance(0.5);
  int const room = 4 + static_cast<int>(std::log2(std::max(drawn.A.rows, 1)));
  int shift = 0;
  for (int j = 0; j < drawn.A.cols; ++j) {
    Real largest = 0;
    for (int i = 0; i < drawn.A.rows; ++i)
      largest = std::max(largest, detail::largest_part(drawn.A(i, j)));
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    int const up = Limits::max_exponent - room - std::ilogb(largest);
    if (j == 0 || !alike)
      shift = random.chance(0.5) ? up : Limits::min_exponent - random.index(Limits::digits);
    for (int i = 0; i < drawn.A.rows; ++i)
      drawn.A(i, j) = detail::scale_parts(drawn.A(i, j), std::min(shift, up));
  }
  drawn.kind += alike ? ", scaled" : ", columns scaled";
}

/// move_exactly and allow_vanished for both parts.
template <class Value>
bool move_parts(Value& x, int shift) {
  if constexpr (is_complex<Value>) {
    bool const fine = move_exactly(x.real(), shift);
    return move_exactly(x.imag(), shift) && fine;
  } else {
    return move_exactly(x, shift);
  }
}
template <class Value>
void allow_vanished_parts(Value& expected, Value const& result, int shift) {
  if constexpr (is_complex<Value>) {
    allow_vanished(expected.real(), result.real(), shift);
    allow_vanished(expected.imag(), result.imag(), shift);
  } else {
    allow_vanished(expected, result, shift);
  }
}

/// A real matrix that hurts, adding its name.
template <class Real>
HostMatrix<Real> draw_type(Random& random, Shape shape, std::string& kind) {
  auto const& types = all_matrix_types();
  auto const type = types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
  kind += (kind.empty() ? "" : " + i ") + std::string(to_string(type));
  return make_matrix<Real>(type, shape.m, shape.n,
                           static_cast<std::uint64_t>(random.index(1 << 30)));
}

/// Complex ones have two of these as their parts, or one of them, each entry times 1, i, -1 or -i.
template <class Value>
HostMatrix<Value> draw_entries(Random& random, Shape shape, std::string& kind) {
  using Real = RealOf<Value>;
  auto const re = draw_type<Real>(random, shape, kind);
  HostMatrix<Real> im(shape.m, shape.n);
  if constexpr (is_complex<Value>) {
    if (random.chance(0.6)) return field::combined<Value>(re, draw_type<Real>(random, shape, kind));
    kind += ", phases";
    bool const alike = random.chance(0.5);  // of rows and columns
    auto A = field::combined<Value>(re, im);
    for (int j = 0; j < shape.n; ++j)
      for (int i = 0; i < shape.m; ++i) {
        int const turns = alike ? 3 * i + 5 * j : random.index(4);
        for (int turn = 0; turn < turns % 4; ++turn)
          A(i, j) = Value(-A(i, j).imag(), A(i, j).real());
      }
    return A;
  }
  return field::combined<Value>(re, im);
}

template <class Value>
DrawnForQr<Value> draw_for_qr(Random& random, Shape shape) {
  DrawnForQr<Value> drawn;
  drawn.A = draw_entries<Value>(random, shape, drawn.kind);
  move_columns(random, drawn);
  if (random.chance(0.05) && shape.n > 0) {
    int const j = random.index(shape.n), from = random.index(shape.n);
    for (int i = 0; i < shape.m; ++i)
      drawn.A(i, j) = random.chance(0.5) ? drawn.A(i, from) : Value(0);
    drawn.kind += ", a column gone";
  }
  if (shape.m > 0 && shape.n > 0 && random.chance(0.03)) {
    using Real = RealOf<Value>;
    using Limits = std::numeric_limits<Real>;
    Real const bad = random.chance(0.5) ? Limits::quiet_NaN()
                                        : Limits::infinity() * static_cast<Real>(random.sign());
    Value& x = drawn.A(random.index(shape.m), random.index(shape.n));
    if constexpr (is_complex<Value>)
      x = random.chance(0.5) ? Value(bad, x.imag()) : Value(x.real(), bad);
    else
      x = bad;
    drawn.kind += ", not finite";
  }
  drawn.finite = all_finite(parts_of(drawn.A.data));
  return drawn;
}

}  // namespace carroll::test
