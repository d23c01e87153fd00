// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::determinant and its peers on the same data in one process.
//
//   bench_determinant [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                     [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are determinant/<group>/<batch>x<n>/<precision>/<method> for times, see
// determinant/cases.hpp, and kernels/… for the share of each kernel. What matters most is measured
// first, so that the time limit cuts off the rest. perf/record.py runs this, and finds the best
// peer of each case.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "determinant/carroll.hpp"
#include "determinant/cases.hpp"
#include "determinant/peers.hpp"
#include "harness/at_hand.hpp"
#include "harness/bandwidth.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"

namespace carroll::perf {
namespace {

/// Data of the case at hand, made once for consecutive contenders, and the references of all.
class KeptMatrices {
 public:
  explicit KeptMatrices(Exec const& exec) : exec_(exec) {}

  template <class Real>
  DeterminantMatrices<Real>& matrices(DeterminantShape const& shape) {
    return matrices_.get<Real>(shape,
                               [&] { return uniform_determinant_matrices<Real>(exec_, shape); });
  }
  template <class Real>
  std::vector<DeterminantReference> const& references(DeterminantMatrices<Real> const& matrices) {
    auto const [entry, is_new] =
        references_.try_emplace(std::pair{matrices.shape().batch, matrices.shape().n});
    if (is_new) entry->second = determinant_references(exec_, matrices);
    return entry->second;
  }
  void clear() { matrices_.clear(); }

 private:
  Exec exec_;
  AtHand<DeterminantMatrices> matrices_;
  std::map<std::pair<int, int>, std::vector<DeterminantReference>> references_;
};

/// The largest order of batches whose time is that of their bytes, not of their operations.
constexpr int largest_by_bytes = 32;

/// What is measured first, second …
enum class Priority {
  first,      // Carroll's default method and its peers, up to order 10000
  large,      // the same above
  known,      // memory and huge matrices
  stream,     // the largest batches
  methods,    // historical methods up to order 1000
  kernels,    // shares of the kernels of Carroll's default method
  families,   // the families of kernels that the default method does not choose
  remainder,  // historical methods above; peers on hosts beside a device that cannot be fastest
};

/// Those without blocks take seconds there, and so do those that give a team, or a step after the
/// other, to each of many small matrices.
bool too_slow(DeterminantPath path, DeterminantShape const& shape) {
  using enum DeterminantPath;
  if (path == in_place) return shape.n > 256 || shape.batch > 5000;
  if (path == panels) return shape.n > 2048 || shape.batch > 5000;
  if (path == scratch) return shape.n > 2048 || shape.batch > 200000;
  return shape.n > 2048;
}

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(DeterminantCase const& the_case) {
    add<float>(the_case);
    if (the_case.group != "huge") add<double>(the_case);
  }

 private:
  template <class Real>
  void add(DeterminantCase const& the_case) {
    DeterminantShape const shape{the_case.batch, the_case.n};
    std::string const& group = the_case.group;
    std::string const key = the_case.extents() + "/" + precision_name<Real> + "/";
    auto const add_entry = [&](Priority priority, DeterminantSolver<Real> const& solver) {
      harness_.plan(
          priority, "determinant/" + group + "/" + key + solver.name,
          [this, shape, solver, known = priority == Priority::known](benchmark::State& state) {
            known ? measure_known(state, shape, solver) : measure(state, shape, solver);
          });
    };

    Priority const priority = group == "memory" || group == "huge" ? Priority::known
                              : group == "stream"                  ? Priority::stream
                              : shape.n > 10000                    ? Priority::large
                                                                   : Priority::first;
    if (group != "huge")
      for (auto const& peer : determinant_peers<Real>(exec_, shape)) {
        bool const beside = on_device && !peer.device;
        if (beside && group == "stream") continue;
        add_entry(beside && group == "batch" ? Priority::remainder : priority, peer);
      }
    add_entry(priority, carroll<Real>({}));
    if (group == "single" || group == "batch" || group == "stream")
      for (DeterminantOptions const& options : other_families<Real>(exec_, shape))
        if (!too_slow(options.path, shape)) add_entry(Priority::families, carroll<Real>(options));

    if (group == "single" && shape.n <= (on_device ? 10000 : 2000))
      for (DeterminantMethod const method : historical_methods)
        add_entry(shape.n <= 1000 ? Priority::methods : Priority::remainder,
                  carroll<Real>({.method = method}));
    constexpr std::array profiled{32, 64, 128, 256, 512, 1000, 4096, 10000};
    if ((group == "single" || group == "batch") &&
        std::find(profiled.begin(), profiled.end(), shape.n) != profiled.end())
      harness_.plan_kernels(Priority::kernels, key + "carroll_blocked", [this, shape] {
        return make_carroll_determinant(exec_, DeterminantOptions{}, kept_.matrices<Real>(shape));
      });
  }

