// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/cyclic_layout.hpp>
#include <carroll/distributed/determinant/types.hpp>
#include <carroll/distributed/determinant/workspace.hpp>
#include <type_traits>

/// Determinant of one matrix whose rows are spread over ranks, as mantissa and exponent.
///
///   auto const layout = carroll::distributed::determinant_layout<double>(comm, n);
///   Kokkos::View<double**> A("A", layout.rows(comm.rank()), n);
///   …                                         // row i of A is row layout.global_row(rank, i)
///   auto const info = carroll::distributed::determinant(comm, A, layout);  // A is overwritten
///
/// A is a View of rank 2, layout.rows(rank) × n, of any strided layout and leading dimension, over
/// float, double or Kokkos::complex of one of them; a rank may have no rows. On hosts rows whose
/// entries lie side by side are fastest. The determinant of a 0×0 matrix is 1.
///
/// The pivot of a row is its largest entry, so that a block of rows is condensed by its owner
/// alone; a broadcast tells the others, who take the block off their own rows in a matrix product.
/// Each rank holds its rows and a few panels, no second copy of them. 2n³/(3p) flops on each of p
/// ranks (complex numbers: four times as many), n²/2 entries sent to everybody.
///
/// Accuracy, range and Status are those of carroll::determinant. The value is the same bits for 1
/// to 64 ranks, all layouts, numbers of threads and MPI libraries, of one build and one kind of
/// processor, and those of carroll::determinant; on devices only those of real numbers, up to an
/// order of 512 (float: 1024) for each multiprocessor. Complex numbers on devices are the exception
/// among layouts: where columns lie side by side (LayoutLeft), products are those of the
/// transposes, which round otherwise; each layout has its own bits for all numbers of ranks. What
/// DeterminantEngine::scalapack finds depends on the layout and on the ranks.
///
/// Collective: all ranks of the communicator call it, with the same layout and options. Returns the
/// same info everywhere. Misuse on one rank throws on all of them before anything is written:
/// std::invalid_argument there, RankError on the others.
namespace carroll::distributed {

namespace detail {

template <class ExecSpace, class AView>
consteval void assert_determinant_view() {
  constexpr bool holds = requires {
    requires StridedView<AView> && AccessibleView<AView, ExecSpace>;
    requires int(AView::rank) == 2;
    requires FieldScalar<typename AView::value_type>;
  };
  static_assert(holds,
                "carroll::distributed::determinant: A must be a writable strided View of rank 2 "
                "over float, double or Kokkos::complex of one of them, in memory that the "
                "execution space can access");
}

}  // namespace detail

/// The determinant, with a workspace made before, whose layout A must have: no allocation of
/// Carroll's. A is overwritten. Fences.
template <ExecutionSpace ExecSpace, class AView, class T>
[[nodiscard]] DeterminantInfo<T> determinant(Communicator<ExecSpace> const& comm, AView const& A,
                                             DeterminantWorkspace<ExecSpace, T>& workspace) {
  detail::assert_determinant_view<ExecSpace, AView>();
  static_assert(std::is_same_v<typename AView::value_type, T>,
                "carroll::distributed::determinant: the workspace must have the scalar type of A");
  return detail::DeterminantCall<ExecSpace, T>::run(comm, "carroll::distributed::determinant",
                                                    carroll::detail::strided_batch(A, false),
                                                    workspace);
}

/// The same with a workspace of its own.
template <ExecutionSpace ExecSpace, class AView>
[[nodiscard]] auto determinant(Communicator<ExecSpace> const& comm, AView const& A,
                               CyclicLayout const& layout, DeterminantOptions const& options = {}) {
  detail::assert_determinant_view<ExecSpace, AView>();
  using Call = detail::DeterminantCall<ExecSpace, typename AView::non_const_value_type>;
  constexpr char const* function = "carroll::distributed::determinant";
  auto workspace = Call::make(comm, function, layout, options);
  return Call::run(comm, function, carroll::detail::strided_batch(A, false), workspace);
}

}  // namespace carroll::distributed
