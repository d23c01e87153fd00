// SPDX-License-Identifier: BSD-3-Clause
// Rows that a functor takes from memory, one after the other.
#include "hostile/pseudoinverse/fused.hpp"

#include <carroll/fused_pseudoinverse.hpp>

namespace carroll::test {
namespace {

template <class Real, int K>
struct Rows {
  Real const *motion, *depth, *rhs;
  int n;

  KOKKOS_FUNCTION ArrowRow<Real, K> operator()(int frame, int row) const {
    std::ptrdiff_t const i = static_cast<std::ptrdiff_t>(frame) * n + row;
    ArrowRow<Real, K> out;
    for (int j = 0; j < K; ++j) out.motion[j] = motion[i * K + j];
    out.depth = depth[i];
    out.residual = rhs[i];
    return out;
  }
};

template <class Real, int K>
ArrowRun<Real> run(ArrowFrames<Real> const& all, ArrowWorkspace<Real>& workspace) {
  DeviceFrames<Real, Kokkos::LayoutRight> const device(all, {});
  auto const f = at(all.count()), m = at(all.m);
  GuardedView<Real, 2, Kokkos::LayoutRight> y({f, K}), xi({f, m}), variances({f, m});
  GuardedView<Real, 3, Kokkos::LayoutRight> covariance({f, K, K});
  Rows<Real, K> const rows{device.motion.view().data(), device.depth.view().data(),
                           device.rhs.view().data(), all.n};
  ArrowRun<Real> run;
  ArrowSolution const x{y.view(), xi.view(), covariance.view(), variances.view()};
  auto const solve = [&](auto const& A) {
    auto const infos = apply_pseudoinverse(Exec(), A, x, workspace);
    run.infos.assign(infos.begin(), infos.end());
  };
  if (all.frames[0].damping.empty())
    solve(FusedArrowJacobian{rows, device.offsets.view()});
  else
    solve(FusedArrowJacobian{rows, device.offsets.view(), device.damping.view()});
  y.to_host();
  xi.to_host();
  variances.to_host();
  covariance.to_host();
  run.guarded = y.guards_intact() && xi.guards_intact() && variances.guards_intact() &&
                covariance.guards_intact();
  for (std::size_t frame = 0; frame < f; ++frame) {
    for (std::size_t j = 0; j < K; ++j) run.y.push_back(y({frame, j}));
    for (std::size_t i = 0; i < m; ++i) run.xi.push_back(xi({frame, i}));
    for (std::size_t i = 0; i < m; ++i) run.variances.push_back(variances({frame, i}));
    for (std::size_t e = 0; e < std::size_t{K} * K; ++e)
      run.covariance.push_back(covariance({frame, e / K, e % K}));
  }
  return run;
}

template <class Real>
ArrowRun<Real> run_any(ArrowFrames<Real> const& all, ArrowWorkspace<Real>& workspace) {
  switch (all.k) {
    case 1: return run<Real, 1>(all, workspace);
    case 2: return run<Real, 2>(all, workspace);
    case 3: return run<Real, 3>(all, workspace);
    default: return run<Real, 6>(all, workspace);
  }
}

}  // namespace

ArrowRun<float> run_fused(ArrowFrames<float> const& all, ArrowWorkspace<float>& workspace) {
  return run_any(all, workspace);
}
ArrowRun<double> run_fused(ArrowFrames<double> const& all, ArrowWorkspace<double>& workspace) {
  return run_any(all, workspace);
}

}  // namespace carroll::test
