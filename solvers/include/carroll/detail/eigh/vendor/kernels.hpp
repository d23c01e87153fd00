// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/load.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// What goes before and behind the vendor's solver, a team per matrix.
namespace carroll::detail {

/// The matrices of a chunk as the solver reads and overwrites them.
template <class Real>
struct EighStaging {
  static constexpr int not_finite = Kokkos::Experimental::finite_max_v<int>;  ///< for an exponent

  int n;
  std::int64_t matrix, values;  ///< from one to the next
  Real* matrices;               ///< later their vectors
  Real* eigenvalues;
  int* infos;      ///< the solver's
  int* exponents;  ///< a matrix times 2^exponent is the caller's

  KOKKOS_FUNCTION Columns<Real> A(int k) const { return {matrices + k * matrix, n}; }
  KOKKOS_FUNCTION Real* W(int k) const { return eigenvalues + k * values; }
};

/// A kernel on the members of a chunk.
template <class ExecSpace, class Real>
class EighVendorKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  /// `first`: of the batch's selection.
  EighVendorKernel(EighBatch<Real> const& batch, EighStaging<Real> const& staging, int first,
                   int members)
      : batch_(batch), staging_(staging), first_(first), members_(members) {}

 protected:
  KOKKOS_FUNCTION EighProblem<Real> problem(int k) const {
    return batch_(batch_.index(first_ + k));
  }

  EighBatch<Real> batch_;
  EighStaging<Real> staging_;
  int first_, members_;
};

/// The caller's matrices, scaled to entries of at most 1; couplings of which the squares could sink
/// below the normal numbers are left out, 2^-48 and in double precision 2^-400. In the place of a
/// matrix that is not finite, and beyond the last, stands I, so that nothing that the solver finds
/// there can keep it from the others.
///
/// A is read twice, and written once with a look at what was written.
template <class ExecSpace, class Real>
class EighStageKernel : public EighVendorKernel<ExecSpace, Real> {
 public:
  using EighVendorKernel<ExecSpace, Real>::EighVendorKernel;
  using typename EighVendorKernel<ExecSpace, Real>::Member;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    EighStaging<Real> const& staging = this->staging_;
    int const k = team.league_rank(), n = staging.n;
    Columns<Real> const A = staging.A(k);
    int exponent = 0;
    bool finite = false;
    if (k < this->members_)
      finite = load_symmetric(team, this->problem(k), A, staging.W(k), exponent);
    Real const least = scale(Real(1), negligible_coupling<Real>);
    thread_for(team, n, [&](int j) {
      Real* const column = A.col(j);
      lane_for(team, n, [&](int i) {
        if (!finite)
          column[i] = i == j ? Real(1) : Real(0);
        else if (i != j && Kokkos::abs(column[i]) < least)
          column[i] = Real(0);
      });
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      staging.exponents[k] = finite ? exponent : EighStaging<Real>::not_finite;
    });
  }
};

/// W, V and infos from what the solver has left.
template <class ExecSpace, class Real>
class EighCollectKernel : public EighVendorKernel<ExecSpace, Real> {
 public:
  using EighVendorKernel<ExecSpace, Real>::EighVendorKernel;
  using typename EighVendorKernel<ExecSpace, Real>::Member;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    EighStaging<Real> const& staging = this->staging_;
    int const k = team.league_rank();
    EighProblem<Real> const problem = this->problem(k);
    int const exponent = staging.exponents[k];
    Real const* const values = staging.W(k);
    Columns<Real> const A = staging.A(k);
    if (exponent == EighStaging<Real>::not_finite)
      refuse(team, problem, Status::non_finite);
    else if (staging.infos[k] != 0)
      refuse(team, problem, Status::not_converged);
    else
      write_eigenpairs(
          team, problem, [&](int i) { return values[i]; }, rank_limit<Real>(problem.n),
          [&](int i) { return scale(values[i], exponent); }, [&](int i) { return A.col(i); }, 0,
          true);
    Kokkos::single(Kokkos::PerTeam(team), [&] { problem.info->vendor = true; });
  }
};

}  // namespace carroll::detail
