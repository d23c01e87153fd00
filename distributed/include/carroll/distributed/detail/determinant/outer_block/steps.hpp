// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/outer_block/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/stream_fork.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/determinant/outer_block/kernels.hpp>
#include <carroll/distributed/detail/determinant/outer_block/message.hpp>
#include <carroll/distributed/detail/determinant/rank_update.hpp>
#include <cstdint>
#include <vector>

/// The steps over ranks on devices with warps, real numbers: a step is a group of outer blocks of
/// the plain solver (carroll/detail/determinant/outer_block/outer_block.hpp), by its kernels and
/// with its bits. The owner of a group's first block condenses it, in the message, and all take it
/// off their rows in one product. What is left at the end, some 2000 rows, goes to all ranks, each
/// of which condenses it.
///
/// Products are the vendor's where it can be had (rank_update.hpp).
namespace carroll::distributed::detail {

template <class ExecSpace, class T>
class OuterBlockSteps {
  using Group = OuterBlockGroup;
  using Block = carroll::detail::OuterBlock<T>;
  using Progress = carroll::detail::RowPanelProgress<T>;
  using Plan = carroll::detail::RowPanelPlan;
  using Stage = carroll::detail::RowPanelStage;

 public:
  static constexpr int rows = Group::rows;
  static constexpr int unit(std::int64_t) { return rows; }
  static constexpr bool turns_columns = true;  ///< as the plain solver does

  /// The largest order whose row panels' teams run at the same time on such a device.
  static std::int64_t most_order(ExecSpace const& exec) {
    return std::int64_t{carroll::detail::processors(exec) - 1} *
           carroll::detail::wide_team_columns<T>;
  }

  void lay_out(Arena& arena, RankProblem<T> const& problem, ExecSpace const& exec) {
    int const n = problem.n;
    for (auto& message : messages_) message.lay_out(arena, n);
    workspace_.teams_at_once = carroll::detail::processors(exec);
    workspace_.extents = carroll::detail::outer_block_extents<T>(n);
    workspace_.scalars = arena.take<T>(workspace_.scalars_per_member());
    workspace_.ints = arena.take<int>(workspace_.all_ints(1));
    workspace_.progress = arena.take<Progress>(1);
    workspace_.records = arena.take<carroll::detail::RowPanelRecord>(workspace_.extents.records);
    workspace_.words = arena.take<std::uint64_t>(workspace_.words_per_member());
    row_bound_ = arena.take<T>(n);
    info_ = arena.take<carroll::DeterminantInfo<T>>(1);
    std::int64_t const left = n - carroll::detail::outer_blocks_of<T>(n) * rows;
    rest_ = arena.take<T>(left * left);
  }

  /// `side`: for what all others wait for.
  void begin(Communicator<ExecSpace> const& comm,
             carroll::detail::StreamFork<ExecSpace> const& side, RankProblem<T> const& problem) {
    comm_ = &comm;
    exec_ = comm.exec();
    side_ = side;
    problem_ = problem;
    groups_.clear();
    int unmeasured = 0;
    for (Group group;;) {
      group = Group::behind<T>(group, problem.n, unmeasured);
      if (group.count == 0) break;
      groups_.push_back(group);
    }
    carroll::detail::set_to_zero(exec_, workspace_.ints, workspace_.all_ints(1));
    carroll::detail::set_to_zero(exec_, workspace_.words, workspace_.words_per_member());
    using Lines = OuterBlockLinesKernel<ExecSpace, T>;
    Kokkos::parallel_for("carroll::distributed::determinant::lines",
                         typename Lines::Policy(exec_, 0, problem.n),
                         Lines{problem.lines, workspace_.of(0), row_bound_});
  }
  [[nodiscard]] int steps() const { return static_cast<int>(groups_.size()); }
  [[nodiscard]] int owner(int step) const { return problem_.owner(group(step).first); }
  [[nodiscard]] Message message(int step) const {
    return of(step).message(group(step), problem_.n);
  }

  void start(DeterminantState<T> const& state) {
    Progress progress;
    progress.state.mantissa = double(state.info.value.mantissa());
    progress.state.exponent = state.info.value.exponent();
    Kokkos::deep_copy(exec_, DeviceProgress(workspace_.progress), HostProgress(&progress));
    exec_.fence("carroll::distributed::determinant::start");  // it is read from here
    collect(0);
    if (is_mine(0)) condense(exec_, 0, true);
  }

  LocalRange advance(int step) {
    if (!is_mine(step))
      Kokkos::deep_copy(exec_, DeviceProgress(workspace_.progress),
                        DeviceProgress(of(step).progress()));
    if (step + 1 == steps()) return problem_.from_step(group(step).end());
    Group const next = group(step + 1);
    for (int number = next.first; number < next.end(); ++number)
      subtract(step, problem_.of_step(number), true);
    collect(step + 1);
    if (is_mine(step + 1)) condense(side_.fork(exec_), step + 1, false);
    return problem_.from_step(next.end());
  }

