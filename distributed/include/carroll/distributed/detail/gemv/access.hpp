// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/matrix_vector/views.hpp>
#include <carroll/detail/reduction/pair_tree.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/blas/gemv/workspace.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace carroll::distributed {

namespace detail {

/// An entry of y from the sums of all pieces of its row, in the order of their terms.
template <class ExecSpace, class T>
class GemvFromPieces {
  using Problem = carroll::detail::MatrixVector<T>;
  using Sum = typename Problem::Sum;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  GemvFromPieces(Problem const& problem, Sum const* sums, int const* levels, int pieces)
      : problem_(problem), sums_(sums), levels_(levels), pieces_(pieces) {}

  KOKKOS_FUNCTION void operator()(int row) const {
    carroll::detail::PairTree<Sum> tree;
    for (int k = 0; k < pieces_; ++k)
      tree.add(sums_[std::int64_t{k} * problem_.rows + row], levels_[k]);
    problem_.store(0, row, tree.total());
  }

 private:
  Problem problem_;
  Sum const* sums_;
  int const* levels_;
  int pieces_;
};

}  // namespace detail

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class T>
struct GemvAccess {
  using Workspace = GemvWorkspace<ExecSpace, T>;
  using Sum = typename Workspace::Sum;
  using Local = carroll::detail::AccessTo<carroll::GemvWorkspace<ExecSpace, T>>;

  /// The ranks that share y's entries, how they share the terms, and how many entries there are.
  struct Terms {
    Communicator<ExecSpace> const& ranks;
    BlockLayout const& layout;
    std::int64_t rows;
  };
  static Terms terms_of(Grid<ExecSpace> const& grid, GridLayout const& layout,
                        GemvOptions const& options) {
    if (options.op == MatrixOp::identity)
      return {grid.row_ranks(), layout.columns, layout.rows.count(grid.row())};
    return {grid.column_ranks(), layout.rows, layout.columns.count(grid.column())};
  }

  static Workspace make(char const* function, Grid<ExecSpace> const& grid, GridLayout const& layout,
                        GemvOptions const& options) {
    Workspace w;
    w.layout_ = layout;
    w.options_ = options;
    w.signature_ = detail::Signature()
                       .with(layout.rows)
                       .with(layout.columns)
                       .with(options.op)
                       .with(int{sizeof(T)})
                       .value();
    auto const& exec = grid.comm().exec();
    std::vector<int> levels;
    grid.comm().agree(function, w.signature_, [&] {
      require_layout(function, grid, layout, options);
      auto const [ranks, terms, rows] = terms_of(grid, layout, options);
      std::int64_t mine = 0;
      for (int rank = 0; rank < terms.ranks(); ++rank) {
        auto const pieces = detail::rank_pieces(terms, rank).pieces;
        w.counts_.push_back(static_cast<std::int64_t>(pieces.size()) * rows);
        for (auto const& piece : pieces) levels.push_back(piece.level);
        if (rank != ranks.rank()) continue;
        mine = w.counts_.back();
        for (auto const& piece : pieces) {
          std::int64_t const begin = detail::piece_begin(piece) - terms.begin(rank);
          std::int64_t const end = detail::piece_end(piece, terms.length()) - terms.begin(rank);
          w.pieces_.push_back(
              {begin, end,
               carroll::gemv_workspace<T>(exec, {.rows = rows, .terms = end - begin}, options)});
        }
        if (pieces.empty() || ranks.size() == 1) {  // the call is that of one rank
          w.pieces_.clear();
          w.pieces_.push_back({0, terms.count(rank),
                               carroll::gemv_workspace<T>(
                                   exec, {.rows = rows, .terms = terms.count(rank)}, options)});
        }
      }
      w.all_pieces_ = static_cast<int>(levels.size());
      bool const shared = ranks.size() > 1;
      w.bytes_ = carroll::detail::allocate_arena(
          exec, "carroll::distributed::gemv::workspace", [&](carroll::detail::Arena& arena) {
            w.mine_ = arena.take_if<Sum>(shared, mine);
            w.all_ = arena.take_if<Sum>(shared, w.all_pieces_ * rows);
            w.levels_ = arena.take_if<int>(shared, w.all_pieces_);
          });
    });
    if (w.levels_) {
      carroll::detail::copy_from_host<int>(exec, w.levels_, levels);
      exec.fence("carroll::distributed::gemv_workspace");
    }
    return w;
  }

