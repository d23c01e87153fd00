// SPDX-License-Identifier: BSD-3-Clause
// Jobs with matrices, and the kernel that they run beside.
#include "hostile/instances/jobs.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/determinant.hpp>
#include <carroll/eigh.hpp>
#include <carroll/qr.hpp>
#include <carroll/svd.hpp>
#include <memory>
#include <string>

#include "hostile/instances/data.hpp"
#include "support/copy.hpp"

namespace carroll::test {
namespace {

template <class T>
class Determinants : public Job {
 public:
  Determinants(Random& random, Exec const& exec, int n, int batch, DeterminantPath path)
      : A_("carroll_test::A", batch, n, n),
        infos_("carroll_test::infos", batch),
        workspace_(determinant_workspace<T>(exec, {.batch = batch, .n = n, .keep = true},
                                            {.path = path})) {
    fill(exec, A_, static_cast<std::uint64_t>(random.index(1 << 30)));
  }
  [[nodiscard]] std::string name() const override {
    return text(A_.extent(0), " determinants of order ", A_.extent(1), ", ", type_name<T>, ", ",
                to_string(workspace_.path()));
  }
  void enqueue(Exec const& exec) override { determinant_of_async(exec, A_, infos_, workspace_); }
  void forget(Exec const& exec) override {
    carroll::test::deep_copy(exec, infos_, DeterminantInfo<T>{.status = Status::breakdown});
  }
  [[nodiscard]] std::uint64_t bits() const override {
    auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    Hash all;
    for (std::size_t b = 0; b < infos.extent(0); ++b) {
      all.add(infos(b).status);
      all.add(infos(b).value.mantissa());
      all.add(infos(b).value.exponent());
      all.add(infos(b).growth);
    }
    return all.value();
  }

 private:
  Matrices<T> A_;
  Kokkos::View<DeterminantInfo<T>*, Memory> infos_;
  DeterminantWorkspace<Exec, T> workspace_;
};

template <class Real>
class Svds : public Job {
 public:
  Svds(Random& random, Exec const& exec, int m, int n, int batch)
      : A_("carroll_test::A", batch, m, n),
        U_("carroll_test::U", batch, m, std::min(m, n)),
        V_("carroll_test::V", batch, n, std::min(m, n)),
        S_("carroll_test::S", batch, std::min(m, n)),
        infos_("carroll_test::infos", batch),
        workspace_(svd_workspace<Real>(exec, {.batch = batch, .rows = m, .cols = n})) {
    fill(exec, A_, static_cast<std::uint64_t>(random.index(1 << 30)));
  }
  [[nodiscard]] std::string name() const override {
    return text(A_.extent(0), " SVDs ", A_.extent(1), "x", A_.extent(2), ", ", type_name<Real>,
                ", ", to_string(workspace_.path()));
  }
  void enqueue(Exec const& exec) override { svd_async(exec, A_, U_, S_, V_, infos_, workspace_); }
  void forget(Exec const& exec) override {
    carroll::test::deep_copy(exec, U_, Real(-7));
    carroll::test::deep_copy(exec, V_, Real(-7));
    carroll::test::deep_copy(exec, S_, Real(-7));
  }
  [[nodiscard]] std::uint64_t bits() const override {
    auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    Hash all;
    for (std::size_t b = 0; b < infos.extent(0); ++b) all.add(infos(b).status);
    add_view(all, U_);
    add_view(all, S_);
    add_view(all, V_);
    return all.value();
  }

 private:
  Matrices<Real> A_, U_, V_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> S_;
  Kokkos::View<SvdInfo<Real>*, Memory> infos_;
  SvdWorkspace<Exec, Real> workspace_;
};

template <class Real>
class Qrs : public Job {
 public:
  Qrs(Random& random, Exec const& exec, int m, int n, int batch)
      : A_("carroll_test::A", batch, m, n),
        Q_("carroll_test::Q", batch, m, std::min(m, n)),
        R_("carroll_test::R", batch, std::min(m, n), n),
        infos_("carroll_test::infos", batch),
        workspace_(qr_workspace<Real>(exec, {.batch = batch, .rows = m, .cols = n})) {
    fill(exec, A_, static_cast<std::uint64_t>(random.index(1 << 30)));
  }
  [[nodiscard]] std::string name() const override {
    return text(A_.extent(0), " QR ", A_.extent(1), "x", A_.extent(2), ", ", type_name<Real>, ", ",
                to_string(workspace_.path()));
  }
  void enqueue(Exec const& exec) override { qr_async(exec, A_, Q_, R_, infos_, workspace_); }
  void forget(Exec const& exec) override {
    carroll::test::deep_copy(exec, Q_, Real(-7));
    carroll::test::deep_copy(exec, R_, Real(-7));
  }
  [[nodiscard]] std::uint64_t bits() const override {
    auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    Hash all;
    for (std::size_t b = 0; b < infos.extent(0); ++b) all.add(infos(b).status);
    add_view(all, Q_);
    add_view(all, R_);
    return all.value();
  }