  template <class Poll>
  void take_off(int step, LocalRange range, Poll const&) {
    subtract(step, range, false);
  }

  [[nodiscard]] bool done(int) const { return false; }  // its kernels find nothing to do any more

  /// The state behind the last step: what is left is condensed by each rank.
  DeterminantState<T> finish(int step) {
    using namespace carroll::detail;
    subtract(step, advance(step), false);
    int const first = group(step).end_row(), left = problem_.n - first;
    StridedMatrix<T> const rest{rest_ - std::int64_t{first} * left, left, 1};
    gather(rest, first, problem_.n, left);
    RowPanelPlan const plan = shared_row_panel_plan<T>(left);
    enqueue_row_panel_steps(exec_, batch(rest), workspace_, plan, RowPanelStage{first},
                            row_panel_teams(workspace_.teams_at_once, plan, 1));
    Progress progress;
    Kokkos::deep_copy(exec_, HostProgress(&progress), DeviceProgress(workspace_.progress));
    exec_.fence("carroll::distributed::determinant::info");
    DeterminantState<T> result;
    result.info = progress.state.info(progress.status, 0);
    return result;
  }

 private:
  using HostProgress = Kokkos::View<Progress, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using DeviceProgress =
      Kokkos::View<Progress, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;

  [[nodiscard]] Group const& group(int step) const {
    return groups_[static_cast<std::size_t>(step)];
  }
  [[nodiscard]] bool is_mine(int step) const { return owner(step) == problem_.rank; }
  [[nodiscard]] OuterBlockMessage<T> const& of(int step) const { return messages_[step % 2]; }

  /// Of outer blocks, by their numbers.
  [[nodiscard]] Plan plan(int number) const {
    return carroll::detail::outer_block_plan<T>(problem_.n - number * rows,
                                                workspace_.teams_at_once);
  }
  [[nodiscard]] bool folds(int number) const {
    return plan(number).n >= carroll::detail::least_fold_columns;
  }
  [[nodiscard]] static Stage stage(int number) {
    int const place = number % carroll::detail::outer_blocks_kept;
    return {number * rows, place * rows, place * carroll::detail::most_outer_block_row_panels};
  }

  /// As the plain solver's kernels want a matrix whose rows and columns are numbered as theirs.
  [[nodiscard]] DeterminantBatch<T> batch(StridedMatrix<T> const& numbered) const {
    DeterminantBatch<T> batch = problem_.batch_of(numbered);
    batch.infos = info_;
    return batch;
  }

  /// The group's rows, from all who have some, into its owner's message.
  void collect(int step) const {
    Group const next = group(step);
    int const columns = problem_.n - next.first_row();
    StridedMatrix<T> const into = of(step).numbered(next, problem_.n);
    for (int number = next.first; number < next.end(); ++number) {
      copy_rows(problem_.of_step(number), into, columns);
      int const root = problem_.owner(number), row = number * rows;
      if (root == owner(step)) continue;
      std::int64_t const pitch = -into.row_stride;
      comm_->broadcast(&into(row + rows - 1, 0) - (pitch - 1), rows * pitch, root);
      broadcast_lines(row, rows, root);
    }
  }

  void condense(ExecSpace const& exec, int step, bool alone) const {
    Group const own = group(step);
    int const n = problem_.n;
    StridedMatrix<T> const A = of(step).numbered(own, n);
    for (int k = 0; k < own.count; ++k) {
      int const number = own.first + k;
      if (k == 1) {  // the first one off the second one's rows
        using Rows = carroll::detail::WholeMatrixRows<T>;
        find_X<32, 4, false>(exec, Rows{A}, of(step).block(0, row_bound_), number - 1,
                             {number * rows, (number + 1) * rows}, false);
        subtract_product(exec, {own.first, 1}, A, {number * rows, (number + 1) * rows},
                         of(step).numbered(own, n));
      }
      carroll::detail::condense_outer_block(
          exec, batch(A), workspace_, of(step).block(k, row_bound_), of(step).block(0, row_bound_),
          plan(number), stage(number), k == 1, alone);
    }
    if (!folds(own.first)) {  // it is one block: W is not in its rows
      using Pack = OuterBlockPackKernel<ExecSpace, T>;
      Pack const pack{stage(own.first).in(workspace_.of(0)), stage(own.first).in(A),
                      n - own.end_row()};
      carroll::detail::launch_fitting_teams("carroll::distributed::determinant::pack", exec, pack,
                                            {pack.teams(), 8});
    }
    Kokkos::deep_copy(exec, DeviceProgress(of(step).progress()),
                      DeviceProgress(workspace_.progress));
  }

