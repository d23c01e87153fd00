// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/reduction/pair_tree.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/reduction/thread/device_chunk.hpp>
#include <carroll/detail/reduction/thread/host_chunk.hpp>
#include <carroll/detail/reduction/thread/side_by_side.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A reduction by threads: each adds a group of consecutive chunks, and who comes last of a vector
/// the sums of its groups. Every entry is read once; an operation or two for each, on hosts in
/// vector registers.
template <class ExecSpace, class Op>
class ThreadReductionKernel {
  using T = typename Op::T;
  using Partial = typename Op::Partial;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  ThreadReductionKernel(ReductionBatch<T, typename Op::Value> const& batch,
                        ReductionPlan const& plan, Partial* partials, int* arrived)
      : batch_(batch), plan_(plan), partials_(partials), arrived_(arrived) {}

  KOKKOS_FUNCTION void operator()(std::int64_t task) const {
    std::int64_t const member = task / plan_.groups, group = task % plan_.groups;
    Partial sum;
    KOKKOS_IF_ON_HOST((choose_host_vectors(Body{*this, member, group, sum});))
    KOKKOS_IF_ON_DEVICE((sum = group_sum<0>(member, group);))
    if (plan_.groups > 1) {
      Partial* const of_member = partials_ + member * plan_.groups;
      of_member[group] = sum;
      if (!is_last_arriver(arrived_ + member, static_cast<int>(plan_.groups))) return;
      PairTree<Partial> tree;
      for (std::int64_t g = 0; g < plan_.groups; ++g) tree.add(of_member[g]);
      sum = tree.total();
    }
    Op::store(batch_, member, sum);
  }

 private:
  struct Body {
    ThreadReductionKernel const& kernel;
    std::int64_t member, group;
    Partial& sum;
    template <int Bytes>
    void run() const {
      by_itself<Bytes>([this] { sum = kernel.template group_sum<Bytes>(member, group); });
    }
  };

  /// By vector registers, or with 0 Bytes by a thread of a device.
  template <int Bytes>
  KOKKOS_FUNCTION Partial group_sum(std::int64_t member, std::int64_t group) const {
    std::int64_t const begin = group * plan_.group_chunks * chunk_terms;
    std::int64_t const end =
        Kokkos::min(batch_.length, begin + plan_.group_chunks * std::int64_t{chunk_terms});
    if (end - begin <= chunk_terms)
      return end > begin ? chunk_sum<Bytes>(member, begin, static_cast<int>(end - begin))
                         : Partial{};
    PairTree<Partial> tree;
    for (std::int64_t i = begin; i < end; i += chunk_terms)
      tree.add(chunk_sum<Bytes>(member, i,
                                static_cast<int>(Kokkos::min<std::int64_t>(chunk_terms, end - i))));
    return tree.total();
  }

  template <int Bytes>
  KOKKOS_FUNCTION Partial chunk_sum(std::int64_t member, std::int64_t begin, int terms) const {
    T const* const x = batch_.x + member * batch_.x_distance;
    T const* const y = Op::two_vectors ? batch_.y + member * batch_.y_distance : nullptr;
    if constexpr (Bytes == 0)
      return ThreadChunk<Op>::sum(x + begin * batch_.x_stride, batch_.x_stride,
                                  Op::two_vectors ? y + begin * batch_.y_stride : nullptr,
                                  batch_.y_stride, terms);
    else
      return host_chunk_sum<Bytes>(x, y, begin, terms);
  }
  template <int Bytes>
  Partial host_chunk_sum(T const* x, T const* y, std::int64_t begin, int terms) const {
    EntriesSideBySide<T> const xs(x, batch_.x_stride, begin, terms);
    if constexpr (Op::two_vectors) {
      EntriesSideBySide<T> const ys(y, batch_.y_stride, begin, terms);
      return HostChunk<Op, Bytes>::sum(xs.data(), ys.data(), terms);
    } else {
      return HostChunk<Op, Bytes>::sum(xs.data(), nullptr, terms);
    }
  }

  ReductionBatch<T, typename Op::Value> batch_;
  ReductionPlan plan_;
  Partial* partials_;
  int* arrived_;
};

}  // namespace carroll::detail
