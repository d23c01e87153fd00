// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::svd, eigh and determinant_of of matrices that are stored in 16 bits beside the
// same in single precision, in one process.
//
//   bench_narrow [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are narrow/<group>/<batch>x<n>/<svd|eigh|determinant>/carroll_<single|float16|bfloat16>.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/determinant.hpp>
#include <carroll/eigh.hpp>
#include <carroll/narrow.hpp>
#include <carroll/narrow/determinant.hpp>
#include <carroll/narrow/eigh.hpp>
#include <carroll/narrow/svd.hpp>
#include <carroll/svd.hpp>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "determinant_instances.hpp"
#include "eigh_instances.hpp"
#include "harness/batch_call.hpp"
#include "harness/buffers.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "narrow_instances.hpp"
#include "svd_instances.hpp"

namespace carroll::perf {
namespace {

enum class NarrowJob { svd, eigh, determinant };

/// `batch` n×n matrices; all factors are wanted.
struct NarrowShape {
  NarrowJob job;
  int batch, n;

  [[nodiscard]] std::size_t members() const { return static_cast<std::size_t>(batch); }
  [[nodiscard]] std::size_t order() const { return static_cast<std::size_t>(n); }
  [[nodiscard]] std::size_t entries() const { return members() * order() * order(); }
  [[nodiscard]] bool factors() const { return job != NarrowJob::determinant; }
  /// As in the benchmarks of these solvers.
  [[nodiscard]] double flops() const {
    double const cubes = job == NarrowJob::svd    ? 21
                         : job == NarrowJob::eigh ? 8.0 / 3 + 5
                                                  : 2.0 / 3;
    return batch * cubes * std::pow(n, 3);
  }
  /// A in, of whatever numbers, and factors of float out.
  [[nodiscard]] double bytes(std::size_t size) const {
    double const out = job == NarrowJob::svd ? 2 : job == NarrowJob::eigh ? 1 : 0;
    return static_cast<double>(entries()) * (static_cast<double>(size) + 4 * out);
  }
};

/// Of random normal entries, symmetric, which both formats hold: of eight digits, or fewer if
/// small.
std::vector<float> narrow_matrices(NarrowShape const& shape) {
  std::vector<float> A(shape.entries());
  std::mt19937_64 engine(7);
  std::normal_distribution<float> normal;
  auto const n = shape.order();
  for (std::size_t b = 0; b < A.size(); b += n * n)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i)
        A[b + i + j * n] = A[b + j + i * n] =
            static_cast<float>(float16(static_cast<float>(bfloat16(normal(engine)))));
  return A;
}

class NarrowContender : public Contender {
 public:
  /// All that came out.
  virtual std::vector<float> results() = 0;
};

/// enqueue(call) enqueues a call for A of Stored.
template <class Stored, class Info, class Workspace, class Enqueue>
class CarrollNarrow final : public CarrollContender<NarrowContender, Info> {
 public:
  CarrollNarrow(Exec const& exec, NarrowShape const& shape, std::vector<float> const& A,
                Workspace const& workspace, Enqueue const& enqueue)
      : CarrollContender<NarrowContender, Info>(exec, shape.batch),
        enqueue_(enqueue),
        A_(copied("A", std::vector<Stored>(A.begin(), A.end()))),
        left_("left", shape.factors() ? shape.entries() : 0),
        right_("right", shape.job == NarrowJob::svd ? shape.entries() : 0),
        values_("values", shape.factors() ? shape.members() * shape.order() : 0),
        call_{exec,
              packed(A_, shape.batch, shape.n, shape.n),
              {},
              packed(left_, shape.batch, shape.n, shape.n),
              packed(right_, shape.batch, shape.n, shape.n),
              BatchValues<float>(values_.data(), shape.members(), shape.order()),
              this->infos_,
              workspace} {}

  void run() override { enqueue_(call_); }
  std::vector<float> results() override {
    std::vector<float> all;
    for (Buffer<float> const& some : {left_, right_, values_})
      for (float const x : first_entries(some, some.extent(0))) all.push_back(x);
    if constexpr (requires(Info info) { info.value.mantissa(); })
      for (Info const& info : first_entries(this->infos_, this->infos_.extent(0))) {
        all.push_back(info.value.mantissa());
        all.push_back(static_cast<float>(info.value.exponent()));
      }
    return all;
  }

