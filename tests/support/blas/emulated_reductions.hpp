// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/blas/reduction_drivers.hpp"

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

  /// In the workspace of the call before. Compiled once, in emulated_reductions.cpp, for all of
  /// them.
  template <Reduction R>
  std::vector<ReductionInfo<ReductionValue<R, T>>> run(Summation summation, bool conjugate);
  /// Has the last call told the host, and left its workspace as it was made?
  [[nodiscard]] bool is_tidy() const {
    auto const zeros = [](auto const& all) {
      return std::all_of(all.begin(), all.end(), [](auto x) { return x == 0; });
    };
    return tidy_ && zeros(arrived_) && zeros(digits_);
  }

 private:
  std::int64_t length_, members_;
  std::ptrdiff_t stride_, offset_, distance_;
  std::vector<T> x_, y_;
  std::vector<double> partials_;
  std::vector<int> arrived_;
  std::vector<std::int64_t> digits_;
  std::uint64_t stamp_ = 0;
  bool tidy_ = true;
};

}  // namespace carroll::test
