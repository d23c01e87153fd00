// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/asum.hpp>
#include <carroll/dot.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <carroll/sum.hpp>

/// What a workspace does for one of the reductions: members that are templates, which those of its
/// class do not bring with them.
#define CARROLL_REDUCTION_CALLS(TEMPLATE, R, T)                                                   \
  TEMPLATE void carroll::detail::                                                                 \
      AccessTo<carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>>::enqueue<R>(        \
          Kokkos::DefaultExecutionSpace const&,                                                   \
          carroll::detail::ReductionBatch<T, carroll::detail::ReductionValue<R, T>> const&,       \
          carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>&);                        \
  TEMPLATE void carroll::detail::                                                                 \
      AccessTo<carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>>::enqueue_part<R>(   \
          Kokkos::DefaultExecutionSpace const&,                                                   \
          carroll::detail::ReductionBatch<T, carroll::detail::ReductionValue<R, T>> const&,       \
          carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>&);                        \
  TEMPLATE std::span<carroll::ReductionInfo<carroll::detail::ReductionValue<R, T>> const>         \
  carroll::detail::AccessTo<carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>>::call< \
      R>(Kokkos::DefaultExecutionSpace const&,                                                    \
         carroll::detail::ReductionBatch<T, carroll::detail::ReductionValue<R, T>>,               \
         carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>&);                         \
  TEMPLATE bool carroll::detail::                                                                 \
      AccessTo<carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>>::done_by_caller<R>( \
          Kokkos::DefaultExecutionSpace const&,                                                   \
          carroll::detail::ReductionBatch<T, carroll::detail::ReductionValue<R, T>> const&,       \
          carroll::ReductionOptions const&)

/// `sum`, `asum`, `dot`, `norm2` and `max_abs`: their workspace, and what enqueues kernels.
#define CARROLL_REDUCTION_INSTANCE(TEMPLATE, T)                            \
  TEMPLATE struct carroll::detail::AccessTo<                               \
      carroll::ReductionWorkspace<Kokkos::DefaultExecutionSpace, T>>;      \
  CARROLL_REDUCTION_CALLS(TEMPLATE, carroll::detail::Reduction::sum, T);   \
  CARROLL_REDUCTION_CALLS(TEMPLATE, carroll::detail::Reduction::asum, T);  \
  CARROLL_REDUCTION_CALLS(TEMPLATE, carroll::detail::Reduction::dot, T);   \
  CARROLL_REDUCTION_CALLS(TEMPLATE, carroll::detail::Reduction::norm2, T); \
  CARROLL_REDUCTION_CALLS(TEMPLATE, carroll::detail::Reduction::max_abs, T)

CARROLL_REDUCTION_INSTANCE(extern template, float);
CARROLL_REDUCTION_INSTANCE(extern template, double);
CARROLL_REDUCTION_INSTANCE(extern template, Kokkos::complex<float>);
CARROLL_REDUCTION_INSTANCE(extern template, Kokkos::complex<double>);
