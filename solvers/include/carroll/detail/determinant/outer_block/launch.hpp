// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/outer_block/columns.hpp>
#include <carroll/detail/determinant/outer_block/rows.hpp>
#include <carroll/detail/determinant/outer_block/scale.hpp>
#include <carroll/detail/determinant/outer_block/side_instance.hpp>
#include <carroll/detail/determinant/outer_block/trsm.hpp>
#include <carroll/detail/determinant/panel/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(CARROLL_HAVE_KOKKOSKERNELS) && defined(KOKKOS_ENABLE_CUDA)
#include <KokkosBlas3_gemm.hpp>
#include <KokkosKernels_EagerInitialize.hpp>
#endif

/// The launches of large matrices, slab by slab, or by twos (outer_block/outer_block.hpp). The next
/// slab's rows are updated first, while on another instance the rows behind are made ready for the
/// product; during the product the next slab is condensed, on a third instance, which goes before
/// the others.
namespace carroll::detail {

/// Orders from which slabs are worth it, and columns that are left to the strips alone. One matrix
/// would be done by slabs a little sooner from 2176 columns on (double precision: 1920), but
/// several at the same time are not. (H200, 2026-11-22: order 2560, single precision, 2.0 ms
/// for 2.3, 3072 2.5 for 3.3; order 2048, double precision, 1.64 ms for 1.73, 2304 1.89 for 2.22,
/// 3072 2.7 for 4.8.)
template <class T>
inline constexpr int least_slab_order = sizeof(T) == 4 ? 2560 : 2304;
template <class T>
inline constexpr int least_slab_columns = sizeof(T) == 4 ? 2048 : 1664;

/// Rows of a slab that are updated together, in strips of R rows: a team has all columns of such a
/// block, which is the longest part of the way from strip to strip where there are many. (H200,
/// 2026-11-22, order 4096, strips of 16 rows: four rows 3.8 and 4.4 ms, eight 4.0 and 5.0.)
template <class T, int R>
inline constexpr int slab_block_rows = sizeof(T) == 4 && R == 32 ? 8 : 4;

/// Columns down to which slabs are taken off by twos, and down to which U⁻¹ goes into V. Both
/// lengthen the way from slab to slab, which does not matter as long as the product takes longer.
inline constexpr int least_pair_columns = 10240;
inline constexpr int least_fold_columns = 6656;
static_assert(least_pair_columns >= least_fold_columns + slab_rows);

/// As long as it does, strips are shared by half as many teams as could be; or where these could
/// not run at the same time.
template <class T>
inline constexpr int wide_team_columns = 2 * strip_team_columns<T>;

/// Have `teams_at_once` teams, one of them for updates, room for a strip?
inline bool fit(std::int64_t columns, int team_columns, int teams_at_once) {
  return (columns + team_columns - 1) / team_columns < teams_at_once;
}

/// Strips have 16 rows, which is sooner done, as in panel/launch.hpp; but 32 where U⁻¹ goes into V,
/// or with wide teams. (H200, 2026-11-22, order 4096: a slab in 0.20 ms for 0.29.)
inline constexpr int most_slab_strips = slab_rows / 16;

template <class T>
StripPlan slab_plan(std::int64_t columns, int teams_at_once) {
  bool const wide =
      columns >= least_pair_columns || !fit(columns, strip_team_columns<T>, teams_at_once);
  int const R = wide || columns >= least_fold_columns ? 32 : 16;
  return {static_cast<int>(columns),
          R,
          R == 32 ? int{slab_block_rows<T, 32>} : int{slab_block_rows<T, 16>},
          wide ? int{wide_team_columns<T>} : int{strip_team_columns<T>},
          slab_rows,
          slab_rows / R};
}

/// Teams that update the rows of a slab while others condense its strips of R rows. All of them are
/// taken from the product that runs at the same time.
template <class T>
int slab_update_teams(int R) {
  return (sizeof(T) == 4 ? 16 : 32) + (R == 32 ? 0 : 16);
}

/// Slabs of a matrix of order n.
template <class T>
int slabs_of(std::int64_t n) {
  return n < least_slab_order<T> ? 0
                                 : static_cast<int>((n - least_slab_columns<T>) / slab_rows) + 1;
}

/// Slabs whose W is kept at the same time, where it does not make room for V.
inline constexpr int slabs_kept = 2;

/// Can the teams that share the first strip of a matrix of order n run at the same time, as they
/// must? And those that share what slabs leave.
template <class ExecSpace, class T>
bool takes_strips(std::int64_t n, [[maybe_unused]] int teams_at_once) {
  if constexpr (has_strips<ExecSpace, T>) {
    std::int64_t const rest = n - std::int64_t{slabs_of<T>(n)} * slab_rows;
    // A front team or a chain, and one for the rows.
    if (teams_at_once < 2) return false;
    return n <= most_strip_columns || (fit(rest, strip_team_columns<T>, teams_at_once) &&
                                       (rest == n || fit(n, wide_team_columns<T>, teams_at_once)));
  } else {
    return false;
  }
}

/// What a matrix of order n needs of the strips' workspace.
template <class T>
StripExtents strip_extents(std::int64_t n) {
  int const slabs = slabs_of<T>(n);
  if (slabs == 0) return StripExtents(shared_strip_plan<T>(n));
  constexpr int any = std::numeric_limits<int>::max();
  StripPlan const slab = slab_plan<T>(n, any);
  StripExtents extents(shared_strip_plan<T>(n - std::int64_t{slabs} * slab_rows));
  extents.n = static_cast<int>(n);
  extents.W_rows = std::max(extents.W_rows, slabs_kept * slab_rows);
  extents.records = std::max(extents.records, slabs_kept * most_slab_strips);
  extents.strips = std::max(extents.strips, most_slab_strips);
  extents.blocks = std::max(extents.blocks, slab_rows / slab_block_rows<T, 16>);
  // The most there are: with wide teams, or where they end.
  extents.teams = std::max(slab.teams(0), slab_plan<T>(least_pair_columns - 1, any).teams(0));
  return extents;
}

/// C := C - A·B by the vendor's library where it can be had, and the strides are its.
template <class ExecSpace, class T>
void enqueue_subtract_product(ExecSpace const& exec, Gemm<T> const& gemm) {
#if defined(CARROLL_HAVE_KOKKOSKERNELS) && defined(KOKKOS_ENABLE_CUDA)
  using Left = Kokkos::View<T**, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryUnmanaged>;
  using ConstLeft = Kokkos::View<T const**, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryUnmanaged>;
  auto const left = [](auto const& A, int rows, int cols) {  // A.row_stride is 1
    using View = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(A.data)>>,
                                    ConstLeft, Left>;
    return Kokkos::subview(View(A.data, A.col_stride, cols), Kokkos::pair(0, rows), Kokkos::ALL);
  };
  auto const flag = [](auto const& A) { return A.row_stride == 1 ? "N" : "T"; };
  auto const enqueue = [&](Gemm<T> const& g) {
    auto const a = g.a.row_stride == 1 ? left(g.a, g.m, g.k) : left(g.a.transposed(), g.k, g.m);
    auto const b = g.b.row_stride == 1 ? left(g.b, g.k, g.n) : left(g.b.transposed(), g.n, g.k);
    KokkosBlas::gemm(exec, flag(g.a), flag(g.b), T(-1), a, b, T(1), left(g.c, g.m, g.n));
  };
  if (gemm.m == 0 || gemm.n == 0) return;
  if (gemm.c.row_stride == 1 && gemm.c.col_stride >= gemm.m) return enqueue(gemm);
  if (gemm.c.col_stride == 1 && gemm.c.row_stride >= gemm.n)
    return enqueue({gemm.n, gemm.m, gemm.k, gemm.alpha, gemm.b.transposed(), gemm.a.transposed(),
                    gemm.beta, gemm.c.transposed()});
#endif
  enqueue_gemm("carroll::determinant::update", exec, gemm);
}

/// What slabs want besides the strips' workspace.
template <class ExecSpace, class T>
struct DeterminantSlabs {
  SlabMemory<T> memory;
  SideInstance<ExecSpace> side;    ///< for what all others wait for
  SideInstance<ExecSpace> beside;  ///< for what fills gaps

