// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// a·x with every product rounded before it goes into a sum; 1·x is x, whatever it is.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T rounded_multiple(T const& a, T const& x) {
  if (a == T(1)) return x;
  if constexpr (is_complex<T>)
    return T(rounded_product(a.real(), x.real()) - rounded_product(a.imag(), x.imag()),
             rounded_product(a.real(), x.imag()) + rounded_product(a.imag(), x.real()));
  else
    return rounded_product(a, x);
}

/// The same number on all devices: NaN is one NaN.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T one_nan(T const& x) {
  using Real = RealOf<T>;
  constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
  if constexpr (is_complex<T>)
    return T(x.real() == x.real() ? x.real() : nan, x.imag() == x.imag() ? x.imag() : nan);
  else
    return x == x ? x : nan;
}

/// alpha·x + beta·y, each product rounded before the sum is; with beta = 0, y is not read, and 0 is
/// +0.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T combined(T const& alpha, T const& x, T const& beta, T const& y) {
  T const multiple = rounded_multiple(alpha, x);
  return one_nan(multiple + (beta == T(0) ? T(0) : rounded_multiple(beta, y)));
}

/// y := alpha·op(A)·x + beta·y for each member of a batch: entry i of y is a sum of `terms`
/// products of A's entry (i, j) and x's entry j. Transposes are strides.
template <class Scalar>
struct MatrixVector {
  using T = Scalar;
  using Real = RealOf<T>;
  using Op = Operation<Reduction::dot, T, PlainSum>;
  /// Of products: of a lane, a chunk, or all; the empty one is -0 and changes nothing.
  using Sum = typename Op::Partial;

  T alpha{}, beta{};
  T const* a = nullptr;
  T const* x = nullptr;
  T* y = nullptr;
  Sum* sums = nullptr;  ///< in place of y: sums of products, row by row of all members; else null
  std::ptrdiff_t a_distance = 0, row_stride = 1,
                 term_stride = 0;  ///< from member, i, j to the next
  std::ptrdiff_t x_distance = 0, x_stride = 1, y_distance = 0, y_stride = 1;
  int rows = 0, terms = 0, members = 0;
  bool conjugate = false;  ///< A

  [[nodiscard]] KOKKOS_FUNCTION int chunks() const {
    return static_cast<int>((std::int64_t{terms} + chunk_terms - 1) / chunk_terms);
  }
  /// Terms of a chunk.
  [[nodiscard]] KOKKOS_FUNCTION int terms_of(int chunk) const {
    std::int64_t const left = terms - std::int64_t{chunk} * chunk_terms;
    return static_cast<int>(left < chunk_terms ? left : chunk_terms);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T const* row(int member, int i) const {
    return a + member * a_distance + i * row_stride;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T const* vector(int member) const {
    return x + member * x_distance;
  }

  /// sum += a·x, four real products of complex numbers, each with a sum of its own.
  KOKKOS_FORCEINLINE_FUNCTION static void add_term(Sum& sum, T const& a, T const& x) {
    if constexpr (is_complex<T>) {
      sum.of[0].add_product(a.real(), x.real());
      sum.of[1].add_product(a.imag(), x.imag());
      sum.of[2].add_product(a.real(), x.imag());
      sum.of[3].add_product(a.imag(), x.real());
    } else {
      sum.of[0].add_product(a, x);
    }
  }

  /// y's entry, from its sum.
  KOKKOS_FORCEINLINE_FUNCTION void store(int member, int i, Sum const& sum) const {
    if (sums) {
      sums[std::int64_t{member} * rows + i] = sum;
      return;
    }
    T& entry = y[member * y_distance + i * y_stride];
    T const product = Op::info(sum, conjugate).value;
    if (beta == T(0))
      entry = combined(alpha, product, T(0), T(0));
    else
      entry = combined(alpha, product, beta, T(entry));
  }
};

/// The upper half of the sums is added to the lower one, then half of those, until one is left.
template <int N, class Sum>
KOKKOS_FORCEINLINE_FUNCTION Sum halved_sums(Sum const (&sums)[N]) {
  if constexpr (N == 1) {
    return sums[0];
  } else {
    Sum lower[N / 2];  // by name, so that nothing keeps them from registers
    CARROLL_UNROLL
    for (int k = 0; k < N / 2; ++k) {
      lower[k] = sums[k];
      lower[k].join(sums[k + N / 2]);
    }
    return halved_sums(lower);
  }
}

}  // namespace carroll::detail
