// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/host/kernels.hpp>
#include <carroll/detail/determinant/portable/scratch_size.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// `blocked` on a host for matrices that fit a core's caches: one thread per matrix, which is read
/// once, with the same steps as host/kernels.hpp. n² entries read, 2n³/3 flops.
template <class ExecSpace, class T>
class HostScratchKernel {
 public:
  explicit HostScratchKernel(DeterminantBatch<T> const& batch) : batch_(batch) {}

  static std::size_t bytes_per_team(int n) {
    auto const order = static_cast<std::size_t>(n);
    auto const panel = static_cast<std::size_t>(HostPanel<T>::scalars(n));
    return (order * order + panel + 2 * order) * sizeof(T) +
           (2 * order + HostPanel<T>::ints) * sizeof(int) + 6 * 64;
  }

  void operator()(TeamMember<ExecSpace> const& team) const {
    DeterminantState<T> state;
    condense(team, state);
    batch_.info_of(team.league_rank()) = state.info;
  }

 private:
  void condense(TeamMember<ExecSpace> const& team, DeterminantState<T>& state) const {
    int const n = batch_.n;
    auto const order = static_cast<std::size_t>(n);
    auto const& scratch = team.team_scratch(int{scratch_level_of<ExecSpace>});
    auto const take = [&](std::size_t bytes) { return scratch.get_shmem_aligned(bytes, 64); };
    T* const a = static_cast<T*>(take(order * order * sizeof(T)));
    T* const tiles =
        static_cast<T*>(take(static_cast<std::size_t>(HostPanel<T>::scalars(n)) * sizeof(T)));
    int* const ints = static_cast<int*>(take((HostPanel<T>::ints + 2 * order) * sizeof(int)));
    HostBlock<T> block;
    block.count = 1;
    block.panels[0] = HostPanel<T>(tiles, ints);
    DeterminantBatch<T> one = batch_.from(team.league_rank());
    one.work = {a, {1, n, n}, {0, n, 1}};
    one.exponents = ints + HostPanel<T>::ints;
    one.row_tops = static_cast<T*>(take(2 * order * sizeof(T)));
    T* const bounds = one.row_tops + n;

    int flags = 0;
    with_host_vectors(HostRowsStep<T>{one, 0, n, flags});
    std::int64_t exponent;
    Status const status = finish_rows(team, one, flags, exponent);
    if (status != Status::success) return state.finish(status);
    state.info.value = ScaledNumber<T>(T(1), exponent);
    for (int i = 0; i < n; ++i) bounds[i] = 1;
    for (int first = 0; first < n; first += host_panel_rows) {
      int const below = Kokkos::min(first + host_panel_rows, n);
      block.first = first;
      condense_host_block(one, block, bounds, state);
      if (state.done) return;
      for (int begin = below; begin < n; begin += host_panel_rows)
        with_host_vectors(HostUpdateStep<T>{one, block, 1, bounds, begin,
                                            Kokkos::min(begin + host_panel_rows, n)});
    }
  }

  DeterminantBatch<T> batch_;
};

}  // namespace carroll::detail