  /// Makes all that allocates memory, but for `memory`.
  void prepare(ExecSpace const& exec) {
    side = SideInstance<ExecSpace>::of(exec, true);
    beside = SideInstance<ExecSpace>::of(exec, false);
#if defined(CARROLL_HAVE_KOKKOSKERNELS) && defined(KOKKOS_ENABLE_CUDA)
    KokkosKernels::eager_initialize();
#endif
  }
};

/// One matrix, the first of the batch.
template <class ExecSpace, class T>
class SlabLaunch {
 public:
  SlabLaunch(ExecSpace const& exec, DeterminantBatch<T> const& batch,
             StripWorkspace<T> const& workspace, DeterminantSlabs<ExecSpace, T> const& slabs)
      : exec_(exec),
        batch_(batch),
        workspace_(workspace),
        slabs_(slabs.memory),
        side_(slabs.side),
        beside_(slabs.beside) {
    batch_.members = 1;
  }

  void enqueue() {
    enqueue_strip_start(exec_, batch_, workspace_);
    using Scale = SlabScaleKernel<ExecSpace, T>;
    Kokkos::parallel_for("carroll::determinant::scale",
                         typename Scale::Policy(exec_, batch_.n, Scale::threads),
                         Scale(batch_, workspace_, slabs_.of(0)));
    batch_.source.data = batch_.work.data;
    for (int k : {0, 1, 2}) batch_.source.strides[k] = batch_.work.strides[k];
    int const slabs = slabs_of<T>(batch_.n);
    Group group = group_at(0);
    condense(exec_, group, 0, true);
    if (group.count == 2) {
      take_off({0, 1}, slab_rows, 2 * slab_rows, false);
      condense(exec_, group, 1, true);
    }
    for (int unmeasured = 0; group.count > 0;) {
      unmeasured += group.count;
      bool const measure = unmeasured >= measured_slabs;
      if (measure) unmeasured = 0;
      Group const next = group_at(group.end());
      update(group, next, measure);
      group = next;
    }
    int const first = slabs * slab_rows;
    if (first < batch_.n) {
      StripPlan const rest = shared_strip_plan<T>(batch_.n - first);
      enqueue_strip_steps(exec_, batch_, workspace_, rest, StripStage{first},
                          strip_teams(workspace_.teams_at_once, rest, 1));
    }
  }

