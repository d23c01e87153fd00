// SPDX-License-Identifier: BSD-3-Clause
// Sums, inner products, norms, and products of matrices and vectors over ranks.
#include <carroll/distributed/blas/dot.hpp>
#include <carroll/distributed/blas/gemv.hpp>
#include <carroll/distributed/blas/norm2.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <carroll/gemv.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gemv_instances.hpp"
#include "hostile/ranks/drawn.hpp"
#include "hostile/ranks/rounds.hpp"
#include "support/blas/placed_vectors.hpp"
#include "support/blas/reduction_drivers.hpp"
#include "support/copy.hpp"

namespace carroll::test {

namespace {

template <class T>
void reductions_of(Round& round) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  int const length = drawn_length(random);
  auto const kind = static_cast<VectorKind>(random.index(int(vector_kinds.size())));
  auto const drawn =
      VectorsOf<RealOf<T>>(random, kind, length, detail::is_complex<T> ? 2 : 1).draw();
  auto const place = [&] {
    return Placement::rows(length, 1 + random.index(3), 0, random.index(3));
  };
  PlacedVectors<T> const x({entries_of<T>(drawn.x)}, place()), y({entries_of<T>(drawn.y)}, place());
  Summation const summation = all_summations[random.index(3)];
  BlockLayout const layout = drawn_layout(random, comm.size(), length);
  // The other group of ranks draws another layout from the same numbers.
  Range const mine{layout.begin(comm.rank()), layout.end(comm.rank())};
  auto const my_x = Kokkos::subview(x.member(0), mine), my_y = Kokkos::subview(y.member(0), mine);
  auto workspace = distributed::reduction_workspace<T>(comm, layout, {summation});
  std::string const name = std::string(scalar_name_of<T>()) + " " + name_of(summation) + ", " +
                           std::string(name_of(kind)) + ", length " + std::to_string(length) +
                           " on " + std::to_string(comm.size()) + " ranks, here from " +
                           std::to_string(mine.first) + " to " + std::to_string(mine.second);
  auto const expect = [&](auto const& got, auto const& one, char const* what) {
    round.expect(same_bits(got, one),
                 name + ", " + what + ": " + text_of(got) + ", on one rank " + text_of(one));
  };
  Exec const& exec = comm.exec();
  ReductionOptions const options{summation};
  bool const conjugate = random.chance(0.5);
  for (int again = 0; again < 1 + random.index(2); ++again) {
    expect(distributed::sum(comm, my_x, workspace), carroll::sum(exec, x.member(0), options),
           "sum");
    expect(distributed::dot(comm, my_x, my_y, workspace, conjugate),
           carroll::dot(exec, x.member(0), y.member(0), {summation, conjugate}), "dot");
    expect(distributed::norm2(comm, my_x, workspace), carroll::norm2(exec, x.member(0), options),
           "norm2");
  }
  round.checked(1);
}

template <class T>
void gemv_of(Round& round) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  using Real = RealOf<T>;
  int const op_number = random.index(3);
  MatrixOp const op = static_cast<MatrixOp>(op_number);
  int terms = drawn_length(random), entries = 1 + random.index(1 + 200'000 / (terms + 1));
  if (random.chance(0.3)) entries = random.index(5);
  bool const turned = op != MatrixOp::identity;
  auto const draw = [&] {
    auto const one = [&] { return static_cast<Real>(random.normal()); };
    if constexpr (detail::is_complex<T>) {
      Real const re = one();
      return T(re, one());
    } else {
      return T(one());
    }
  };
  bool const left = random.chance(0.5);
  auto const rows = static_cast<std::size_t>(turned ? terms : entries);
  auto const columns = static_cast<std::size_t>(turned ? entries : terms);
  Kokkos::LayoutStride const lie(rows, left ? 1 : columns + 2, columns, left ? rows + 1 : 1);
  Kokkos::View<T*, Memory> const memory("A", (rows + 1) * (columns + 2) + 1);
  Kokkos::View<T*, Memory> const x("x", static_cast<std::size_t>(terms)),
      y("y", static_cast<std::size_t>(entries)), whole("whole", y.extent(0));
  auto const fill = [&](auto const& view) {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = draw();
    carroll::test::deep_copy(view, host);
  };
  fill(memory), fill(x), fill(y);
  carroll::test::deep_copy(whole, y);
  Kokkos::View<T**, Kokkos::LayoutStride, Memory> const A(memory.data(), lie);
  T const alpha = random.chance(0.1) ? T(0) : draw(), beta = random.chance(0.4) ? T(0) : draw();
  carroll::gemv(comm.exec(), alpha, A, x, beta, whole, {.op = op});

  std::vector<int> factors;
  for (int r = 1; r <= comm.size(); ++r)
    if (comm.size() % r == 0) factors.push_back(r);
  int const grid_rows = factors[random.index(1 << 20) % factors.size()];
  distributed::Grid<Exec> const grid(comm, grid_rows, comm.size() / grid_rows);
  distributed::GridLayout layout{drawn_layout(random, grid.rows(), A.extent(0)),
                                 drawn_layout(random, grid.columns(), A.extent(1))};
  auto& shared = turned ? layout.rows : layout.columns;
  shared = distributed::block_layout(shared.ranks(), terms, 1024 * (1 + random.index(4)));
  Range const my_rows{layout.rows.begin(grid.row()), layout.rows.end(grid.row())};
  Range const my_columns{layout.columns.begin(grid.column()), layout.columns.end(grid.column())};
  auto const part = Kokkos::subview(y, turned ? my_columns : my_rows);
  distributed::gemv(grid, layout, alpha, Kokkos::subview(A, my_rows, my_columns),
                    Kokkos::subview(x, turned ? my_rows : my_columns), beta, part, {.op = op});
  auto const got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  auto const one = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
  Range const here = turned ? my_columns : my_rows;
  bool same = true;
  for (auto i = static_cast<std::size_t>(here.first); i < static_cast<std::size_t>(here.second);
       ++i)
    same = same && std::memcmp(&got(i), &one(i), sizeof(T)) == 0;
  round.expect(same, std::string(scalar_name_of<T>()) + " gemv, op " + std::to_string(op_number) +
                         ", " + std::to_string(rows) + "x" + std::to_string(columns) +
                         " on a grid of " + std::to_string(grid.rows()) + "x" +
                         std::to_string(grid.columns()) + ": other bits than on one rank");
  round.checked(1);
}

template <class F>
void with_scalar(int number, F const& f) {
  switch (number) {
    case 0: return f(float());
    case 1: return f(double());
    case 2: return f(Kokkos::complex<float>());
    default: return f(Kokkos::complex<double>());
  }
}

}  // namespace

void reduction_round(Round& round) {
  with_scalar(round.random.index(4), [&](auto one) { reductions_of<decltype(one)>(round); });
}

void gemv_round(Round& round) {
  with_scalar(round.random.index(4), [&](auto one) { gemv_of<decltype(one)>(round); });
}

}  // namespace carroll::test
