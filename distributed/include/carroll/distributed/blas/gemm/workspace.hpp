// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/distributed/blas/grid.hpp>
#include <carroll/gemm/types.hpp>
#include <carroll/gemm/workspace.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::distributed {

/// How the matrices of C := alpha·op(A)·op(B) + beta·C lie on a grid, each as it is stored.
struct GemmLayouts {
  GridLayout A, B, C;
  friend bool operator==(GemmLayouts const&, GemmLayouts const&) = default;
};

/// What `gemm` over ranks needs besides the caller's Views, made by `gemm_workspace` for a grid,
/// layouts and options: a panel of op(A), one of op(B), and what is on its way there.
template <class ExecSpace, class T>
class GemmWorkspace {
 public:
  [[nodiscard]] GemmLayouts const& layouts() const { return layouts_; }
  [[nodiscard]] GemmOptions const& options() const { return options_; }
  /// Terms of a panel; the last one may have fewer.
  [[nodiscard]] std::int64_t panel_terms() const { return width_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  template <class, class>
  friend struct GemmAccess;

  /// A panel of one side, and room for what becomes of it.
  struct Panel {
    T* data = nullptr;  ///< its entries, those of a term side by side
    T* sent = nullptr;
    T* gathered = nullptr;
  };

  GemmLayouts layouts_;
  GemmOptions options_;
  std::uint64_t signature_ = 0;
  std::int64_t terms_ = 0, width_ = 1;
  carroll::GemmWorkspace<ExecSpace, T> whole_, last_;  ///< for this rank's part of a panel
  Panel a_, b_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
};

/// A workspace for products on the grid. Collective; allocates. Throws on all ranks:
/// std::invalid_argument for layouts that do not fit the grid or each other, and for options that
/// carroll::gemm does not take; AllocationError.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] GemmWorkspace<ExecSpace, T> gemm_workspace(Grid<ExecSpace> const& grid,
                                                         GemmLayouts const& layouts,
                                                         GemmOptions const& options = {});

}  // namespace carroll::distributed

#include <carroll/distributed/detail/gemm/access.hpp>
