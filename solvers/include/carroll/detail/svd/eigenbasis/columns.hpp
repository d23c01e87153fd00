// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/eigenbasis/storage.hpp>
#include <carroll/detail/svd/fused/shape.hpp>
#include <carroll/detail/svd/spectral/columns.hpp>
#include <carroll/detail/svd/tiled/shared_columns.hpp>
#include <carroll/detail/team.hpp>

/// What stands between eigenvectors and products of the family `eigenbasis`.
namespace carroll::detail {

/// Which members can be begun with what is there: a team each. A fresh state.
template <class ExecSpace, class Real>
struct BasisReadyKernel {
  SvdBatch<Real> batch;
  BasisMembers<Real> members;
  int begin;  ///< of the chunk, in the selection
  BasisFrom from;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const k = team.league_rank();
    SvdProblem<Real> const problem = batch(batch.index(begin + k));
    bool const direct = from == BasisFrom::matrix;
    SpectralEntry entry{0, 0};
    if (basis_from(problem.rows, problem.cols) == from)
      entry = direct ? direct_entry(team, problem) : spectral_entry(team, problem);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      members.states[k] = {entry,
                           direct ? problem.rows : problem.cols,
                           problem.right_cols > 0 ? 1 : 0,
                           direct ? 1 : 0,
                           {}};
    });
  }
};

/// What is done with each column, by a warp.
enum class BasisPass {
  load,     ///< X := A or R, in double precision; what is not ready has nothing for eigenvectors
  measure,  ///< how far V is from orthonormal, and Y's columns from orthogonal
  angles,   ///< E - (VᵀV - I)/2
  store,    ///< Y and V become the member's columns and rotations
};

