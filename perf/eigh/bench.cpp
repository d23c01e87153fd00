// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::eigh and its peers on the same data in one process.
//
//   bench_eigh [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//              [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are eigh/<group>/<batch>x<n>/<precision>/<vectors|values>/<method>, and kernels/… for the
// share of each kernel. What matters most is measured first, so that the time limit cuts off the
// rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/eigh.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eigh/peers.hpp"
#include "eigh/problem.hpp"
#include "eigh_instances.hpp"
#include "harness/buffers.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"

namespace carroll::perf {
namespace {

/// With column-major members one after the other, as the peers have them.
template <class Real>
class CarrollEigh final : public CarrollContender<EighContender<Real>, EighInfo<Real>> {
 public:
  CarrollEigh(Exec const& exec, EighShape const& shape, EighOptions const& options,
              std::vector<Real> const& A)
      : CarrollContender<EighContender<Real>, EighInfo<Real>>(exec, shape.batch),
        shape_(shape),
        A_(copied("A", A)),
        W_("W", shape.values()),
        V_("V", shape.vectors ? A.size() : 0),
        workspace_(eigh_workspace<Real>(
            exec, {.batch = shape.batch, .n = shape.n, .vectors = shape.vectors}, options)) {}

  void run() override {
    auto const A = packed(A_, shape_.batch, shape_.n, shape_.n),
               V = packed(V_, shape_.batch, shape_.n, shape_.n);
    Kokkos::View<Real**, Kokkos::LayoutRight, Exec::memory_space, Kokkos::MemoryUnmanaged> const W(
        W_.data(), static_cast<std::size_t>(shape_.batch), static_cast<std::size_t>(shape_.n));
    if (shape_.vectors)
      eigh_async(this->exec_, A, W, V, this->infos_, workspace_);
    else
      symmetric_eigenvalues_async(this->exec_, A, W, this->infos_, workspace_);
  }
  EighSolution<Real> solution() override {
    return {first_entries(W_, W_.extent(0)),
            first_entries(V_, shape_.vectors ? shape_.square() : 0)};
  }

 private:
  EighShape shape_;
  Buffer<Real> A_, W_, V_;
  EighWorkspace<Exec, Real> workspace_;
};

struct EighCase {
  std::string group;  // "batch" or "single"
  int batch, n;
};

/// Batches are smaller on a host, where they would otherwise take minutes.
std::vector<EighCase> eigh_cases(bool device) {
  std::vector<EighCase> cases;
  for (int const n : {4, 8, 16, 24, 32}) cases.push_back({"batch", device ? 10000 : 2000, n});
  cases.push_back({"batch", device ? 2000 : 64, 64});
  cases.push_back({"batch", device ? 1000 : 64, 128});
  cases.push_back({"batch", device ? 200 : 64, 256});
  for (int const n : {32, 64, 128, 256, 512, 1024})
    if (device || n <= 512) cases.push_back({"single", 1, n});
  return cases;
}

enum class Priority { vectors, values, kernels, host_peers, other_methods };

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(EighCase const& the_case) {
    for (bool const vectors : {true, false}) {
      EighShape const shape{the_case.batch, the_case.n, vectors};
      add<float>(the_case.group, shape);
      add<double>(the_case.group, shape);
    }
  }

 private:
  template <class Real>
  void add(std::string const& group, EighShape const& shape) {
    std::string const of_case = shape.extents() + "/" + precision_name<Real> + "/" +
                                (shape.vectors ? "vectors" : "values") + "/";
    std::string const key = "eigh/" + group + "/" + of_case;
    Priority const priority = shape.vectors ? Priority::vectors : Priority::values;
    for (auto const& peer : eigh_peers<Real>(exec_, shape))
      plan<Real>(peer.device ? priority : Priority::host_peers, key + peer.name, peer.device, shape,
                 peer.make);
    auto const add_carroll = [&](Priority when, char const* name, EighOptions const& options) {
      plan<Real>(when, key + "carroll_" + name, true, shape,
                 [exec = exec_, shape, options](std::vector<Real> const& A) {
                   return std::make_unique<CarrollEigh<Real>>(exec, shape, options, A);
                 });
    };
    add_carroll(priority, "backward_stable", {});
    harness_.plan_kernels(Priority::kernels, of_case + "carroll_backward_stable",
                          [exec = exec_, shape]() -> std::unique_ptr<Contender> {
                            return std::make_unique<CarrollEigh<Real>>(
                                exec, shape, EighOptions{}, symmetric_matrices<Real>(shape));
                          });
    if (!shape.vectors) return;
    if (shape.n <= 256) add_carroll(Priority::other_methods, "team", {.path = EighPath::team});
    if (shape.n >= 16 && shape.n <= 512)
      add_carroll(Priority::other_methods, "shifted", {.path = EighPath::shifted});
    if (shape.n >= 32) add_carroll(Priority::other_methods, "divided", {.path = EighPath::divided});
  }

  template <class Real>
  using Make = std::function<std::unique_ptr<EighContender<Real>>(std::vector<Real> const&)>;

  template <class Real>
  void plan(Priority priority, std::string const& name, bool device, EighShape const& shape,
            Make<Real> const& make) {
    harness_.plan(priority, name, [=, this](benchmark::State& state) {
      auto const A = symmetric_matrices<Real>(shape);
      auto const contender = make(A);
      double const first_run = timed_run(*contender);
      std::string fault = contender->complaint();
      if (fault.empty()) fault = eigh_fault(shape, A, contender->solution());
      double const bytes =
          double(shape.matrix_entries() * (shape.vectors ? 2 : 1) + shape.values()) * sizeof(Real);
      harness_.template report_times<Real>(state, harness_.samples(*contender, first_run),
                                           shape.flops(), bytes, device);
      report_check(state, fault);
    });
  }
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_eigh", argc, argv, {}, [](Bench& bench) {
    for (EighCase const& the_case : eigh_cases(on_device)) bench.add(the_case);
  });
}
