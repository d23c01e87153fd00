// SPDX-License-Identifier: BSD-3-Clause
// Times carroll::svd of complex matrices and its peers on the same data in one process.
//
//   bench_complex_svd [--hashes=core=…,solvers=…,measured=…,dirty=…] [--entry-time=SECONDS]
//                     [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are complex_svd/<group>/<batch>x<n>x<n>/<precision>/<method>, all with U and V.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <carroll/complex_svd.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "complex_svd/peers.hpp"
#include "complex_svd/problem.hpp"
#include "decompositions/complex_svd_instances.hpp"
#include "harness/context.hpp"
#include "harness/harness.hpp"
#include "harness/timing_main.hpp"

namespace carroll::perf {
namespace {

/// With column-major members one after the other, as the peers have them.
template <class Real>
class CarrollComplexSvd final : public ComplexSvdContender<Real> {
 public:
  using Complex = Kokkos::complex<Real>;

  CarrollComplexSvd(Exec const& exec, ComplexSvdShape const& shape, SvdPath path,
                    std::vector<std::complex<Real>> const& A)
      : exec_(exec),
        shape_(shape),
        A_("A", A.size()),
        U_("U", A.size()),
        V_("V", A.size()),
        S_("S", static_cast<std::size_t>(shape.batch), static_cast<std::size_t>(shape.n)),
        infos_("infos", static_cast<std::size_t>(shape.batch)),
        workspace_(svd_workspace<Complex>(
            exec, {.batch = shape.batch, .rows = shape.n, .cols = shape.n}, {.path = path})) {
    Kokkos::View<Complex const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(
        reinterpret_cast<Complex const*>(A.data()), A.size());
    Kokkos::deep_copy(A_, host);
  }

  void run() override {
    svd_async(exec_, members(A_), members(U_), S_, members(V_), infos_, workspace_);
  }
  void fence() override { exec_.fence(); }
  ComplexSvdSolution<Real> solution() override {
    auto const host = [&](Buffer const& from) {
      auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from);
      std::vector<std::complex<Real>> to;
      for (std::size_t k = 0; k < shape_.entries(); ++k)
        to.emplace_back(copy(k).real(), copy(k).imag());
      return to;
    };
    auto const S = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S_);
    return {host(U_), {S.data(), S.data() + shape_.n}, host(V_), false};
  }
  std::string complaint() override {
    auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    return first_complaint(std::vector(infos.data(), infos.data() + infos.extent(0)));
  }

 private:
  using Memory = Exec::memory_space;
  using Buffer = Kokkos::View<Complex*, Memory>;
  using Packed = Kokkos::View<Complex***, Kokkos::LayoutStride, Memory, Kokkos::MemoryUnmanaged>;

  Packed members(Buffer const& buffer) const {
    auto const batch = static_cast<std::size_t>(shape_.batch),
               n = static_cast<std::size_t>(shape_.n);
    return Packed(buffer.data(), Kokkos::LayoutStride(batch, n * n, n, 1, n, n));
  }

  Exec exec_;
  ComplexSvdShape shape_;
  Buffer A_, U_, V_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> S_;
  Kokkos::View<SvdInfo<Real>*, Memory> infos_;
  SvdWorkspace<Exec, Complex> workspace_;
};

/// Batches are smaller on a host, where they would otherwise take minutes.
std::vector<ComplexSvdShape> complex_svd_shapes(bool device) {
  std::vector<ComplexSvdShape> shapes;
  for (int const n : {4, 8, 16, 24, 32}) shapes.push_back({device ? 10000 : 500, n});
  for (int const n : {48, 64, 128}) shapes.push_back({device ? 1000 : 16, n});
  for (int const n : {32, 64, 128, 256}) shapes.push_back({1, n});
  return shapes;
}

enum class ComplexSvdPriority { chosen, other_paths };

class ComplexSvdBench : public TimedBench {
 public:
  using TimedBench::TimedBench;

  template <class Real>
  void add(ComplexSvdShape const& shape) {
    std::string const key = std::string("complex_svd/") + (shape.batch > 1 ? "batch/" : "single/") +
                            shape.extents() + "/" + precision_name<Real> + "/";
    for (auto const& peer : complex_svd_peers<Real>(exec_, shape))
      plan<Real>(ComplexSvdPriority::chosen, key + peer.name, peer.device, shape, peer.make);
    for (SvdPath const path : {SvdPath::automatic, SvdPath::team}) {
      if (path == SvdPath::team && (!on_device || shape.n > 32)) continue;
      plan<Real>(
          path == SvdPath::automatic ? ComplexSvdPriority::chosen : ComplexSvdPriority::other_paths,
          key + "carroll_" + to_string(path), true, shape,
          [exec = exec_, shape, path](std::vector<std::complex<Real>> const& A) {
            return std::make_unique<CarrollComplexSvd<Real>>(exec, shape, path, A);
          });
    }
  }

 private:
  template <class Real>
  using Make = std::function<std::unique_ptr<ComplexSvdContender<Real>>(
      std::vector<std::complex<Real>> const&)>;

  template <class Real>
  void plan(ComplexSvdPriority priority, std::string const& name, bool device,
            ComplexSvdShape const& shape, Make<Real> const& make) {
    plan_checked<Real>(
        priority, name, device, shape, [=] { return complex_normal_matrices<Real>(shape); }, make,
        [=](std::vector<std::complex<Real>> const& A, ComplexSvdContender<Real>& contender) {
          return complex_svd_fault(shape, A, contender.solution());
        });
  }
};

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  using namespace carroll::perf;
  return timing_main<ComplexSvdBench>("bench_complex_svd", argc, argv, {},
                                      [](ComplexSvdBench& bench) {
                                        for (auto const& shape : complex_svd_shapes(on_device)) {
                                          bench.add<float>(shape);
                                          bench.add<double>(shape);
                                        }
                                      });
}
