// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/eigh/types.hpp>
#include <cstdint>

/// What a kernel sees of the matrices of a call.
namespace carroll::detail {

/// A ragged member and its place in the workspace.
struct EighSlot {
  EighMember member;
  std::int64_t reals;
};

/// Parts of a matrix scaled to entries of at most 1 that are below this count as zero: their
/// squares, and quotients by them, are still normal numbers.
template <class Real>
inline constexpr int negligible_coupling = sizeof(Real) == 4 ? -48 : -400;

/// The limit of steps for all of a matrix.
KOKKOS_INLINE_FUNCTION constexpr int most_ql_steps(int max_sweeps, int n) {
  constexpr int most = Kokkos::Experimental::finite_max_v<int>;
  return n > 0 && max_sweeps > most / n ? most : max_sweeps * n;
}

/// Eigenvalues of so much of the largest one, in modulus, count as zero for the rank.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr Real rank_limit(int n) {
  return static_cast<Real>(n) * Kokkos::Experimental::epsilon_v<Real>;
}

/// One matrix, of real or complex entries: its views and its slice of the workspace.
template <class T>
struct EighProblem {
  using Real = RealOf<T>;
  int n;
  StridedMatrix<T const> a;  ///< the lower triangle is to be read
  bool conjugated;           ///< of a complex matrix: it holds that of conj(A)
  StridedVector<Real> w;
  StridedMatrix<T> v;  ///< without data where not wanted
  EighInfo<Real>* info;
  Real* reals;

  KOKKOS_FUNCTION bool vectors() const { return v.data != nullptr; }

  /// A(i, j), i >= j. A Hermitian matrix has a real diagonal: imaginary parts there count for
  /// nothing, as in LAPACK.
  KOKKOS_FUNCTION T lower(int i, int j) const {
    T const x = a(i, j);
    if constexpr (is_complex<T>)
      return {x.real(), i == j ? Real(0) : conjugated ? -x.imag() : x.imag()};
    else
      return x;
  }
  KOKKOS_FUNCTION T entry(int i, int j) const {
    return i < j ? conjugate(lower(j, i)) : lower(i, j);
  }
};

/// The caller's matrices.
template <class T>
struct EighViews {
  StridedBatch<T const> a;
  StridedBatch<RealOf<T>> w;
  StridedBatch<T> v;  ///< without data where not wanted
};

/// All problems of one call: hands out the b-th.
template <class T>
struct EighBatch : EighViews<T> {
  using Real = RealOf<T>;
  using EighViews<T>::a, EighViews<T>::w, EighViews<T>::v;
  Triangle triangle;
  EighSlot const* slots;  ///< of a ragged batch, else null
  Real* reals;
  std::int64_t distance;  ///< between the members of a uniform batch
  EighInfo<Real>* infos;
  std::ptrdiff_t info_stride;
  int const* selection = nullptr;  ///< members that a kernel works on; null: all

  /// Which member the k-th of those is.
  KOKKOS_FUNCTION int index(int k) const { return selection ? selection[k] : k; }

  KOKKOS_FUNCTION EighProblem<T> operator()(int b) const {
    return slots ? ragged(b, slots[b]) : uniform(b);
  }

 private:
  KOKKOS_FUNCTION EighProblem<T> uniform(int b) const {
    return oriented(b, static_cast<int>(a.extents[1]), member(a, b),
                    {w.data + b * w.strides[0], w.strides[1]}, member(v, b), reals + b * distance);
  }

  /// Null stays null, for vectors that are not wanted.
  template <class Entry>
  KOKKOS_FUNCTION static StridedMatrix<Entry> member(StridedBatch<Entry> const& x, int b) {
    return {x.data ? x.data + b * x.strides[0] : nullptr, x.strides[1], x.strides[2]};
  }
  template <class Entry>
  KOKKOS_FUNCTION static StridedMatrix<Entry> packed(Entry* data, std::int64_t offset,
                                                     std::int64_t n) {
    return {data ? data + offset : nullptr, 1, static_cast<std::ptrdiff_t>(n)};
  }

  KOKKOS_FUNCTION EighProblem<T> ragged(int b, EighSlot const& slot) const {
    EighMember const& at = slot.member;
    return oriented(b, static_cast<int>(at.n), packed(a.data, at.a, at.n), {w.data + at.w, 1},
                    packed(v.data, at.v, at.n), reals + slot.reals);
  }

  KOKKOS_FUNCTION EighProblem<T> oriented(int b, int n, StridedMatrix<T const> A,
                                          StridedVector<Real> W, StridedMatrix<T> V,
                                          Real* work) const {
    return {.n = n,
            .a = triangle == Triangle::lower ? A : A.transposed(),
            .conjugated = triangle == Triangle::upper,
            .w = W,
            .v = V,
            .info = infos + b * info_stride,
            .reals = work};
  }
};

}  // namespace carroll::detail
