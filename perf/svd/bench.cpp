// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::svd and its peers on the same data in one process.
//
//   bench_svd [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//             [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are svd/<group>/<batch>x<rows>x<cols>/<precision>/<vectors|values>/<method> for times and
// kernels/… for the share of each kernel. What matters most is measured first, so that the time
// limit cuts off the rest. perf/record.py runs this, and finds the best peer of each case.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "svd/carroll.hpp"
#include "svd/cases.hpp"
#include "svd/models.hpp"
#include "svd/peers.hpp"
#include "svd/reference.hpp"

namespace carroll::perf {
namespace {

/// Data of the case at hand, made once for consecutive contenders, and the references of all.
class Problem {
 public:
  template <class Real>
  std::vector<Real> const& matrices(SvdShape shape) {
    shape.vectors = false;  // the matrices are the same with and without
    auto& data = std::get<Data<Real>>(data_);
    if (shape != data.shape) {
      data = {};  // frees the memory first
      data.matrices = uniform_matrices<Real>(shape);
      data.shape = shape;
    }
    return data.matrices;
  }
  std::vector<long double> const& reference(SvdShape const& shape) {
    auto const [entry, is_new] =
        references_.try_emplace(std::array{shape.batch, shape.rows, shape.cols});
    if (is_new) entry->second = reference_values(shape);
    return entry->second;
  }

 private:
  template <class Real>
  struct Data {
    SvdShape shape{};
    std::vector<Real> matrices;
  };
  std::tuple<Data<float>, Data<double>> data_;
  std::map<std::array<int, 3>, std::vector<long double>> references_;
};

/// Everything one benchmark needs: who solves what.
template <class Real>
struct Entry {
  std::string name;
  bool device;      // runs on the default execution space
  bool has_phases;  // those of svd_phases
  double tolerance;
  SvdShape shape;
  std::function<std::unique_ptr<SvdContender<Real>>(std::span<Real const>)> make;
};

/// What is measured first, second …
enum class Priority {
  first,         // Carroll's default method; vectors of all of cuSOLVER and LAPACK's fastest driver
  slow_vectors,  // of LAPACK's other drivers
  kernels,       // shares of the kernels of Carroll's default method
  peers_values,  // of the peers of the first line
  study,         // vectors of Carroll's other methods
  families,      // of the families of kernels that the default method does not choose
  remainder,
};

Priority peer_priority(std::string const& name, SvdShape const& shape) {
  bool const fast = !name.starts_with("lapack") || (name == "lapack_gesdd" && shape.rank() <= 1024);
  if (shape.vectors) return fast ? Priority::first : Priority::slow_vectors;
  return fast ? Priority::peers_values : Priority::remainder;
}

/// Host drivers beyond a rank at which they take many seconds are nobody's best peer.
bool too_slow(std::string const& name, SvdShape const& shape) {
  bool const single = shape.batch == 1;
  if (name == "lapack_gesdd") return shape.rank() > (single ? 2048 : 512);
  if (name == "lapack_gesvd") return shape.rank() > (single ? 512 : 200);
  if (name == "lapack_gesvj" || name == "lapack_gejsv")
    return shape.rank() > (!single ? 150 : on_device ? 512 : 1024);
  return false;
}

/// The team kernels alone take seconds there.
bool slow_by_teams(SvdShape const& shape) {
  return shape.rank() > 512 || double(shape.batch) * shape.rows * shape.cols * shape.rank() > 4e9;
}

class Bench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(SvdCase const& the_case) {
    for (bool const vectors : {true, false}) {
      if (the_case.group == "scaling" && !vectors) continue;
      add<float>(the_case, vectors);
      add<double>(the_case, vectors);
    }
    if (the_case.group == "scaling") return;
    add_kernel_shares<float>(the_case);
    add_kernel_shares<double>(the_case);
  }

