// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/svd/types.hpp>
#include <cstdint>

/// What a kernel sees of all matrices of a call.
namespace carroll::detail {

/// A ragged member and its places in the workspace.
struct SvdSlot {
  SvdMember member;
  std::int64_t reals;
  std::int64_t ints;
};

/// Members that a fast path has left to the team kernels, in any order.
struct FallbackList {
  int* count;
  int* members;

  /// Called by one lane.
  KOKKOS_FUNCTION void add(int b) const { members[Kokkos::atomic_fetch_add(count, 1)] = b; }
};

/// The caller's matrices.
template <class Real>
struct SvdViews {
  StridedBatch<Real const> a;
  StridedBatch<Real> u, s, v;  ///< without data where not wanted
};

/// All problems of one call: hands out the b-th.
template <class Real>
struct SvdBatch : SvdViews<Real> {
  using SvdViews<Real>::a, SvdViews<Real>::u, SvdViews<Real>::s, SvdViews<Real>::v;
  SvdVectors u_wanted, v_wanted;
  SvdMethod method;
  int tiled = 0;         ///< so many of the selection are swept by tiles, the rest by Gram matrices
  SvdSlot const* slots;  ///< of a ragged batch, else null
  Real* reals;
  int* ints;
  SvdWorkspaceSizes distance;  ///< between the members of a uniform batch
  SvdState* states;
  SvdInfo<Real>* infos;
  std::ptrdiff_t info_stride;
  FallbackList fallback;
  int const* selection = nullptr;  ///< members that a kernel works on; null: all

  /// Which member the k-th of those is.
  KOKKOS_FUNCTION int index(int k) const { return selection ? selection[k] : k; }
  /// Is the k-th of those swept by Gram matrices?
  KOKKOS_FUNCTION bool by_gram(int k) const { return k >= tiled; }

  KOKKOS_FUNCTION SvdProblem<Real> operator()(int b) const {
    return slots ? ragged(b, slots[b]) : uniform(b);
  }

 private:
  KOKKOS_FUNCTION SvdProblem<Real> uniform(int b) const {
    return oriented(b, static_cast<int>(a.extents[1]), static_cast<int>(a.extents[2]), member(a, b),
                    member(u, b), {s.data + b * s.strides[0], s.strides[1]}, member(v, b),
                    reals + b * distance.reals, ints + b * distance.ints);
  }

  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> member(StridedBatch<T> const& x, int b) {
    return {x.data + b * x.strides[0], x.strides[1], x.strides[2]};
  }

  /// A packed member; null stays null, for vectors that are not wanted.
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> packed(T* data, std::int64_t offset, std::int64_t rows) {
    return {data ? data + offset : nullptr, 1, static_cast<std::ptrdiff_t>(rows)};
  }

  KOKKOS_FUNCTION SvdProblem<Real> ragged(int b, SvdSlot const& slot) const {
    SvdMember const& at = slot.member;
    return oriented(b, static_cast<int>(at.rows), static_cast<int>(at.cols),
                    packed(a.data, at.a, at.rows), packed(u.data, at.u, at.rows),
                    {s.data + at.s, 1}, packed(v.data, at.v, at.cols), reals + slot.reals,
                    ints + slot.ints);
  }

  KOKKOS_FUNCTION SvdProblem<Real> oriented(int b, int m, int n, StridedMatrix<Real const> A,
                                            StridedMatrix<Real> U, StridedVector<Real> S,
                                            StridedMatrix<Real> V, Real* real_work,
                                            int* int_work) const {
    int const least = m < n ? m : n;
    int const u_cols = static_cast<int>(vector_columns(u_wanted, m, least));
    int const v_cols = static_cast<int>(vector_columns(v_wanted, n, least));
    bool const tall = m > n || (m == n && !states[b].turned);
    return {.rows = tall ? m : n,
            .cols = least,
            .a = tall ? A : A.transposed(),
            .left = tall ? U : V,
            .right = tall ? V : U,
            .left_cols = tall ? u_cols : v_cols,
            .right_cols = tall ? v_cols : u_cols,
            .s = S,
            .info = infos + b * info_stride,
            .state = states + b,
            .reals = real_work,
            .ints = int_work,
            .preconditioned = method == SvdMethod::preconditioned};
  }
};

}  // namespace carroll::detail
