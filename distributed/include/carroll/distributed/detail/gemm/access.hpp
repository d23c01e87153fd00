// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/matrix_product/host/packed.hpp>
#include <carroll/detail/matrix_product/views.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/blas/gemm/workspace.hpp>
#include <carroll/distributed/detail/gemm/side.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <cstdint>
#include <string>

namespace carroll::distributed {

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class T>
struct GemmAccess {
  using Workspace = GemmWorkspace<ExecSpace, T>;
  using Local = carroll::detail::AccessTo<carroll::GemmWorkspace<ExecSpace, T>>;
  using Side = detail::GemmSide<ExecSpace, T>;
  using Product = carroll::detail::MatrixProduct<T>;

  static Workspace make(char const* function, Grid<ExecSpace> const& grid,
                        GemmLayouts const& layouts, GemmOptions const& options) {
    Workspace w;
    w.layouts_ = layouts;
    w.options_ = options;
    detail::Signature signature;
    for (GridLayout const& layout : {layouts.A, layouts.B, layouts.C})
      signature.with(layout.rows).with(layout.columns);
    w.signature_ = signature.with(options.op_a)
                       .with(options.op_b)
                       .with(options.method)
                       .with(options.kernel)
                       .with(int{sizeof(T)})
                       .value();
    auto const& exec = grid.comm().exec();
    grid.comm().agree(function, w.signature_, [&] {
      require_layouts(function, grid, layouts, options);
      w.terms_ = terms_of(layouts, options);
      w.width_ = panel_width(w.terms_);
      std::int64_t const last = w.terms_ % w.width_;
      GemmExtents extents{layouts.C.rows.count(grid.row()), layouts.C.columns.count(grid.column()),
                          w.width_, 1};
      w.whole_ = Local::make(exec, function, extents, options, false);
      extents.terms = last;
      w.last_ = Local::make(exec, function, extents, options, false);
      auto const [a, b] = sides(grid, w, {});
      w.bytes_ = carroll::detail::allocate_arena(exec, "carroll::distributed::gemm::workspace",
                                                 [&](carroll::detail::Arena& arena) {
                                                   lay_out(arena, a, w.width_, w.a_);
                                                   lay_out(arena, b, w.width_, w.b_);
                                                 });
    });
    return w;
  }

  template <class AView, class BView, class CView>
  static void call(char const* function, Grid<ExecSpace> const& grid, T const& alpha,
                   AView const& A, BView const& B, T const& beta, CView const& C,
                   Workspace const& w) {
    auto const& exec = grid.comm().exec();
    Product product;
    grid.comm().agree(function, detail::Signature().with(w.signature_).with(alpha == T(0)).value(),
                      [&] {
                        require_layouts(function, grid, w.layouts_, w.options_);
                        product = bind(function, grid, alpha, A, B, beta, C, w);
                      });
    if (w.terms_ == 0 || alpha == T(0)) {
      product.k = 0;
      Local::enqueue(exec, function, product, w.last_);
      exec.fence(function);
      return;
    }
    auto const [a, b] = sides(grid, w, product);
    for (std::int64_t begin = 0; begin < w.terms_; begin += w.width_) {
      std::int64_t const end = std::min(begin + w.width_, w.terms_);
      auto const panel_a = a.bring(exec, begin, end, w.a_);
      auto const panel_b = b.bring(exec, begin, end, w.b_);
      auto part = product;
      part.k = static_cast<int>(end - begin);
      part.a = {panel_a.data, 0, panel_a.row_stride, panel_a.col_stride};
      part.b = {panel_b.data, 0, panel_b.col_stride, panel_b.row_stride};
      if (begin > 0) part.beta = T(1);
      Local::enqueue(exec, function, part, part.k == w.width_ ? w.whole_ : w.last_);
    }
    exec.fence(function);
  }

 private:
  /// As long as a host's chains, so that bits are those of carroll::gemm there; on a device enough
  /// terms to pay for C, which is read and written for each panel.
  static std::int64_t panel_width(std::int64_t terms) {
    constexpr std::int64_t of_device = 1024;
    if (carroll::detail::lanes < ExecSpace >> 1 || terms == 0) return of_device;
    return carroll::detail::HostProductSizes<T>::chain(static_cast<int>(terms));
  }

  static std::int64_t terms_of(GemmLayouts const& layouts, GemmOptions const& options) {
    return (options.op_a == MatrixOp::identity ? layouts.A.columns : layouts.A.rows).length();
  }

  struct Sides {
    Side a, b;
  };
  static Sides sides(Grid<ExecSpace> const& grid, Workspace const& w, Product const& product) {
    auto const& [A, B, C] = w.layouts_;
    bool const turn_a = w.options_.op_a != MatrixOp::identity;
    bool const turn_b = w.options_.op_b != MatrixOp::identity;
    return {{{product.a.data, product.a.row_stride, product.a.col_stride},
             turn_a,
             turn_a ? A.rows : A.columns,
             turn_a ? A.columns : A.rows,
             C.rows,
             grid.row_ranks(),
             grid.column_ranks()},
            {{product.b.data, product.b.col_stride, product.b.row_stride},
             turn_b,
             turn_b ? B.columns : B.rows,
             turn_b ? B.rows : B.columns,
             C.columns,
             grid.column_ranks(),
             grid.row_ranks()}};
  }

