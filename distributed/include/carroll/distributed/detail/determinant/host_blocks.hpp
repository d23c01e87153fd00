// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/host/rows.hpp>
#include <carroll/detail/determinant/host/update.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/determinant/message.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <cstddef>
#include <cstdint>

/// The steps over ranks on hosts, with the plain solver's kernels
/// (carroll/detail/determinant/host/kernels.hpp) and its bits: a step is a block of up to four
/// packed panels, which are what its owner sends.
namespace carroll::distributed::detail {

using carroll::detail::Arena;
using carroll::detail::HostBlock;
using carroll::detail::HostPanel;
using carroll::detail::HostUpdateStep;

/// Takes a block off some of a rank's rows, `rows` of them at a time; 2b·m flops for each row and
/// panel of b rows and m columns behind the block.
template <class ExecSpace, class T>
class HostTakeOffKernel {
 public:
  using Policy =
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::Schedule<Kokkos::Dynamic>>;

  HostTakeOffKernel(RankProblem<T> const& problem, HostBlock<T> const& block, LocalRange range)
      : problem_(problem),
        block_(block),
        range_(range),
        rows_(problem.unit % most_rows == 0 ? most_rows : int{HostPanel<T>::rows}) {}
  [[nodiscard]] int items() const { return (range_.count() + rows_ - 1) / rows_; }

  void operator()(int item) const {
    int const begin = range_.begin + item * rows_;
    int const end = Kokkos::min(begin + rows_, range_.end);
    int const shift = problem_.shift_of(begin);
    carroll::detail::with_host_vectors(HostUpdateStep<T>{problem_.batch(begin), block_,
                                                         block_.count, problem_.row_bounds,
                                                         begin + shift, end + shift});
  }

 private:
  static constexpr int most_rows = carroll::detail::host_update_rows;

  RankProblem<T> problem_;
  HostBlock<T> block_;
  LocalRange range_;
  int rows_;
};

/// The same for the rows of the next step, the first item, which then are condensed by one thread;
/// the other items are rows that the other threads have time for.
template <class ExecSpace, class T>
struct HostAdvanceKernel {
  using Policy =
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::Schedule<Kokkos::Dynamic>>;

  RankProblem<T> problem;
  HostTakeOffKernel<ExecSpace, T> own, others;
  int first_local;  ///< of the next step's rows
  HostBlock<T> next;
  DeterminantState<T>* state;

  [[nodiscard]] int items() const { return 1 + others.items(); }
  void operator()(int item) const {
    if (item > 0) return others(item - 1);
    for (int k = 0; k < own.items(); ++k) own(k);
    condense_host_block(problem.batch(first_local), next, problem.row_bounds, *state);
  }
};

template <class ExecSpace, class T>
class HostBlockSteps {
 public:
  /// Rows of a step.
  static constexpr int unit(std::int64_t block) {
    for (int panels = HostBlock<T>::most_panels; panels > 1; --panels)
      if (block % (panels * HostPanel<T>::rows) == 0) return panels * HostPanel<T>::rows;
    return HostPanel<T>::rows;
  }
  static constexpr std::int64_t least_block = HostPanel<T>::rows;
  static constexpr bool turns_columns = true;

  /// Pieces of the workspace, besides the problem's.
  void lay_out(Arena& arena, RankProblem<T> const& problem) {
    for (auto& message : messages_) message.lay_out(arena, bytes(problem, 0));
  }

  void begin(Communicator<ExecSpace> const& comm, carroll::detail::StreamFork<ExecSpace> const&,
             RankProblem<T> const& problem) {
    exec_ = comm.exec();
    problem_ = problem;
  }
  [[nodiscard]] int steps() const { return problem_.steps(); }
  [[nodiscard]] int owner(int step) const { return problem_.owner(step); }

  /// A step's block with its state, and what it takes to send it.
  [[nodiscard]] Message message(int step) const {
    return {messages_[step % 2].data, bytes(problem_, step)};
  }

  /// The first block, by its owner.
  void start(DeterminantState<T> const& state) {
    if (!problem_.is_mine(0)) return;
    HostAdvanceKernel<ExecSpace, T> const advance{
        problem_, {problem_, block(0), {}}, {problem_, block(0), {}}, 0, block(0), &state_of(0)};
    *advance.state = state;
    launch("carroll::distributed::determinant::start", advance, 0, advance.items());
  }