 private:
  Enqueue enqueue_;
  Buffer<Stored> A_;
  Buffer<float> left_, right_, values_;
  BatchCall<Stored, float, float, Info, Workspace> call_;
};

template <class Stored>
std::unique_ptr<NarrowContender> carroll_narrow(Exec const& exec, NarrowShape const& shape,
                                                std::vector<float> const& A) {
  int const batch = shape.batch, n = shape.n;
  auto const bound = [&]<class Info, class Workspace, class Enqueue>(
                         Info, Workspace const& workspace,
                         Enqueue const& enqueue) -> std::unique_ptr<NarrowContender> {
    return std::make_unique<CarrollNarrow<Stored, Info, Workspace, Enqueue>>(exec, shape, A,
                                                                             workspace, enqueue);
  };
  switch (shape.job) {
    case NarrowJob::svd:
      return bound(SvdInfo<float>{},
                   svd_workspace<Stored>(exec, {.batch = batch, .rows = n, .cols = n}),
                   [](auto& of) {
                     svd_async(of.exec, of.A, of.left, of.values, of.right, of.infos, of.workspace);
                   });
    case NarrowJob::eigh:
      return bound(
          EighInfo<float>{}, eigh_workspace<Stored>(exec, {.batch = batch, .n = n}),
          [](auto& of) { eigh_async(of.exec, of.A, of.values, of.left, of.infos, of.workspace); });
    case NarrowJob::determinant: break;
  }
  return bound(DeterminantInfo<float>{},
               determinant_workspace<Stored>(exec, {.batch = batch, .n = n, .keep = true}),
               [](auto& of) { determinant_of_async(of.exec, of.A, of.infos, of.workspace); });
}

/// Batches are smaller on a host, where they would otherwise take minutes.
std::vector<std::pair<NarrowShape, std::string>> narrow_shapes(bool device) {
  std::vector<std::pair<NarrowShape, std::string>> shapes;
  for (auto const& [job, name] : {std::pair(NarrowJob::svd, "svd"), {NarrowJob::eigh, "eigh"}})
    for (auto const& [batch, n] : {std::pair(10000, 8), {10000, 32}, {1000, 64}, {200, 128}})
      shapes.push_back({{job, device ? batch : batch / 20, n}, name});
  for (auto const& [batch, n] : {std::pair(100000, 8), {10000, 32}, {1000, 128}})
    shapes.push_back({{NarrowJob::determinant, device ? batch : batch / 20, n}, "determinant"});
  return shapes;
}

class NarrowBench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(NarrowShape const& shape, std::string const& job) {
    std::string const key = "narrow/batch/" + std::to_string(shape.batch) + "x" +
                            std::to_string(shape.n) + "/" + job + "/carroll_";
    add_format<float>(shape, key + "single");
    add_format<float16>(shape, key + "float16");
    add_format<bfloat16>(shape, key + "bfloat16");
  }

 private:
  template <class Stored>
  void add_format(NarrowShape const& shape, std::string const& name) {
    harness_.plan(shape.job, name, [=, this](benchmark::State& state) {
      auto const A = narrow_matrices(shape);
      auto const contender = carroll_narrow<Stored>(exec_, shape, A);
      double const first_run = timed_run(*contender);
      std::string fault = contender->complaint();
      if (fault.empty()) fault = fault_of(shape, A, contender->results());
      harness_.report_times<float>(state, harness_.samples(*contender, first_run), shape.flops(),
                                   shape.bytes(sizeof(Stored)), true);
      report_check(state, fault);
    });
  }

  /// Results have the bits that they have for floats.
  std::string fault_of(NarrowShape const& shape, std::vector<float> const& A,
                       std::vector<float> const& found) const {
    auto const single = carroll_narrow<float>(exec_, shape, A);
    timed_run(*single);
    auto const wanted = single->results();
    bool const same = found.size() == wanted.size() &&
                      std::memcmp(found.data(), wanted.data(), found.size() * sizeof(float)) == 0;
    return same ? "" : "other bits than single precision";
  }
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<NarrowBench>("bench_narrow", argc, argv, {}, [](NarrowBench& bench) {
    for (auto const& [shape, job] : narrow_shapes(on_device)) bench.add(shape, job);
  });
}
