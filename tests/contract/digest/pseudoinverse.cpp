// SPDX-License-Identifier: BSD-3-Clause
// Steps and A⁺ of arrow Jacobians in memory.
#include <array>
#include <string>
#include <vector>

#include "digest.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(PseudoinverseInfo<Real> const& info) {
  return Hash().add(info.status).add(info.rank).add(info.cutoff).add(info.smallest_pivot);
}
template <class Real>
Hash hash_of(ArrowResult<Real> const& result) {
  return hash_of(result.info)
      .add(result.motion)
      .add(result.depth)
      .add(result.covariance)
      .add(result.variances);
}

/// Rows, motions, depths: one segment, short and long ones, more segments than rows, and enough
/// rows for several windows.
constexpr std::array<int, 3> shapes[] = {
    {1, 1, 1},       {40, 1, 3}, {700, 1, 90},  {60, 1, 200},  {3000, 1, 1},
    {70000, 1, 900}, {50, 2, 4}, {900, 2, 60},  {40, 3, 5},    {2500, 3, 70},
    {30000, 3, 400}, {45, 6, 3}, {700, 6, 200}, {2500, 6, 70}, {30000, 6, 500},
    {3000, 6, 1},    {60, 8, 4}, {2500, 8, 70}, {30, 4, 0}};

constexpr std::pair<PseudoinverseMethod, char const*> methods[] = {
    {PseudoinverseMethod::structured_qr, "qr"}, {PseudoinverseMethod::normal_equations, "normal"}};

template <class Real>
void add_steps(Digest& digest) {
  for (auto const& [n, k, m] : shapes) {
    Random random(61);
    auto problem = random_arrow<Real>(random, n, k, m);
    auto const add = [&](Hash const& hash, auto const&... words) {
      digest.add(hash, type_name<Real>, n, k, m, words...);
    };
    for (auto const& [method, name] : methods) {
      PseudoinverseOptions const options{.method = method};
      add(hash_of(run_step_alone(problem, options)), "step", name);
      add(hash_of(run_step(problem, options)), "variances", name);
      if (n > 5000) continue;
      add(hash_of(run_step<Kokkos::LayoutRight>(problem, options)), "rows", name);
      add(hash_of(run_step<Kokkos::LayoutStride>(problem, options)), "strided", name);
      auto damped = options;
      damped.damping = 0.5;
      add(hash_of(run_step(problem, damped)), "damped", name);
      for (auto const& [weight, weight_name] :
           {std::pair{RobustWeight::huber, "huber"}, {RobustWeight::tukey, "tukey"}}) {
        auto weighted = options;
        weighted.weight = weight;
        weighted.weight_scale = 1.5;
        add(hash_of(run_step(problem, weighted)), weight_name, name);
      }
      auto const undamped = problem;
      for (int j = 0; j < k + m; ++j)
        problem.damping.push_back(static_cast<Real>(random.uniform()));
      add(hash_of(run_step(problem, options)), "damped_columns", name);
      problem = undamped;
      if (k > 1) {
        auto dependent = problem;
        for (int i = 0; i < n; ++i) dependent.motion(i, k - 1) = dependent.motion(i, 0);
        add(hash_of(run_step(dependent, options)), "dependent", name);
      }
    }
    if (std::int64_t{n} * (k + m) > 2'000'000) continue;
    for (double const damping : {0.0, 0.5}) {
      PseudoinverseInfo<Real> info;
      PseudoinverseOptions const options{.damping = damping};
      auto const right = run_inverse<Kokkos::LayoutRight>(problem, options, &info);
      add(hash_of(info).add(right), "dense_rows", damping > 0);
      auto const left = run_inverse<Kokkos::LayoutLeft>(problem, options, &info);
      add(hash_of(info).add(left), "dense_columns", damping > 0);
    }
  }
}

/// Frames with rows in another order and two right-hand sides.
template <class Real>
void add_step_batches(Digest& digest) {
  for (auto const& [n, k, m, frames] : {std::array{40, 1, 5, 6},
                                        {1500, 1, 100, 3},
                                        {600, 2, 30, 2},
                                        {600, 3, 30, 4},
                                        {600, 6, 30, 4},
                                        {4000, 6, 90, 5},
                                        {300, 8, 20, 2}}) {
    Random random(62);
    auto const at = [](int i) { return static_cast<std::size_t>(i); };
    GuardedView<Real, 3, Kokkos::LayoutRight> motion({at(frames), at(n), at(k)});
    GuardedView<Real, 2, Kokkos::LayoutRight> depth({at(frames), at(n)});
    GuardedView<Real, 3, Kokkos::LayoutLeft> rhs({at(frames), at(n), 2}), y({at(frames), at(k), 2}),
        xi({at(frames), at(m), 2});
    motion.for_each_index([&](auto i) { motion(i) = static_cast<Real>(random.normal()); });
    depth.for_each_index([&](auto i) { depth(i) = static_cast<Real>(random.normal()); });
    rhs.for_each_index([&](auto i) { rhs(i) = static_cast<Real>(random.normal()); });
    auto const& problem = random_arrow<Real>(random, n, 1, m);
    std::vector<int> rows(at(n));
    for (int i = 0; i < n; ++i) rows[at(i)] = i;
    random.shuffle(rows);
    motion.to_device();
    depth.to_device();
    rhs.to_device();
    auto const on_device = [](std::vector<int> const& values) {
      Kokkos::View<int*, Memory> view("carroll_test::ints", values.size());
      Kokkos::deep_copy(view, Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                  values.data(), values.size()));
      return view;
    };
    ArrowJacobian const A{motion.view(), depth.view(), on_device(problem.offsets), on_device(rows)};
    auto const infos =
        apply_pseudoinverse(Exec(), A, rhs.view(), ArrowSolution{y.view(), xi.view()});
    Hash hash;
    for (auto const& info : infos) hash.add(hash_of(info).value());
    y.to_host();
    xi.to_host();
    y.for_each_index([&](auto i) { hash.add(y(i)); });
    xi.for_each_index([&](auto i) { hash.add(xi(i)); });
    digest.add(hash, type_name<Real>, n, k, m, "frames", frames);
  }
}

DigestOf const pseudoinverse_digest("pseudoinverse", [](Digest& digest) {
  add_steps<float>(digest);
  add_steps<double>(digest);
  add_step_batches<float>(digest);
  add_step_batches<double>(digest);
});

}  // namespace
}  // namespace carroll::test