 private:
  /// Slabs after which rows are looked at: each adds some eight bits of their entries to a bound.
  static constexpr int measured_slabs = sizeof(T) == 4 ? 8 : 16;

  /// Slabs that are taken off together: two, one, or none when there are no more.
  struct Group {
    int first, count;
    [[nodiscard]] int end() const { return first + count; }
  };
  [[nodiscard]] Group group_at(int first) const {
    int const left = slabs_of<T>(batch_.n) - first;
    return {first, std::min(left, plan(first).n >= least_pair_columns ? 2 : 1)};
  }

  [[nodiscard]] StripPlan plan(int number) const {
    return slab_plan<T>(batch_.n - number * slab_rows, workspace_.teams_at_once);
  }
  /// Does V take the place of the slab's rows?
  [[nodiscard]] bool folds(int number) const { return plan(number).n >= least_fold_columns; }
  [[nodiscard]] StripStage stage(int number) const {
    int const place = number % slabs_kept;
    return {number * slab_rows, place * slab_rows, place * most_slab_strips};
  }

  /// Slab `k` of a group; `alone`: nothing else is to be done at the same time.
  void condense(ExecSpace const& exec, Group const& group, int k, bool alone) const {
    int const number = group.first + k;
    StripPlan const plan = this->plan(number);
    int const teams = alone ? std::max(plan.teams(0) + 1, workspace_.teams_at_once)
                            : plan.teams(0) + slab_update_teams<T>(plan.R);
    auto const enqueue = [&]<int R, int Columns>(std::integer_sequence<int, R, Columns>) {
      constexpr int rows = slab_block_rows<T, R>;
      using Steps = StripStepsKernel<ExecSpace, T, R, rows, Columns, 8, true>;
      Steps const steps(batch_, workspace_, plan, stage(number), teams);
      Kokkos::parallel_for("carroll::determinant::shared_strips", steps.policy(exec), steps);
    };
    auto const order = [&]<int R>(std::integral_constant<int, R>) {
      SlabColumnsKernel<ExecSpace, T, R> const columns(batch_, workspace_, slabs_.of(number), plan,
                                                       stage(number), k == 1);
      Kokkos::parallel_for("carroll::determinant::slab_columns", columns.policy(exec), columns);
    };
    if (plan.R == 16)
      enqueue(std::integer_sequence<int, 16, strip_team_columns<T>>());
    else if (plan.team_columns == wide_team_columns<T>)
      enqueue(std::integer_sequence<int, 32, wide_team_columns<T>>());
    else
      enqueue(std::integer_sequence<int, 32, strip_team_columns<T>>());
    if (plan.R == 16)
      order(std::integral_constant<int, 16>());
    else
      order(std::integral_constant<int, 32>());
    if (!folds(number)) return;
    SlabFoldKernel<ExecSpace, T> const fold(batch_, workspace_, slabs_.of(number),
                                            slabs_.of(group.first), plan, stage(number), k == 1);
    Kokkos::parallel_for("carroll::determinant::slab_fold", fold.policy(exec), fold);
  }

