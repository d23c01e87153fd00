// SPDX-License-Identifier: BSD-3-Clause
// What the functions of pictures promise to callers with several instances: fences, instance,
// labels, allocations, and the same bits everywhere.
#include <gtest/gtest.h>

#include <carroll/denoise.hpp>
#include <carroll/denoise_frames.hpp>
#include <carroll/patch_factors.hpp>
#include <carroll/picture_colours.hpp>
#include <carroll/robust_pca.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/new_instance.hpp"
#include "contract/tools_recorder.hpp"
#include "gemm_instances.hpp"
#include "support/copy.hpp"
#include "support/guarded_view.hpp"
#include "support/random.hpp"
#include "svd_instances.hpp"

namespace {

using namespace carroll::test;
using Kind = ToolsEvent::Kind;
using Levels = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;
using Picture = Kokkos::View<float**, Kokkos::LayoutRight, Memory>;

/// Fences of ours; all that happened was on the instance, under our labels.
int checked_fences(ToolsRecorder const& recorder, Exec const& exec) {
  auto const instance = Kokkos::Tools::Experimental::device_id(exec);
  int fences = 0;
  for (ToolsEvent const& fence : recorder.of(Kind::fence)) {
    if (fence.label.rfind("carroll::", 0) != 0) continue;  // Kokkos', where memory is freed
    ++fences;
    EXPECT_EQ(fence.device_id, instance) << fence.label;
  }
  EXPECT_FALSE(recorder.of(Kind::kernel).empty());
  for (ToolsEvent const& kernel : recorder.of(Kind::kernel)) {
    EXPECT_EQ(kernel.device_id, instance) << kernel.label;
    EXPECT_EQ(kernel.label.rfind("carroll::", 0), 0U) << kernel.label;
  }
  return fences;
}

template <class View>
View random_levels(int rows, int columns, double size) {
  View const view("carroll_test::picture", rows, columns);
  auto const host = Kokkos::create_mirror_view(view);
  Random random(3);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      host(i, j) = static_cast<typename View::value_type>(size * (2 + std::sin(.1 * i + .05 * j)) +
                                                          .1 * size * random.normal());
  carroll::test::deep_copy(view, host);
  return view;
}

template <class View>
auto entries_of_view(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> entries;
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t j = 0; j < view.extent(1); ++j) entries.push_back(host(i, j));
  return entries;
}

constexpr carroll::PatchFactorOptions cosines{.basis = carroll::PatchBasis::cosines};

TEST(PatchFactorsContract, FencesInstanceLabelsAndAllocations) {
  Exec const exec = new_instance_of<Exec>();
  auto const plane = random_levels<Levels>(80, 96, 10000);
  Kokkos::View<carroll::PatchFactorInfo, Memory> const info("carroll_test::info");
  auto patches = carroll::patch_factors(exec, 80, 96);
  auto const enqueue = [&] {
    carroll::load_patches(exec, plane, patches);
    carroll::factorise_patches_async(exec, 2000, info, patches, cosines);
    carroll::assemble_patches(exec, 2000, patches, plane);
  };
  enqueue();  // first launches may set up the backend
  Kokkos::fence();
  {
    ToolsRecorder const recorder;
    enqueue();
    EXPECT_EQ(recorder.of(Kind::fence).size(), 0U);
    EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
    EXPECT_EQ(checked_fences(recorder, exec), 0);
  }
  Kokkos::fence();
  ToolsRecorder const recorder;
  (void)carroll::factorise_patches(exec, 2000, patches, cosines);
  EXPECT_EQ(checked_fences(recorder, exec), 1);
}

TEST(PatchFactorsContract, TheSameWithAndWithoutAFence) {
  Exec const exec, other = new_instance_of<Exec>();
  auto const plane = random_levels<Levels>(75, 61, 9000);
  Kokkos::View<carroll::PatchFactorInfo, Memory> const info("carroll_test::info");
  auto one = carroll::patch_factors(exec, 75, 61), two = carroll::patch_factors(other, 75, 61);
  carroll::load_patches(exec, plane, one);
  auto const expected = carroll::factorise_patches(exec, 900, one, cosines);
  carroll::load_patches(other, plane, two);
  carroll::factorise_patches_async(other, 900, info, two, cosines);
  other.fence();
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), info);
  EXPECT_EQ(found().non_zero, expected.non_zero);
  EXPECT_EQ(found().components, expected.components);
  EXPECT_EQ(found().basis, expected.basis);
  EXPECT_GT(expected.non_zero, 0);
  EXPECT_EQ(entries_of_view(one.factors()), entries_of_view(two.factors()));
}

