// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/distributed/detail/arrow_step/leaf.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::distributed::detail {

/// The groups of this rank's segments, leaf behind leaf, each as carroll::apply_pseudoinverse has
/// those of a problem.
struct LeafGroups {
  double const* data;
  int k, segments, unit;  ///< all segments; those of a leaf

  /// Entry c of segment i: d, γ, β₁ …
  KOKKOS_FUNCTION double at(int c, int i) const {
    int const leaf = i / unit, own = Kokkos::min(unit, segments - leaf * unit);
    return data[std::ptrdiff_t{leaf} * unit * (k + 2) + std::ptrdiff_t{c} * own +
                (i - leaf * unit)];
  }
};

/// The depths of a solved core, a thread each: ξ = γ - βy, and 1/d + βCβᵀ, its variance. `wrong`:
/// NaN.
template <class ExecSpace, class Real>
class ArrowDepthsKernel {
  using Output = carroll::detail::StridedBatch<Real>;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  ArrowDepthsKernel(LeafGroups const& groups, carroll::detail::ArrowBatch<Real> const& core,
                    Output const& xi, Output const& variances, int* overflow, bool wrong)
      : groups_(groups),
        core_(core),
        xi_(xi),
        variances_(variances),
        overflow_(overflow),
        wrong_(wrong) {}

  KOKKOS_FUNCTION void operator()(int i) const {
    int const k = groups_.k;
    carroll::detail::Core const core(k, core_.core(0), core_.pivots_of(0));
    if (xi_.data) {
      double x = groups_.at(1, i);
      for (int j = 0; j < k; ++j) x -= groups_.at(2 + j, i) * core.y[j];
      put(xi_, i, x);
    }
    if (variances_.data) {
      double const d = groups_.at(0, i);
      double spread = 0;
      for (int r = 0; r < k; ++r)
        for (int c = 0; c < k; ++c)
          spread += groups_.at(2 + r, i) * groups_.at(2 + c, i) * core.at(core.work, r, c);
      put(variances_, i, spread + (d > 0 ? 1 / d : 0));
    }
  }

 private:
  KOKKOS_FUNCTION void put(Output const& out, int i, double value) const {
    Real& target = out.data[i * out.strides[1]];
    target = wrong_ ? Kokkos::Experimental::quiet_NaN_v<Real> : static_cast<Real>(value);
    if (!wrong_ && !Kokkos::isfinite(target)) Kokkos::atomic_store(overflow_, 1);
  }

  LeafGroups groups_;
  carroll::detail::ArrowBatch<Real> core_;
  Output xi_, variances_;
  int* overflow_;
  bool wrong_;
};

/// offsets[leaf][i], 0 <= i <= segments of the leaf: those of the caller, from 0; and where leaves
/// begin.
template <class ExecSpace, class Real>
void cut_offsets(ExecSpace const& exec, carroll::detail::ArrowBatch<Real> const& batch, int unit,
                 int leaves, int* offsets, int* bounds) {
  int const m = batch.m;
  Kokkos::parallel_for(
      "carroll::distributed::arrow_step::offsets",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
          exec, 0, std::int64_t{leaves} * (unit + 1)),
      KOKKOS_LAMBDA(std::int64_t e) {
        int const leaf = static_cast<int>(e / (unit + 1)), i = static_cast<int>(e % (unit + 1));
        int const first = leaf * unit;
        if (i > m - first) return;
        int const begin = batch.offset(0, first), own = batch.offset(0, first + i);
        offsets[e] = own - begin;
        if (i == 0) bounds[leaf] = begin;
        if (first + i == m) bounds[leaves] = own;
      });
}

/// Leaves of which nothing can be told.
template <class ExecSpace>
void refuse_leaves(ExecSpace const& exec, double* systems, int k, int leaves) {
  auto const size = carroll::detail::partial_size(k);
  Kokkos::parallel_for(
      "carroll::distributed::arrow_step::refuse",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, leaves),
      KOKKOS_LAMBDA(int leaf) {
        for (int e = 0; e < size; ++e) systems[leaf * size + e] = e == found_place(k) ? 1.0 : 0.0;
      });
}

/// What leaves have told, to the core, which looks for it in the edges of windows, and to the host.
template <class ExecSpace, class Real>
void tell_found(ExecSpace const& exec, carroll::detail::ArrowBatch<Real> const& core,
                LeafFound* found) {
  Kokkos::parallel_for(
      "carroll::distributed::arrow_step::found",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, core.windows),
      KOKKOS_LAMBDA(int leaf) {
        double const* const told = core.partial(0, leaf) + found_place(core.k);
        found[leaf] = {static_cast<int>(told[0]), static_cast<int>(told[1])};
        core.edges_of(0, leaf).invalid = found[leaf].invalid;
      });
}

/// to[i] := from[first + i].
template <class ExecSpace, class Real>
void copy_depths(ExecSpace const& exec, carroll::detail::StridedBatch<Real> const& from,
                 carroll::detail::StridedBatch<Real> const& to, std::int64_t first, int count) {
  if (!to.data) return;
  Kokkos::parallel_for(
      "carroll::distributed::arrow_step::depths",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, count), KOKKOS_LAMBDA(int i) {
        to.data[i * to.strides[1]] = from.data[(first + i) * from.strides[1]];
      });
}

/// Segment by segment, on their way to another rank; and from all of them, entry by entry.
template <class ExecSpace>
void pack_groups(ExecSpace const& exec, LeafGroups const& groups, double* packed) {
  int const size = groups.k + 2;
  Kokkos::parallel_for(
      "carroll::distributed::arrow_step::pack",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, groups.segments),
      KOKKOS_LAMBDA(int i) {
        for (int c = 0; c < size; ++c) packed[std::ptrdiff_t{i} * size + c] = groups.at(c, i);
      });
}
template <class ExecSpace>
void unpack_groups(ExecSpace const& exec, double const* packed, int k, int segments, double* groups,
                   int* offsets) {
  int const size = k + 2;
  Kokkos::parallel_for(
      "carroll::distributed::arrow_step::unpack",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, segments + 1),
      KOKKOS_LAMBDA(int i) {
        offsets[i] = i;
        for (int c = 0; i < segments && c < size; ++c)
          groups[std::ptrdiff_t{c} * segments + i] = packed[std::ptrdiff_t{i} * size + c];
      });
}

}  // namespace carroll::distributed::detail
