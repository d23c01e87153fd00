// SPDX-License-Identifier: BSD-3-Clause
// Pixels that do not count: what is in them decides nothing, and what is left of the image does.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "support/copy.hpp"
#include "support/tracker/problem.hpp"

namespace {

using namespace carroll;
using namespace carroll::test;
using Exec = Kokkos::DefaultExecutionSpace;

constexpr float nan_ = std::numeric_limits<float>::quiet_NaN();

/// 300 columns of 512 in the middle and half of the rows are hidden by something else.
bool is_hidden(int v, int u) {
  return u >= 100 && u < 260 && v >= 60 && v < 200;
}

TrackerProblem const& masked_room() {
  static std::unique_ptr<TrackerProblem const> problem;  // that ends before Kokkos does
  if (!problem) {
    problem = std::make_unique<TrackerProblem const>(Camera<double>::equirectangular(512, 256), 4,
                                                     100, 0.1, 0.5, 1);
    Kokkos::push_finalize_hook([] { problem.reset(); });
  }
  return *problem;
}

/// The picture with `in_place` of what is hidden, given a pixel.
template <class F>
TrackerProblem::Picture hidden(TrackerProblem::Picture const& picture, F const& in_place) {
  TrackerProblem::Picture const result("carroll_test::hidden", 256, 512);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), picture);
  auto const to = Kokkos::create_mirror_view(result);
  for (int v = 0; v < 256; ++v)
    for (int u = 0; u < 512; ++u) to(v, u) = is_hidden(v, u) ? in_place(v, u) : host(v, u);
  carroll::test::deep_copy(result, to);
  return result;
}
/// Another scene, that moves the other way, as bright as the room.
float other(int v, int u) {
  return 128 + 60 * std::sin(0.31F * float(u) + 0.17F * float(v));
}
float undefined(int v, int u) {
  return (u + v) % 3 == 0 ? nan_ : (u + v) % 3 == 1 ? HUGE_VALF : 1e30F;
}

template <class Pixel = std::uint8_t, class Layout = Kokkos::LayoutRight>
TrackerPicture<Pixel, Layout> mask_of(bool (*is_off)(int, int), Pixel on = 1) {
  TrackerPicture<Pixel, Layout> const mask("carroll_test::mask", 256, 512);
  auto const host = Kokkos::create_mirror_view(mask);
  for (int v = 0; v < 256; ++v)
    for (int u = 0; u < 512; ++u) host(v, u) = is_off(v, u) ? Pixel(0) : on;
  carroll::test::deep_copy(mask, host);
  return mask;
}

struct Found {
  DirectTrackerInfo info;
  std::vector<double> numbers;
  double heading, depth;
};

template <class Reference, class Current>
Found found(Reference const& reference, Current const& current,
            TrackerMotion motion = TrackerMotion::ackermann) {
  TrackerProblem const& room = masked_room();
  auto workspace = direct_tracker_workspace(Exec(), room.camera, room.mesh, {.motion = motion});
  TrackedState const state(room, motion, 1.1);
  set_reference_async(Exec(), reference, workspace);
  auto const info = track_frame(Exec(), current, state.view(), workspace);
  return {info, state.numbers(), state.heading_error(room), state.depth_error(room)};
}

bool nowhere(int, int) {
  return false;
}
bool everywhere(int, int) {
  return true;
}

TEST(MaskedImages, AMaskOfNothingChangesNoBit) {
  auto const& room = masked_room();
  for (auto const motion : {TrackerMotion::ackermann, TrackerMotion::se3}) {
    Found const plain = found(room.reference, room.current, motion);
    Found const masked = found(MaskedImage{room.reference, mask_of(nowhere)},
                               MaskedImage{room.current, mask_of<float>(nowhere, 0.5F)}, motion);
    EXPECT_EQ(masked.numbers, plain.numbers);
    EXPECT_EQ(masked.info.cost, plain.info.cost);
    EXPECT_EQ(masked.info.valid_samples, plain.info.valid_samples);
  }
}

TEST(MaskedImages, WhatIsHiddenDoesNotMatter) {
  auto const& room = masked_room();
  for (auto const motion : {TrackerMotion::ackermann, TrackerMotion::se3}) {
    Found const plain = found(room.reference, room.current, motion);
    auto const current = hidden(room.current, other);
    auto const mask = mask_of(is_hidden);
    Found const masked = found(room.reference, MaskedImage{current, mask}, motion);
    EXPECT_EQ(masked.info.status, Status::success) << to_string(masked.info.end);
    EXPECT_LE(masked.heading, 0.02);
    EXPECT_LE(masked.depth, 0.03);
    // Without a mask it does.
    EXPECT_GT(found(room.reference, current, motion).info.cost, 2 * masked.info.cost);
    // Of 512×256 pixels 22400 are hidden, a sixth, more of the sphere's middle.
    EXPECT_LT(masked.info.valid_samples, 0.87 * plain.info.valid_samples);
    EXPECT_GT(masked.info.valid_samples, 0.7 * plain.info.valid_samples);
    // Whatever it is.
    Found const any =
        found(room.reference, MaskedImage{hidden(room.current, undefined), mask}, motion);
    EXPECT_EQ(any.numbers, masked.numbers);
    EXPECT_EQ(any.info.cost, masked.info.cost);
  }
}

TEST(MaskedImages, NorDoesItInTheReference) {
  auto const& room = masked_room();
  auto const mask = mask_of(is_hidden);
  Found const masked = found(MaskedImage{hidden(room.reference, other), mask}, room.current);
  EXPECT_EQ(masked.info.status, Status::success) << to_string(masked.info.end);
  EXPECT_LE(masked.heading, 0.02);
  EXPECT_LE(masked.depth, 0.03);
  EXPECT_EQ(found(MaskedImage{hidden(room.reference, undefined), mask}, room.current).numbers,
            masked.numbers);
}

TEST(MaskedImages, SameBitsForMasksOfAnyKind) {
  auto const& room = masked_room();
  auto const current = hidden(room.current, undefined);
  auto const expected = found(room.reference, MaskedImage{current, mask_of(is_hidden)}).numbers;
  EXPECT_EQ(found(room.reference, MaskedImage{current, mask_of<float>(is_hidden, -3)}).numbers,
            expected);
  auto const left = mask_of<std::uint8_t, Kokkos::LayoutLeft>(is_hidden, 255);
  EXPECT_EQ(found(room.reference, MaskedImage{current, left}).numbers, expected);
  auto const bytes = TrackerProblem::rounded(room.current);
  EXPECT_EQ(found(room.reference, MaskedImage{bytes, left}).info.status, Status::success);
}

TEST(MaskedImages, NothingIsLeft) {
  auto const& room = masked_room();
  auto const mask = mask_of(everywhere);
  for (auto const& none : {found(room.reference, MaskedImage{room.current, mask}),
                           found(MaskedImage{room.reference, mask}, room.current)}) {
    EXPECT_EQ(none.info.status, Status::not_converged);
    EXPECT_EQ(none.info.end, TrackerEnd::too_little_overlap);
  }
  // What is not finite and counts.
  auto const outside = mask_of(+[](int v, int u) { return is_hidden(v, u) && u < 200; });
  auto const current = hidden(room.current, [](int, int) { return nan_; });
  EXPECT_EQ(found(room.reference, MaskedImage{current, outside}).info.end, TrackerEnd::non_finite);
}

}  // namespace
