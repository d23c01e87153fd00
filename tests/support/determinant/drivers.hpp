// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "determinant_instances.hpp"
#include "support/complex_entries.hpp"
#include "support/determinant/reference.hpp"
#include "support/guarded_view.hpp"
#include "support/random.hpp"

/// The determinants of host matrices, and comparisons with references.
namespace carroll::test {

inline constexpr DeterminantMethod all_determinant_methods[] = {
    DeterminantMethod::blocked,
    DeterminantMethod::condensation,
    DeterminantMethod::salem_said,
    DeterminantMethod::dodgson,
    DeterminantMethod::condensation_in_place,
    DeterminantMethod::condensation_ping_pong,
    DeterminantMethod::condensation_read_only,
    DeterminantMethod::condensation_read_only_column};

/// Those that eliminate with the largest entry of a row.
inline constexpr DeterminantMethod elimination_methods[] = {
    DeterminantMethod::blocked,
    DeterminantMethod::condensation,
    DeterminantMethod::condensation_in_place,
    DeterminantMethod::condensation_ping_pong,
    DeterminantMethod::condensation_read_only,
    DeterminantMethod::condensation_read_only_column};

template <class T>
LongNumber quad_determinant_of(HostMatrix<T> const& A) {
  return quad_determinant(real_part(A), imaginary_part(A));
}

template <class T>
HostMatrix<T> random_square(int n, std::uint64_t seed) {
  Random random(seed);
  HostMatrix<T> A(n, n);
  for (T& entry : A.data) entry = normal_entry<T>(random);
  return A;
}

/// ±m·2^e with e from -exponents to exponents, 1 <= m < 2, where a chance of `density` leaves an
/// entry, and on a random diagonal. Real numbers.
template <class Real>
HostMatrix<Real> random_exponents(int n, int exponents, double density, std::uint64_t seed) {
  Random random(seed);
  HostMatrix<Real> A(n, n);
  std::vector<int> diagonal;
  for (int i = 0; i < n; ++i) diagonal.push_back(i);
  random.shuffle(diagonal);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (diagonal[static_cast<std::size_t>(i)] == j || random.chance(density))
        A(i, j) = static_cast<Real>(std::ldexp(random.sign() * (1 + random.uniform()),
                                               random.index(2 * exponents + 1) - exponents));
  return A;
}

/// Matrices of one order as a batch with guards around it.
template <class T, class Layout>
GuardedView<T, 3, Layout> guarded_batch(std::vector<HostMatrix<T>> const& members, int n) {
  auto const order = static_cast<std::size_t>(n);
  GuardedView<T, 3, Layout> batch({members.size(), order, order});
  batch.for_each_index([&](std::array<std::size_t, 3> at) {
    batch(at) = members[at[0]](static_cast<int>(at[1]), static_cast<int>(at[2]));
  });
  batch.to_device();
  return batch;
}

template <class Layout = Kokkos::LayoutRight, class T>
DeterminantInfo<T> run_determinant(HostMatrix<T> const& matrix,
                                   DeterminantOptions const& options = {}) {
  auto const A = guarded_from<T, Layout>(matrix);
  Exec const exec;
  return determinant(exec, A.view(), options);
}

template <class T>
double relative_error(DeterminantInfo<T> const& info, LongNumber const& reference) {
  auto const m = info.value.mantissa();
  if constexpr (detail::is_complex<T>)
    return relative_error(m.real(), m.imag(), info.value.exponent(), reference);
  else
    return relative_error(m, 0, info.value.exponent(), reference);
}

/// Compares bits; paddings aside.
template <class T>
bool same_bits(DeterminantInfo<T> const& a, DeterminantInfo<T> const& b) {
  auto const same = [](auto const& x, auto const& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  return a.status == b.status && same(a.growth, b.growth) &&
         same(a.value.mantissa(), b.value.mantissa()) && a.value.exponent() == b.value.exponent();
}

}  // namespace carroll::test

namespace carroll {

inline void PrintTo(DeterminantMethod method, std::ostream* out) {
  constexpr char const* names[] = {"blocked",
                                   "condensation",
                                   "salem_said",
                                   "dodgson",
                                   "condensation_in_place",
                                   "condensation_ping_pong",
                                   "condensation_read_only",
                                   "condensation_read_only_column"};
  *out << names[static_cast<int>(method)];
}

}  // namespace carroll
