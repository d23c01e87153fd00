// SPDX-License-Identifier: BSD-3-Clause
// What the reductions promise to callers with several instances: fences, kernels, instance,
// allocations, labels, and the same bits everywhere.
#include <gtest/gtest.h>

#include <string>

#include "documented_calls.hpp"
#include "new_instance.hpp"
#include "support/blas/reduction_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::ReductionInfo;
using carroll::Summation;

/// A host's calling thread adds up to 2^15 entries itself.
constexpr bool on_host = carroll::detail::lanes<Exec> == 1;

/// A vector, and a batch of four, of one length, with all that calls need.
struct ReductionProblem {
  using T = Kokkos::complex<double>;
  Exec exec = new_instance_of<Exec>();
  Summation summation;
  PlacedVectors<T> x, y;
  Kokkos::View<ReductionInfo<T>, Memory> info{"carroll_test::info"};
  Kokkos::View<ReductionInfo<double>*, Memory> infos{"carroll_test::infos", 4};
  carroll::ReductionWorkspace<Exec, T> one, four;

  ReductionProblem(int n, Summation how) : summation(how), x(vectors(n, 1)), y(vectors(n, 2)) {
    one = carroll::reduction_workspace<T>(exec, {.length = n}, {how});
    four = carroll::reduction_workspace<T>(exec, {.length = n, .batch = 4}, {how});
    Kokkos::fence();
  }
  static PlacedVectors<T> vectors(int n, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<T>> members;
    for (int b = 0; b < 4; ++b)
      members.push_back(
          entries_of<T>(VectorsOf<double>(random, VectorKind::graded, n, 2).draw().x));
    return PlacedVectors<T>(members, Placement::rows(n));
  }

  void sum_with_workspace() { (void)carroll::sum(exec, x.member(0), one); }
  void dot_with_workspace() { (void)carroll::dot(exec, x.member(0), y.member(0), one); }
  void norms_with_workspace() { (void)carroll::norm2(exec, x.batch(), four); }
  void dot_async() { carroll::dot_async(exec, x.member(0), y.member(0), info, one); }
  void asums_async() { carroll::asum_async(exec, x.batch(), infos, four); }
  void sum_plain() { (void)carroll::sum(exec, x.member(0), {summation}); }
  void largest_plain() { (void)carroll::max_abs(exec, x.batch(), {summation}); }
};

/// The documentation of the reductions, as tables: of calls that the calling thread of a host does
/// not make itself, and of those that it does.
constexpr DocumentedCall<ReductionProblem> long_calls[] = {
    {"sum with a workspace", &ReductionProblem::sum_with_workspace, 1, false, 1, !on_host},
    {"dot with a workspace", &ReductionProblem::dot_with_workspace, 1, false, 1, !on_host},
    {"norm2 of a batch with a workspace", &ReductionProblem::norms_with_workspace, 1, false, 1},
    {"dot_async", &ReductionProblem::dot_async, 0, false, 1},
    {"asum_async of a batch", &ReductionProblem::asums_async, 0, false, 1},
    {"sum", &ReductionProblem::sum_plain, 1, true, {}, !on_host},
    {"max_abs of a batch", &ReductionProblem::largest_plain, 1, true},
};
constexpr DocumentedCall<ReductionProblem> short_calls_on_hosts[] = {
    {"sum with a workspace", &ReductionProblem::sum_with_workspace, 1, false, 0},
    {"dot with a workspace", &ReductionProblem::dot_with_workspace, 1, false, 0},
    {"norm2 of a batch with a workspace", &ReductionProblem::norms_with_workspace, 1, false, 0},
    {"dot_async", &ReductionProblem::dot_async, 0, false, 0},
    {"asum_async of a batch", &ReductionProblem::asums_async, 0, false, 0},
    {"sum", &ReductionProblem::sum_plain, 0, false, 0},
    {"max_abs of a batch", &ReductionProblem::largest_plain, 1, true, 0},
};

TEST(ReductionContract, FencesInstanceAllocationsAndLabelsAreThoseDocumented) {
  for (Summation const summation : all_summations)
    for (int const n : {100, 8192, 33000}) {
      SCOPED_TRACE(std::string(name_of(summation)) + " " + std::to_string(n));
      ReductionProblem problem(n, summation);
      if (on_host && 4 * n <= (1 << 15))
        expect_documented(problem, short_calls_on_hosts, "carroll::", 0);
      else
        expect_documented(problem, long_calls, "carroll::");
    }
}

/// The infos of all reductions by every form, one behind the other, as text.
std::vector<std::string> all_forms(Exec const& exec, ReductionProblem const& problem) {
  using T = ReductionProblem::T;
  Summation const summation = problem.summation;
  auto const n = static_cast<std::int64_t>(problem.x.member(0).extent(0));
  std::vector<std::string> texts;
  for_each_reduction([&](auto chosen) {
    constexpr Reduction R = chosen();
    using Info = ReductionInfo<ReductionValue<R, T>>;
    auto one = carroll::reduction_workspace<T>(exec, {.length = n}, {summation});
    auto four = carroll::reduction_workspace<T>(exec, {.length = n, .batch = 4}, {summation});
    auto const infos = reduced<R>(exec, problem.x.batch(), problem.y.batch(), four);
    for (std::size_t b = 0; b < 4; ++b) {
      auto const x = problem.x.member(b), y = problem.y.member(b);
      auto const plain = reduced<R>(exec, x, y, summation);
      auto const with = reduced<R>(exec, x, y, one);
      Kokkos::View<Info, Memory> const info("carroll_test::info");
      reduced_async<R>(exec, x, y, info, one);
      Info alone;
      Kokkos::deep_copy(exec, alone, info);
      exec.fence();
      Info const in_batch = infos[b];
      EXPECT_TRUE(same_bits(plain, with)) << text_of(plain) << ", " << text_of(with);
      EXPECT_TRUE(same_bits(plain, alone)) << text_of(plain) << ", " << text_of(alone);
      EXPECT_TRUE(same_bits(plain, in_batch)) << text_of(plain) << ", " << text_of(in_batch);
      texts.push_back(text_of(plain));
    }
  });
  return texts;
}

TEST(ReductionContract, SameBitsOnEveryInstanceAndByEveryForm) {
  for (Summation const summation : all_summations)
    for (int const n : {0, 1, 1000, 70000}) {
      SCOPED_TRACE(std::string(name_of(summation)) + " " + std::to_string(n));
      ReductionProblem const problem(n, summation);
      EXPECT_EQ(all_forms(Exec(), problem), all_forms(problem.exec, problem));
    }
}

}  // namespace