 private:
  template <class Real>
  void add(SvdCase const& the_case, bool vectors) {
    SvdShape const shape{the_case.batch, the_case.rows, the_case.cols, vectors};
    std::string const key = "svd/" + the_case.group + "/" + the_case.extents() + "/" +
                            precision_name<Real> + "/" + (vectors ? "vectors" : "values") + "/";
    if (the_case.group != "scaling")
      for (SvdPeer<Real> const& peer : svd_peers<Real>(exec_, shape))
        if (!too_slow(peer.name, shape))
          add(peer_priority(peer.name, shape),
              Entry<Real>{key + peer.name, peer.device, false, 0, shape, peer.make});

    auto const add_carroll = [&](Priority priority, SvdOptions const& options) {
      add(priority, Entry<Real>{key + "carroll_" + method_name(options), true,
                                the_case.group == "square" && vectors, options.tolerance, shape,
                                [this, options, shape](std::span<Real const> A) {
                                  return make_carroll_svd<Real>(exec_, options, shape, A);
                                }});
    };
    add_carroll(Priority::first, default_method());
    if (vectors && the_case.group != "scaling")
      for (SvdOptions const& options : other_families<Real>(shape))
        if (options.path != SvdPath::team || !slow_by_teams(shape))
          add_carroll(Priority::families, options);
    if (the_case.group != "study" || !vectors) return;
    std::vector<SvdOptions> methods = study_methods();
    for (SvdOptions const& options : methods) add_carroll(Priority::study, options);
    methods.push_back(default_method());
    for (SvdOptions& options : methods) {
      options.tolerance = study_tolerance;
      add_carroll(Priority::study, options);
    }
  }

  template <class Real>
  void add(Priority priority, Entry<Real> const& entry) {
    harness_.plan(priority, entry.name,
                  [this, entry](benchmark::State& state) { measure(state, entry); });
  }

  template <class Real>
  void add_kernel_shares(SvdCase const& the_case) {
    SvdShape const shape{the_case.batch, the_case.rows, the_case.cols, true};
    auto const add_carroll = [&](Priority priority, SvdOptions const& options) {
      harness_.plan_kernels(priority,
                            the_case.extents() + "/" + precision_name<Real> + "/vectors/carroll_" +
                                method_name(options),
                            [this, shape, options] {
                              return make_carroll_svd<Real>(exec_, options, shape,
                                                            problem_.matrices<Real>(shape));
                            });
    };
    add_carroll(Priority::kernels, default_method());
    if (the_case.group == "study" && std::is_same_v<Real, float>)
      for (SvdOptions const& options : study_methods()) add_carroll(Priority::study, options);
  }

  template <class Real>
  void measure(benchmark::State& state, Entry<Real> const& entry) {
    std::vector<Real> const& A = problem_.matrices<Real>(entry.shape);
    auto const contender = entry.make(A);
    double const first_run = timed_run(*contender);
    SvdCheck check =
        check_solution<Real>(entry.shape, A, contender->solution(sampled_members(entry.shape)),
                             problem_.reference(entry.shape), entry.tolerance);
    if (std::string const complaint = contender->complaint(); !complaint.empty())
      check.fault = complaint;
    harness_.report_times<Real>(state, harness_.samples(*contender, first_run),
                                svd_flops(entry.shape), svd_bytes<Real>(entry.shape), entry.device);
    report(state, entry, check, contender->sweeps());
  }

  template <class Real>
  void report(benchmark::State& state, Entry<Real> const& entry, SvdCheck const& check,
              int sweeps) {
    auto& counters = state.counters;
    counters["tolerance"] = entry.tolerance;
    counters["residual"] = check.residual;
    counters["orthogonality"] = check.orthogonality;
    if (check.mean_square_error >= 0) counters["mse"] = check.mean_square_error;
    if (sweeps > 0) counters["sweeps"] = sweeps;
    if (entry.has_phases && sweeps > 0)
      for (SvdPhase const& phase : svd_phases<Real>(entry.shape, sweeps)) {
        counters["flops:" + std::string(phase.name)] = phase.flops;
        counters["bytes:" + std::string(phase.name)] = phase.bytes;
      }
    report_check(state, check.fault);
  }

  Problem problem_;
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<Bench>("bench_svd", argc, argv, {}, [](Bench& bench) {
    for (SvdCase const& the_case : svd_cases(on_device)) bench.add(the_case);
  });
}