TEST(PictureColoursContract, NoFenceAndNoAllocation) {
  Exec const exec = new_instance_of<Exec>();
  Kokkos::View<std::uint16_t***, Kokkos::LayoutRight, Memory> const pixels("carroll_test::pixels",
                                                                           9, 11, 3);
  Levels const luma("carroll_test::luma", 9, 11), blue("carroll_test::blue", 5, 6),
      red("carroll_test::red", 5, 6);
  Kokkos::fence();
  ToolsRecorder const recorder;
  carroll::split_colours(exec, pixels, luma, blue, red);
  carroll::join_colours(exec, luma, blue, red, pixels);
  EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
  EXPECT_EQ(recorder.of(Kind::fence).size(), 0U);
  EXPECT_EQ(checked_fences(recorder, exec), 0);
}

TEST(DenoiseContract, InstanceLabelsAllocationsAndBits) {
  Exec const exec = new_instance_of<Exec>();
  auto const picture = random_levels<Picture>(40, 48, 60);
  Picture const result("carroll_test::result", 40, 48), other("carroll_test::other", 40, 48);
  auto options = carroll::denoise_options(6);
  options.iterations = 3;
  auto const workspace = carroll::denoise_workspace(exec, 1, 40, 48, options);
  (void)carroll::denoise(exec, picture, result, workspace);
  Kokkos::fence();
  {
    ToolsRecorder const recorder;
    (void)carroll::denoise(exec, picture, result, workspace);
    EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
    EXPECT_EQ(checked_fences(recorder, exec), 1);
  }
  (void)carroll::denoise(Exec(), picture, other, options);
  EXPECT_EQ(entries_of_view(result), entries_of_view(other));
}

using Info = Kokkos::View<carroll::DenoiseInfo, Memory>;

carroll::DenoiseInfo on_host(Info const& info) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), info)();
}

/// Neither fences nor allocations; all on the instance.
template <class Enqueue>
void expect_asynchronous(Exec const& exec, Enqueue const& enqueue) {
  enqueue();  // Kokkos' own scratch grows
  Kokkos::fence();
  ToolsRecorder const recorder;
  enqueue();
  EXPECT_EQ(recorder.of(Kind::fence).size(), 0U);
  EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
  EXPECT_EQ(checked_fences(recorder, exec), 0);
}

TEST(DenoiseContract, AsynchronousFormNeitherFencesNorAllocates) {
  Exec const exec = new_instance_of<Exec>();
  auto const picture = random_levels<Picture>(40, 48, 60);
  Picture const result("carroll_test::result", 40, 48), other("carroll_test::other", 40, 48);
  auto options = carroll::denoise_options(6);
  options.iterations = 3;
  auto const workspace = carroll::denoise_workspace(exec, 1, 40, 48, options);
  Info const info("carroll_test::info");
  expect_asynchronous(exec,
                      [&] { carroll::denoise_async(exec, picture, result, info, workspace); });
  exec.fence();
  auto const expected = carroll::denoise(Exec(), picture, other, options);
  EXPECT_EQ(expected.iterations, 3);
  EXPECT_EQ(on_host(info).status, carroll::Status::success);
  EXPECT_EQ(on_host(info).iterations, 3);
  EXPECT_EQ(entries_of_view(result), entries_of_view(other));
}