  template <class Real>
  DeterminantSolver<Real> carroll(DeterminantOptions const& options) const {
    return {"carroll_" + method_name(options), true,
            [exec = exec_, options](DeterminantMatrices<Real>& matrices) {
              return make_carroll_determinant(exec, options, matrices);
            }};
  }

  template <class Real>
  void measure(benchmark::State& state, DeterminantShape const& shape,
               DeterminantSolver<Real> const& solver) {
    auto& matrices = kept_.matrices<Real>(shape);
    auto const& references = kept_.references(matrices);
    auto const contender = solver.make(matrices);
    double const first_run = timed_run(*contender);
    report(state, solver, shape, *contender, references);
    report_times(state, solver, shape, harness_.samples(*contender, first_run));
  }

  /// On a matrix whose determinant is known, with the memory that the contender takes: of the
  /// matrix that it overwrites and of all else, in units of that matrix.
  template <class Real>
  void measure_known(benchmark::State& state, DeterminantShape const& shape,
                     DeterminantSolver<Real> const& solver) {
    kept_.clear();
    KnownDeterminant const known(shape.n);
    auto matrices = known.matrix<Real>(exec_);
    std::size_t const free_before = free_bytes();
    auto const contender = solver.make(matrices);
    double const first_run = timed_run(*contender);
    if (free_before > 0)
      state.counters["memory"] = static_cast<double>(free_before - free_bytes()) /
                                 static_cast<double>(shape.size() * sizeof(Real));
    report(state, solver, shape, *contender, std::array{known.reference()});
    report_times(state, solver, shape, harness_.samples(*contender, first_run));
  }

  template <class Real>
  void report(benchmark::State& state, DeterminantSolver<Real> const& solver,
              DeterminantShape const& shape, DeterminantContender<Real>& contender,
              std::span<DeterminantReference const> references) const {
    auto const values = contender.values();
    DeterminantCheck check = check_determinants<Real>(shape, values, references);
    if (std::string const complaint = contender.complaint(); !complaint.empty())
      check.fault = complaint;
    auto& counters = state.counters;
    counters["log_error"] = check.log_error;
    counters["residual"] = check.residual;
    if (double const growth = contender.growth(); growth > 0) counters["growth"] = growth;
    if (solver.device)
      counters["workspace"] = static_cast<double>(contender.workspace_bytes()) /
                              static_cast<double>(shape.size() * sizeof(Real));
    report_check(state, check.fault);
  }

  template <class Real>
  void report_times(benchmark::State& state, DeterminantSolver<Real> const& solver,
                    DeterminantShape const& shape, std::vector<double> const& times) {
    harness_.report_times<Real>(state, times, determinant_flops(shape),
                                determinant_bytes<Real>(shape), solver.device);
    if (solver.device && shape.batch > 1 && shape.n <= largest_by_bytes)
      state.counters["equal_copy_fraction"] =
          copy_seconds_(determinant_bytes<Real>(shape)) / median(times);
  }

  KeptMatrices kept_{exec_};
  KnownSeconds copy_seconds_{exec_, copy_seconds};
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_determinant", argc, argv,
                            {.entry_time = 0.05, .time_limit = 140}, [](Bench& bench) {
                              for (DeterminantCase const& the_case : determinant_cases(on_device))
                                bench.add(the_case);
                            });
}