 private:
  Matrices<Real> A_, Q_, R_;
  Kokkos::View<QrInfo*, Memory> infos_;
  QrWorkspace<Exec, Real> workspace_;
};

template <class Real>
class Eighs : public Job {
 public:
  Eighs(Random& random, Exec const& exec, int n, int batch)
      : A_("carroll_test::A", batch, n, n),
        V_("carroll_test::V", batch, n, n),
        W_("carroll_test::W", batch, n),
        infos_("carroll_test::infos", batch),
        workspace_(eigh_workspace<Real>(exec, {.batch = batch, .n = n})) {
    fill(exec, A_, static_cast<std::uint64_t>(random.index(1 << 30)));
  }
  [[nodiscard]] std::string name() const override {
    return text(A_.extent(0), " eigh of order ", A_.extent(1), ", ", type_name<Real>, ", ",
                to_string(workspace_.path()));
  }
  void enqueue(Exec const& exec) override { eigh_async(exec, A_, W_, V_, infos_, workspace_); }
  void forget(Exec const& exec) override {
    carroll::test::deep_copy(exec, W_, Real(-7));
    carroll::test::deep_copy(exec, V_, Real(-7));
  }
  [[nodiscard]] std::uint64_t bits() const override {
    auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    Hash all;
    for (std::size_t b = 0; b < infos.extent(0); ++b) all.add(infos(b).sweeps);
    add_view(all, W_);
    add_view(all, V_);
    return all.value();
  }

 private:
  Matrices<Real> A_, V_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> W_;
  Kokkos::View<EighInfo<Real>*, Memory> infos_;
  EighWorkspace<Exec, Real> workspace_;
};

/// Turns of a loop, each waiting for the one before.
struct HogKernel {
  using Policy = Kokkos::TeamPolicy<Exec>;
  std::int64_t turns;
  Kokkos::View<double, Memory> nothing;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    double x = 0.5 + team.team_rank();
    for (std::int64_t turn = 0; turn < turns; ++turn) x = x * 0.999999 + 1e-7;
    if (x < 0) nothing() = x;  // never, but a compiler does not know
  }
};

}  // namespace

void enqueue_hog(Exec const& exec, double share, double seconds) {
  static Kokkos::View<double, Memory> const nothing;
  if constexpr (!on_device) return;  // hosts have no teams that run beside others
  using Policy = HogKernel::Policy;
  constexpr int threads = 1024;  // half a multiprocessor, on devices of 2048 threads each
  int const all = 2 * detail::processors(exec);
  // A turn is two operations of double precision in a row, some five nanoseconds.
  auto const turns = static_cast<std::int64_t>(seconds / 5e-9);
  Kokkos::parallel_for("carroll_test::hog",
                       Policy(exec, std::max(static_cast<int>(share * all), 1), threads),
                       HogKernel{turns, nothing});
}

std::unique_ptr<Job> random_determinants(Random& random, Exec const& exec) {
  constexpr int most = on_device ? 3500 : 400;
  // Those whose teams wait for one another as often as all others.
  int const n = random.chance(0.5) ? size_between(random, 2, 64) : size_between(random, 65, most);
  int const entries = on_device ? 4'000'000 : 40'000;
  int const batch = random.chance(0.5) ? 1 : 1 + random.index(std::max(entries / (n * n), 1));
  // Of double, which wants more teams for it than float.
  auto const device = detail::DeterminantDevice::of<Exec, double>(detail::processors(exec));
  constexpr auto pipeline = DeterminantPath::pipeline;
  bool const can =
      detail::determinant_plan<double>({.path = pipeline}, n, batch, device).has_value();
  auto const path = can && batch <= 8 && random.chance(0.2) ? pipeline : DeterminantPath::automatic;
  return of_either_type<Determinants>(random, exec, n, batch, path);
}

std::unique_ptr<Job> random_svds(Random& random, Exec const& exec) {
  constexpr int most = on_device ? 700 : 80;
  int const n = size_between(random, 1, most), m = size_between(random, 1, most);
  int const entries = on_device ? 200'000 : 4'000;
  int const batch = random.chance(0.5) ? 1 : 1 + random.index(std::max(entries / (n * m), 1));
  return of_either_type<Svds>(random, exec, m, n, batch);
}

std::unique_ptr<Job> random_eighs(Random& random, Exec const& exec) {
  // Up to the order beyond which a vendor's library has the host wait.
  int const n = random.chance(0.7) ? size_between(random, 65, on_device ? 1024 : 100)
                                   : size_between(random, 1, 64);
  int const most = std::max((on_device ? 1'000'000 : 4'000) / (n * n), 1);
  int const batch = random.chance(0.5) ? 1 : 1 + random.index(most);
  return of_either_type<Eighs>(random, exec, n, batch);
}

std::unique_ptr<Job> random_qrs(Random& random, Exec const& exec) {
  // On devices half of them are so long that teams share columns.
  bool const is_long = on_device && random.chance(0.5);
  int const n = size_between(random, 1, on_device ? 300 : 60);
  int const m =
      is_long ? size_between(random, 1025, 8192) : size_between(random, 1, on_device ? 700 : 80);
  int const most = std::max((on_device ? 400'000 : 4'000) / (n * m), 1);
  int const batch = random.chance(0.5) ? 1 : 1 + random.index(most);
  return of_either_type<Qrs>(random, exec, m, n, batch);
}

}  // namespace carroll::test
