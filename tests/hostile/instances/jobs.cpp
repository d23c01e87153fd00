// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/instances/jobs.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/determinant.hpp>
#include <carroll/pseudoinverse.hpp>
#include <carroll/svd.hpp>
#include <cmath>
#include <cstring>
#include <sstream>
#include <utility>

namespace carroll::test {
namespace {

/// Uniform in [−1, 1), from the place and a seed, where it is needed: on the device.
template <class View>
void fill(Exec const& exec, View const& view, std::uint64_t seed) {
  using Real = typename View::value_type;
  Real* const entries = view.data();
  Kokkos::parallel_for(
      "carroll_test::fill", Kokkos::RangePolicy<Exec>(exec, 0, view.span()),
      KOKKOS_LAMBDA(std::int64_t i) {
        std::uint64_t z = seed + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        z ^= z >> 31U;
        entries[i] = static_cast<Real>(static_cast<double>(z >> 11U) * 0x1p-52 - 1);
      });
}

/// FNV-1a of what is in memory.
class Bits {
 public:
  template <class T>
  void add(T const& value) {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    for (unsigned char const byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3U;
  }
  template <class View>
  void add_view(View const& view) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    for (std::size_t i = 0; i < host.span(); ++i) add(host.data()[i]);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

template <class T>
using Entries = Kokkos::View<T*, Memory>;
template <class T>
using Matrices = Kokkos::View<T***, Kokkos::LayoutRight, Memory>;

template <class... Words>
std::string text(Words const&... words) {
  std::ostringstream out;
  (out << ... << words);
  return out.str();
}
template <class Real>
constexpr char const* type_name = sizeof(Real) == 4 ? "float" : "double";

/// Between the two, small ones as often as large ones.
int size_between(Random& random, int least, int most) {
  return static_cast<int>(least * std::pow(double(most) / least, random.uniform()));
}

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
    Kokkos::deep_copy(exec, infos_, DeterminantInfo<T>{.status = Status::breakdown});
  }
  [[nodiscard]] std::uint64_t bits() const override {
    auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    Bits all;
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
    Kokkos::deep_copy(exec, U_, Real(-7));
    Kokkos::deep_copy(exec, V_, Real(-7));
    Kokkos::deep_copy(exec, S_, Real(-7));
  }
  [[nodiscard]] std::uint64_t bits() const override {
    auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    Bits all;
    for (std::size_t b = 0; b < infos.extent(0); ++b) all.add(infos(b).status);
    all.add_view(U_);
    all.add_view(S_);
    all.add_view(V_);
    return all.value();
  }

 private:
  Matrices<Real> A_, U_, V_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> S_;
  Kokkos::View<SvdInfo<Real>*, Memory> infos_;
  SvdWorkspace<Exec, Real> workspace_;
};

/// Rows, motions and depths of one frame or more, the segments about equal.
template <class Real>
struct Arrow {
  Matrices<Real> motion;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> depth;
  Kokkos::View<int*, Memory> offsets;

