// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/qr/dispatch.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/qr/warp/shape.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

/// The members of a call, sorted by the kernels that they go to.
namespace carroll::detail {

/// So many problems, extents that none of them exceeds, and so many entries.
struct QrBounds {
  int members = 0;
  int rows = 0, cols = 0;
  std::int64_t entries = 0;

  void add(int m, int n) {
    ++members;
    rows = std::max(rows, m);
    cols = std::max(cols, n);
    entries = std::max(entries, std::int64_t{m} * n);
  }
};

/// A bin for each family, and of `warp` and `slim` for each class.
class QrPlan {
 public:
  /// A uniform batch.
  static QrPlan uniform(QrFamily family, int members, int m, int n) {
    QrPlan plan;
    QrBounds& bounds = plan.bounds_[bin_of(family, m, n)];
    bounds.add(m, n);
    bounds.members = plan.members_ = members;
    return plan;
  }
  /// One more member of a ragged batch.
  void add(QrFamily family, int m, int n) {
    int const bin = bin_of(family, m, n);
    bounds_[bin].add(m, n);
    ++members_;
    keys_.emplace_back(bin, m, n);
  }
  /// The members in the order of the bins, and in each of their extents: equal ones are neighbours.
  [[nodiscard]] std::vector<int> sort() {
    std::vector<int> sorted(keys_.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::ranges::stable_sort(sorted, {}, [&](int b) { return keys_[static_cast<std::size_t>(b)]; });
    keys_ = {};
    return sorted;
  }
  /// They are in the device's memory now.
  void set_sorted(int const* members) { sorted_ = members; }

  [[nodiscard]] int members() const { return members_; }
  /// Of a bin; `shape`: of `warp` or `slim`.
  [[nodiscard]] QrBounds const& bounds(QrFamily family, int shape = 0) const {
    return bounds_[first_bin(family) + shape];
  }
  /// Those of a bin; null: all members, in their own order.
  [[nodiscard]] int const* members(QrFamily family, int shape = 0) const {
    int const* first = sorted_;
    int const end = first_bin(family) + shape;
    for (int bin = 0; first && bin < end; ++bin) first += bounds_[bin].members;
    return first;
  }

 private:
  static constexpr int first_bin(QrFamily family) {
    int const classes = family == QrFamily::slim ? QrShapes::count - 1 : 0;
    return static_cast<int>(family) + classes;
  }
  static constexpr int bins =
      static_cast<int>(QrFamily::warp) + QrShapes::count + QrSlimShapes::count;
  static constexpr int bin_of(QrFamily family, int m, int n) {
    int shape = 0;
    if (family == QrFamily::warp) shape = QrShapes::class_of(std::max(m, n));
    if (family == QrFamily::slim) shape = QrSlimShapes::class_of(m, n);
    return first_bin(family) + shape;
  }

  int members_ = 0;
  QrBounds bounds_[bins];
  std::vector<std::tuple<int, int, int>> keys_;
  int const* sorted_ = nullptr;
};

}  // namespace carroll::detail