/// n² numbers are read and written once or twice by each pass. `turns` have been made before.
template <class ExecSpace, class Real, BasisPass pass>
class BasisPassKernel : public SharedColumns<16> {
 public:
  BasisPassKernel(SvdBatch<Real> const& batch, BasisMembers<Real> const& members,
                  EighInfo<double> const* infos, int begin, int most, int turns)
      : SharedColumns(most),
        batch_(batch),
        members_(members),
        infos_(infos),
        begin_(begin),
        turns_(turns) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const k = place_of(team), first = first_of(team);
    BasisMember<Real> const member = members_(k);
    int const columns = Kokkos::min(member.n - first, int{columns_per_team});
    if (columns <= 0 || !is_for(member)) return;
    [[maybe_unused]] SpectralMeasure found;  // by the thread
    thread_for(team, columns, [&](int c) {
      int const j = first + c;
      if constexpr (pass == BasisPass::load) load(team, member, k, j);
      if constexpr (pass == BasisPass::measure) measure(team, member, k, j, found);
      if constexpr (pass == BasisPass::angles) find_angles(team, member, j, found);
      if constexpr (pass == BasisPass::store) store(team, member, k, j);
    });
    if constexpr (pass == BasisPass::measure || pass == BasisPass::angles)
      once_per_thread(team, [&] {
        raise(member.state->found[turns_].cosine, found.cosine);
        raise(member.state->found[turns_].deviation, found.deviation);
        raise(member.state->found[turns_].angles, found.angles);
      });
  }

 private:
  using Team = TeamMember<ExecSpace>;
  using Member = BasisMember<Real>;

  KOKKOS_FUNCTION SvdProblem<Real> problem(int k) const { return batch_(batch_.index(begin_ + k)); }

  KOKKOS_FUNCTION bool is_for(Member const& member) const {
    if constexpr (pass == BasisPass::measure)
      return turns_ == 0 ? member.is_ready() : member.is_turned(turns_ - 1);
    if constexpr (pass == BasisPass::angles) return member.wants_turn(turns_);
    if constexpr (pass == BasisPass::store) return member.is_begun();
    return true;
  }

  KOKKOS_FUNCTION void load(Team const& team, Member const& member, int k, int j) const {
    int const top = member.state->entry.top;
    double* const x = member.long_columns(member.x).col(j);
    if (member.is_ready() && member.state->direct) return load_direct(team, problem(k), top, j, x);
    if (member.is_ready()) return load_column(team, problem(k), top, j, x);
    // Kernels of eigenvectors leave what is not finite alone.
    double* const g = member.columns(member.g).col(j);
    lane_for(team, member.n, [&](int i) { g[i] = Kokkos::Experimental::quiet_NaN_v<double>; });
  }

  KOKKOS_FUNCTION void measure(Team const& team, Member const& member, int k, int j,
                               SpectralMeasure& found) const {
    BasisPlaces const at = member.places(turns_);
    found.cosine = Kokkos::max(found.cosine, largest_cosine(team, member.columns(at.products), j));
    if (!member.measures_basis(turns_)) return;
    bool const there = turns_ > 0 || infos_[k].status == Status::success;
    found.deviation =
        Kokkos::max(found.deviation, there ? deviation_of(team, member.columns(at.overlap), j)
                                           : SpectralMeasure::infinite());
  }

  /// Once V is made orthonormal by V·(I - D/2), D = VᵀV - I, the products of Y's columns are those
  /// of yᵢ and yⱼ less dᵢⱼ·(‖yᵢ‖² + ‖yⱼ‖²)/2. Entries (i, j) and (j, i) are found from the same
  /// numbers, so that E is antisymmetric to the last bit.
  KOKKOS_FUNCTION void find_angles(Team const& team, Member const& member, int j,
                                   SpectralMeasure& found) const {
    BasisPlaces const at = member.places(turns_);
    Columns<double> const S = member.columns(at.products), overlap = member.columns(at.overlap);
    double* const turn = member.columns(at.turn).col(j);
    double const least = member.tolerance() / 8, own = S(j, j);
    bool const basis = member.measures_basis(turns_);
    double const sum = lane_sum<double>(team, member.n, [&](int i) {
      double const d = basis ? overlap(i, j) - (i == j ? 1 : 0) : 0;
      double const other = S(i, i), s = S(i, j) - d * (other + own) / 2;
      bool const turns = i != j && s * s > least * least * (other * own);
      double const p = i < j ? other : own, q = i < j ? own : other;
      double const angle = turns ? angle_of(p, q, s) : 0;
      turn[i] = (i < j ? angle : -angle) - d / 2;
      return Kokkos::abs(angle);
    });
    found.angles = Kokkos::max(found.angles, sum >= 0 ? sum : SpectralMeasure::infinite());
  }

  /// Eigenvalues ascend; columns are to descend in length.
  KOKKOS_FUNCTION void store(Team const& team, Member const& member, int k, int j) const {
    SvdProblem<Real> const problem = this->problem(k);
    BasisPlaces const at = member.places(member.turns());
    double const cosine = member.cosine();
    bool const converged = cosine <= member.tolerance();
    // Done from the beginning in registers: fused/rest.hpp.
    if (!converged && is_widest_fused(problem.rows, problem.cols)) return;
    int const from = member.n - 1 - j;
    bool const is_long = member.rows > member.n;
    store_column<Real>(team, problem,
                       {member.state->entry.top, static_cast<Real>(cosine), converged},
                       member.long_columns(at.y).col(from), member.columns(at.v).col(from),
                       is_long ? problem.factor() : problem.working(), j);
    if (!member.state->direct) return;
    once_per_thread(team, [&] {
      problem.permutation()[j] = j;
      problem.exponents()[j] = problem.working_exponents()[j];
      if (j > 0) return;
      problem.state->direct = converged || !is_long;
      problem.state->refactored = !converged && is_long;
    });
  }

  /// The largest of all threads', whatever their order.
  KOKKOS_FUNCTION static void raise(double& most, double x) {
    if (x > Kokkos::atomic_load(&most)) Kokkos::atomic_max(&most, x);
  }

  SvdBatch<Real> batch_;
  BasisMembers<Real> members_;
  EighInfo<double> const* infos_;
  int begin_, turns_;
};

}  // namespace carroll::detail
