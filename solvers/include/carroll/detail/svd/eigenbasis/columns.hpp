// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/eigenbasis/storage.hpp>
#include <carroll/detail/svd/spectral/columns.hpp>
#include <carroll/detail/team.hpp>

/// What stands between eigenvectors and products of the family `eigenbasis`.
namespace carroll::detail {

/// Which members can be begun: a team each. A fresh state.
template <class ExecSpace, class Real>
struct BasisReadyKernel {
  SvdBatch<Real> batch;
  BasisMembers<Real> members;
  int begin;  ///< of the chunk, in the selection

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const k = team.league_rank();
    SvdProblem<Real> const problem = batch(batch.index(begin + k));
    SpectralEntry const entry = spectral_entry(team, problem);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      members.states[k] = {entry, problem.right_cols > 0 ? 1 : 0, {}, 0};
    });
  }
};

/// What is done with each column, by a team.
enum class BasisPass {
  load,     ///< X, in double precision; of a member that is not ready XᵀX := 0
  basis,    ///< how far V is from orthonormal
  correct,  ///< what V is to be multiplied by, less I, from VᵀV
  replace,  ///< V := the corrected V
  angles,   ///< E, and how far Y's columns are from orthogonal
  turned,   ///< how far they are once they have been turned
  store,    ///< Y and V become the member's columns and rotations
};

/// n² numbers are read and written once or twice by each pass.
template <class ExecSpace, class Real, BasisPass pass>
class BasisPassKernel {
 public:
  BasisPassKernel(SvdBatch<Real> const& batch, BasisMembers<Real> const& members,
                  EighInfo<double> const* infos, int begin, int most)
      : batch_(batch), members_(members), infos_(infos), begin_(begin), most_(most) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const k = team.league_rank() / most_, j = team.league_rank() % most_;
    BasisMember<Real> const member = members_(k);
    if (j >= member.n) return;
    if constexpr (pass == BasisPass::load) load(team, member, k, j);
    if constexpr (pass == BasisPass::basis) measure_basis(team, member, k, j);
    if constexpr (pass == BasisPass::correct) correct(team, member, j);
    if constexpr (pass == BasisPass::replace) replace(team, member, j);
    if constexpr (pass == BasisPass::angles) measure_columns(team, member, j);
    if constexpr (pass == BasisPass::turned) measure_turned(team, member, j);
    if constexpr (pass == BasisPass::store) store(team, member, k, j);
  }

 private:
  using Team = TeamMember<ExecSpace>;
  using Member = BasisMember<Real>;

  KOKKOS_FUNCTION SvdProblem<Real> problem(int k) const { return batch_(batch_.index(begin_ + k)); }

  KOKKOS_FUNCTION void load(Team const& team, Member const& member, int k, int j) const {
    if (member.is_ready())
      return load_column(team, problem(k), member.state->entry.top, j,
                         member.columns(member.x).col(j));
    double* const g = member.columns(member.g).col(j);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, member.n), [&](int i) { g[i] = 0; });
  }

  KOKKOS_FUNCTION void measure_basis(Team const& team, Member const& member, int k, int j) const {
    if (!member.is_ready()) return;
    double const deviation = infos_[k].status == Status::success
                                 ? deviation_of(team, member.columns(member.g), j)
                                 : SpectralMeasure::infinite();
    raise(team, member.state->found.deviation, deviation);
  }

  KOKKOS_FUNCTION void correct(Team const& team, Member const& member, int j) const {
    if (!member.is_corrected()) return;
    double* const g = member.columns(member.g).col(j);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, member.n),
                         [&](int i) { g[i] = ((i == j ? 1 : 0) - g[i]) / 2; });
  }

  KOKKOS_FUNCTION void replace(Team const& team, Member const& member, int j) const {
    if (!member.is_corrected()) return;
    double const* const from = member.columns(member.e).col(j);
    double* const v = member.columns(member.v).col(j);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, member.n), [&](int i) { v[i] = from[i]; });
  }

  KOKKOS_FUNCTION void measure_columns(Team const& team, Member const& member, int j) const {
    if (!member.has_basis()) return;
    Columns<double> const S = member.columns(member.g);
    double const cosine = largest_cosine(team, S, j);
    double const sum =
        find_angles(team, S, j, member.tolerance() / 8, member.columns(member.e).col(j));
    raise(team, member.state->found.cosine, cosine);
    raise(team, member.state->found.angles, sum);
  }

  KOKKOS_FUNCTION void measure_turned(Team const& team, Member const& member, int j) const {
    if (!member.is_turned()) return;
    raise(team, member.state->turned_cosine, largest_cosine(team, member.columns(member.y), j));
  }

  /// Eigenvalues ascend; columns are to descend in length.
  KOKKOS_FUNCTION void store(Team const& team, Member const& member, int k, int j) const {
    if (!member.has_basis()) return;
    bool const turned = member.is_turned();
    double const cosine = member.cosine();
    int const from = member.n - 1 - j;
    store_column<Real>(
        team, problem(k),
        {member.state->entry.top, static_cast<Real>(cosine), cosine <= member.tolerance()},
        member.columns(turned ? member.x : member.y).col(from),
        member.columns(turned ? member.g : member.v).col(from), j);
  }

  /// The largest of all teams', whatever their order.
  KOKKOS_FUNCTION static void raise(Team const& team, double& most, double x) {
    Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_max(&most, x); });
  }

  SvdBatch<Real> batch_;
  BasisMembers<Real> members_;
  EighInfo<double> const* infos_;
  int begin_, most_;
};

}  // namespace carroll::detail
