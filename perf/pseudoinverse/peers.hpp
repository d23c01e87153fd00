// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/context.hpp"
#include "pseudoinverse/arrow_frames.hpp"
#include "pseudoinverse/contender.hpp"
#include "pseudoinverse/peers/host.hpp"
#ifdef CARROLL_PERF_HAVE_CUSOLVER
#include "pseudoinverse/peers/cuda.hpp"
#endif

namespace carroll::perf {

/// Who computes steps, by name: "ceres_dense_schur", "suitesparse_qr", "carroll_automatic" …
template <class Real>
struct StepSolver {
  std::string name;
  bool device;  // runs on the default execution space
  /// Terms of sums that are taken in the precision of the data.
  int summed = 0;
  std::function<std::unique_ptr<StepContender>(ArrowFrames<Real> const&)> make;
};

/// Every solver this was built with that is somebody's choice for a frame of that shape: the sparse
/// ones at both ends of the figures, dense ones where A is small enough to be made.
template <class Real>
std::vector<StepSolver<Real>> step_peers([[maybe_unused]] Exec const& exec,
                                         ArrowShape const& shape) {
  std::vector<StepSolver<Real>> peers;
  if (shape.frames > 1) return peers;
  [[maybe_unused]] auto const on_host = [&](std::string const& name, auto const& make,
                                            int summed = 0) {
    peers.push_back({name, !on_device, summed,
                     [make](ArrowFrames<Real> const& frames) { return make(frames.host(0)); }});
  };
  [[maybe_unused]] bool const sparse =
      shape.depths == 1000 && (shape.rows == 20000 || shape.rows == 120000);
#ifdef CARROLL_PERF_HAVE_CERES
  if (sparse)
    on_host(
        "ceres_dense_schur",
        [](HostFrame const& frame) { return make_ceres_step(frame, host_threads()); }, shape.rows);
#endif
#ifdef CARROLL_PERF_HAVE_SPQR
  if (sparse)
    for (bool const at_once : {true, false})
      on_host(at_once ? "suitesparse_qr" : "suitesparse_qr_refactor",
              [at_once](HostFrame const& frame) {
                return make_spqr_step(frame, at_once, host_threads());
              });
#endif
#ifdef CARROLL_PERF_HAVE_LAPACKE
  if (shape.rows == 20000 && shape.depths == 128)
    for (auto const driver : {LeastSquaresDriver::gels, LeastSquaresDriver::gelsd})
      on_host(
          to_string(driver),
          [driver](HostFrame const& frame) {
            return make_lapack_step<Real>(driver, frame, host_threads());
          },
          shape.rows);
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVER
  if (shape.depths == 1000 || shape.depths == 128)
    peers.push_back(
        {"cusolver_normal_equations", true, shape.rows,
         [exec](ArrowFrames<Real> const& frames) { return make_cuda_step<Real>(exec, frames); }});
#endif
  return peers;
}

}  // namespace carroll::perf
