// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::gemv and its peers on the same data in one process.
//
//   bench_gemv [--hashes=core=…,blas=…,measured=…,dirty=…] [--entry-time=SECONDS]
//              [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are gemv/<rows>x<cols>/<n or t>/<precision>/<method>, t for the transpose of the matrix.
// What matters most is measured first, so that the time limit cuts off the rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/gemv.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "gemv/cases.hpp"
#include "gemv/peers.hpp"
#include "gemv/problem.hpp"
#include "gemv_instances.hpp"
#include "harness/bandwidth.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"

namespace carroll::perf {
namespace {

template <class T>
class CarrollGemv : public Contender {
 public:
  CarrollGemv(Exec const& exec, GemvProblem<T> const& problem)
      : exec_(exec),
        problem_(problem),
        workspace_(gemv_workspace<T>(
            exec, {.rows = problem.the_case().results(), .terms = problem.the_case().terms()},
            {.op = problem.the_case().transposed ? MatrixOp::transpose : MatrixOp::identity})) {}
  void run() override {
    auto const size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
    auto const& the_case = problem_.the_case();
    using Space = Exec::memory_space;
    using Matrix = Kokkos::View<T const**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;
    using Input = Kokkos::View<T const*, Space, Kokkos::MemoryUnmanaged>;
    using Output = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;
    gemv_async(exec_, T(1), Matrix(problem_.A(), size(the_case.rows), size(the_case.cols)),
               Input(problem_.x(), size(the_case.terms())), T(0),
               Output(problem_.y(), size(the_case.results())), workspace_);
  }
  void fence() override { exec_.fence(); }

 private:
  Exec exec_;
  GemvProblem<T> const& problem_;
  GemvWorkspace<Exec, T> workspace_;
};

/// What is measured first, second …
enum class Priority { all };

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(GemvCase const& the_case) {
    add<float>(the_case);
    add<double>(the_case);
  }

 private:
  template <class T>
  void add(GemvCase const& the_case) {
    std::string const key = "gemv/" + the_case.key() + "/" + precision_name<T> + "/";
    for (ProblemEntrant<GemvProblem<T>> const& peer : gemv_peers<T>(exec_))
      plan<T>(the_case, key + peer.name, peer.make);
    plan<T>(the_case, key + "carroll_automatic",
            [exec = exec_](GemvProblem<T> const& problem) -> std::unique_ptr<Contender> {
              return std::make_unique<CarrollGemv<T>>(exec, problem);
            });
  }

  template <class T, class Make>
  void plan(GemvCase const& the_case, std::string const& name, Make const& make) {
    harness_.plan(Priority::all, name, [this, the_case, make](benchmark::State& state) {
      auto const& problem = problem_of<T>(the_case);
      auto const contender = make(problem);
      problem.clear();
      double const first_run = timed_run(*contender);
      std::string const fault = problem.fault();
      auto const times = harness_.samples(*contender, first_run);
      double const bytes = the_case.entries() * sizeof(T);
      harness_.report_times<T>(state, times, 2 * the_case.multiplications(), bytes, true);
      state.counters["read_fraction"] = read_seconds_(bytes) / median(times);
      report_check(state, fault);
    });
  }

  /// Made once for consecutive contenders.
  template <class T>
  GemvProblem<T> const& problem_of(GemvCase const& the_case) {
    auto& held = std::get<std::optional<GemvProblem<T>>>(problems_);
    if (!held || held->the_case() != the_case) {
      problems_ = {};  // frees the memory first
      std::get<std::optional<GemvProblem<T>>>(problems_).emplace(exec_, the_case);
    }
    return *std::get<std::optional<GemvProblem<T>>>(problems_);
  }

  std::tuple<std::optional<GemvProblem<float>>, std::optional<GemvProblem<double>>> problems_;
  KnownSeconds read_seconds_{exec_, read_seconds};
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_gemv", argc, argv, {.entry_time = 0.03, .time_limit = 120},
                            [](Bench& bench) {
                              for (GemvCase const& the_case : gemv_cases(on_device))
                                bench.add(the_case);
                            });
}
