// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/reduction/study/launch.hpp>
#include <carroll/detail/reduction/study/vector.hpp>
#include <carroll/error.hpp>
#include <concepts>
#include <cstdint>
#include <string>

/// Sums and inner products by the strategies that a course on numerical methods teaches, to compare
/// carroll::sum and carroll::dot with (docs/studies.md).
///
///   double s = carroll::sum_by(exec, x, carroll::SumStrategy::tree);
///   double p = carroll::dot_by(exec, x, y, carroll::DotStrategy::conflict_free);
///
/// x and y are vectors over float or double of any stride, of up to 2^31 - 1 entries; those of
/// length 0 have the result 0.
///
/// These are studies: slower than carroll::sum and carroll::dot, without a status, and without
/// their promise: the bits of a result may change with the device and its number of threads, and
/// errors may be larger.
namespace carroll {

/// How P workers, each with the sum of N/P consecutive numbers, come to the sum of all.
enum class SumStrategy {
  one_collects,  ///< one takes the sums of all others, one after the other: P - 1 steps
  tree,          ///< pairs, of which one gives its sum to the other: log₂P steps
  tree_to_all,   ///< pairs exchange their sums, and all workers have the result: log₂P steps
};

/// How the N products of an inner product are added up on a device.
enum class DotStrategy {
  naive,          ///< on the host, to which all of them go
  divergent,      ///< by blocks in shared memory, in which every second thread goes on
  conflict_free,  ///< by blocks in shared memory, in which the lower half goes on
};

namespace detail {

inline void require_usable(char const* function, SumStrategy strategy) {
  require(SumStrategy::one_collects <= strategy && strategy <= SumStrategy::tree_to_all, function,
          [&] {
            return "the strategy is " + std::to_string(static_cast<int>(strategy)) +
                   ", must be an enumerator of SumStrategy";
          });
}
inline void require_usable(char const* function, DotStrategy strategy) {
  require(DotStrategy::naive <= strategy && strategy <= DotStrategy::conflict_free, function, [&] {
    return "the strategy is " + std::to_string(static_cast<int>(strategy)) +
           ", must be an enumerator of DotStrategy";
  });
}

}  // namespace detail

/// What a strategy needs besides the caller's vectors, made by its constructor for a length; calls
/// that are given one allocate nothing. One call at a time may use it; copies share the memory.
///
///   carroll::ReductionStudy<Exec, double, carroll::SumStrategy> tree(exec, 1 << 20, strategy);
template <ExecutionSpace ExecSpace, RealScalar T, class Strategy>
class ReductionStudy {
  static_assert(std::same_as<Strategy, SumStrategy> || std::same_as<Strategy, DotStrategy>,
                "carroll::ReductionStudy: the strategy must be a SumStrategy or a DotStrategy");

 public:
  /// Throws std::invalid_argument for an unusable length or strategy, AllocationError for want of
  /// memory: that of N numbers for DotStrategy::naive, which hosts read where a device is apart.
  ReductionStudy(ExecSpace const& exec, std::int64_t length, Strategy strategy)
      : length_(length), strategy_(strategy) {
    constexpr char const* function = "carroll::ReductionStudy";
    detail::require_size(function, "the length", length);
    detail::require_usable(function, strategy);
    bool all = false;  // all products, beside the sums of workers or blocks
    if constexpr (std::same_as<Strategy, SumStrategy>)
      each_ = detail::study_workers(exec);
    else if (strategy == DotStrategy::naive)
      all = true;
    else
      each_ = detail::study_blocks(length);
    memory_ = detail::allocate<Memory>(exec, "carroll::study::sums", all ? length : 2 * each_);
    host_ = detail::allocate<HostMemory>(Kokkos::DefaultHostExecutionSpace(),
                                         "carroll::study::host", all && !on_host ? length : 1);
  }

  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] Strategy strategy() const { return strategy_; }

