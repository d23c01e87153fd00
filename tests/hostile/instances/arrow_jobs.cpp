// SPDX-License-Identifier: BSD-3-Clause
// Jobs with arrow Jacobians: steps, and dense inverses.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/pseudoinverse.hpp>
#include <memory>
#include <string>

#include "hostile/instances/data.hpp"
#include "hostile/instances/jobs.hpp"
#include "support/copy.hpp"

namespace carroll::test {
namespace {

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
    carroll::test::deep_copy(offsets, host);
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
  Hash all;
  for (std::size_t f = 0; f < infos.extent(0); ++f) {
    all.add(infos(f).status);
    all.add(infos(f).rank);
  }
  (add_view(all, results), ...);
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
    carroll::test::deep_copy(exec, y_, Real(-7));
    carroll::test::deep_copy(exec, xi_, Real(-7));
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
  void forget(Exec const& exec) override { carroll::test::deep_copy(exec, inverse_, Real(-7)); }
  [[nodiscard]] std::uint64_t bits() const override { return bits_of<Real>(infos_, inverse_); }

 private:
  Arrow<Real> A_;
  Matrices<Real> inverse_;
  Kokkos::View<PseudoinverseInfo<Real>*, Memory> infos_;
  PseudoinverseWorkspace<Exec, Real> workspace_;
};

}  // namespace

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
