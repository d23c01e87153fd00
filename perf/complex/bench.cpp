// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::svd, eigh, qr, solve, lstsq and pinv of complex matrices and their peers on the
// same data in one process.
//
//   bench_complex [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                 [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are complex/<group>/<batch>x<n>/<precision>/<svd|eigh|qr|solve|lstsq|pinv>/<method>. What
// matters most is measured first, so that the time limit cuts off the rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/complex_svd.hpp>
#include <carroll/eigh.hpp>
#include <carroll/lstsq.hpp>
#include <carroll/qr.hpp>
#include <carroll/solve.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "complex/peers.hpp"
#include "complex/problem.hpp"
#include "decompositions/complex_svd_instances.hpp"
#include "decompositions/lstsq_instances.hpp"
#include "decompositions/qr_instances.hpp"
#include "decompositions/solve_instances.hpp"
#include "eigh_instances.hpp"
#include "harness/batch_call.hpp"
#include "harness/buffers.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"

namespace carroll::perf {
namespace {

/// One of Carroll's: enqueue(call) enqueues it.
template <class Real, class Info, class Workspace, class Enqueue>
class CarrollComplex final : public CarrollContender<ComplexContender<Real>, Info> {
 public:
  using Complex = Kokkos::complex<Real>;

  CarrollComplex(Exec const& exec, ComplexShape const& shape, ComplexData<Real> const& data,
                 Workspace const& workspace, Enqueue const& enqueue)
      : CarrollContender<ComplexContender<Real>, Info>(exec, shape.batch),
        shape_(shape),
        enqueue_(enqueue),
        A_(copied("A", data.A)),
        B_(copied("B", data.B)),
        left_("left", shape.solves() ? 0 : shape.matrix_entries()),
        right_("right", shape.members() * shape.right_size()),
        values_("values", has_values() ? shape.members() * shape.order() : 0),
        call_{exec,
              packed(A_, shape.batch, shape.n, shape.n),
              packed(B_, shape.batch, shape.n, shape.columns()),
              packed(left_, shape.batch, shape.n, shape.n),
              packed(right_, shape.batch, shape.n, shape.columns()),
              BatchValues<Real>(values_.data(), shape.members(), shape.order()),
              this->infos_,
              workspace} {}

  void run() override { enqueue_(call_); }
  ComplexSolution<Real> solution() override {
    auto const right = first_entries(right_, shape_.right_size());
    auto const left = first_entries(left_, shape_.solves() ? 0 : shape_.square());
    bool const of_eigh = shape_.job == ComplexJob::eigh;
    return {left, first_entries(values_, has_values() ? shape_.order() : 0), of_eigh ? left : right,
            of_eigh || shape_.job == ComplexJob::svd};
  }

 private:
  [[nodiscard]] bool has_values() const {
    return shape_.job == ComplexJob::svd || shape_.job == ComplexJob::eigh;
  }

