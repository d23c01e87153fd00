// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/svd/dispatch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// The members of a call, sorted by the kernels that they go to.
namespace carroll::detail {

/// So many problems, and extents that none of them exceeds.
struct SvdBounds {
  int members = 0;
  int rows = 0;  ///< of the longer side
  int cols = 0;  ///< of the shorter side

  void add(std::int64_t more_rows, std::int64_t more_cols) {
    ++members;
    rows = std::max(rows, static_cast<int>(more_rows));
    cols = std::max(cols, static_cast<int>(more_cols));
  }
  /// Of both.
  friend SvdBounds operator|(SvdBounds const& a, SvdBounds const& b) {
    return {a.members + b.members, std::max(a.rows, b.rows), std::max(a.cols, b.cols)};
  }
};

/// Of a member: its bin and its columns.
using SvdKey = std::pair<int, int>;

/// A bin for each size class of `warp`, of `slim` and of `fused` and one for each other family.
/// `study`, a method of all members, shares that of `team`.
class SvdPlan {
 public:
  static constexpr int warp = 0;
  static constexpr int slim = warp + WarpClasses::count;
  static constexpr int fused = slim + QrSlimShapes::count;
  static constexpr int tiled = fused + fused_classes;
  static constexpr int gram = tiled + 1;
  static constexpr int eigenbasis = gram + 1;      ///< swept as those before, if need be
  static constexpr int spectral = eigenbasis + 1;  ///< the same
  static constexpr int host_batch = spectral + 1;
  static constexpr int host_block = host_batch + 1;
  static constexpr int team = host_block + 1;
  static constexpr int count = team + 1;

  /// A uniform batch.
  template <class Real>
  static SvdPlan uniform(SvdFamily family, SvdBounds const& bounds) {
    SvdPlan plan;
    int const bin = bin_of<Real>(family, bounds.rows, bounds.cols);
    plan.all_ = plan.bounds_[bin] = bounds;
    for (int k = bin + 1; k <= count; ++k) plan.first_[k] = bounds.members;
    return plan;
  }

  /// One more member of a ragged batch; returns its bin.
  template <class Real>
  int add(SvdFamily family, std::int64_t rows, std::int64_t cols) {
    int const bin = bin_of<Real>(family, rows, cols);
    bounds_[bin].add(rows, cols);
    all_.add(rows, cols);
    return bin;
  }
  /// The members in the order of the bins, and in each of their columns: equal ones are neighbours.
  std::vector<int> sort(std::span<SvdKey const> keys) {
    for (int k = 0; k < count; ++k) first_[k + 1] = first_[k] + bounds_[k].members;
    std::vector<int> sorted(keys.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::ranges::stable_sort(sorted, {}, [&](int b) { return keys[static_cast<std::size_t>(b)]; });
    return sorted;
  }
  /// They are in the device's memory now.
  void set_sorted(int const* members) { sorted_ = members; }

  [[nodiscard]] SvdBounds const& all() const { return all_; }
  [[nodiscard]] SvdBounds const& bounds(int bin) const { return bounds_[bin]; }
  [[nodiscard]] int size(int bin) const { return bounds_[bin].members; }
  [[nodiscard]] bool is_sorted() const { return sorted_ != nullptr; }
  /// Those of a bin and behind them those of the next; null: all members, in their own order.
  [[nodiscard]] int const* members(int bin) const {
    return sorted_ ? sorted_ + first_[bin] : nullptr;
  }
  /// Are there members in a bin before this one?
  [[nodiscard]] bool any_before(int bin) const { return first_[bin] > 0; }

 private:
  template <class Real>
  static constexpr int bin_of(SvdFamily family, std::int64_t rows, std::int64_t cols) {
    switch (family) {
      case SvdFamily::warp: return warp + WarpClasses::class_of(rows, cols);
      case SvdFamily::slim: return slim + QrSlimShapes::class_of(rows, cols);
      case SvdFamily::fused: return fused + FusedClasses<Real>::class_of(rows, cols);
      case SvdFamily::tiled: return tiled;
      case SvdFamily::gram: return gram;
      case SvdFamily::eigenbasis: return eigenbasis;
      case SvdFamily::spectral: return spectral;
      case SvdFamily::host_batch: return host_batch;
      case SvdFamily::host_block: return host_block;
      case SvdFamily::study:
      case SvdFamily::team: break;
    }
    return team;
  }

  SvdBounds all_;
  Kokkos::Array<SvdBounds, count> bounds_{};
  Kokkos::Array<int, count + 1> first_{};
  int const* sorted_ = nullptr;
};

/// What a workspace has for the members of the bin `eigenbasis`: eigenbasis/start.hpp.
template <class ExecSpace>
class BasisStart;
/// What a workspace has for the members of the bin `spectral`: spectral/start.hpp.
template <class Library>
class SpectralStart;
struct NoSpectralStart;
template <class ExecSpace>
using SvdSpectralStart =
    std::conditional_t<has_dense_library<ExecSpace>, SpectralStart<DenseLibrary<ExecSpace>>,
                       NoSpectralStart>;

/// Both, where a plan has such members.
template <class ExecSpace>
struct SvdStarts {
  std::shared_ptr<BasisStart<ExecSpace> const> basis;
  /// The library's handles and the memory that it works in.
  std::shared_ptr<SvdSpectralStart<ExecSpace> const> spectral;
};

}  // namespace carroll::detail
