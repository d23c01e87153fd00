// SPDX-License-Identifier: BSD-3-Clause
// Measures how the error of the motion step grows as the motion column comes near to the span of
// the depth columns: of Carroll's methods and of the one that they replace, on the same data, in
// single precision.
//
//   bench_pseudoinverse_accuracy [--hashes=core=…,solvers=…,measured=…,dirty=…]
//                                [Google Benchmark's options] [Kokkos' options]
//
// Names are accuracy/<n>x<m>/<precision>/<nominal>/<method>; the counters are the `separation`, the
// share of the motion column that is left beside the depths, and the relative `error` of the motion
// step against a long double reference. perf/record.py runs this.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/main.hpp"
#include "pseudoinverse/carroll.hpp"
#include "pseudoinverse/peers/seed.hpp"
#include "pseudoinverse/reference.hpp"

namespace carroll::perf {
namespace {

constexpr int rows = 20000, depths = 200;

/// The frame at hand, made once for consecutive methods.
struct Problem {
  ArrowFrames<float> frames;
  ArrowReference reference;

  Problem(Exec const& exec, double separation)
      : frames(separated_arrow_frame<float>(exec, rows, depths, separation)),
        reference(frames.host(0)) {}
};

double carroll_motion(Exec const& exec, PseudoinverseMethod method, Problem const& problem,
                      std::string& complaint) {
  auto const contender = make_carroll_step(exec, {.method = method}, problem.frames);
  contender->run();
  contender->fence();
  complaint = contender->complaint();
  return contender->step(0).motion[0];
}

/// The motion row of A⁺ times d, so that no more than the errors of A⁺ are seen.
double seed_motion(Exec const& exec, Problem const& problem) {
  auto const contender = make_seed(exec, SeedMethod{}, problem.frames);
  contender->restore();
  contender->run();
  contender->fence();
  auto const row = contender->first_row();
  auto const residual = problem.frames.host(0).residual;
  double sum = 0;
  for (std::size_t p = 0; p < row.size(); ++p) sum += row[p] * residual[p];
  return sum;
}

void run(Exec const& exec, std::string const& hashes) {
  add_context("bench_pseudoinverse_accuracy", exec, measure_limits(exec), hashes);
  Harness harness({}, {});
  double made_for = 0;
  std::unique_ptr<Problem> problem;
  for (double const nominal : {1.0, 1e-1, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6}) {
    auto const plan = [&](std::string const& method, auto const& motion) {
      std::array<char, 16> text{};
      std::snprintf(text.data(), text.size(), "%.0e", nominal);
      std::string const name = "accuracy/" + std::to_string(rows) + "x" + std::to_string(depths) +
                               "/single/" + text.data() + "/" + method;
      harness.plan(0, name, [&, nominal, motion](benchmark::State& state) {
        if (made_for != nominal) problem = std::make_unique<Problem>(exec, nominal);
        made_for = nominal;
        std::string complaint;
        double const wanted = problem->reference.step().motion[0];
        double const found = motion(*problem, complaint);
        state.counters["separation"] = 1 / problem->reference.condition();
        state.counters["error"] = std::abs(found - wanted) / std::abs(wanted);
        for (auto _ : state) state.SetIterationTime(1e-9);
        report_check(state, complaint);
      });
    };
    for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                              PseudoinverseMethod::normal_equations})
      plan("carroll_" + std::string(to_string(method)),
           [&exec, method](Problem const& at_hand, std::string& complaint) {
             return carroll_motion(exec, method, at_hand, complaint);
           });
    plan("seed_tiled",
         [&exec](Problem const& at_hand, std::string&) { return seed_motion(exec, at_hand); });
  }
  harness.run();
}

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  return carroll::perf::main_of("bench_pseudoinverse_accuracy", argc, argv, carroll::perf::run);
}
