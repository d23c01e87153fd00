// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// Where the matrix lies whose SVD has the eigenvectors, and how the SVD is told.
namespace carroll::detail {

template <class Real>
struct FactorStorage {
  Columns<Real> L;  ///< rows as those of A
  Columns<Real> U;  ///< what is left of A; later L's left singular vectors
  Real* sigma;      ///< a column's length each while L is made; later L's singular values
  Real* shift;      ///< of EighFamily::shifted: singular values are eigenvalues and it
  int* exponents;   ///< row i of what is left stands for itself times 2^exponents[i]
  int* used;        ///< rows that have been pivots
  int* outcome;     ///< a Status and the exponent of L

  static constexpr std::int64_t reals(std::int64_t n) { return 2 * n * n + 3 * n + 3; }

  KOKKOS_FUNCTION explicit FactorStorage(EighProblem<Real> const& problem)
      : L{problem.reals, problem.n} {
    std::ptrdiff_t const n = problem.n;
    U = {L.data + n * n, problem.n};
    sigma = U.data + n * n;
    shift = sigma + n;
    exponents = reinterpret_cast<int*>(shift + 1);
    used = exponents + n;
    outcome = used + n;
  }
};

/// Vectors of the factors that are wanted.
constexpr SvdExtents factor_extents(EighExtents const& extents) {
  return {extents.batch, extents.n, extents.n,
          extents.vectors ? SvdVectors::thin : SvdVectors::none, SvdVectors::none};
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
template <class Real>
SvdViews<Real> uniform_factors(EighBatch<Real> const& batch, EighExtents const& extents) {
  auto const& [members, n, vectors] = extents;
  Kokkos::Array<std::ptrdiff_t, 3> const matrix{batch.distance, 1, n};
  SvdViews<Real> views;
  views.a = {batch.reals, {members, n, n}, matrix};
  if (vectors) views.u = {batch.reals + n * n, {members, n, n}, matrix};
  views.s = {batch.reals + 2 * n * n, {members, n, 1}, {batch.distance, 1, 0}};
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
