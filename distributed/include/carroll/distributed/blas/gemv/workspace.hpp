// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/distributed/blas/grid.hpp>
#include <carroll/distributed/blas/reduction/layout.hpp>
#include <carroll/distributed/detail/reduction/pieces.hpp>
#include <carroll/gemv/types.hpp>
#include <carroll/gemv/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::distributed {

/// What `gemv` over ranks needs besides the caller's Views, made by `gemv_workspace` for a grid, a
/// layout and options: sums of pieces of rows, of all ranks that share them.
template <class ExecSpace, class T>
class GemvWorkspace {
 public:
  [[nodiscard]] GridLayout const& layout() const { return layout_; }
  [[nodiscard]] GemvOptions const& options() const { return options_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  template <class, class>
  friend struct GemvAccess;
  using Sum = typename carroll::detail::MatrixVector<T>::Sum;

  struct Piece {
    std::int64_t begin, end;  ///< of this rank's terms
    carroll::GemvWorkspace<ExecSpace, T> workspace;
  };

  GridLayout layout_;
  GemvOptions options_;
  std::uint64_t signature_ = 0;
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> counts_;  ///< of all ranks' sums
  int all_pieces_ = 0;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
  Sum* mine_ = nullptr;    ///< of this rank's pieces, piece by piece
  Sum* all_ = nullptr;     ///< of all of them
  int* levels_ = nullptr;  ///< of all pieces
};

/// A workspace for products on the grid. Collective; allocates. Throws on all ranks:
/// std::invalid_argument for layouts of another grid, unusable options, or terms that are not
/// shared in multiples of 1024, as `reduction_layout` does it; AllocationError.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] GemvWorkspace<ExecSpace, T> gemv_workspace(Grid<ExecSpace> const& grid,
                                                         GridLayout const& layout,
                                                         GemvOptions const& options = {});

}  // namespace carroll::distributed

#include <carroll/distributed/detail/gemv/access.hpp>