  template <class AView, class XView, class YView>
  static void call(char const* function, Grid<ExecSpace> const& grid, T const& alpha,
                   AView const& A, XView const& x, T const& beta, YView const& y,
                   Workspace const& w) {
    auto const& exec = grid.comm().exec();
    auto const [ranks, terms, rows] = terms_of(grid, w.layout_, w.options_);
    carroll::detail::MatrixVector<T> problem;
    grid.comm().agree(function, detail::Signature().with(w.signature_).with(alpha == T(0)).value(),
                      [&] {
                        require_layout(function, grid, w.layout_, w.options_);
                        problem = carroll::detail::bind_gemv<T>(
                            function, {.rows = rows, .terms = terms.count(ranks.rank())},
                            w.options_, alpha, A, x, beta, y);
                      });
    if (ranks.size() == 1 || terms.length() == 0 || alpha == T(0)) {
      if (terms.length() == 0) problem.terms = 0;
      Local::enqueue(exec, problem, w.pieces_.front().workspace);
      exec.fence(function);
      return;
    }
    auto* sums = w.mine_;
    if (rows > 0 && terms.count(ranks.rank()) > 0) {
      for (auto const& piece : w.pieces_) {
        auto part = problem;
        part.alpha = T(1);
        part.beta = T(0);
        part.a += piece.begin * part.term_stride;
        part.x += piece.begin * part.x_stride;
        part.terms = static_cast<int>(piece.end - piece.begin);
        part.sums = sums;
        Local::enqueue(exec, part, piece.workspace);
        sums += rows;
      }
    }
    ranks.all_gather_v(w.mine_, w.all_, w.counts_);
    using Kernel = detail::GemvFromPieces<ExecSpace, T>;
    Kokkos::parallel_for("carroll::distributed::gemv",
                         typename Kernel::Policy(exec, 0, static_cast<int>(rows)),
                         Kernel(problem, w.all_, w.levels_, w.all_pieces_));
    exec.fence(function);
  }

 private:
  static void require_layout(char const* function, Grid<ExecSpace> const& grid,
                             GridLayout const& layout, GemvOptions const& options) {
    using carroll::detail::require;
    require(layout.rows.ranks() == grid.rows() && layout.columns.ranks() == grid.columns(),
            function, [&] {
              return "the layout is of a grid of " + std::to_string(layout.rows.ranks()) + "×" +
                     std::to_string(layout.columns.ranks()) + ", must be of " +
                     std::to_string(grid.rows()) + "×" + std::to_string(grid.columns());
            });
    BlockLayout const& terms = options.op == MatrixOp::identity ? layout.columns : layout.rows;
    for (auto const offset : terms.offsets)
      require(
          offset % carroll::detail::chunk_terms == 0 || offset == terms.length(), function, [&] {
            return "ranks share the terms of a sum at " + std::to_string(offset) +
                   ", must do so at multiples of " + std::to_string(carroll::detail::chunk_terms) +
                   " (carroll::distributed::reduction_layout)";
          });
  }
};

template <class T, ExecutionSpace ExecSpace>
GemvWorkspace<ExecSpace, T> gemv_workspace(Grid<ExecSpace> const& grid, GridLayout const& layout,
                                           GemvOptions const& options) {
  static_assert(FieldScalar<T>,
                "carroll::distributed::gemv_workspace: T must be float, double or Kokkos::complex "
                "of these");
  return GemvAccess<ExecSpace, T>::make("carroll::distributed::gemv_workspace", grid, layout,
                                        options);
}

}  // namespace carroll::distributed
