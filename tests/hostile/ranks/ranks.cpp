// SPDX-License-Identifier: BSD-3-Clause
// What ranks do together: the bits of one rank, however the problem is shared out; and where one of
// them cannot go on, an error of all, after which they go on.
#include <algorithm>
#include <carroll/distributed/dot.hpp>
#include <carroll/distributed/gemv.hpp>
#include <carroll/distributed/norm2.hpp>
#include <carroll/distributed/sum.hpp>
#include <carroll/gemv.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gemv_instances.hpp"
#include "hostile/round.hpp"
#include "support/blas/placed_vectors.hpp"
#include "support/blas/reduction_drivers.hpp"

namespace carroll::test {

std::string_view const hostile_name = "ranks";
std::string_view const hostile_about =
    "Sums, inner products, norms and products of matrices and vectors over random numbers of "
    "ranks, "
    "shared out at random: the same bits as on one rank, whatever summation; and ranks with other "
    "options, other lengths or an exception: an error on all, and no hang.";
std::string_view const hostile_kinds = "reductions,gemv,faults";

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using distributed::BlockLayout;
using Communicator = distributed::Communicator<Exec>;
using Range = std::pair<std::int64_t, std::int64_t>;

Communicator& world() {
  // Freed before MPI and Kokkos end.
  static auto* const comm = new Communicator(Communicator::duplicate_from_raw(MPI_COMM_WORLD));
  return *comm;
}

BlockLayout drawn_layout(Random& random, int ranks, std::int64_t length) {
  switch (random.index(5)) {
    case 0: return distributed::block_layout(ranks, length);
    case 1: return distributed::reduction_layout(ranks, length);
    case 2: return distributed::block_layout(ranks, length, 1 + random.index(3000));
    default: break;
  }
  std::vector<std::int64_t> cuts;
  for (int r = 1; r < ranks; ++r) {
    std::int64_t cut = static_cast<std::int64_t>(random.uniform() * double(length + 1));
    if (random.chance(0.3)) cut = cut / 1024 * 1024 + random.index(3) - 1;
    cuts.push_back(std::clamp<std::int64_t>(cut, 0, length));
  }
  std::sort(cuts.begin(), cuts.end());
  BlockLayout layout;
  layout.offsets.insert(layout.offsets.end(), cuts.begin(), cuts.end());
  layout.offsets.push_back(length);
  return layout;
}

/// Some of the ranks, the others among themselves. All draw the same numbers.
Communicator drawn_ranks(Random& random) {
  int const first = 1 + random.index(world().size());
  return world().split(world().rank() < first ? 0 : 1, random.chance(0.5) ? 0 : -world().rank());
}

int drawn_length(Random& random) {
  if (random.chance(0.1)) return random.index(20);
  int const length = static_cast<int>(std::exp(random.uniform() * std::log(60'000.0)));
  return random.chance(0.3) ? length / 1024 * 1024 + random.index(3) : length;
}

template <class T>
void reduction_round(Round& round) {
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
void gemv_round(Round& round) {
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
    Kokkos::deep_copy(view, host);
  };
  fill(memory), fill(x), fill(y);
  Kokkos::deep_copy(whole, y);
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

/// Some ranks have something wrong with them: all throw, or the result is right.
void fault_round(Round& round) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  int const length = drawn_length(random), kind = random.index(4);
  BlockLayout const layout = drawn_layout(random, comm.size(), length);
  std::vector<bool> bad(static_cast<std::size_t>(world().size()));
  for (std::size_t r = 0; r < bad.size(); ++r) bad[r] = random.chance(0.3);
  bool any = false;
  for (int r = 0; r < comm.size(); ++r) any = any || bad[std::size_t(r)];
  bool const mine = bad[std::size_t(comm.rank())];
  auto const count = static_cast<std::size_t>(layout.count(comm.rank()));
  Kokkos::View<double*, Memory> const x("x", count + (kind == 0 && mine ? 1 : 0));
  bool differ = false;
  for (int r = 0; r < comm.size(); ++r) differ = differ || bad[std::size_t(r)] != bad[0];
  bool const must_throw = kind == 0 || kind == 3 ? any : differ;
  bool threw = false;
  try {
    if (kind == 0) {  // too long
      auto workspace = distributed::reduction_workspace<double>(comm, layout);
      (void)distributed::sum(comm, x, workspace);
    } else if (kind == 1) {  // another summation
      (void)distributed::sum(comm, x, {mine ? Summation::exact : Summation::canonical});
    } else if (kind == 2) {  // another layout
      BlockLayout other = layout;
      if (mine) other.offsets.back() += 1;
      (void)distributed::reduction_workspace<double>(comm, other);
    } else {
      comm.agree("hostile", 0, [&] {
        if (mine) throw std::bad_alloc();
      });
    }
  } catch (std::exception const&) {
    threw = true;
  }
  round.expect(threw == must_throw, "fault " + std::to_string(kind) + " on " +
                                        std::to_string(comm.size()) + " ranks: rank " +
                                        std::to_string(comm.rank()) +
                                        (threw ? " threw" : " did not throw"));
  // And they go on.
  Kokkos::View<double*, Memory> const zeros("zeros", count);
  round.expect(distributed::sum(comm, zeros).value == 0, "the sum of zeros after a fault");
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

void hostile_round(Round& round, std::string_view kind) {
  int const drawn = round.random.index(10);
  int const scalar = round.random.index(4);
  if (kind == "faults" || (kind.empty() && drawn < 2)) return fault_round(round);
  if (kind == "gemv" || (kind.empty() && drawn < 5))
    return with_scalar(scalar, [&](auto one) { gemv_round<decltype(one)>(round); });
  with_scalar(scalar, [&](auto one) { reduction_round<decltype(one)>(round); });
}

}  // namespace carroll::test