  /// If the next step is this rank's: step `step` off its rows, which are condensed, and off some
  /// more of the rank's. Returns those that remain.
  LocalRange advance(int step) {
    if (!problem_.is_mine(step + 1)) return problem_.from_step(step + 1);
    LocalRange const own = problem_.of_step(step + 1);
    int const threads = exec_.concurrency();
    // About as long as one thread takes for the next block's own steps.
    int const more = std::min((threads - 1) * 2 * problem_.unit, problem_.count - own.end);
    HostAdvanceKernel<ExecSpace, T> const advance{
        problem_,
        {problem_, block(step), own},
        {problem_, block(step), {own.end, own.end + more}},
        own.begin,
        block(step + 1),
        &state_of(step + 1)};
    *advance.state = state_of(step);
    launch("carroll::distributed::determinant::advance", advance, 0, advance.items());
    return {own.end + more, problem_.count};
  }

  /// Step `step` off some rows. `poll` is called now and then.
  template <class Poll>
  void take_off(int step, LocalRange range, Poll const& poll) {
    HostTakeOffKernel<ExecSpace, T> const kernel(problem_, block(step), range);
    int const threads = exec_.concurrency();
    int const share = threads == 1 ? 1 : 8 * threads;
    for (int item = 0; item < kernel.items(); item += share) {
      launch("carroll::distributed::determinant::update", kernel, item,
             std::min(item + share, kernel.items()));
      poll();
    }
  }

  /// Is the determinant known, for those who have a step's message?
  [[nodiscard]] bool done(int step) const { return state_of(step).done != 0; }
  [[nodiscard]] DeterminantState<T> finish(int step) const { return state_of(step); }

 private:
  static constexpr std::int64_t header = 128;
  static_assert(sizeof(DeterminantState<T>) <= header);

  static int panels(RankProblem<T> const& problem, int step) {
    return (problem.rows_of(step) + HostPanel<T>::rows - 1) / HostPanel<T>::rows;
  }
  static std::int64_t int_bytes(int panels) {
    auto const bytes = std::int64_t{panels} * HostPanel<T>::ints * int(sizeof(int));
    return (bytes + header - 1) / header * header;
  }
  static std::int64_t scalars(RankProblem<T> const& problem, int step, int panel, int of) {
    int const first = problem.first(step) + panel * HostPanel<T>::rows;
    return HostPanel<T>::scalars(problem.n - first, of);
  }
  static std::int64_t bytes(RankProblem<T> const& problem, int step) {
    if (problem.n == 0) return header;
    int const count = panels(problem, step);
    std::int64_t all = header + int_bytes(count);
    for (int p = 0; p < count; ++p)
      all += scalars(problem, step, p, count) * std::int64_t{sizeof(T)};
    return all;
  }

  DeterminantState<T>& state_of(int step) const {
    return *reinterpret_cast<DeterminantState<T>*>(messages_[step % 2].data);
  }
  [[nodiscard]] HostBlock<T> block(int step) const {
    HostBlock<T> block;
    block.first = problem_.first(step);
    block.count = panels(problem_, step);
    std::byte* const memory = messages_[step % 2].data + header;
    auto* const ints = reinterpret_cast<int*>(memory);
    auto* data = reinterpret_cast<T*>(memory + int_bytes(block.count));
    for (int p = 0; p < block.count; ++p) {
      block.panels[p] = HostPanel<T>(data, ints + p * HostPanel<T>::ints, block.count);
      block.panels[p].ahead = block.end() - block.first_of(p);
      data += scalars(problem_, step, p, block.count);
    }
    return block;
  }

  template <class Kernel>
  void launch(char const* label, Kernel const& kernel, int begin, int end) const {
    Kokkos::parallel_for(label, typename Kernel::Policy(exec_, begin, end, Kokkos::ChunkSize(1)),
                         kernel);
    exec_.fence(label);
  }

  ExecSpace exec_;
  RankProblem<T> problem_;
  MessageBuffer messages_[2];
};

}  // namespace carroll::distributed::detail
