// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::gemm and its peers on the same data in one process.
//
//   bench_gemm [--hashes=core=…,blas=…,measured=…,dirty=…] [--entry-time=SECONDS]
//              [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are gemm/<group>/<batch>x<rows>x<cols>x<terms>/<precision>/<method>. What matters most is
// measured first, so that the time limit cuts off the rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/gemm.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "gemm/cases.hpp"
#include "gemm/peers.hpp"
#include "gemm/problem.hpp"
#include "gemm_instances.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"

namespace carroll::perf {
namespace {

template <class T>
std::string scalar_name() {
  return std::string(detail::is_complex<T> ? "complex_" : "") + precision_name<detail::RealOf<T>>;
}

template <class T>
class CarrollGemm : public Contender {
 public:
  CarrollGemm(Exec const& exec, GemmProblem<T> const& problem, GemmOptions const& options)
      : exec_(exec), problem_(problem) {
    auto const [batch, m, n, k] = problem.shape();
    workspace_ =
        gemm_workspace<T>(exec, {.rows = m, .cols = n, .terms = k, .batch = batch}, options);
  }
  void run() override {
    auto const [batch, m, n, k] = problem_.shape();
    gemm_async(exec_, T(1), view(problem_.A(), batch, m, k), view(problem_.B(), batch, k, n), T(0),
               view(problem_.C(), batch, m, n), workspace_);
  }
  void fence() override { exec_.fence(); }

 private:
  template <class U>
  static auto view(U* data, int batch, int rows, int cols) {
    auto const extent = [](int x) { return static_cast<std::size_t>(x); };
    return Kokkos::View<U***, Kokkos::LayoutStride, Exec::memory_space, Kokkos::MemoryUnmanaged>(
        data, Kokkos::LayoutStride(extent(batch), extent(rows) * extent(cols), extent(rows), 1,
                                   extent(cols), extent(rows)));
  }

  Exec exec_;
  GemmProblem<T> const& problem_;
  GemmWorkspace<Exec, T> workspace_;
};

/// What is measured first, second …
enum class Priority { first, complex, other_kernels, studies };

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(GemmCase const& the_case) {
    add<float>(the_case, Priority::first);
    add<double>(the_case, Priority::first);
    if (the_case.group == "skinny" || the_case.shape.rows > 4096) return;
    add<Kokkos::complex<float>>(the_case, Priority::complex);
    add<Kokkos::complex<double>>(the_case, Priority::complex);
  }

 private:
  template <class T>
  void add(GemmCase const& the_case, Priority priority) {
    std::string const key =
        "gemm/" + the_case.group + "/" + the_case.extents() + "/" + scalar_name<T>() + "/";
    for (ProblemEntrant<GemmProblem<T>> const& peer : gemm_peers<T>(exec_))
      plan<T>(priority, key + peer.name, the_case.shape, peer.make);
    auto const add_carroll = [&](Priority when, std::string const& name, GemmOptions options) {
      plan<T>(when, key + "carroll_" + name, the_case.shape,
              [exec = exec_, options](GemmProblem<T> const& problem) -> std::unique_ptr<Contender> {
                return std::make_unique<CarrollGemm<T>>(exec, problem, options);
              });
    };
    add_carroll(priority, "blocked", {});
    if (the_case.group != "square" || detail::is_complex<T>) return;
    if (on_device && sizeof(T) == 8)
      add_carroll(Priority::other_kernels, "registers", {.kernel = GemmKernel::registers});
    if (the_case.shape.rows > (on_device ? 4096 : 1024)) return;
    add_carroll(Priority::studies, "tiled", {.method = GemmMethod::tiled});
    add_carroll(Priority::studies, "naive", {.method = GemmMethod::naive});
#ifdef CARROLL_HAVE_KOKKOSKERNELS
    add_carroll(Priority::other_kernels, "vendor", {.method = GemmMethod::vendor});
#endif
  }

  template <class T, class Make>
  void plan(Priority priority, std::string const& name, GemmShape const& shape, Make const& make) {
    harness_.plan(priority, name, [this, shape, make](benchmark::State& state) {
      auto const& problem = problem_of<T>(shape);
      auto const contender = make(problem);
      problem.clear();
      double const first_run = timed_run(*contender);
      std::string const fault = problem.fault();
      harness_.report_times<detail::RealOf<T>>(
          state, harness_.samples(*contender, first_run),
          (detail::is_complex<T> ? 8 : 2) * shape.multiplications(),
          double(shape.entries()) * sizeof(T), true);
      report_check(state, fault);
    });
  }

  /// Made once for consecutive contenders.
  template <class T>
  GemmProblem<T> const& problem_of(GemmShape const& shape) {
    auto& held = std::get<std::optional<GemmProblem<T>>>(problems_);
    if (!held || held->shape() != shape) {
      problems_ = {};  // frees the memory first
      std::get<std::optional<GemmProblem<T>>>(problems_).emplace(exec_, shape);
    }
    return *std::get<std::optional<GemmProblem<T>>>(problems_);
  }

  std::tuple<std::optional<GemmProblem<float>>, std::optional<GemmProblem<double>>,
             std::optional<GemmProblem<Kokkos::complex<float>>>,
             std::optional<GemmProblem<Kokkos::complex<double>>>>
      problems_;
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_gemm", argc, argv, {}, [](Bench& bench) {
    for (GemmCase const& the_case : gemm_cases(on_device)) bench.add(the_case);
  });
}
