// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/determinant/portable/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/determinant/scaling_kernels.hpp>
#include <cstdint>
#include <string>

/// Before condensation: rows are divided by powers of two, and columns first where a row's entries
/// differ too much, as carroll::determinant does it.
namespace carroll::distributed::detail {

using carroll::detail::Arena;
using carroll::detail::is_complex;
using carroll::detail::lanes;

template <class ExecSpace, class T>
class RankScaling {
 public:
  void lay_out(Arena& arena, int ranks) {
    flags_ = arena.take<int>(1);
    tops_ = arena.take<RealOf<T>>(chunk);
    all_tops_ = arena.take<RealOf<T>>(std::int64_t{chunk} * ranks);
  }

  /// Scales a rank's rows. The same status on all ranks; `exponent`: what columns have taken out of
  /// the determinant, not rows, whose exponents their owners know.
  Status run(Communicator<ExecSpace> const& comm, RankProblem<T> const& problem,
             std::int64_t& exponent) const {
    using namespace carroll::detail;
    constexpr bool fused = lanes<ExecSpace> == 1 && !is_complex<T>;
    exponent = 0;
    auto const& exec = comm.exec();
    clear_flags(exec);
    if constexpr (fused) {
      using Kernel = HostRowScaleKernel<ExecSpace, T>;
      Kernel const kernel{problem, flags_};
      Kokkos::parallel_for("carroll::distributed::determinant::rows",
                           typename Kernel::Policy(exec, 0, kernel.items()), kernel);
    } else {
      by_rows(exec, "measure", RowMeasureKernel<ExecSpace, T>{problem, flags_});
    }
    int const flags = all_flags(comm);
    if (flags & row_non_finite) return Status::non_finite;
    if (flags & row_zero) return Status::singular;
    if (flags & row_wide) {
      if constexpr (fused)
        by_rows(exec, "back", RowScaleKernel<ExecSpace, T>{problem, false, true});
      clear_flags(exec);
      measure_columns(comm, problem);
      if (all_flags(comm) & row_zero) return Status::singular;
      by_rows(exec, "measure", ScaledRowMeasureKernel<ExecSpace, T>{problem});
      by_rows(exec, "scale", RowScaleKernel<ExecSpace, T>{problem, true});
      exponent = column_exponents(exec, problem);
    } else if (!fused) {
      by_rows(exec, "scale", RowScaleKernel<ExecSpace, T>{problem, false});
    }
    return Status::success;
  }

 private:
  static constexpr int chunk = 4096;  ///< columns whose entries are compared over ranks at a time

  template <class Kernel>
  static void by_rows(ExecSpace const& exec, char const* what, Kernel const& kernel) {
    auto const label = std::string("carroll::distributed::determinant::") + what;
    carroll::detail::launch_fitting_teams(label.c_str(), exec, kernel,
                                          {kernel.problem.count, lanes<ExecSpace> == 1 ? 1 : 8});
  }

  void clear_flags(ExecSpace const& exec) const { carroll::detail::set_to_zero(exec, flags_, 1); }
  [[nodiscard]] int all_flags(Communicator<ExecSpace> const& comm) const {
    using Device = Kokkos::View<int const, typename ExecSpace::memory_space,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    int mine = 0;
    Kokkos::deep_copy(comm.exec(), mine, Device(flags_));
    comm.exec().fence("carroll::distributed::determinant::flags");
    int all = 0;
    for (int const flags : comm.all_gather_value(mine)) all |= flags;
    return all;
  }

  void measure_columns(Communicator<ExecSpace> const& comm, RankProblem<T> const& problem) const {
    using Tops = ColumnTopKernel<ExecSpace, T>;
    using Exponents = ColumnExponentKernel<ExecSpace, T>;
    for (int first = 0; first < problem.n; first += chunk) {
      int const count = std::min(chunk, problem.n - first);
      Kokkos::parallel_for("carroll::distributed::determinant::column_tops",
                           typename Tops::Policy(comm.exec(), 0, count),
                           Tops{problem, first, tops_});
      comm.all_gather(tops_, all_tops_, count);
      Kokkos::parallel_for("carroll::distributed::determinant::column_exponents",
                           typename Exponents::Policy(comm.exec(), 0, count),
                           Exponents{problem, first, count, all_tops_, flags_});
    }
  }

  static std::int64_t column_exponents(ExecSpace const& exec, RankProblem<T> const& problem) {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(
        "carroll::distributed::determinant::exponents",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, problem.n),
        ColumnExponentSum<ExecSpace>{problem.lines.col_exponent}, sum);
    return sum;
  }

  int* flags_ = nullptr;
  RealOf<T>*tops_ = nullptr, *all_tops_ = nullptr;
};

}  // namespace carroll::distributed::detail
