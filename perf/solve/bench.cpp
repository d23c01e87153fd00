// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::solve, carroll::inverse and their peers on the same data in one process.
//
//   bench_solve [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//               [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are solve/<group>/<batch>x<n>x<columns>/<precision>/<solve|plain|inverse>/<method>; `plain`
// leaves the condition's estimate out. What matters most is measured first, so that the time limit
// cuts off the rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/solve.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decompositions/solve_instances.hpp"
#include "harness/buffers.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "solve/peers.hpp"
#include "solve/problem.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class CarrollSolve final : public CarrollSystems<Real, SolveInfo<Real>> {
 public:
  using Base = CarrollSystems<Real, SolveInfo<Real>>;
  using Base::A_, Base::B_, Base::X_, Base::exec_, Base::infos_;

  CarrollSolve(Exec const& exec, SolveShape const& shape, SolveOptions const& options,
               SolveData<Real> const& data)
      : Base(exec, shape.batch, data.A, data.B, shape.sides()), shape_(shape) {
    SolveExtents const extents{.batch = shape.batch, .n = shape.n, .columns = shape.columns};
    workspace_ = shape.inverse ? inverse_workspace<Real>(exec, extents, options)
                               : solve_workspace<Real>(exec, extents, options);
  }

  void run() override {
    auto const A = packed(A_, shape_.batch, shape_.n, shape_.n),
               X = packed(X_, shape_.batch, shape_.n, shape_.columns);
    if (shape_.inverse)
      inverse_async(exec_, A, X, infos_, workspace_);
    else
      solve_async(exec_, A, packed(B_, shape_.batch, shape_.n, shape_.columns), X, infos_,
                  workspace_);
  }

 private:
  SolveShape shape_;
  SolveWorkspace<Exec, Real> workspace_;
};

/// Batches are smaller on a host, where they would otherwise take minutes.
std::vector<SolveShape> solve_shapes(bool device) {
  std::vector<SolveShape> shapes;
  auto const add_all = [&](int batch, int n, int columns) {
    for (bool const condition : {false, true})
      shapes.push_back({batch, n, columns, false, condition});
  };
  for (int const n : {4, 8, 16, 24, 32, 48}) {
    int const many = !device ? 2000 : n <= 32 ? 10000 : 1000;
    add_all(many, n, 1);
    shapes.push_back({many, n, n, true, true});
  }
  for (int const n : {8, 32}) add_all(device ? 10000 : 2000, n, n);
  for (int const n : {64, 128, 256}) {
    int const many = !device ? 64 : n < 200 ? 1000 : 200;
    add_all(many, n, 1);
    if (device) shapes.push_back({many, n, n, true, true});
  }
  if (device) add_all(50, 512, 1);
  for (int const n : {32, 64, 128, 256, 512}) add_all(1, n, 1);
  if (device) add_all(1, 1024, 1);
  return shapes;
}

enum class SolvePriority { solve, inverse, other_paths };

class SolveBench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(SolveShape const& shape) {
    add<float>(shape);
    add<double>(shape);
  }

 private:
  template <class Real>
  using Make = std::function<std::unique_ptr<SystemContender<Real>>(SolveData<Real> const&)>;

  template <class Real>
  void add(SolveShape const& shape) {
    std::string const key = std::string("solve/") + (shape.batch == 1 ? "single/" : "batch/") +
                            shape.extents() + "/" + precision_name<Real> + "/" + shape.job() + "/";
    auto const priority = shape.inverse ? SolvePriority::inverse : SolvePriority::solve;
    for (auto const& peer : solve_peers<Real>(exec_, shape))
      plan<Real>(priority, key + peer.name, peer.device, shape, peer.make);
    for (SolvePath const path : solve_paths) {
      SolveOptions const options{.path = path, .condition = shape.condition};
      bool const automatic = path == SolvePath::automatic;
      bool const fits = detail::solve_path(detail::solve_backend<Exec>, options, shape.n) == path;
      if (!automatic && (!fits || shape.condition)) continue;
      plan<Real>(automatic ? priority : SolvePriority::other_paths,
                 key + "carroll_" + to_string(path), true, shape,
                 [exec = exec_, shape, options](SolveData<Real> const& data) {
                   return std::make_unique<CarrollSolve<Real>>(exec, shape, options, data);
                 });
    }
  }

  template <class Real>
  void plan(SolvePriority priority, std::string const& name, bool device, SolveShape const& shape,
            Make<Real> const& make) {
    plan_checked<Real>(
        priority, name, device, shape, [=] { return SolveData<Real>(shape); }, make,
        [=](SolveData<Real> const& data, SystemContender<Real>& contender) {
          return solve_fault(shape, data, contender.solution());
        });
  }
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<SolveBench>("bench_solve", argc, argv, {}, [](SolveBench& bench) {
    for (SolveShape const& shape : solve_shapes(on_device)) bench.add(shape);
  });
}