  /// The sum of the entries. Fences `exec`.
  template <class XView>
  requires std::same_as<Strategy, SumStrategy>
  [[nodiscard]] T sum(ExecSpace const& exec, XView const& x) const {
    auto const bound = bind(x, "x");
    if (length_ == 0) return T(0);
    int const workers = static_cast<int>(each_);
    T *const sums = memory_.data(), *const next = sums + workers;
    detail::enqueue_parts(exec, bound, length_, workers, sums);
    switch (strategy_) {
      case SumStrategy::one_collects:
        detail::enqueue_one_collects(exec, sums, workers);
        return fetched(exec, sums);
      case SumStrategy::tree: detail::enqueue_tree(exec, sums, workers); return fetched(exec, sums);
      default: return fetched(exec, detail::enqueue_tree_to_all(exec, sums, next, workers));
    }
  }

  /// The inner product. Fences `exec`.
  template <class XView, class YView>
  requires std::same_as<Strategy, DotStrategy>
  [[nodiscard]] T dot(ExecSpace const& exec, XView const& x, YView const& y) const {
    auto const xs = bind(x, "x");
    auto const ys = bind(y, "y");
    if (length_ == 0) return T(0);
    T *const sums = memory_.data(), *const next = sums + each_;
    switch (strategy_) {
      case DotStrategy::naive:
        detail::enqueue_products(exec, xs, ys, length_, sums);
        return added_on_host(exec);
      case DotStrategy::divergent:
        return fetched(exec, detail::enqueue_blocks<detail::DivergentKernel>(
                                 "carroll::study::divergent", exec, xs, ys, length_, sums, next));
      default:
        return fetched(exec,
                       detail::enqueue_blocks<detail::ConflictFreeKernel>(
                           "carroll::study::conflict_free", exec, xs, ys, length_, sums, next));
    }
  }

 private:
  using Memory = Kokkos::View<T*, typename ExecSpace::memory_space>;
  using HostMemory = Kokkos::View<T*, Kokkos::HostSpace>;
  static constexpr bool on_host = std::same_as<typename ExecSpace::memory_space, Kokkos::HostSpace>;

  template <class View>
  [[nodiscard]] auto bind(View const& view, char const* name) const {
    static_assert(detail::is_study_vector<View, ExecSpace>,
                  "carroll::sum_by, dot_by: vectors must be strided Views of rank 1 over float or "
                  "double, in memory that the execution space can access");
    static_assert(std::same_as<typename View::non_const_value_type, T>,
                  "carroll::sum_by, dot_by: vectors must have the same scalar type");
    return detail::bind_study("carroll::ReductionStudy", name, view, length_);
  }
  T fetched(ExecSpace const& exec, T const* from) const {
    detail::copy_objects<typename decltype(host_)::memory_space, typename ExecSpace::memory_space>(
        exec, host_.data(), from, 1);
    exec.fence("carroll::study");
    return host_(0);
  }
  T added_on_host(ExecSpace const& exec) const {
    T const* products = host_.data();
    if constexpr (on_host)
      products = memory_.data();
    else
      detail::copy_view(exec, host_, memory_);
    exec.fence("carroll::study");
    T sum(0);
    for (std::int64_t i = 0; i < length_; ++i) sum += products[i];
    return sum;
  }

  std::int64_t length_;
  Strategy strategy_;
  std::int64_t each_ = 0;  // sums that a place holds, of two
  Memory memory_;
  HostMemory host_;
};

/// The sum of the entries of x by a strategy. Allocates, and fences `exec`.
template <ExecutionSpace ExecSpace, class XView>
[[nodiscard]] auto sum_by(ExecSpace const& exec, XView const& x, SumStrategy strategy) {
  using T = typename XView::non_const_value_type;
  return ReductionStudy<ExecSpace, T, SumStrategy>(exec, static_cast<std::int64_t>(x.extent(0)),
                                                   strategy)
      .sum(exec, x);
}

/// The inner product of x and y by a strategy. Allocates, and fences `exec`.
template <ExecutionSpace ExecSpace, class XView, class YView>
[[nodiscard]] auto dot_by(ExecSpace const& exec, XView const& x, YView const& y,
                          DotStrategy strategy) {
  using T = typename XView::non_const_value_type;
  return ReductionStudy<ExecSpace, T, DotStrategy>(exec, static_cast<std::int64_t>(x.extent(0)),
                                                   strategy)
      .dot(exec, x, y);
}

}  // namespace carroll
