// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/eigh/dispatch.hpp>
#include <carroll/detail/eigh/divided/classes.hpp>
#include <carroll/detail/eigh/warp/shape.hpp>
#include <cstddef>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// The members of a call, sorted by the kernels that they go to.
namespace carroll::detail {

/// So many problems, and an order that none of them exceeds.
struct EighBounds {
  int members = 0;
  int n = 0;

  void add(int order) {
    ++members;
    n = std::max(n, order);
  }
};

/// A bin for each family, and of `warp` and `divided` for each class; `cholesky` and `shifted`, of
/// which a call has one at most, share `jacobi`.
class EighPlan {
 public:
  static constexpr int host_batch = 0;
  static constexpr int warp = 1;  ///< the first of them
  static constexpr int team = warp + EighShapes::count;
  static constexpr int divided = team + 1;  ///< the first of them
  static constexpr int jacobi = divided + DividedShapes::classes;
  static constexpr int vendor = jacobi + 1;

  /// A uniform batch.
  static EighPlan uniform(EighFamily family, EighBounds const& bounds) {
    EighPlan plan;
    plan.all_ = plan.bounds_[bin_of(family, bounds.n)] = bounds;
    return plan;
  }
  /// One more member of a ragged batch.
  void add(EighFamily family, int n) {
    int const bin = bin_of(family, n);
    bounds_[bin].add(n);
    all_.add(n);
    keys_.emplace_back(bin, n);
  }
  /// The members in the order of the bins, and in each of their orders: equal ones are neighbours.
  [[nodiscard]] std::vector<int> sort() {
    std::vector<int> sorted(keys_.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::ranges::stable_sort(sorted, {}, [&](int b) { return keys_[static_cast<std::size_t>(b)]; });
    keys_ = {};
    return sorted;
  }
  /// They are in the device's memory now.
  void set_sorted(int const* members) { sorted_ = members; }

  [[nodiscard]] EighBounds const& all() const { return all_; }
  [[nodiscard]] EighBounds const& bounds(int bin) const { return bounds_[bin]; }
  /// Those of a bin; null: all members, in their own order.
  [[nodiscard]] int const* members(int bin) const {
    if (!sorted_) return nullptr;
    int before = 0;
    for (int k = 0; k < bin; ++k) before += bounds_[k].members;
    return sorted_ + before;
  }

 private:
  static constexpr int bin_of(EighFamily family, int n) {
    if (family == EighFamily::host_batch) return host_batch;
    if (family == EighFamily::warp) return warp + EighShapes::class_of(n);
    if (family == EighFamily::divided) return divided + DividedShapes::class_of(n);
    if (family == EighFamily::vendor) return vendor;
    return family == EighFamily::team ? team : jacobi;
  }

  EighBounds all_;
  EighBounds bounds_[vendor + 1];
  std::vector<std::pair<int, int>> keys_;
  int const* sorted_ = nullptr;
};

/// What a workspace has for the members of the bin `vendor`: vendor/eigenpairs.hpp.
template <class Library>
class VendorEigenpairs;
struct NoVendorEigenpairs;
template <class ExecSpace>
using EighVendor =
    std::conditional_t<has_dense_library<ExecSpace>, VendorEigenpairs<DenseLibrary<ExecSpace>>,
                       NoVendorEigenpairs>;

}  // namespace carroll::detail