  /// Takes a group off all rows behind it, and condenses the next one.
  void update(Group const& group, Group const& next, bool measure) const {
    int const n = batch_.n;
    int const begin = group.end() * slab_rows;
    if (next.count == 0) return take_off(group, begin, n, measure);
    int const end = begin + slab_rows;
    find_X(exec_, group, begin, end, measure);
    // The others' rows as soon as there is room for them beside the small product. But the next
    // slab's teams, each of which wants all of a multiprocessor, wait for them then: where that
    // takes long, with doubles, and the slab longer than the product, it begins before them. (H200,
    // 2026-11-22, order 4096, single and double precision: 3.67 and 4.20 ms, otherwise 3.68 and
    // 4.02.)
    bool const early = sizeof(T) == 4 || folds(group.first);
    if (early) find_X(beside_.fork(exec_), group, end, n, measure);
    subtract_product(group, begin, end);
    ExecSpace const urgent = side_.fork(exec_);
    ExecSpace const filling = early ? exec_ : beside_.fork(urgent);
    condense(urgent, next, 0, false);
    if (!early) find_X(filling, group, end, n, measure);
    beside_.join(exec_);
    int from = end;
    if (next.count == 2) {
      // The second one's rows are in the first half of the product.
      from += (n - end) / 2 / 128 * 128;
      subtract_product(group, end, from);
      side_.join(exec_);
      take_off({next.first, 1}, end, end + slab_rows, false);
      condense(side_.fork(exec_), next, 1, false);
    }
    subtract_product(group, from, n);
    side_.join(exec_);
  }

  /// A group off rows `begin` to `end` - 1.
  void take_off(Group const& group, int begin, int end, bool measure) const {
    find_X(exec_, group, begin, end, measure);
    subtract_product(group, begin, end);
  }

  void find_X(ExecSpace const& exec, Group const& group, int begin, int end, bool measure) const {
    if (plan(group.first).R == 32) {
      find_X_of<32, 4, false>(exec, group.first, begin, end, measure);
      if (group.count == 2) find_X_of<32, 4, true>(exec, group.first + 1, begin, end, false);
    } else if (end - begin <= slab_rows) {  // few rows are spread over more teams
      find_X_of<16, 2, false>(exec, group.first, begin, end, measure);
    } else {
      find_X_of<16, 8, false>(exec, group.first, begin, end, measure);
    }
  }
  template <int R, int M, bool Second>
  void find_X_of(ExecSpace const& exec, int number, int begin, int end, bool measure) const {
    if (begin == end) return;
    SlabRowsKernel<ExecSpace, T, R, M, Second> const kernel(
        batch_, workspace_, slabs_.of(number), plan(number), begin, end, folds(number), measure);
    Kokkos::parallel_for("carroll::determinant::slab_rows", kernel.policy(exec), kernel);
  }

  /// Rows and columns in the order in which they stand in memory.
  void subtract_product(Group const& group, int begin, int end) const {
    int const columns = plan(group.first).n;
    StridedMatrix<T> const A = batch_.work_of(0);
    Gemm<T> gemm{};
    gemm.m = end - begin;
    gemm.k = group.count * slab_rows;
    gemm.n = columns - static_cast<int>(gemm.k);
    if (gemm.m == 0 || gemm.n == 0) return;
    gemm.alpha = T(-1);
    gemm.a = {&A(end - 1, columns - 1), -A.row_stride, -A.col_stride};
    if (folds(group.first)) {
      gemm.b = {&A(group.end() * slab_rows - 1, gemm.n - 1), -A.row_stride, -A.col_stride};
    } else {
      StripMemory<T> const memory = stage(group.first).in(workspace_.of(0));
      gemm.b = {memory.entry_of_W(0, gemm.n - 1), memory.pitch, 1};
    }
    gemm.beta = T(1);
    gemm.c = {&A(end - 1, gemm.n - 1), -A.row_stride, -A.col_stride};
    enqueue_subtract_product(exec_, gemm);
  }

  ExecSpace exec_;
  DeterminantBatch<T> batch_;
  StripWorkspace<T> workspace_;
  SlabMemory<T> slabs_;
  SideInstance<ExecSpace> side_, beside_;
};

}  // namespace carroll::detail
