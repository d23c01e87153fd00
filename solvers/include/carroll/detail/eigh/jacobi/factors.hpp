// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/either.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// Where the matrix lies whose SVD has the eigenvectors, and how the SVD is told.
namespace carroll::detail {

/// Of complex matrices U is conj(U) later: what is decomposed is Lᵀ, of which these are the right
/// vectors, which the kernels there have for less than left ones.
template <class T>
struct FactorStorage {
  using Real = RealOf<T>;
  Columns<T> L;    ///< rows as those of A
  Columns<T> U;    ///< what is left of A; later L's left singular vectors
  T* column;       ///< of L, while that is made; of real matrices the place of sigma
  Real* sigma;     ///< L's singular values; before that sums or sizes of columns
  Real* shift;     ///< of EighFamily::shifted: singular values are eigenvalues and it
  int* exponents;  ///< row i of what is left stands for itself times 2^exponents[i]
  int* used;       ///< rows that have been pivots
  int* outcome;    ///< a Status and the exponent of L

  static constexpr std::int64_t reals(std::int64_t n) {
    return (is_complex<T> ? 4 * n * n + 2 * n : 2 * n * n) + 3 * n + 3;
  }

  KOKKOS_FUNCTION explicit FactorStorage(EighProblem<T> const& problem)
      : L{reinterpret_cast<T*>(problem.reals), problem.n} {
    std::ptrdiff_t const n = problem.n;
    U = {L.data + n * n, problem.n};
    column = U.data + n * n;
    sigma = reinterpret_cast<Real*>(is_complex<T> ? column + n : column);
    shift = sigma + n;
    exponents = reinterpret_cast<int*>(shift + 1);
    used = exponents + n;
    outcome = used + n;
  }
};

/// Vectors of the factors that are wanted.
template <class T>
constexpr SvdExtents factor_extents(EighExtents const& extents) {
  SvdVectors const own = extents.vectors ? SvdVectors::thin : SvdVectors::none;
  return {extents.batch, extents.n, extents.n, is_complex<T> ? SvdVectors::none : own,
          is_complex<T> ? own : SvdVectors::none};
}
inline SvdOptions factor_options(EighOptions const& options) {
  SvdOptions result;
  result.max_sweeps = options.max_sweeps;
  return result;
}
/// For what a vendor's library has not done right: without it.
inline SvdOptions factor_options_again(EighOptions const& options) {
  SvdOptions result = factor_options(options);
  result.path = SvdPath::gram;
  return result;
}

/// The factors of a uniform batch.
template <class T>
SvdViewsOf<T> uniform_factors(EighBatch<T> const& batch, EighExtents const& extents) {
  auto const& [members, n, vectors] = extents;
  EighProblem<T> first{};
  first.n = static_cast<int>(n);
  first.reals = batch.reals;
  FactorStorage<T> const at(first);
  std::ptrdiff_t const distance = batch.distance * sizeof(RealOf<T>) / sizeof(T);
  Kokkos::Array<std::ptrdiff_t, 3> const matrix{distance, 1, n};
  SvdViewsOf<T> views;
  if constexpr (is_complex<T>) {
    views.a = {at.L.data, {members, n, n}, {distance, n, 1}};
    if (vectors) views.v = {at.U.data, {members, n, n}, matrix};
  } else {
    views.a = {at.L.data, {members, n, n}, matrix};
    if (vectors) views.u = {at.U.data, {members, n, n}, matrix};
  }
  views.s = {at.sigma, {members, n, 1}, {batch.distance, 1, 0}};
  return views;
}

/// Those of a ragged batch of `reals` in all; factor_members says where they are.
template <class Real>
SvdViews<Real> packed_factors(EighBatch<Real> const& batch, std::int64_t reals) {
  StridedBatch<Real> const all{batch.reals, {1, reals, 1}, {0, 1, 0}};
  SvdViews<Real> views;
  views.a = {all.data, all.extents, all.strides};
  views.u = views.s = all;
  return views;
}
inline std::vector<SvdMember> factor_members(std::span<EighSlot const> slots, bool vectors) {
  std::vector<SvdMember> members;
  members.reserve(slots.size());
  for (auto const& [at, reals] : slots) {
    std::int64_t const square = at.n * at.n;
    members.push_back({at.n, at.n, reals, vectors ? reals + square : 0, reals + 2 * square, 0});
  }
  return members;
}

}  // namespace carroll::detail
