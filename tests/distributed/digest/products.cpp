// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <carroll/distributed/blas/gemm.hpp>
#include <carroll/distributed/blas/gemv.hpp>
#include <carroll/distributed/blas/grid.hpp>
#include <utility>

#include "distributed/digest/ranks.hpp"
#include "support/random.hpp"

namespace carroll::test {
namespace {

using distributed::Grid;
using distributed::GridLayout;
using Range = std::pair<std::int64_t, std::int64_t>;

/// By rows, by columns, and as square as it can be.
int rows_of_grid(int distribution, int ranks) {
  if (distribution == 0) return ranks;
  int rows = 1;
  for (int r = 1; distribution == 2 && r * r <= ranks; ++r)
    if (ranks % r == 0) rows = r;
  return rows;
}
constexpr char const* distributions[] = {"by_rows", "by_columns", "on_grid"};

template <class Real, class View>
void fill(View const& view, std::uint64_t seed) {
  auto const host = Kokkos::create_mirror_view(view);
  Random random(seed);
  for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] = static_cast<Real>(random.normal());
  Kokkos::deep_copy(view, host);
}

template <class Real>
void add_gemv(Digest& digest) {
  auto const comm = all_ranks();
  for (auto const& [rows, columns] : {std::pair{7, 9}, {40, 3000}, {2500, 70}, {300, 300}, {0, 5}})
    for (MatrixOp const op : {MatrixOp::identity, MatrixOp::transpose})
      for (int distribution = 0; distribution < 3; ++distribution) {
        int const grid_rows = rows_of_grid(distribution, comm.size());
        Grid<RankExec> const grid(comm, grid_rows, comm.size() / grid_rows);
        bool const turned = op == MatrixOp::transpose;
        GridLayout const layout{
            distributed::block_layout(grid.rows(), rows, turned ? 1024 : 1),
            distributed::block_layout(grid.columns(), columns, turned ? 1 : 1024)};
        Range const my_rows{layout.rows.begin(grid.row()), layout.rows.end(grid.row())};
        Range const my_columns{layout.columns.begin(grid.column()),
                               layout.columns.end(grid.column())};
        Kokkos::View<Real**, Kokkos::LayoutRight, RankExec> const A("A", rows, columns);
        Kokkos::View<Real*, RankExec> const x("x", turned ? rows : columns),
            y("y", turned ? columns : rows);
        fill<Real>(A, 1), fill<Real>(x, 2), fill<Real>(y, 3);
        auto const part = Kokkos::subview(y, turned ? my_columns : my_rows);
        distributed::gemv(grid, layout, Real(1.25), Kokkos::subview(A, my_rows, my_columns),
                          Kokkos::subview(x, turned ? my_rows : my_columns), Real(-0.5), part,
                          {.op = op});
        // Ranks that share the terms have the same entries.
        bool const tells = (turned ? grid.row() : grid.column()) == 0;
        Hash hash;
        add_rows(hash, comm, static_cast<std::int64_t>(y.extent(0)), sizeof(Real),
                 tells ? (turned ? my_columns : my_rows).first : 0,
                 tells ? packed_bytes(part) : std::string());
        digest.add(hash, "gemv", type_name<Real>, rows, columns, turned ? "transposed" : "plain",
                   distributions[distribution]);
      }
}

template <class Real>
void add_gemm(Digest& digest) {
  auto const comm = all_ranks();
  for (auto const& [m, n, k] :
       {std::array{5, 6, 7}, std::array{100, 80, 1500}, std::array{130, 1, 2048}})
    for (int distribution = 0; distribution < 3; ++distribution) {
      int const grid_rows = rows_of_grid(distribution, comm.size());
      Grid<RankExec> const grid(comm, grid_rows, comm.size() / grid_rows);
      auto const over = [&](std::int64_t rows, std::int64_t columns) {
        return GridLayout{distributed::block_layout(grid.rows(), rows),
                          distributed::block_layout(grid.columns(), columns)};
      };
      auto const part = [&](GridLayout const& layout, auto const& view) {
        return Kokkos::subview(
            view, Range(layout.rows.begin(grid.row()), layout.rows.end(grid.row())),
            Range(layout.columns.begin(grid.column()), layout.columns.end(grid.column())));
      };
      Kokkos::View<Real**, Kokkos::LayoutRight, RankExec> const A("A", m, k), B("B", k, n),
          C("C", m, n);
      fill<Real>(A, 4), fill<Real>(B, 5), fill<Real>(C, 6);
      auto const a = over(m, k), b = over(k, n), c = over(m, n);
      auto const mine = part(c, C);
      distributed::gemm(grid, {a, b, c}, Real(2), part(a, A), part(b, B), Real(0.5), mine);
      Kokkos::View<Real**, Kokkos::LayoutRight, RankExec> const whole("whole", m, n);
      Kokkos::deep_copy(part(c, whole), mine);  // + 0 elsewhere
      Hash hash;
      add_rows(hash, comm, m, static_cast<std::size_t>(n) * sizeof(Real), 0, packed_bytes(whole));
      digest.add(hash, "gemm", type_name<Real>, m, n, k, distributions[distribution]);
    }
}

DigestOf const rank_products("rank_products", [](Digest& digest) {
  add_gemv<float>(digest);
  add_gemv<double>(digest);
  add_gemm<float>(digest);
  add_gemm<double>(digest);
});

}  // namespace
}  // namespace carroll::test
