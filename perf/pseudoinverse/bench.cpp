// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::apply_pseudoinverse and carroll::pseudoinverse, the method that they replace and
// their peers on the same data in one process.
//
//   bench_pseudoinverse [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                       [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are pseudoinverse/<group>/<frames>x<n>x<m>x<k>/<precision>/<method> for times, see
// pseudoinverse/cases.hpp, and kernels/… for the share of each kernel. What matters most is
// measured first, so that the time limit cuts off the rest. perf/record.py runs this, and finds the
// best peer of each case.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/at_hand.hpp"
#include "harness/bandwidth.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "pseudoinverse/carroll.hpp"
#include "pseudoinverse/cases.hpp"
#include "pseudoinverse/peers.hpp"
#include "pseudoinverse/peers/seed.hpp"
#include "pseudoinverse/reference.hpp"

namespace carroll::perf {
namespace {

/// Data of the case at hand, made once for consecutive contenders, and the reference of a frame.
class KeptFrames {
 public:
  explicit KeptFrames(Exec const& exec) : exec_(exec) {}

  template <class Real>
  ArrowFrames<Real> const& frames(ArrowShape const& shape) {
    return frames_.get<Real>(shape, [&] { return uniform_arrow_frames<Real>(exec_, shape); });
  }
  template <class Real>
  ArrowReference const& reference(ArrowFrames<Real> const& frames, int frame) {
    auto const& [_, n, k, m] = frames.shape();
    std::array const key{frame, n, k, m};
    auto found = references_.find(key);
    if (found == references_.end()) {
      if (references_.size() > 8) references_.clear();  // each holds k columns
      found = references_.try_emplace(key, frames.host(frame)).first;
    }
    return found->second;
  }

 private:
  Exec exec_;
  AtHand<ArrowFrames> frames_;
  std::map<std::array<int, 4>, ArrowReference> references_;
};

/// What is measured first, second …
enum class Priority {
  first,     // the step with as many depths as are used, and its peers
  dense,     // A⁺
  frames,    // batches
  phases,    // of the method that is replaced
  others,    // the step with other numbers of depths
  kernels,   // shares of our kernels
  families,  // of kernels that the default method does not choose
};

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(PseudoinverseCase const& the_case) {
    add<float>(the_case);
    add<double>(the_case);
  }

 private:
  template <class Real>
  void add(PseudoinverseCase const& the_case) {
    std::string const& group = the_case.group;
    std::string const key = the_case.extents() + "/" + precision_name<Real> + "/";
    if (group == "step" || group == "frames")
      add_steps<Real>(group, the_case.shape, key);
    else
      add_inverses<Real>(group, the_case.shape, key);
  }

