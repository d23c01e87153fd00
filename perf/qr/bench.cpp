// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::qr and its peers on the same data in one process.
//
//   bench_qr [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//            [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are qr/<group>/<batch>x<m>x<n>/<precision>/<thin|r>[_pivoted]/<method>. What matters most
// is measured first, so that the time limit cuts off the rest.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/qr.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decompositions/qr_instances.hpp"
#include "harness/buffers.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"
#include "qr/peers.hpp"
#include "qr/problem.hpp"

namespace carroll::perf {
namespace {

/// With column-major members one after the other, as the peers have them.
template <class Real>
class CarrollQr final : public CarrollContender<QrContender<Real>, QrInfo> {
 public:
  CarrollQr(Exec const& exec, QrShape const& shape, QrOptions const& options,
            std::vector<Real> const& A)
      : CarrollContender<QrContender<Real>, QrInfo>(exec, shape.batch),
        shape_(shape),
        A_(copied("A", A)),
        Q_("Q", shape.basis ? A.size() : 0),
        R_("R", static_cast<std::size_t>(shape.batch) * shape.square()),
        P_("P", shape.pivoted ? static_cast<std::size_t>(shape.batch * shape.n) : 0),
        workspace_(qr_workspace<Real>(exec,
                                      {.batch = shape.batch,
                                       .rows = shape.m,
                                       .cols = shape.n,
                                       .mode = shape.basis ? QrMode::thin : QrMode::r,
                                       .pivoted = shape.pivoted},
                                      options)) {}

  void run() override {
    auto const A = packed(A_, shape_.batch, shape_.m, shape_.n),
               Q = packed(Q_, shape_.batch, shape_.m, shape_.n),
               R = packed(R_, shape_.batch, shape_.n, shape_.n);
    Kokkos::View<int**, Kokkos::LayoutRight, Exec::memory_space, Kokkos::MemoryUnmanaged> const P(
        P_.data(), static_cast<std::size_t>(shape_.batch), static_cast<std::size_t>(shape_.n));
    if (shape_.pivoted && shape_.basis)
      pivoted_qr_async(this->exec_, A, Q, R, P, this->infos_, workspace_);
    else if (shape_.pivoted)
      pivoted_qr_async(this->exec_, A, none, R, P, this->infos_, workspace_);
    else if (shape_.basis)
      qr_async(this->exec_, A, Q, R, this->infos_, workspace_);
    else
      qr_async(this->exec_, A, none, R, this->infos_, workspace_);
  }
  QrSolution<Real> solution() override {
    return {first_entries(Q_, shape_.basis ? shape_.entries() : 0),
            first_entries(R_, shape_.square()),
            first_entries(P_, shape_.pivoted ? static_cast<std::size_t>(shape_.n) : 0)};
  }

 private:
  QrShape shape_;
  Buffer<Real> A_, Q_, R_;
  Buffer<int> P_;
  QrWorkspace<Exec, Real> workspace_;
};

struct QrCase {
  std::string group;  // "batch" or "single"
  int batch, m, n;
};

/// Batches are smaller on a host, where they would otherwise take minutes.
std::vector<QrCase> qr_cases(bool device) {
  std::vector<QrCase> cases;
  int const many = device ? 10000 : 2000;
  for (int const n : {4, 8, 16, 24, 32}) cases.push_back({"batch", many, n, n});
  cases.push_back({"batch", many, 64, 8});
  for (int const n : {48, 64, 128, 256})
    cases.push_back({"batch", device ? (n < 200 ? 2000 : 200) : 64, n, n});
  for (int const n : {32, 64, 128, 256, 512, 1024})
    if (device || n <= 512) cases.push_back({"single", 1, n, n});
  cases.push_back({"single", 1, 100000, 16});
  return cases;
}

enum class QrPriority { basis, triangle, pivoted, other_paths, one_by_one };

class QrBench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  void add(QrCase const& the_case) {
    for (bool const pivoted : {false, true})
      for (bool const basis : {true, false}) {
        QrShape const shape{the_case.batch, the_case.m, the_case.n, basis, pivoted};
        add<float>(the_case.group, shape);
        add<double>(the_case.group, shape);
      }
  }

 private:
  template <class Real>
  void add(std::string const& group, QrShape const& shape) {
    std::string const key = "qr/" + group + "/" + shape.extents() + "/" + precision_name<Real> +
                            "/" + (shape.basis ? "thin" : "r") + (shape.pivoted ? "_pivoted" : "") +
                            "/";
    QrPriority const priority = shape.pivoted ? QrPriority::pivoted
                                : shape.basis ? QrPriority::basis
                                              : QrPriority::triangle;
    for (auto const& peer : qr_peers<Real>(exec_, shape))
      plan<Real>(peer.one_by_one ? QrPriority::one_by_one : priority, key + peer.name, peer.device,
                 shape, peer.make);
    for (QrPath const path : qr_paths) {
      // Of the families those that are there and fit; `team` would take minutes on a device.
      auto const family = detail::qr_family(detail::qr_backend<Exec>, {.path = path}, shape.m,
                                            shape.n, shape.pivoted);
      bool const fits = detail::qr_path(family) == path && !(on_device && path == QrPath::team);
      if (path != QrPath::automatic && !(shape.basis && fits)) continue;
      plan<Real>(path == QrPath::automatic ? priority : QrPriority::other_paths,
                 key + "carroll_" + to_string(path), true, shape,
                 [exec = exec_, shape, path](std::vector<Real> const& A) {
                   return std::make_unique<CarrollQr<Real>>(exec, shape, QrOptions{.path = path},
                                                            A);
                 });
    }
  }

  template <class Real>
  using Make = std::function<std::unique_ptr<QrContender<Real>>(std::vector<Real> const&)>;

  template <class Real>
  void plan(QrPriority priority, std::string const& name, bool device, QrShape const& shape,
            Make<Real> const& make) {
    plan_checked<Real>(
        priority, name, device, shape, [=] { return normal_matrices<Real>(shape); }, make,
        [=](std::vector<Real> const& A, QrContender<Real>& contender) {
          return qr_fault(shape, A, contender.solution());
        });
  }
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<QrBench>("bench_qr", argc, argv, {}, [](QrBench& bench) {
    for (QrCase const& the_case : qr_cases(on_device)) bench.add(the_case);
  });
}
