// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carroll/detail/reduction/launch.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/blas/drawn_vectors.hpp"

namespace carroll::test {

/// A batch of reductions by the kernels of devices with warps, on the host: threads take turns,
/// teams begin in descending order, two of them side by side.
template <class T>
class EmulatedReductions {
 public:
  EmulatedReductions(std::vector<std::vector<T>> const& x, std::vector<std::vector<T>> const& y,
                     int stride, int offset)
      : length_(static_cast<std::int64_t>(x.front().size())),
        members_(static_cast<std::int64_t>(x.size())),
        stride_(stride),
        offset_(offset),
        distance_(length_ * stride + 3) {
    for (auto [all, members] : {std::pair{&x_, &x}, {&y_, &y}}) {
      all->assign(static_cast<std::size_t>(offset + members_ * distance_), T(RealOf<T>(-77.25)));
      for (std::size_t b = 0; b < members->size(); ++b)
        for (std::size_t i = 0; i < (*members)[b].size(); ++i)
          (*all)[static_cast<std::size_t>(offset) + b * static_cast<std::size_t>(distance_) +
                 i * static_cast<std::size_t>(stride)] = (*members)[b][i];
    }
  }

  /// In the workspace of the call before, which has to be as it was made: counters and digits 0.
  template <Reduction R>
  std::vector<ReductionInfo<ReductionValue<R, T>>> run(Summation summation, bool conjugate) {
    using Value = ReductionValue<R, T>;
    auto const plan = detail::device_reduction_plan(length_);
    auto const pieces = static_cast<std::size_t>(members_ * plan.groups);
    partials_.assign(pieces * 8 * sizeof(RealOf<T>) / sizeof(double) + 1, -77.25);
    arrived_.resize(static_cast<std::size_t>(members_));
    digits_.resize(static_cast<std::size_t>(members_ * detail::exact_words<T>));
    std::vector<ReductionInfo<Value>> infos(static_cast<std::size_t>(members_));
    detail::ReductionBatch<T, Value> batch;
    batch.x = x_.data() + offset_;
    batch.y = y_.data() + offset_;
    batch.x_stride = batch.y_stride = stride_;
    batch.x_distance = batch.y_distance = distance_;
    batch.length = length_;
    batch.members = members_;
    batch.conjugate = conjugate;
    batch.infos = infos.data();
    std::uint64_t stamp = 0;
    if (members_ == 1) {
      batch.stamp = &stamp;
      batch.call = 12345;
    }
    detail::enqueue_reduction<R>(detail::EmulatedSpace{}, batch, plan,
                                 {.partials = partials_.data(),
                                  .arrived = arrived_.data(),
                                  .digits = digits_.data(),
                                  .infos = nullptr},
                                 summation);
    EXPECT_EQ(stamp, batch.call);
    EXPECT_EQ(std::count(arrived_.begin(), arrived_.end(), 0), members_);
    EXPECT_EQ(std::count(digits_.begin(), digits_.end(), 0),
              static_cast<std::ptrdiff_t>(digits_.size()));
    return infos;
  }

 private:
  std::int64_t length_, members_;
  std::ptrdiff_t stride_, offset_, distance_;
  std::vector<T> x_, y_;
  std::vector<double> partials_;
  std::vector<int> arrived_;
  std::vector<std::int64_t> digits_;
};

/// The same bits as the host's kernels, which others check.
template <class T>
void check_emulated(std::vector<std::vector<T>> const& xs, std::vector<std::vector<T>> const& ys,
                    int stride, int offset, bool all_summations_of_all) {
  int const n = static_cast<int>(xs.front().size());
  EmulatedReductions<T> emulated(xs, ys, stride, offset);
  PlacedVectors<T> const x(xs, Placement::rows(n)), y(ys, Placement::rows(n));
  auto const check = [&](auto chosen, Summation summation, bool conjugate) {
    SCOPED_TRACE(std::string(name_of(chosen())) + " " + name_of(summation));
    auto const found = emulated.template run<chosen()>(summation, conjugate);
    auto const expected = reduced<chosen()>(Exec(), x.batch(), y.batch(), summation, conjugate);
    for (std::size_t b = 0; b < found.size(); ++b) {
      SCOPED_TRACE(b);
      expect_same(found[b], expected[b]);
    }
  };
  for_each_reduction([&](auto chosen) {
    for (Summation const summation : all_summations)
      if (all_summations_of_all || (int(chosen()) + int(summation)) % 3 == 0)
        check(chosen, summation, true);
  });
  check(Chosen<Reduction::dot>(), Summation::canonical, false);
  check(Chosen<Reduction::dot>(), Summation::exact, false);
}

template <class T>
void check_emulated_reductions() {
  constexpr int kinds = int(vector_kinds.size());
  for (auto const& [members, n, stride, offset] : {std::array{kinds, 0, 1, 0},
                                                   {kinds, 1, 1, 0},
                                                   {kinds, 64, 1, 1},
                                                   {kinds, 100, 2, 0},
                                                   {kinds, 1024, 1, 0},
                                                   {2, 1025, 1, 1},
                                                   {3, 5000, 1, 0}}) {
    SCOPED_TRACE(std::to_string(n) + ", stride " + std::to_string(stride) + " from " +
                 std::to_string(offset));
    DrawnBatch<T> const drawn(members, n, 30 + static_cast<std::uint64_t>(n));
    check_emulated(drawn.x, drawn.y, stride, offset, n != 1025);
  }
  // Several groups of chunks, and teams of which the last adds their sums.
  DrawnVectors<T> const drawn(VectorKind::wide, 40000, 31);
  check_emulated<T>({drawn.x}, {drawn.y}, 1, 0, false);
}

}  // namespace carroll::test
