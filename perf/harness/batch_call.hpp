// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include "harness/buffers.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

/// Singular values or eigenvalues, member after member.
template <class Real>
using BatchValues =
    Kokkos::View<Real**, Kokkos::LayoutRight, Exec::memory_space, Kokkos::MemoryUnmanaged>;

/// What a call of one of Carroll's solvers is of: A, and B, of Entry, factors or solutions of
/// Factor and values of Real; column-major members one after the other, as peers have them.
template <class Entry, class Factor, class Real, class Info, class Workspace>
struct BatchCall {
  Exec exec;
  Packed<Entry> A, B;
  Packed<Factor> left, right;
  BatchValues<Real> values;
  Buffer<Info> infos;
  Workspace workspace;
};

}  // namespace carroll::perf