  static void lay_out(carroll::detail::Arena& arena, Side const& side, std::int64_t width,
                      typename Workspace::Panel& panel) {
    panel.data = arena.take_if<T>(!side.is_local(), width * side.count());
    panel.sent = arena.take<T>(side.sent_size(width));
    panel.gathered = arena.take<T>(side.gathered_size(width));
  }

  /// This rank's blocks: of A and B as stored, turned as op wants it.
  template <class AView, class BView, class CView>
  static Product bind(char const* function, Grid<ExecSpace> const& grid, T const& alpha,
                      AView const& A, BView const& B, T const& beta, CView const& C,
                      Workspace const& w) {
    using carroll::detail::matrix_batch;
    auto const block = [&](GridLayout const& layout) {
      struct Extents {
        std::int64_t rows, columns;
      };
      return Extents{layout.rows.count(grid.row()), layout.columns.count(grid.column())};
    };
    auto const a_block = block(w.layouts_.A), b_block = block(w.layouts_.B),
               c_block = block(w.layouts_.C);
    carroll::detail::StridedBatch<T const> a, b;
    carroll::detail::StridedBatch<T> c;
    carroll::detail::Binder binder(function);
    binder.input(a, "A", A, {1, a_block.rows, a_block.columns});
    binder.input(b, "B", B, {1, b_block.rows, b_block.columns});
    binder.output(c, "C", C, {1, c_block.rows, c_block.columns});
    Product product;
    product.m = static_cast<int>(c_block.rows);
    product.n = static_cast<int>(c_block.columns);
    product.batch = 1;
    product.alpha = alpha;
    product.beta = beta;
    product.a = matrix_batch(a, w.options_.op_a);
    product.b = matrix_batch(b, w.options_.op_b);
    product.c = matrix_batch(c, MatrixOp::identity);
    product.conjugate_a = w.options_.op_a == MatrixOp::conjugate_transpose;
    product.conjugate_b = w.options_.op_b == MatrixOp::conjugate_transpose;
    return product;
  }

  static void require_layouts(char const* function, Grid<ExecSpace> const& grid,
                              GemmLayouts const& layouts, GemmOptions const& options) {
    using carroll::detail::require;
    auto const& [A, B, C] = layouts;
    auto const fits = [&](char const* name, GridLayout const& layout) {
      require(layout.rows.ranks() == grid.rows() && layout.columns.ranks() == grid.columns(),
              function, [&] {
                return "the layout of " + std::string(name) + " is of a grid of " +
                       std::to_string(layout.rows.ranks()) + "×" +
                       std::to_string(layout.columns.ranks()) + ", must be of " +
                       std::to_string(grid.rows()) + "×" + std::to_string(grid.columns());
              });
    };
    fits("A", A);
    fits("B", B);
    fits("C", C);
    auto const equal = [&](char const* what, BlockLayout const& x, BlockLayout const& y,
                           bool exactly) {
      require(exactly ? x == y : x.length() == y.length(), function, [&] {
        return std::string(what) + " must be " +
               (exactly ? "shared out alike" : "as many: they are ") +
               (exactly ? std::string()
                        : std::to_string(x.length()) + " and " + std::to_string(y.length()));
      });
    };
    bool const turn_a = options.op_a != MatrixOp::identity;
    bool const turn_b = options.op_b != MatrixOp::identity;
    equal("the rows of op(A) and C", turn_a ? A.columns : A.rows, C.rows, !turn_a);
    equal("the columns of op(B) and C", turn_b ? B.rows : B.columns, C.columns, !turn_b);
    equal("the columns of op(A) and the rows of op(B)", turn_a ? A.rows : A.columns,
          turn_b ? B.columns : B.rows, false);
    carroll::detail::require_size(function, "the number of terms", terms_of(layouts, options));
    require(options.method == GemmMethod::automatic || options.method == GemmMethod::blocked,
            function, [] { return "options.method must be automatic or blocked"; });
  }
};

template <class T, ExecutionSpace ExecSpace>
GemmWorkspace<ExecSpace, T> gemm_workspace(Grid<ExecSpace> const& grid, GemmLayouts const& layouts,
                                           GemmOptions const& options) {
  static_assert(FieldScalar<T>,
                "carroll::distributed::gemm_workspace: T must be float, double or Kokkos::complex "
                "of these");
  return GemmAccess<ExecSpace, T>::make("carroll::distributed::gemm_workspace", grid, layouts,
                                        options);
}

}  // namespace carroll::distributed
