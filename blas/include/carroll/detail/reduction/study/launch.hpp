// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/reduction/study/conflict_free.hpp>
#include <carroll/detail/reduction/study/divergent.hpp>
#include <carroll/detail/reduction/study/one_collects.hpp>
#include <carroll/detail/reduction/study/parts.hpp>
#include <carroll/detail/reduction/study/products.hpp>
#include <carroll/detail/reduction/study/tree.hpp>
#include <carroll/detail/reduction/study/tree_to_all.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>
#include <utility>

/// How the strategies of the course enqueue their kernels.
namespace carroll::detail {

/// Workers of a sum, a power of two: blocks of a device, threads of a host.
template <class ExecSpace>
int study_workers(ExecSpace const& exec) {
  constexpr int blocks = 1024;
  if (lanes<ExecSpace> != 1) return blocks;
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(exec.concurrency(), 1))));
}

/// Blocks of an inner product's terms.
constexpr std::int64_t study_blocks(std::int64_t length) {
  return std::max<std::int64_t>((length + study_block - 1) / study_block, 1);
}

/// The threads of a team: on a host one, which does all of its work.
template <class ExecSpace>
inline constexpr int study_team = lanes<ExecSpace> != 1 ? study_block : 1;

template <class ExecSpace, class T>
void enqueue_parts(ExecSpace const& exec, StudyVector<T> const& x, std::int64_t length, int workers,
                   T* parts) {
  Kokkos::parallel_for("carroll::study::parts",
                       Kokkos::TeamPolicy<ExecSpace>(exec, workers, study_team<ExecSpace>),
                       WorkerPartsKernel<ExecSpace, T>(x, length, workers, parts));
}

template <class ExecSpace, class T>
void enqueue_one_collects(ExecSpace const& exec, T* parts, int workers) {
  using Kernel = OneCollectsKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::study::one_collects", typename Kernel::Policy(exec, 0, 1),
                       Kernel(parts, workers));
}

template <class ExecSpace, class T>
void enqueue_tree(ExecSpace const& exec, T* sums, int workers) {
  using Kernel = TreeStepKernel<ExecSpace, T>;
  for (int distance = 1; distance < workers; distance *= 2)
    Kokkos::parallel_for("carroll::study::tree", typename Kernel::Policy(exec, 0, workers),
                         Kernel(sums, distance));
}

/// Returns where the sums are in the end, of all workers: one of the two places.
template <class ExecSpace, class T>
T* enqueue_tree_to_all(ExecSpace const& exec, T* sums, T* next, int workers) {
  using Kernel = TreeToAllStepKernel<ExecSpace, T>;
  for (int distance = 1; distance < workers; distance *= 2) {
    Kokkos::parallel_for("carroll::study::tree_to_all", typename Kernel::Policy(exec, 0, workers),
                         Kernel(sums, next, distance));
    std::swap(sums, next);
  }
  return sums;
}

template <class ExecSpace, class T>
void enqueue_products(ExecSpace const& exec, StudyVector<T> const& x, StudyVector<T> const& y,
                      std::int64_t length, T* products) {
  using Kernel = ProductsKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::study::products", typename Kernel::Policy(exec, 0, length),
                       Kernel(x, y, products));
}

/// The sums of blocks, then of blocks of these, until there is one; returns where it is. Each of
/// the two places holds as many sums as there are blocks.
template <template <class, class> class Kernel, class ExecSpace, class T>
T* enqueue_blocks(char const* label, ExecSpace const& exec, StudyVector<T> x, StudyVector<T> y,
                  std::int64_t length, T* sums, T* next) {
  while (true) {
    std::int64_t const blocks = study_blocks(length);
    auto policy =
        Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(blocks), study_team<ExecSpace>);
    policy.set_scratch_size(0, Kokkos::PerTeam(BlockTerms<T>::scratch_bytes));
    Kokkos::parallel_for(label, policy, Kernel<ExecSpace, T>(BlockTerms<T>(x, y, length), sums));
    if (blocks == 1) return sums;
    x = {sums, 1};
    y = {};
    length = blocks;
    std::swap(sums, next);
  }
}

}  // namespace carroll::detail