  ComplexShape shape_;
  Enqueue enqueue_;
  Buffer<Complex> A_, B_, left_, right_;
  Buffer<Real> values_;
  BatchCall<Complex, Complex, Real, Info, Workspace> call_;
};

template <class Real>
std::unique_ptr<ComplexContender<Real>> carroll_complex(Exec const& exec, ComplexShape const& shape,
                                                        ComplexData<Real> const& data) {
  using Complex = Kokkos::complex<Real>;
  int const batch = shape.batch, n = shape.n;
  auto const bound = [&]<class Info, class Workspace, class Enqueue>(
                         Info, Workspace const& workspace,
                         Enqueue const& enqueue) -> std::unique_ptr<ComplexContender<Real>> {
    return std::make_unique<CarrollComplex<Real, Info, Workspace, Enqueue>>(exec, shape, data,
                                                                            workspace, enqueue);
  };
  switch (shape.job) {
    case ComplexJob::svd:
      return bound(SvdInfo<Real>{},
                   svd_workspace<Complex>(exec, {.batch = batch, .rows = n, .cols = n}),
                   [](auto& of) {
                     svd_async(of.exec, of.A, of.left, of.values, of.right, of.infos, of.workspace);
                   });
    case ComplexJob::eigh:
      return bound(
          EighInfo<Real>{}, eigh_workspace<Complex>(exec, {.batch = batch, .n = n}),
          [](auto& of) { eigh_async(of.exec, of.A, of.values, of.left, of.infos, of.workspace); });
    case ComplexJob::qr:
      return bound(
          QrInfo{}, qr_workspace<Complex>(exec, {.batch = batch, .rows = n, .cols = n}),
          [](auto& of) { qr_async(of.exec, of.A, of.left, of.right, of.infos, of.workspace); });
    case ComplexJob::solve:
      return bound(
          SolveInfo<Real>{},
          solve_workspace<Complex>(exec, {.batch = batch, .n = n}, {.condition = false}),
          [](auto& of) { solve_async(of.exec, of.A, of.B, of.right, of.infos, of.workspace); });
    case ComplexJob::lstsq:
      return bound(
          LstsqInfo<Real>{},
          lstsq_workspace<Complex>(exec, {.batch = batch, .rows = n, .cols = n, .rhs = 1}),
          [](auto& of) { lstsq_async(of.exec, of.A, of.B, of.right, of.infos, of.workspace); });
    case ComplexJob::pinv: break;
  }
  return bound(LstsqInfo<Real>{},
               pinv_workspace<Complex>(exec, {.batch = batch, .rows = n, .cols = n}),
               [](auto& of) { pinv_async(of.exec, of.A, of.right, of.infos, of.workspace); });
}

/// Batches are smaller on a host, where they would otherwise take minutes. On devices `eigh` has
/// kernels for larger matrices, too.
std::vector<std::pair<int, int>> complex_batches(ComplexJob job, bool device) {
  std::vector<std::pair<int, int>> batches;
  for (int const n : {4, 8, 16, 24, 32}) batches.emplace_back(device ? 10000 : 500, n);
  batches.emplace_back(device ? 1000 : 32, 64);
  batches.emplace_back(device ? 200 : 8, 128);
  if (device && job == ComplexJob::eigh) batches.insert(batches.end(), {{1000, 128}, {200, 256}});
  return batches;
}

constexpr std::pair<ComplexJob, char const*> complex_jobs[] = {
    {ComplexJob::svd, "svd"},     {ComplexJob::eigh, "eigh"},   {ComplexJob::qr, "qr"},
    {ComplexJob::solve, "solve"}, {ComplexJob::lstsq, "lstsq"}, {ComplexJob::pinv, "pinv"}};

/// The jobs in their order, then who takes the members of a batch one by one.
enum class ComplexPriority { first, one_by_one = 1000 };

constexpr ComplexPriority complex_priority(ComplexJob job, bool one_by_one) {
  return one_by_one ? ComplexPriority::one_by_one : ComplexPriority{static_cast<int>(job)};
}

class ComplexBench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  template <class Real>
  void add(ComplexShape const& shape, std::string const& job) {
    std::string const key =
        "complex/batch/" + shape.extents() + "/" + precision_name<Real> + "/" + job + "/";
    for (auto const& peer : complex_peers<Real>(exec_, shape)) plan<Real>(shape, key, peer);
    plan<Real>(shape, key,
               {"carroll_automatic", true, [exec = exec_, shape](ComplexData<Real> const& data) {
                  return carroll_complex<Real>(exec, shape, data);
                }});
  }

 private:
  template <class Real>
  void plan(ComplexShape const& shape, std::string const& key,
            ComplexEntrant<Real> const& entrant) {
    plan_checked<Real>(
        complex_priority(shape.job, entrant.one_by_one), key + entrant.name, entrant.device, shape,
        [=] { return ComplexData<Real>(shape); }, entrant.make,
        [=](ComplexData<Real> const& data, ComplexContender<Real>& contender) {
          return complex_fault(shape, data, contender.solution());
        });
  }
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<ComplexBench>("bench_complex", argc, argv, {}, [](ComplexBench& bench) {
    for (auto const& [job, name] : complex_jobs)
      for (auto const& [batch, n] : complex_batches(job, on_device)) {
        bench.add<float>({job, batch, n}, name);
        bench.add<double>({job, batch, n}, name);
      }
  });
}