/// What decides about a picture is found on the device: a call knows nothing of the one before.
TEST(DenoiseContract, AsynchronousCallsFindOutAboutTheirPictures) {
  Exec const exec = new_instance_of<Exec>();
  auto const picture = random_levels<Picture>(24, 31, 60);
  Picture const zero("carroll_test::zero", 24, 31), bad("carroll_test::bad", 24, 31);
  Picture const results[] = {Picture("carroll_test::a", 24, 31), Picture("carroll_test::b", 24, 31),
                             Picture("carroll_test::c", 24, 31),
                             Picture("carroll_test::d", 24, 31)};
  Info const infos[] = {Info("carroll_test::a"), Info("carroll_test::b"), Info("carroll_test::c"),
                        Info("carroll_test::d")};
  carroll::test::deep_copy(bad, picture);
  carroll::test::deep_copy(Kokkos::subview(bad, 23, 30), std::nanf(""));
  Kokkos::fence();
  auto options = carroll::denoise_options(6);
  options.iterations = 2;
  auto const workspace = carroll::denoise_workspace(exec, 1, 24, 31, options);
  Picture const pictures[] = {picture, bad, zero, picture};
  for (int i = 0; i < 4; ++i)
    carroll::denoise_async(exec, pictures[i], results[i], infos[i], workspace);
  exec.fence();
  using carroll::Status;
  EXPECT_EQ(on_host(infos[0]).status, Status::success);
  EXPECT_EQ(on_host(infos[1]).status, Status::non_finite);
  EXPECT_EQ(on_host(infos[2]).status, Status::success);
  EXPECT_EQ(on_host(infos[0]).iterations, 2);
  EXPECT_EQ(on_host(infos[1]).iterations, 0);
  EXPECT_EQ(on_host(infos[2]).iterations, 0);
  for (float const x : entries_of_view(results[1])) EXPECT_TRUE(std::isnan(x));
  for (float const x : entries_of_view(results[2])) EXPECT_EQ(x, 0);
  auto const first = entries_of_view(results[0]);
  EXPECT_EQ(first, entries_of_view(results[3]));
  EXPECT_NE(first, entries_of_view(picture));
}

TEST(DenoiseFramesContract, AsynchronousFormNeitherFencesNorAllocates) {
  Exec const exec = new_instance_of<Exec>();
  using Frames = Kokkos::View<float***, Kokkos::LayoutRight, Memory>;
  constexpr int frames = 6, height = 20, width = 27;
  auto const samples = random_levels<Picture>(frames, height * width, 50);
  Frames const noisy(samples.data(), frames, height, width);
  Picture const flat("carroll_test::result", frames, height * width),
      other("carroll_test::other", frames, height * width);
  Frames const result(flat.data(), frames, height, width),
      expected(other.data(), frames, height, width);
  carroll::FrameDenoiseOptions const options{.noise = 5};
  auto const workspace = carroll::denoise_frames_workspace(exec, frames, height, width, options);
  Info const info("carroll_test::info");
  expect_asynchronous(exec,
                      [&] { carroll::denoise_frames_async(exec, noisy, result, info, workspace); });
  exec.fence();
  EXPECT_EQ(on_host(info).status, carroll::Status::success);
  EXPECT_EQ(on_host(info).iterations, 1);
  (void)carroll::denoise_frames(Exec(), noisy, expected, options);
  EXPECT_EQ(entries_of_view(flat), entries_of_view(other));
  EXPECT_NE(entries_of_view(flat), entries_of_view(samples));
  {
    ToolsRecorder const recorder;
    (void)carroll::denoise_frames(exec, noisy, result, workspace);
    EXPECT_EQ(recorder.of(Kind::allocation).size(), 0U);
    EXPECT_EQ(checked_fences(recorder, exec), 1);
  }
  carroll::test::deep_copy(Kokkos::subview(noisy, 2, 3, 4), std::nanf(""));
  carroll::denoise_frames_async(exec, noisy, result, info, workspace);
  exec.fence();
  EXPECT_EQ(on_host(info).status, carroll::Status::non_finite);
  for (float const x : entries_of_view(flat)) EXPECT_TRUE(std::isnan(x));
}

TEST(RobustPcaContract, InstanceLabelsAndBits) {
  Exec const exec = new_instance_of<Exec>();
  auto const D = random_levels<Picture>(20, 300, 1);
  Picture const L("carroll_test::L", 20, 300), S("carroll_test::S", 20, 300),
      other("carroll_test::other", 20, 300);
  carroll::RobustPcaOptions const options{.max_iterations = 6};
  (void)carroll::robust_pca(exec, D, L, S, options);
  Kokkos::fence();
  {
    ToolsRecorder const recorder;
    (void)carroll::robust_pca(exec, D, L, S, options);
    (void)checked_fences(recorder, exec);
    for (ToolsEvent const& allocation : recorder.of(Kind::allocation))
      EXPECT_EQ(allocation.label.rfind("carroll::", 0), 0U) << allocation.label;
  }
  (void)carroll::robust_pca(Exec(), D, other, S, options);
  EXPECT_EQ(entries_of_view(L), entries_of_view(other));
}

}  // namespace
