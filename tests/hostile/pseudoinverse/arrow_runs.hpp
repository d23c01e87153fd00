// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/pseudoinverse.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hostile/pseudoinverse/arrow_batch.hpp"
#include "pseudoinverse_instances.hpp"
#include "support/guarded_view.hpp"

/// Batches of arrow Jacobians by Carroll, in memory that is watched.
namespace carroll::test {

enum class ArrowOutputs { step, covariance, variances, all };

template <class Real>
struct ArrowRun {
  std::vector<PseudoinverseInfo<Real>> infos;  // frame·r + rhs
  std::vector<Real> y, xi;                     // per frame k×r, m×r, by columns
  std::vector<Real> covariance, variances;     // per frame k×k, m; or empty
  bool guarded = true;                         // nothing else has been written
};

template <class Real>
struct InverseRun {
  std::vector<PseudoinverseInfo<Real>> infos;
  std::vector<Real> inverse;  // per frame (k+m)×n, by columns
  bool guarded = true;
};

/// The frames' memory. `places`: per frame n row numbers, where the rows are in another order.
template <class Real, class Layout>
struct DeviceFrames {
  GuardedView<Real, 3, Layout> motion;
  GuardedView<Real, 2, Layout> depth;
  GuardedView<Real, 3, Layout> rhs;
  GuardedView<int, 2, Layout> offsets;
  GuardedView<int, 2, Layout> rows;
  GuardedView<Real, 2, Layout> damping;

  DeviceFrames(ArrowFrames<Real> const& all, std::vector<std::vector<int>> const& places)
      : motion({at(all.count()), at(all.n), at(all.k)}),
        depth({at(all.count()), at(all.n)}),
        rhs({at(all.count()), at(all.n), at(all.r)}),
        offsets({at(all.count()), at(all.m + 1)}),
        rows({at(all.count()), at(places.empty() ? 0 : all.n)}),
        damping({at(all.count()), at(all.k + all.m)}) {
    auto const n = at(all.n), k = at(all.k);
    for (std::size_t f = 0; f < at(all.count()); ++f) {
      auto const& frame = all.frames[f];
      for (std::size_t p = 0; p < n; ++p) {
        // A row that several places name is the last one's; one that does not exist is nobody's.
        std::size_t const i = places.empty() ? p : at(places[f][p]);
        if (!places.empty()) rows({f, p}) = places[f][p];
        if (i >= n) continue;
        for (std::size_t j = 0; j < k; ++j) motion({f, i, j}) = frame.motion[p * k + j];
        depth({f, i}) = frame.depth[p];
        for (std::size_t c = 0; c < at(all.r); ++c) rhs({f, i, c}) = frame.rhs[c * n + p];
      }
      for (std::size_t s = 0; s <= at(all.m); ++s) offsets({f, s}) = frame.offsets[s];
      for (std::size_t c = 0; c < at(all.k + all.m); ++c)
        damping({f, c}) = frame.damping.empty() ? Real(0) : frame.damping[c];
    }
    motion.to_device();
    depth.to_device();
    rhs.to_device();
    offsets.to_device();
    rows.to_device();
    damping.to_device();
  }

