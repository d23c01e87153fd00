// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::lstsq, carroll::pinv and their peers on the same data in one process.
//
//   bench_lstsq [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//               [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are lstsq/<group>/<batch>x<m>x<n>x<columns of X>/<precision>/<lstsq|pinv>/<method>. What
// matters most is measured first, so that the time limit cuts off the rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/lstsq.hpp>
#include <memory>
#include <string>
#include <vector>

#include "decompositions/lstsq_instances.hpp"
#include "harness/buffers.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "lstsq/peers.hpp"
#include "lstsq/problem.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class CarrollLstsq final : public CarrollSystems<Real, LstsqInfo<Real>> {
 public:
  using Base = CarrollSystems<Real, LstsqInfo<Real>>;
  using Base::A_, Base::B_, Base::X_, Base::exec_, Base::infos_;

  CarrollLstsq(Exec const& exec, LstsqShape const& shape, LstsqData<Real> const& data)
      : Base(exec, shape.batch, data.A, data.B, shape.x_size()), shape_(shape) {
    if (shape.inverse())
      workspace_ =
          pinv_workspace<Real>(exec, {.batch = shape.batch, .rows = shape.m, .cols = shape.n});
    else
      workspace_ = lstsq_workspace<Real>(
          exec, {.batch = shape.batch, .rows = shape.m, .cols = shape.n, .rhs = shape.p});
  }

  void run() override {
    auto const A = packed(A_, shape_.batch, shape_.m, shape_.n),
               X = packed(X_, shape_.batch, shape_.n, shape_.inverse() ? shape_.m : shape_.p);
    if (shape_.inverse())
      pinv_async(exec_, A, X, infos_, workspace_);
    else
      lstsq_async(exec_, A, packed(B_, shape_.batch, shape_.m, shape_.p), X, infos_, workspace_);
  }

 private:
  LstsqShape shape_;
  LstsqWorkspace<Exec, Real> workspace_;
};

/// Batches are smaller on a host, where they would otherwise take minutes.
std::vector<LstsqShape> lstsq_shapes(bool device) {
  std::vector<LstsqShape> shapes;
  for (int const n : {4, 8, 16, 32})
    for (int const p : {0, 1}) shapes.push_back({device ? 10000 : 2000, n, n, p});
  shapes.push_back({device ? 10000 : 1000, 64, 8, 1});
  for (int const n : {64, 128})
    for (int const p : {0, 1, n}) shapes.push_back({device ? 1000 : 32, n, n, p});
  for (int const n : {32, 256, 512})
    for (int const p : {0, 1}) shapes.push_back({1, n, n, p});
  shapes.push_back({1, 128, 128, 10000});
  return shapes;
}

class LstsqBench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  template <class Real>
  void add(LstsqShape const& shape) {
    std::string const key = std::string("lstsq/") + (shape.batch > 1 ? "batch/" : "single/") +
                            shape.extents() + "/" + precision_name<Real> + "/" +
                            (shape.inverse() ? "pinv/" : "lstsq/");
    plan<Real>(0, shape,
               {key + "carroll_automatic", true,
                [exec = exec_,
                 shape](LstsqData<Real> const& data) -> std::unique_ptr<SystemContender<Real>> {
                  return std::make_unique<CarrollLstsq<Real>>(exec, shape, data);
                }});
    for (auto peer : lstsq_peers<Real>(exec_, shape)) {
      peer.name = key + peer.name;
      plan<Real>(1, shape, peer);
    }
  }

 private:
  template <class Real>
  void plan(int priority, LstsqShape const& shape, SystemEntrant<LstsqData<Real>> const& entrant) {
    harness_.plan(priority, entrant.name, [=, this](benchmark::State& state) {
      LstsqData<Real> const data(shape);
      auto const bound = entrant.make(data);
      double const first_run = timed_run(*bound);
      std::string const complaint = bound->complaint();
      report_check(state,
                   complaint.empty() ? lstsq_fault(shape, data, bound->solution()) : complaint);
      harness_.template report_times<Real>(state, harness_.samples(*bound, first_run),
                                           shape.flops(), shape.bytes(sizeof(Real)),
                                           entrant.device);
    });
  }
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<LstsqBench>("bench_lstsq", argc, argv, {}, [](LstsqBench& bench) {
    for (LstsqShape const& shape : lstsq_shapes(on_device)) {
      bench.add<double>(shape);
      bench.add<float>(shape);
    }
  });
}
