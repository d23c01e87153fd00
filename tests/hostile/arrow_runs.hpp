// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/pseudoinverse.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "arrow_batch.hpp"
#include "guarded_view.hpp"
#include "pseudoinverse_instances.hpp"

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

  /// f(A): with a permutation and damping where there are some.
  template <class F>
  void with_jacobian(bool permuted, bool damped, F const& f) const {
    if (permuted && damped)
      f(ArrowJacobian{motion.view(), depth.view(), offsets.view(), rows.view(), damping.view()});
    else if (permuted)
      f(ArrowJacobian{motion.view(), depth.view(), offsets.view(), rows.view()});
    else if (damped)
      f(ArrowJacobian{motion.view(), depth.view(), offsets.view(), none, damping.view()});
    else
      f(ArrowJacobian{motion.view(), depth.view(), offsets.view()});
  }
};

template <class Real>
using ArrowWorkspace = PseudoinverseWorkspace<Exec, Real>;

template <class Real>
ArrowWorkspace<Real> workspace_for(ArrowFrames<Real> const& all, bool dense) {
  return pseudoinverse_workspace<Real>(Exec(),
                                       {.frames = all.count(),
                                        .rows = all.n,
                                        .motions = all.k,
                                        .depths = all.m,
                                        .right_hand_sides = dense ? 1 : all.r,
                                        .dense = dense},
                                       all.options);
}

/// The step of all frames; several right-hand sides have no variances.
template <class Layout, class Real>
ArrowRun<Real> run_frames(ArrowFrames<Real> const& all, ArrowOutputs wanted,
                          ArrowWorkspace<Real>& workspace,
                          std::vector<std::vector<int>> const& places = {}) {
  DeviceFrames<Real, Layout> const device(all, places);
  auto const f = at(all.count()), k = at(all.k), m = at(all.m), r = at(all.r);
  GuardedView<Real, 3, Layout> y({f, k, r}), xi({f, m, r}), covariance({f, k, k});
  GuardedView<Real, 2, Layout> variances({f, m});
  ArrowRun<Real> run;
  auto const keep = [&](auto const& infos) { run.infos.assign(infos.begin(), infos.end()); };
  device.with_jacobian(!places.empty(), !all.frames[0].damping.empty(), [&](auto const& A) {
    if (all.r > 1) {
      keep(apply_pseudoinverse(Exec(), A, device.rhs.view(), ArrowSolution{y.view(), xi.view()},
                               workspace));
      return;
    }
    auto const d = Kokkos::subview(device.rhs.view(), Kokkos::ALL, Kokkos::ALL, 0);
    auto const y1 = Kokkos::subview(y.view(), Kokkos::ALL, Kokkos::ALL, 0);
    auto const xi1 = Kokkos::subview(xi.view(), Kokkos::ALL, Kokkos::ALL, 0);
    auto const solve = [&](auto const& x) {
      keep(apply_pseudoinverse(Exec(), A, d, x, workspace));
    };
    if (wanted == ArrowOutputs::step) solve(ArrowSolution{y1, xi1});
    if (wanted == ArrowOutputs::covariance) solve(ArrowSolution{y1, xi1, covariance.view()});
    if (wanted == ArrowOutputs::variances) solve(ArrowSolution{y1, xi1, none, variances.view()});
    if (wanted == ArrowOutputs::all)
      solve(ArrowSolution{y1, xi1, covariance.view(), variances.view()});
  });
  auto const read = [&](auto& view, std::vector<Real>& to, bool is_wanted) {
    view.to_host();
    run.guarded = run.guarded && view.guards_intact() && (is_wanted || view.untouched());
    return is_wanted ? &to : nullptr;
  };
  auto const columns = [&](auto& view, std::vector<Real>& to, std::size_t rows) {
    read(view, to, true);
    for (std::size_t frame = 0; frame < f; ++frame)
      for (std::size_t c = 0; c < r; ++c)
        for (std::size_t i = 0; i < rows; ++i) to.push_back(view({frame, i, c}));
  };
  columns(y, run.y, k);
  columns(xi, run.xi, m);
  bool const all_wanted = wanted == ArrowOutputs::all;
  if (auto* to = read(covariance, run.covariance,
                      r == 1 && (all_wanted || wanted == ArrowOutputs::covariance)))
    for (std::size_t frame = 0; frame < f; ++frame)
      for (std::size_t e = 0; e < k * k; ++e) to->push_back(covariance({frame, e / k, e % k}));
  if (auto* to = read(variances, run.variances,
                      r == 1 && (all_wanted || wanted == ArrowOutputs::variances)))
    for (std::size_t frame = 0; frame < f; ++frame)
      for (std::size_t i = 0; i < m; ++i) to->push_back(variances({frame, i}));
  return run;
}

/// The dense A⁺ of all frames, in A's layout or in the other one.
template <class Layout, class OutLayout, class Real>
InverseRun<Real> run_inverses(ArrowFrames<Real> const& all, ArrowWorkspace<Real>& workspace,
                              std::vector<std::vector<int>> const& places = {}) {
  DeviceFrames<Real, Layout> const device(all, places);
  auto const f = at(all.count()), rows = at(all.k + all.m), n = at(all.n);
  GuardedView<Real, 3, OutLayout> inverse({f, rows, n});
  InverseRun<Real> run;
  device.with_jacobian(!places.empty(), !all.frames[0].damping.empty(), [&](auto const& A) {
    auto const infos = pseudoinverse(Exec(), A, inverse.view(), workspace);
    run.infos.assign(infos.begin(), infos.end());
  });
  inverse.to_host();
  run.guarded = inverse.guards_intact();
  for (std::size_t frame = 0; frame < f; ++frame)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t i = 0; i < rows; ++i) {
        // The column of the row at place p.
        std::size_t const row = places.empty() ? p : at(places[frame][p]);
        run.inverse.push_back(inverse({frame, i, row}));
      }
  return run;
}

}  // namespace carroll::test