  /// f(A): with a permutation and damping where there are some. `of`: all frames of a guarded View,
  /// or one of them.
  template <class Of, class F>
  void with_jacobian(bool permuted, bool damped, Of const& of, F const& f) const {
    if (permuted && damped)
      f(ArrowJacobian{of(motion), of(depth), of(offsets), of(rows), of(damping)});
    else if (permuted)
      f(ArrowJacobian{of(motion), of(depth), of(offsets), of(rows)});
    else if (damped)
      f(ArrowJacobian{of(motion), of(depth), of(offsets), none, of(damping)});
    else
      f(ArrowJacobian{of(motion), of(depth), of(offsets)});
  }
};

inline constexpr auto all_frames = [](auto const& guarded) { return guarded.view(); };
inline auto one_frame(int f) {
  return [f](auto const& guarded) { return guarded.part(at(f), 1); };
}

template <class Real>
using ArrowWorkspace = PseudoinverseWorkspace<Exec, Real>;

template <class Real>
ArrowWorkspace<Real> workspace_for(ArrowFrames<Real> const& all, bool dense, int frames) {
  return pseudoinverse_workspace<Real>(Exec(),
                                       {.frames = frames,
                                        .rows = all.n,
                                        .motions = all.k,
                                        .depths = all.m,
                                        .right_hand_sides = dense ? 1 : all.r,
                                        .dense = dense},
                                       all.options);
}

template <class Real>
ArrowWorkspace<Real> workspace_for(ArrowFrames<Real> const& all, bool dense) {
  return workspace_for(all, dense, all.count());
}

/// Where a step's outputs go.
template <class Real, class Layout>
struct DeviceOutputs {
  GuardedView<Real, 3, Layout> y, xi, covariance;
  GuardedView<Real, 2, Layout> variances;
  bool several;  ///< right-hand sides: then there are neither covariances nor variances

  explicit DeviceOutputs(ArrowFrames<Real> const& all)
      : y({at(all.count()), at(all.k), at(all.r)}),
        xi({at(all.count()), at(all.m), at(all.r)}),
        covariance({at(all.count()), at(all.k), at(all.k)}),
        variances({at(all.count()), at(all.m)}),
        several(all.r > 1) {}

  /// The step of some frames; its infos are added to those of `run`.
  template <class Jacobian, class Of>
  void solve(Jacobian const& A, GuardedView<Real, 3, Layout> const& rhs, Of const& of,
             ArrowOutputs wanted, ArrowWorkspace<Real>& workspace, ArrowRun<Real>& run) const {
    auto const apply = [&](auto const& d, auto const& x) {
      auto const infos = apply_pseudoinverse(Exec(), A, d, x, workspace);
      run.infos.insert(run.infos.end(), infos.begin(), infos.end());
    };
    if (several) return apply(of(rhs), ArrowSolution{of(y), of(xi)});
    auto const column = [&](auto const& guarded) {
      return Kokkos::subview(of(guarded), Kokkos::ALL, Kokkos::ALL, 0);
    };
    auto const d = column(rhs), y1 = column(y), xi1 = column(xi);
    if (wanted == ArrowOutputs::step) apply(d, ArrowSolution{y1, xi1});
    if (wanted == ArrowOutputs::covariance) apply(d, ArrowSolution{y1, xi1, of(covariance)});
    if (wanted == ArrowOutputs::variances) apply(d, ArrowSolution{y1, xi1, none, of(variances)});
    if (wanted == ArrowOutputs::all)
      apply(d, ArrowSolution{y1, xi1, of(covariance), of(variances)});
  }

  void read(ArrowOutputs wanted, ArrowRun<Real>& run) {
    if (several) wanted = ArrowOutputs::step;
    bool const all_wanted = wanted == ArrowOutputs::all;
    read(y, true, run.y, run.guarded);
    read(xi, true, run.xi, run.guarded);
    read(covariance, all_wanted || wanted == ArrowOutputs::covariance, run.covariance, run.guarded);
    read(variances, all_wanted || wanted == ArrowOutputs::variances, run.variances, run.guarded);
  }