  /// A group off some of this rank's rows. `few`: a block's, which more teams share.
  void subtract(int step, LocalRange range, bool few) const {
    if (range.count() == 0) return;
    Group const gone = group(step);
    Block const first = of(step).block(0, row_bound_);
    RankRows<T> const mine{problem_};
    if (plan(gone.first).R == 32) {
      find_X<32, 4, false>(exec_, mine, first, gone.first, range, gone.measures);
      if (gone.count == 2)
        find_X<32, 4, true>(exec_, mine, of(step).block(1, row_bound_), gone.first + 1, range,
                            false);
    } else if (few) {
      find_X<16, 2, false>(exec_, mine, first, gone.first, range, gone.measures);
    } else {
      find_X<16, 8, false>(exec_, mine, first, gone.first, range, gone.measures);
    }
    // Whole blocks' rows come first.
    int const whole =
        std::clamp(problem_.from_step(problem_.n / rows).begin, range.begin, range.end);
    StridedMatrix<T> const V = of(step).numbered(gone, problem_.n);
    subtract_product(exec_, gone, problem_.rows, {range.begin, whole}, V);
    subtract_product(exec_, gone, problem_.rows, {whole, range.end}, V, true);
  }

  template <int R, int M, bool Second, class Places>
  void find_X(ExecSpace const& exec, Places const& places, Block const& block, int number,
              LocalRange range, bool measures) const {
    using Kernel = carroll::detail::OuterBlockRowsKernel<ExecSpace, T, R, M, Second, Places>;
    Kernel const kernel(places, workspace_, block, plan(number), range.begin, range.end,
                        folds(number), measures);
    Kokkos::parallel_for("carroll::distributed::determinant::outer_block_rows", kernel.policy(exec),
                         kernel);
  }

  /// X·V off rows `range` of A; `gone` are the rows of V, in a matrix that is numbered as all are.
  /// `few`: less than a block, of which the vendor might cut the sums.
  void subtract_product(ExecSpace const& exec, Group const& gone, StridedMatrix<T> const& A,
                        LocalRange range, StridedMatrix<T> const& V, bool few = false) const {
    if (range.count() == 0) return;
    int const columns = problem_.n - gone.first_row();
    carroll::detail::Gemm<T> gemm{};
    gemm.m = range.count();
    gemm.k = gone.row_count();
    gemm.n = columns - gemm.k;
    gemm.alpha = T(-1);
    gemm.a = {&A(range.end - 1, columns - 1), -A.row_stride, -A.col_stride};
    gemm.b = {&V(gone.end_row() - 1, gemm.n - 1), -V.row_stride, -V.col_stride};
    gemm.beta = T(1);
    gemm.c = {&A(range.end - 1, gemm.n - 1), -A.row_stride, -A.col_stride};
    if (few)
      enqueue_own_product(exec, subtracted<T>(gemm.a, gemm.b, gemm.c, gemm.m, gemm.n, gemm.k));
    else
      carroll::detail::enqueue_subtract_product(exec, gemm);
  }

  void copy_rows(LocalRange range, StridedMatrix<T> const& into, int columns) const {
    if (range.count() == 0) return;
    using Copy = RankRowsCopyKernel<ExecSpace, T>;
    Copy const copy{problem_, range, into, columns};
    carroll::detail::launch_fitting_teams("carroll::distributed::determinant::copy", exec_, copy,
                                          {copy.teams(), 8});
  }
  /// All ranks' rows `first` to `end` - 1, and what is known of them, to all.
  void gather(StridedMatrix<T> const& into, int first, int end, int columns) const {
    copy_rows(problem_.from_step(first / rows), into, columns);
    for (int row = first; row < end; row += rows) {
      int const count = std::min(rows, end - row), root = problem_.owner(row / rows);
      comm_->broadcast(&into(row, 0), std::int64_t{count} * columns, root);
      broadcast_lines(row, count, root);
    }
  }
  void broadcast_lines(int row, int count, int root) const {
    auto const memory = workspace_.of(0);
    comm_->broadcast(memory.row_exponent + row, count, root);
    comm_->broadcast(memory.row_top + row, count, root);
    comm_->broadcast(row_bound_ + row, count, root);
  }

  Communicator<ExecSpace> const* comm_ = nullptr;
  ExecSpace exec_;
  carroll::detail::StreamFork<ExecSpace> side_;
  RankProblem<T> problem_;
  std::vector<Group> groups_;
  carroll::detail::RowPanelWorkspace<T> workspace_;
  OuterBlockMessage<T> messages_[2];
  T* row_bound_ = nullptr;
  carroll::DeterminantInfo<T>* info_ = nullptr;
  T* rest_ = nullptr;  ///< the rows behind the last group
};

}  // namespace carroll::distributed::detail
