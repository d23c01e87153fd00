// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/concepts.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/reduction/workspace.hpp>
#include <carroll/reduction_study.hpp>
#include <carroll/sum.hpp>
#include <optional>

/// Sums of a vector that ranks share by the strategies that a course on numerical methods teaches
/// for processes, to compare carroll::distributed::sum with (docs/studies.md).
///
///   std::optional<double> s = carroll::distributed::sum_by(comm, x, carroll::SumStrategy::tree);
///
/// Each rank adds up its own entries, as carroll::sum does. The sums of the ranks become one by
///
///   one_collects  P - 1 messages to rank 0, which adds them in rank order
///   tree          ⌈log₂P⌉ steps, in each of which every second rank gives its sum to another one
///   tree_to_all   ⌊log₂P⌋ steps in which pairs exchange their sums; ranks beyond the largest power
///                 of two give theirs to a partner before, and are told the result after
///
/// These are studies: without a status, and without the promise of carroll::distributed::sum: the
/// bits depend on how many ranks there are and what each has.
namespace carroll::distributed {

namespace detail {

/// A value of the host to another rank, from another one, and both at once.
template <class T>
void study_give(MPI_Comm comm, T const& mine, int to) {
  MPI_Send(&mine, int{sizeof(T)}, MPI_BYTE, to, 0, comm);
}
template <class T>
[[nodiscard]] T study_take(MPI_Comm comm, int from) {
  T theirs{};
  MPI_Recv(&theirs, int{sizeof(T)}, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE);
  return theirs;
}
template <class T>
[[nodiscard]] T study_exchange(MPI_Comm comm, T const& mine, int with) {
  T theirs{};
  MPI_Sendrecv(&mine, int{sizeof(T)}, MPI_BYTE, with, 0, &theirs, int{sizeof(T)}, MPI_BYTE, with, 0,
               comm, MPI_STATUS_IGNORE);
  return theirs;
}

template <class T>
std::optional<T> study_one_collects(MPI_Comm comm, int rank, int size, T sum) {
  if (rank > 0) {
    study_give(comm, sum, 0);
    return std::nullopt;
  }
  for (int other = 1; other < size; ++other) sum += study_take<T>(comm, other);
  return sum;
}

template <class T>
std::optional<T> study_tree(MPI_Comm comm, int rank, int size, T sum) {
  for (int step = 1; step < size; step *= 2) {
    if (rank % (2 * step) != 0) {
      study_give(comm, sum, rank - step);
      return std::nullopt;
    }
    if (rank + step < size) sum += study_take<T>(comm, rank + step);
  }
  return sum;
}

/// Pairs add in the order of their ranks, so that both have the same bits.
template <class T>
T study_tree_to_all(MPI_Comm comm, int rank, int size, T sum) {
  int const paired = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  if (rank >= paired) {
    study_give(comm, sum, rank - paired);
    return study_take<T>(comm, rank - paired);
  }
  if (rank + paired < size) sum += study_take<T>(comm, rank + paired);
  for (int step = 1; step < paired; step *= 2) {
    int const partner = rank ^ step;
    T const theirs = study_exchange(comm, sum, partner);
    sum = rank < partner ? sum + theirs : theirs + sum;
  }
  if (rank + paired < size) study_give(comm, sum, rank + paired);
  return sum;
}

}  // namespace detail

/// The sum of all ranks' entries: on rank 0, and with tree_to_all on all; elsewhere nothing. x is
/// of rank 1 over float or double, of any stride; ranks may have none. `workspace` is
/// carroll::reduction_workspace's for as many entries as this rank has. Collective; fences the
/// communicator's instance. Misuse on one rank throws on all: there std::invalid_argument,
/// elsewhere RankError.
template <ExecutionSpace ExecSpace, class XView, class T>
[[nodiscard]] std::optional<T> sum_by(Communicator<ExecSpace> const& comm, XView const& x,
                                      SumStrategy strategy,
                                      carroll::ReductionWorkspace<ExecSpace, T>& workspace) {
  static_assert(RealScalar<T>, "carroll::distributed::sum_by: x must be of float or double");
  T mine = 0;
  comm.agree("carroll::distributed::sum_by", static_cast<std::uint64_t>(strategy), [&] {
    carroll::detail::require_usable("carroll::distributed::sum_by", strategy);
    mine = carroll::sum(comm.exec(), x, workspace).value;
  });
  int const rank = comm.rank(), size = comm.size();
  switch (strategy) {
    case SumStrategy::one_collects: return detail::study_one_collects(comm.raw(), rank, size, mine);
    case SumStrategy::tree: return detail::study_tree(comm.raw(), rank, size, mine);
    default: return detail::study_tree_to_all(comm.raw(), rank, size, mine);
  }
}

/// The same with a workspace of its own.
template <ExecutionSpace ExecSpace, class XView>
[[nodiscard]] auto sum_by(Communicator<ExecSpace> const& comm, XView const& x,
                          SumStrategy strategy) {
  using T = typename XView::non_const_value_type;
  std::optional<carroll::ReductionWorkspace<ExecSpace, T>> workspace;
  comm.agree("carroll::distributed::sum_by", 0, [&] {
    workspace = carroll::reduction_workspace<T>(comm.exec(),
                                                {.length = static_cast<std::int64_t>(x.extent(0))});
  });
  return sum_by(comm, x, strategy, *workspace);
}

}  // namespace carroll::distributed