  template <class Real>
  void add_steps(std::string const& group, ArrowShape const& shape, std::string const& key) {
    Priority const priority = group == "frames"      ? Priority::frames
                              : shape.depths == 1000 ? Priority::first
                                                     : Priority::others;
    auto const plan = [&](Priority when, StepSolver<Real> const& solver) {
      harness_.plan(
          when, "pseudoinverse/" + group + "/" + key + solver.name,
          [this, shape, solver](benchmark::State& state) { measure_step(state, shape, solver); });
    };
    auto const plan_carroll = [&](Priority when, std::string_view name,
                                  PseudoinverseOptions const& options) {
      plan(when, {"carroll_" + std::string(name), true, 0,
                  [exec = exec_, options](ArrowFrames<Real> const& frames) {
                    return make_carroll_step(exec, options, frames);
                  }});
    };
    for (auto const& peer : step_peers<Real>(exec_, shape)) plan(priority, peer);
    for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                              PseudoinverseMethod::normal_equations})
      plan_carroll(priority, to_string(method), {.method = method});
    if (shape.depths == 1000)
      for (PseudoinverseOptions const& options : other_step_families<Real>(exec_, shape))
        plan_carroll(Priority::families, to_string(options.path), options);
    if (shape.depths == 1000)
      harness_.plan_kernels(Priority::kernels, key + "carroll_automatic", [this, shape] {
        return make_carroll_step(exec_, PseudoinverseOptions{}, kept_.frames<Real>(shape));
      });
  }

  /// The method that is replaced is in single precision, as it was, and has one motion column.
  template <class Real>
  void add_inverses(std::string const& group, ArrowShape const& shape, std::string const& key) {
    using Inverse = SeedMethod::Inverse;
    using Phase = SeedMethod::Phase;
    using Product = SeedMethod::Product;
    Priority const priority = group == "dense" ? Priority::dense : Priority::phases;
    auto const plan = [&](Priority when, std::string const& name, auto const& make) {
      harness_.plan(when, "pseudoinverse/" + group + "/" + key + name,
                    [this, shape, make, writes = group != "gram" && group != "inverse",
                     seed = name.starts_with("seed_")](benchmark::State& state) {
                      measure_inverse<Real>(state, shape, make, writes, seed);
                    });
    };
    auto const seed = [&](SeedMethod const& method) {
      plan(priority, method_name(method), [exec = exec_, method](ArrowFrames<Real> const& frames) {
        return make_seed(exec, method, frames);
      });
    };
    auto const carroll = [&](Priority when, std::string const& name, Orientation orientation,
                             PseudoinverseOptions const& options = {}) {
      plan(when, name,
           [exec = exec_, options, orientation,
            product = group == "product"](ArrowFrames<Real> const& frames) {
             return make_carroll_inverse(exec, options, orientation, product, frames);
           });
    };
    if (std::is_same_v<Real, float> && shape.motions == 1) {
      if (group == "gram") seed({Phase::gram, Inverse::coalesced, Product::tiled});
      if (group == "inverse")
        for (auto const inverse : {Inverse::uncoalesced, Inverse::coalesced})
          seed({Phase::inverse, inverse, Product::tiled});
      if (group == "dense") {
        seed({Phase::all, Inverse::uncoalesced, Product::naive});
        seed({Phase::all, Inverse::coalesced, Product::tiled});
      }
      if (group == "product")
        for (auto const product : {Product::naive, Product::tiled})
          seed({Phase::product, Inverse::coalesced, product});
    }
    if (group == "dense")
      for (auto const& [orientation, name] : {std::pair{Orientation::rows, "carroll_rows"},
                                              {Orientation::columns, "carroll_columns"}}) {
        carroll(priority, name, orientation);
        if (shape.depths == 1024)
          for (PseudoinverseOptions const& options : other_writers(shape, orientation))
            carroll(Priority::families, name + ("_" + std::string(to_string(options.writer))),
                    orientation, options);
      }
    if (group == "product" && std::is_same_v<Real, float>) {
      carroll(priority, "carroll_product_rows", Orientation::rows);
      carroll(priority, "carroll_product_columns", Orientation::columns);
    }
  }

  template <class Real>
  void measure_step(benchmark::State& state, ArrowShape const& shape,
                    StepSolver<Real> const& solver) {
    auto const& frames = kept_.frames<Real>(shape);
    // Threads of a host's libraries go on spinning for a while.
    if (peer_ran_ && !on_device) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    peer_ran_ = !solver.name.starts_with("carroll_");
    auto const contender = solver.make(frames);
    double const first_run = timed_run(*contender);
    ArrowCheck check;
    for (int const frame : sampled(shape.frames, 3))
      check_step<Real>(check, contender->step(frame), kept_.reference(frames, frame),
                       solver.summed);
    report(state, check, *contender);

    std::vector<double> times;
    if (contender->own_seconds() > 0)
      for (int run = 0; run < 2; ++run) {
        timed_run(*contender);
        times.push_back(contender->own_seconds());
      }
    else
      times = harness_.samples(*contender, first_run);
    double const bytes = step_bytes<Real>(shape);
    harness_.report_times<Real>(state, times, step_flops(shape), bytes, solver.device);
    if (!solver.device) return;
    double seconds = median(times);
    if (contender->is_enqueued()) {
      seconds = Harness::enqueued_seconds(*contender);
      state.counters["enqueued_seconds"] = seconds;
    }
    state.counters["read_fraction"] = read_seconds_(bytes) / seconds;
  }

  template <class Real, class Make>
  void measure_inverse(benchmark::State& state, ArrowShape const& shape, Make const& make,
                       bool writes, bool seed) {
    auto const& frames = kept_.frames<Real>(shape);
    auto const contender = make(frames);
    double const first_run = timed_run(*contender);
    // Before column() runs what comes after a phase.
    std::vector<double> const times = harness_.samples(*contender, first_run);
    ArrowReference const& reference = kept_.reference(frames, 0);
    ArrowCheck check;
    // The seed adds in the precision of the data: a segment's rows, then the segments.
    double const summed = seed ? static_cast<double>(shape.rows) / shape.depths + shape.depths : 0;
    for (int const p : sampled(shape.rows, 25))
      check_column<Real>(check, contender->column(p), reference.column(p), reference, summed);
    report(state, check, *contender);
    double const bytes = writes ? inverse_bytes<Real>(shape) : step_bytes<Real>(shape);
    harness_.report_times<Real>(state, times, inverse_flops(shape), bytes, true);
    if (writes) state.counters["fill_fraction"] = fill_seconds_(bytes) / median(times);
  }

  static void report(benchmark::State& state, ArrowCheck check, Contender& contender) {
    if (std::string const complaint = contender.complaint(); !complaint.empty())
      check.fault = complaint;
    state.counters["error"] = check.error;
    state.counters["residual"] = check.residual;
    report_check(state, check.fault);
  }

  KeptFrames kept_{exec_};
  KnownSeconds fill_seconds_{exec_, fill_seconds}, read_seconds_{exec_, read_seconds};
  bool peer_ran_ = false;
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>(
      "bench_pseudoinverse", argc, argv, {.entry_time = 0.05, .time_limit = 240}, [](Bench& bench) {
#ifdef CARROLL_PERF_HAVE_CERES
        benchmark::AddCustomContext("ceres_version", ceres_version());
#endif
#ifdef CARROLL_PERF_HAVE_SPQR
        benchmark::AddCustomContext("suitesparse_qr_version", spqr_version());
#endif
        for (PseudoinverseCase const& the_case : pseudoinverse_cases(on_device))
          bench.add(the_case);
      });
}
