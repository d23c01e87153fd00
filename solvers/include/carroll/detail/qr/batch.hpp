// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/qr/types.hpp>
#include <cstddef>
#include <cstdint>

/// What a kernel sees of the matrices of a call.
namespace carroll::detail {

/// A ragged member and its place in the workspace.
struct QrSlot {
  QrMember member;
  std::int64_t reals;
};

/// Parts of a column scaled to entries of at most 1 that are below 2^this count as zero: their
/// squares, and quotients by them, are still normal numbers.
template <class Real>
inline constexpr int negligible_part = sizeof(Real) == 4 ? -48 : -400;

/// One matrix: its views and its slice of the workspace.
template <class Value>
struct QrProblem {
  int m, n;
  StridedMatrix<Value const> a;
  StridedMatrix<Value> q;  ///< without data where not wanted
  StridedMatrix<Value> r;
  StridedVector<int> p;  ///< without data: no pivoting
  int q_cols, r_rows;
  QrInfo* info;
  RealOf<Value>* reals;
  bool scaled =
      false;  ///< A has had its columns' powers of two taken out, and is the library's own

  KOKKOS_FUNCTION int reflectors() const { return m < n ? m : n; }
  KOKKOS_FUNCTION bool pivots() const { return p.data != nullptr; }
};

/// The caller's matrices, over float, double or complex numbers of these.
template <class Value>
struct QrViews {
  StridedBatch<Value const> a;
  StridedBatch<Value> q, r;  ///< q without data where not wanted
  StridedBatch<int> p;       ///< without data: no pivoting
};

/// All problems of one call: hands out the b-th.
template <class Value>
struct QrBatch : QrViews<Value> {
  using Real = RealOf<Value>;
  using QrViews<Value>::a, QrViews<Value>::q, QrViews<Value>::r, QrViews<Value>::p;
  QrMode mode;
  Real rank_tolerance;  ///< negative: by extents
  QrSlot const* slots;  ///< of a ragged batch, else null
  Real* reals;
  std::int64_t distance;  ///< between the members of a uniform batch
  QrInfo* infos;
  std::ptrdiff_t info_stride;
  int const* selection = nullptr;  ///< members that a kernel works on; null: all
  int first = 0;                   ///< of those it begins with this one

  /// Which member the k-th of those is.
  KOKKOS_FUNCTION int index(int k) const { return selection ? selection[first + k] : first + k; }

  KOKKOS_FUNCTION QrProblem<Value> operator()(int b) const {
    return slots ? ragged(b, slots[b]) : uniform(b);
  }

  /// Of the first diagonal entry of R so much counts as zero.
  KOKKOS_FUNCTION Real tolerance(QrProblem<Value> const& problem) const {
    return rank_tolerance < Real(0) ? static_cast<Real>(Kokkos::max(problem.m, problem.n)) *
                                          Kokkos::Experimental::epsilon_v<Real>
                                    : rank_tolerance;
  }

 private:
  KOKKOS_FUNCTION QrProblem<Value> made(int b, std::int64_t rows, std::int64_t cols) const {
    QrProblem<Value> problem{};
    problem.m = static_cast<int>(rows);
    problem.n = static_cast<int>(cols);
    int const least = problem.reflectors();
    problem.q_cols = mode == QrMode::r ? 0 : mode == QrMode::full ? problem.m : least;
    problem.r_rows = mode == QrMode::full ? problem.m : least;
    problem.info = infos + b * info_stride;
    return problem;
  }

  KOKKOS_FUNCTION QrProblem<Value> uniform(int b) const {
    QrProblem<Value> problem = made(b, a.extents[1], a.extents[2]);
    problem.a = member(a, b);
    problem.q = member(q, b);
    problem.r = member(r, b);
    problem.p = {p.data ? p.data + b * p.strides[0] : nullptr, p.strides[1]};
    problem.reals = reals + b * distance;
    return problem;
  }

  /// Null stays null, for what is not wanted.
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> member(StridedBatch<T> const& x, int b) {
    return {x.data ? x.data + b * x.strides[0] : nullptr, x.strides[1], x.strides[2]};
  }
  template <class T>
  KOKKOS_FUNCTION static StridedMatrix<T> packed(T* data, std::int64_t offset, std::int64_t rows) {
    return {data ? data + offset : nullptr, 1, static_cast<std::ptrdiff_t>(rows)};
  }

  KOKKOS_FUNCTION QrProblem<Value> ragged(int b, QrSlot const& slot) const {
    QrMember const& at = slot.member;
    QrProblem<Value> problem = made(b, at.rows, at.cols);
    problem.a = packed(a.data, at.a, at.rows);
    problem.q = packed(q.data, at.q, at.rows);
    problem.r = packed(r.data, at.r, problem.r_rows);
    problem.p = {p.data ? p.data + at.p : nullptr, 1};
    problem.reals = reals + slot.reals;
    return problem;
  }
};

}  // namespace carroll::detail
