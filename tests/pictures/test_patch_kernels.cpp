// SPDX-License-Identifier: BSD-3-Clause
// Kernels of patches' factors: those of devices make the bits of hosts, and neither needs a fence.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/patch_factors.hpp>
#include <cmath>
#include <vector>

#include "misuse/complaint.hpp"
#include "pictures/planes.hpp"
#include "svd_instances.hpp"

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using namespace carroll::test;
using carroll::PatchBasis;
using carroll::PatchFactorOptions;

/// Up to the entropy coder's input: planes on hosts by hosts' kernels, and where kernels run by
/// devices' kernels.
template <class Space, bool OnHost>
Coded factors_by(Plane const& plane, int step, PatchFactorOptions const& options) {
  Space const exec;
  auto patches = carroll::patch_factors(exec, static_cast<std::int64_t>(plane.extent(0)),
                                        static_cast<std::int64_t>(plane.extent(1)));
  auto const there = Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), plane);
  carroll::load_patches(exec, there, patches);
  Coded found;
  found.info = carroll::detail::factorise_by<OnHost>(exec, step, patches, options);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), patches.factors());
  for (std::size_t p = 0; p < host.extent(0); ++p)
    for (std::size_t r = 0; r < 64; ++r) found.factors.push_back(host(p, r));
  auto const seen = Kokkos::create_mirror(typename Space::memory_space(), plane);
  carroll::assemble_patches(exec, step, patches, seen);
  auto const levels = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), seen);
  found.levels.assign(levels.data(), levels.data() + levels.size());
  return found;
}

void expect_same(Coded const& found, Coded const& expected) {
  EXPECT_EQ(found.factors, expected.factors);
  EXPECT_EQ(found.levels, expected.levels);
  EXPECT_EQ(found.info.non_zero, expected.info.non_zero);
  EXPECT_EQ(found.info.components, expected.info.components);
  EXPECT_EQ(found.info.basis, expected.info.basis);
}

TEST(PatchKernels, HostsAndDevicesMakeTheSameBits) {
  using Device = Kokkos::DefaultExecutionSpace;
  for (auto const& [rows, columns, step] :
       {std::array{1, 1, 4}, {9, 7, 100}, {70, 50, 777}, {264, 1030, 1500}, {512, 400, 16000}}) {
    auto const plane = test_plane(rows, columns, 1500, 9);
    PatchFactorOptions const cosines{.basis = PatchBasis::cosines, .passes = 3};
    auto const expected = factors_by<Exec, true>(plane, step, cosines);
    expect_same(factors_by<Exec, false>(plane, step, cosines), expected);
    expect_same(factors_by<Device, carroll::detail::patches_on_host<Device>>(plane, step, cosines),
                expected);
    // Vectors are those of one backend; with these, devices' sweeps make hosts' factors.
    PatchFactorOptions const vectors{.basis = PatchBasis::singular_vectors};
    expect_same(factors_by<Exec, false>(plane, step, vectors),
                factors_by<Exec, true>(plane, step, vectors));
  }
}

TEST(PatchKernels, ProductsOfDevicesAreThoseOfHosts) {
  using Device = Kokkos::DefaultExecutionSpace;
  auto const plane = test_plane(500, 700, 3000, 10);
  auto const sums_by = [&]<class Space, bool OnHost>() {
    Space const exec;
    auto patches = carroll::patch_factors(exec, 500, 700);
    auto const there = Kokkos::create_mirror_view_and_copy(typename Space::memory_space(), plane);
    carroll::load_patches(exec, there, patches);
    using Access = carroll::detail::PatchFactorsAccess;
    auto const sums = Access::products(patches);
    carroll::detail::sum_patch_products<OnHost>(exec, Access::coefficients(patches), sums,
                                                patches.patches());
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    return std::vector<double>(host.data(), host.data() + host.size());
  };
  auto const expected = sums_by.operator()<Exec, true>();
  auto const by_teams = sums_by.operator()<Exec, false>();
  auto const there = sums_by.operator()<Device, carroll::detail::patches_on_host<Device>>();
  EXPECT_EQ(by_teams, expected);
  EXPECT_EQ(there, expected);
  EXPECT_GT(expected.front(), 0);
}

TEST(PatchKernels, RatesAreThoseOfLogarithms) {
  Exec const exec;
  Kokkos::View<std::int32_t*, Kokkos::HostSpace> const counts("counts", 64);
  Kokkos::View<carroll::detail::FactorRates, Kokkos::HostSpace> const rates("rates");
  for (std::int64_t const patches : {1, 2, 64, 9216, 1000000, 20000000}) {
    for (int r = 0; r < 64; ++r) counts(r) = static_cast<std::int32_t>(patches * r / 63);
    Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, 64),
                         carroll::detail::FindFactorRates<decltype(counts), decltype(rates)>{
                             counts, rates, patches});
    exec.fence();
    auto const exact = [&](double count) {
      return -64 * std::log2((count + .5) / (static_cast<double>(patches) + 1));
    };
    for (int r = 0; r < 64; ++r) {
      EXPECT_NEAR(rates().other[r], exact(counts(r)) + 64, .501);
      EXPECT_NEAR(rates().zero[r], exact(static_cast<double>(patches - counts(r))), .501);
      if (r > 0) {
        EXPECT_NEAR(rates().size[r], 64 * 1.8 * std::log2(r), .501);
      }
    }
  }
}

TEST(PatchKernels, WithoutAFence) {
  Exec const exec;
  auto const plane = test_plane(96, 80, 900, 11);
  PatchFactorOptions const cosines{.basis = PatchBasis::cosines};
  auto const expected = coded(plane, 700, cosines);
  auto patches = carroll::patch_factors(exec, 96, 80);
  carroll::load_patches(exec, plane, patches);
  Kokkos::View<carroll::PatchFactorInfo, Kokkos::HostSpace> const info("info");
  carroll::factorise_patches_async(exec, 700, info, patches, cosines);
  exec.fence();
  EXPECT_EQ(info().non_zero, expected.info.non_zero);
  EXPECT_EQ(info().components, expected.info.components);
  EXPECT_TRUE(
      std::equal(expected.factors.begin(), expected.factors.end(), patches.factors().data()));
  EXPECT_EQ(carroll::test::complaint(
                [&] { carroll::factorise_patches_async(exec, 700, info, patches, {}); }),
            "carroll::factorise_patches_async: options.basis must be PatchBasis::cosines");
}

}  // namespace