 private:
  /// By frames and, in them, columns.
  template <int Rank>
  static void read(GuardedView<Real, Rank, Layout>& view, bool is_wanted, std::vector<Real>& to,
                   bool& guarded) {
    view.to_host();
    guarded = guarded && view.guards_intact() && (is_wanted || view.untouched());
    if (!is_wanted) return;
    auto const& n = view.extents();
    for (std::size_t f = 0; f < n[0]; ++f)
      if constexpr (Rank == 2)
        for (std::size_t i = 0; i < n[1]; ++i) to.push_back(view({f, i}));
      else
        for (std::size_t c = 0; c < n[2]; ++c)
          for (std::size_t i = 0; i < n[1]; ++i) to.push_back(view({f, i, c}));
  }
};

/// The step of all frames; several right-hand sides have no variances.
template <class Layout, class Real>
ArrowRun<Real> run_frames(ArrowFrames<Real> const& all, ArrowOutputs wanted,
                          ArrowWorkspace<Real>& workspace,
                          std::vector<std::vector<int>> const& places = {}) {
  DeviceFrames<Real, Layout> const device(all, places);
  DeviceOutputs<Real, Layout> outputs(all);
  ArrowRun<Real> run;
  device.with_jacobian(
      !places.empty(), !all.frames[0].damping.empty(), all_frames,
      [&](auto const& A) { outputs.solve(A, device.rhs, all_frames, wanted, workspace, run); });
  outputs.read(wanted, run);
  return run;
}

/// The same, each frame by itself.
template <class Layout, class Real>
ArrowRun<Real> run_frames_alone(ArrowFrames<Real> const& all) {
  DeviceFrames<Real, Layout> const device(all, {});
  DeviceOutputs<Real, Layout> outputs(all);
  auto workspace = workspace_for(all, false, 1);
  ArrowRun<Real> run;
  for (int f = 0; f < all.count(); ++f)
    device.with_jacobian(false, !all.frames[0].damping.empty(), one_frame(f), [&](auto const& A) {
      outputs.solve(A, device.rhs, one_frame(f), ArrowOutputs::all, workspace, run);
    });
  outputs.read(ArrowOutputs::all, run);
  return run;
}

/// Reads a dense A⁺, by columns.
template <class Real, class Layout>
void read_inverse(GuardedView<Real, 3, Layout>& inverse,
                  std::vector<std::vector<int>> const& places, InverseRun<Real>& run) {
  inverse.to_host();
  run.guarded = inverse.guards_intact();
  auto const& extents = inverse.extents();
  for (std::size_t frame = 0; frame < extents[0]; ++frame)
    for (std::size_t p = 0; p < extents[2]; ++p)
      for (std::size_t i = 0; i < extents[1]; ++i) {
        // The column of the row at place p.
        std::size_t const row = places.empty() ? p : at(places[frame][p]);
        run.inverse.push_back(inverse({frame, i, row}));
      }
}

/// The dense A⁺ of all frames, in A's layout or in the other one.
template <class Layout, class OutLayout, class Real>
InverseRun<Real> run_inverses(ArrowFrames<Real> const& all, ArrowWorkspace<Real>& workspace,
                              std::vector<std::vector<int>> const& places = {}) {
  DeviceFrames<Real, Layout> const device(all, places);
  GuardedView<Real, 3, OutLayout> inverse({at(all.count()), at(all.k + all.m), at(all.n)});
  InverseRun<Real> run;
  auto const damped = !all.frames[0].damping.empty();
  device.with_jacobian(!places.empty(), damped, all_frames, [&](auto const& A) {
    auto const infos = pseudoinverse(Exec(), A, inverse.view(), workspace);
    run.infos.assign(infos.begin(), infos.end());
  });
  read_inverse(inverse, places, run);
  return run;
}

/// The same, each frame by itself.
template <class Layout, class Real>
InverseRun<Real> run_inverses_alone(ArrowFrames<Real> const& all) {
  DeviceFrames<Real, Layout> const device(all, {});
  GuardedView<Real, 3, Layout> inverse({at(all.count()), at(all.k + all.m), at(all.n)});
  auto workspace = workspace_for(all, true, 1);
  InverseRun<Real> run;
  auto const damped = !all.frames[0].damping.empty();
  for (int f = 0; f < all.count(); ++f)
    device.with_jacobian(false, damped, one_frame(f), [&](auto const& A) {
      auto const infos = pseudoinverse(Exec(), A, inverse.part(at(f), 1), workspace);
      run.infos.insert(run.infos.end(), infos.begin(), infos.end());
    });
  read_inverse(inverse, {}, run);
  return run;
}

}  // namespace carroll::test
