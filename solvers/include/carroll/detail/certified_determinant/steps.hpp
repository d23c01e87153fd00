// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/certified_determinant/bound.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/team.hpp>

/// Steps of one large matrix as kernels over its rows or columns.
namespace carroll::detail {

/// step.row for all rows, a thread per row, or step.column for all columns, a work item per column.
template <class ExecSpace, class Step>
class CertifiedRowsKernel {
 public:
  static constexpr int rows_per_team = lanes<ExecSpace> == 1 ? 16 : 4;

  CertifiedRowsKernel(Step const& step, CertifiedMemory const& memory, bool always)
      : step_(step), w_(memory), always_(always) {}
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (!always_ && w_.state->done) return;
    int const first = team.league_rank() * rows_per_team;
    thread_for(team, Kokkos::min(int{rows_per_team}, w_.n - first),
               [&](int r) { step_.row(team, w_, first + r); });
  }

 private:
  Step step_;
  CertifiedMemory w_;
  bool always_;
};

template <class ExecSpace, class Step>
class CertifiedColumnsKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  CertifiedColumnsKernel(Step const& step, CertifiedMemory const& memory, bool always)
      : step_(step), w_(memory), always_(always) {}
  KOKKOS_FUNCTION void operator()(int j) const {
    if (always_ || !w_.state->done) step_.column(w_, j);
  }

 private:
  Step step_;
  CertifiedMemory w_;
  bool always_;
};

/// `always`: before start_certified has said whether there is anything to do.
template <class ExecSpace, class Step>
void enqueue_step(char const* label, ExecSpace const& exec, Step const& step,
                  CertifiedMemory const& w, bool always = false) {
  if constexpr (requires { step.column(w, 0); }) {
    using Kernel = CertifiedColumnsKernel<ExecSpace, Step>;
    Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, w.n), Kernel(step, w, always));
  } else {
    using Kernel = CertifiedRowsKernel<ExecSpace, Step>;
    int const threads = lanes<ExecSpace> == 1 ? 1 : Kernel::rows_per_team;
    launch_teams(label, exec, Kernel(step, w, always),
                 {.count = pieces_of(w.n, Kernel::rows_per_team),
                  .threads = threads,
                  .lanes = lanes<ExecSpace>});
  }
}

/// The first and the last step, by one thread.
template <class ExecSpace, class Real>
class CertifiedInfoKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  CertifiedInfoKernel(CertifiedBatch<Real> const& batch, CertifiedMemory const& memory, int member,
                      bool start)
      : batch_(batch), w_(memory), member_(member), start_(start) {}
  KOKKOS_FUNCTION void operator()(int) const {
    auto& info = batch_.info_of(member_);
    if (start_)
      start_certified<Real>(w_, info);
    else if (!w_.state->done)
      info = conclude_certified<Real>(w_);
  }

 private:
  CertifiedBatch<Real> batch_;
  CertifiedMemory w_;
  int member_;
  bool start_;
};

}  // namespace carroll::detail