  Arrow(Random& random, Exec const& exec, int frames, int n, int k, int m)
      : motion("carroll_test::B", frames, n, k),
        depth("carroll_test::u", frames, n),
        offsets("carroll_test::offsets", m + 1) {
    fill(exec, motion, static_cast<std::uint64_t>(random.index(1 << 30)));
    fill(exec, depth, static_cast<std::uint64_t>(random.index(1 << 30)));
    auto const host = Kokkos::create_mirror_view(offsets);
    for (int j = 0; j <= m; ++j) host(j) = static_cast<int>(std::int64_t{n} * j / m);
    Kokkos::deep_copy(offsets, host);
  }
  [[nodiscard]] auto jacobian() const { return ArrowJacobian{motion, depth, offsets}; }
  [[nodiscard]] std::string name() const {
    return text(motion.extent(1), " rows, ", motion.extent(2), " motions, ", offsets.extent(0) - 1,
                " depths, ", motion.extent(0), " frames, ", type_name<Real>);
  }
  [[nodiscard]] PseudoinverseExtents extents(bool dense) const {
    auto const size = [](std::size_t x) { return static_cast<std::int64_t>(x); };
    return {.frames = size(motion.extent(0)),
            .rows = size(motion.extent(1)),
            .motions = size(motion.extent(2)),
            .depths = size(offsets.extent(0)) - 1,
            .dense = dense};
  }
};

template <class Real>
std::uint64_t bits_of(Kokkos::View<PseudoinverseInfo<Real>*, Memory> const& view,
                      auto const&... results) {
  auto const infos = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  Bits all;
  for (std::size_t f = 0; f < infos.extent(0); ++f) {
    all.add(infos(f).status);
    all.add(infos(f).rank);
  }
  (all.add_view(results), ...);
  return all.value();
}

template <class Real>
class Steps : public Job {
 public:
  Steps(Random& random, Exec const& exec, int frames, int n, int k, int m)
      : A_(random, exec, frames, n, k, m),
        d_("carroll_test::d", frames, n),
        y_("carroll_test::y", frames, k),
        xi_("carroll_test::xi", frames, m),
        infos_("carroll_test::infos", frames),
        workspace_(pseudoinverse_workspace<Real>(exec, A_.extents(false))) {
    fill(exec, d_, static_cast<std::uint64_t>(random.index(1 << 30)));
  }
  [[nodiscard]] std::string name() const override { return "step, " + A_.name(); }
  void enqueue(Exec const& exec) override {
    apply_pseudoinverse_async(exec, A_.jacobian(), d_, ArrowSolution{y_, xi_}, infos_, workspace_);
  }
  void forget(Exec const& exec) override {
    Kokkos::deep_copy(exec, y_, Real(-7));
    Kokkos::deep_copy(exec, xi_, Real(-7));
  }
  [[nodiscard]] std::uint64_t bits() const override { return bits_of<Real>(infos_, y_, xi_); }

 private:
  Arrow<Real> A_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Memory> d_, y_, xi_;
  Kokkos::View<PseudoinverseInfo<Real>*, Memory> infos_;
  PseudoinverseWorkspace<Exec, Real> workspace_;
};

template <class Real>
class Inverse : public Job {
 public:
  Inverse(Random& random, Exec const& exec, int frames, int n, int k, int m)
      : A_(random, exec, frames, n, k, m),
        inverse_("carroll_test::inverse", frames, k + m, n),
        infos_("carroll_test::infos", frames),
        workspace_(pseudoinverse_workspace<Real>(exec, A_.extents(true))) {}
  [[nodiscard]] std::string name() const override { return "inverse, " + A_.name(); }
  void enqueue(Exec const& exec) override {
    pseudoinverse_async(exec, A_.jacobian(), inverse_, infos_, workspace_);
  }
  void forget(Exec const& exec) override { Kokkos::deep_copy(exec, inverse_, Real(-7)); }
  [[nodiscard]] std::uint64_t bits() const override { return bits_of<Real>(infos_, inverse_); }

 private:
  Arrow<Real> A_;
  Matrices<Real> inverse_;
  Kokkos::View<PseudoinverseInfo<Real>*, Memory> infos_;
  PseudoinverseWorkspace<Exec, Real> workspace_;
};

template <template <class> class Kind>
std::unique_ptr<Job> of_either_type(Random& random, Exec const& exec, auto... arguments) {
  if (random.chance(0.5)) return std::make_unique<Kind<float>>(random, exec, arguments...);
  return std::make_unique<Kind<double>>(random, exec, arguments...);
}

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

std::unique_ptr<Job> random_steps(Random& random, Exec const& exec) {
  constexpr int most = on_device ? 200'000 : 5'000;
  int const n = size_between(random, 1, most), m = size_between(random, 1, std::min(n, 2000));
  int const k = std::array{1, 1, 2, 3, 6, 8}[static_cast<std::size_t>(random.index(6))];
  return of_either_type<Steps>(random, exec, 1 + random.index(4), n, k, m);
}

std::unique_ptr<Job> random_inverse(Random& random, Exec const& exec) {
  constexpr int most = on_device ? 20'000 : 1'000;
  int const n = size_between(random, 1, most), m = size_between(random, 1, std::min(n, 300));
  int const k = std::array{1, 1, 1, 2, 6}[static_cast<std::size_t>(random.index(5))];
  return of_either_type<Inverse>(random, exec, 1 + random.index(2), n, k, m);
}

}  // namespace carroll::test
