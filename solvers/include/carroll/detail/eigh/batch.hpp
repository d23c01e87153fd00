// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
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

/// One matrix: its views and its slice of the workspace.
template <class Real>
struct EighProblem {
  int n;
  StridedMatrix<Real const> a;  ///< the lower triangle is to be read
  StridedVector<Real> w;
  StridedMatrix<Real> v;  ///< without data where not wanted
  EighInfo<Real>* info;
  Real* reals;

  KOKKOS_FUNCTION bool vectors() const { return v.data != nullptr; }
};

/// The caller's matrices.
template <class Real>
struct EighViews {
  StridedBatch<Real const> a;
  StridedBatch<Real> w, v;  ///< v without data where not wanted
};

/// All problems of one call: hands out the b-th.
template <class Real>
struct EighBatch : EighViews<Real> {
  using EighViews<Real>::a, EighViews<Real>::w, EighViews<Real>::v;
  Triangle triangle;
  EighSlot const* slots;  ///< of a ragged batch, else null
  Real* reals;
  std::int64_t distance;  ///< between the members of a uniform batch
  EighInfo<Real>* infos;
  std::ptrdiff_t info_stride;
  int const* selection = nullptr;  ///< members that a kernel works on; null: all

  /// Which member the k-th of those is.
  KOKKOS_FUNCTION int index(int k) const { return selection ? selection[k] : k; }

  KOKKOS_FUNCTION EighProblem<Real> operator()(int b) const {
    return slots ? ragged(b, slots[b]) : uniform(b);
  }

 private:
  KOKKOS_FUNCTION EighProblem<Real> uniform(int b) const {
    return oriented(b, static_cast<int>(a.extents[1]), member(a, b),
                    {w.data + b * w.strides[0], w.strides[1]}, member(v, b), reals + b * distance);
  }

  /// Null stays null, for vectors that are not wanted.
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> member(StridedBatch<T> const& x, int b) {
    return {x.data ? x.data + b * x.strides[0] : nullptr, x.strides[1], x.strides[2]};
  }
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> packed(T* data, std::int64_t offset, std::int64_t n) {
    return {data ? data + offset : nullptr, 1, static_cast<std::ptrdiff_t>(n)};
  }

  KOKKOS_FUNCTION EighProblem<Real> ragged(int b, EighSlot const& slot) const {
    EighMember const& at = slot.member;
    return oriented(b, static_cast<int>(at.n), packed(a.data, at.a, at.n), {w.data + at.w, 1},
                    packed(v.data, at.v, at.n), reals + slot.reals);
  }

  KOKKOS_FUNCTION EighProblem<Real> oriented(int b, int n, StridedMatrix<Real const> A,
                                             StridedVector<Real> W, StridedMatrix<Real> V,
                                             Real* work) const {
    return {.n = n,
            .a = triangle == Triangle::lower ? A : A.transposed(),
            .w = W,
            .v = V,
            .info = infos + b * info_stride,
            .reals = work};
  }
};

}  // namespace carroll::detail
