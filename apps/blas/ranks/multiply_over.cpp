// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/gemv.hpp>
#include <cstdint>
#include <utility>

#include "blas/products.hpp"
#include "blas/ranks/over_ranks.hpp"

namespace carroll::tool {

namespace {

using distributed::BlockLayout;

/// Of a vector of the host the entries from `begin` to `end` - 1.
template <class Real>
HostMatrix<Real> part_of(HostMatrix<Real> const& x, std::int64_t begin, std::int64_t end) {
  if (x.values.empty()) return {end - begin, 0, {}};
  return {end - begin, 1, {x.values.begin() + begin, x.values.begin() + end}};
}

/// How the ranks share a matrix: in so many parts of its terms, or of its sums.
struct Division {
  distributed::GridLayout layout;
  int rows, columns;  ///< of the grid
  bool of_terms;
};

Division division_of(int ranks, SharedExtents const& A, bool transpose) {
  bool const of_rows = A.engine == Engine::rows;
  bool const of_terms = of_rows == transpose;
  auto const cut = [&](std::int64_t length) {
    return of_terms ? distributed::reduction_layout(ranks, length)
                    : distributed::block_layout(ranks, length);
  };
  BlockLayout const rows = of_rows ? cut(A.rows) : distributed::block_layout(1, A.rows);
  BlockLayout const columns = of_rows ? distributed::block_layout(1, A.cols) : cut(A.cols);
  return {{rows, columns}, of_rows ? ranks : 1, of_rows ? 1 : ranks, of_terms};
}

}  // namespace

SharedExtents shared_extents(Ranks const& ranks, std::int64_t rows, std::int64_t cols,
                             bool transpose) {
  std::int64_t const sums = transpose ? cols : rows, terms = transpose ? rows : cols;
  bool const of_terms = terms > sums && distributed::detail::chunks_of(terms) >= ranks.size();
  SharedExtents A{rows, cols, of_terms == transpose ? Engine::rows : Engine::columns, {}};
  auto const layout = division_of(ranks.size(), A, transpose).layout;
  int const row = A.engine == Engine::rows ? ranks.rank() : 0;
  int const column = A.engine == Engine::rows ? 0 : ranks.rank();
  A.block = {layout.rows.begin(row), layout.rows.end(row), layout.columns.begin(column),
             layout.columns.end(column)};
  return A;
}

template <class Real>
MatrixResult<Real> multiply_vector_over(Ranks const& ranks, SharedMatrix<Real> const& shared,
                                        HostMatrix<Real> const& host_x,
                                        HostMatrix<Real> const& host_y, ProductWishes const& wishes,
                                        Progress& progress) {
  ExecSpace const exec;
  auto const comm = distributed::Communicator<ExecSpace>::duplicate_from_raw(MPI_COMM_WORLD, exec);
  Division const division = division_of(comm.size(), shared, wishes.transpose_a);
  distributed::Grid const grid(comm, division.rows, division.columns);
  Block const& block = shared.block;
  bool const transpose = wishes.transpose_a;
  std::int64_t const terms_begin = transpose ? block.row_begin : block.col_begin;
  std::int64_t const terms_end = transpose ? block.row_end : block.col_end;
  std::int64_t const sums_begin = transpose ? block.col_begin : block.row_begin;
  std::int64_t const sums_end = transpose ? block.col_end : block.row_end;
  std::int64_t const sums = transpose ? shared.cols : shared.rows;

  Real alpha = 0, beta = 0;
  DeviceMatrix<Real> A, x, y, all;
  comm.agree("carroll", 0, [&] {
    alpha = factor<Real>("--alpha", wishes.alpha);
    beta = factor<Real>("--beta", wishes.beta);
    A = to_device(exec, "carroll::tool::A", shared.entries);
    auto const my_x = part_of(host_x, terms_begin, terms_end);
    x = to_device(exec, "carroll::tool::x", my_x);
    auto const my_y = part_of(host_y, sums_begin, sums_end);
    y = result_on_device(exec, my_y, sums_end - sums_begin, 1);
    if (comm.rank() == 0)
      all = uninitialized<DeviceMatrix<Real>>(exec, "carroll::tool::y", sums, 1);
    exec.fence("carroll::tool: parts on the device");
  });
  auto const workspace =
      distributed::gemv_workspace<Real>(grid, division.layout, {.op = op(transpose)});
  progress.phase("multiplying");
  ProductSummary summary;
  static_cast<void>(clocked(exec, summary, [&] {
    distributed::gemv(grid, alpha, A, Kokkos::subview(x, Kokkos::ALL, 0), beta,
                      Kokkos::subview(y, Kokkos::ALL, 0), workspace);
    return 0;
  }));
  if (division.of_terms) {
    all = y;
  } else {
    auto const counts = (transpose ? division.layout.columns : division.layout.rows).counts();
    comm.gather_v(y.data(), all.data(), counts, 0);
  }
  MatrixResult<Real> result;
  ranks.together([&] {
    if (ranks.first()) result = bring_back(exec, all, std::move(summary));
  });
  return result;
}

#define CARROLL_TOOL_PRODUCTS_OVER_RANKS(Real)                                                   \
  template MatrixResult<Real> multiply_vector_over(                                              \
      Ranks const&, SharedMatrix<Real> const&, HostMatrix<Real> const&, HostMatrix<Real> const&, \
      ProductWishes const&, Progress&)
CARROLL_TOOL_PRODUCTS_OVER_RANKS(float);
CARROLL_TOOL_PRODUCTS_OVER_RANKS(double);

}  // namespace carroll::tool
