// Products of matrices on grids of ranks: bit by bit those of one rank.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/gemv.hpp>
#include <carroll/gemv.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "distributed/packed.hpp"
#include "gemv_instances.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::MatrixOp;
using distributed::GridLayout;
using Exec = Kokkos::DefaultExecutionSpace;
using Grid = distributed::Grid<Exec>;
using Range = std::pair<std::int64_t, std::int64_t>;

template <class View>
void fill(View const& view, std::uint64_t seed) {
  using T = typename View::non_const_value_type;
  using Real = carroll::detail::RealOf<T>;
  auto const host = Kokkos::create_mirror_view(view);
  carroll::test::Random random(seed);
  for (std::size_t i = 0; i < host.span(); ++i) {
    auto const one = [&] { return static_cast<Real>(random.normal()); };
    if constexpr (carroll::detail::is_complex<T>)
      host.data()[i] = T(one(), one());
    else
      host.data()[i] = one();
  }
  carroll::test::deep_copy(view, host);
}

template <class T>
class DistributedGemv : public ::testing::Test {};
using Types = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DistributedGemv, Types);

TYPED_TEST(DistributedGemv, HasTheBitsOfOneRankOnAnyGrid) {
  using T = TypeParam;
  auto const comm = distributed::Communicator<Exec>::duplicate_from_raw(MPI_COMM_WORLD);
  struct Shape {
    std::int64_t rows, columns;
  };
  for (Shape const shape :
       {Shape{5, 9000}, Shape{3000, 4}, Shape{70, 3000}, Shape{0, 50}, Shape{50, 0}, Shape{1, 1}}) {
    Kokkos::View<T**, Kokkos::LayoutLeft, Exec> const A("A", shape.rows, shape.columns);
    fill(A, static_cast<std::uint64_t>(shape.rows + shape.columns));
    for (MatrixOp const op :
         {MatrixOp::identity, MatrixOp::transpose, MatrixOp::conjugate_transpose}) {
      bool const transposed = op != MatrixOp::identity;
      std::int64_t const entries = transposed ? shape.columns : shape.rows;
      std::int64_t const terms = transposed ? shape.rows : shape.columns;
      Kokkos::View<T*, Exec> const x("x", terms), y("y", entries), whole("whole", entries);
      fill(x, 1);
      for (int const grid_rows : {1, 2, 3, 4, 8}) {
        if (comm.size() % grid_rows != 0) continue;
        Grid const grid(comm, grid_rows, comm.size() / grid_rows);
        GridLayout layout{distributed::block_layout(grid.rows(), shape.rows),
                          distributed::block_layout(grid.columns(), shape.columns)};
        auto& shared = transposed ? layout.rows : layout.columns;
        shared = distributed::reduction_layout(shared.ranks(), terms);
        Range const rows{layout.rows.begin(grid.row()), layout.rows.end(grid.row())};
        Range const columns{layout.columns.begin(grid.column()), layout.columns.end(grid.column())};
        auto const block = Kokkos::subview(A, rows, columns);
        for (T const beta : {T(0), T(-1.25)}) {
          fill(y, 2);
          fill(whole, 2);
          carroll::gemv(comm.exec(), T(0.7), A, x, beta, whole, {.op = op});
          Range const of_x = transposed ? rows : columns, of_y = transposed ? columns : rows;
          auto const part = Kokkos::subview(y, of_y);
          distributed::gemv(grid, layout, T(0.7), block, Kokkos::subview(x, of_x), beta, part,
                            {.op = op});
          EXPECT_EQ(carroll::test::packed_bytes(part),
                    carroll::test::packed_bytes(Kokkos::subview(whole, of_y)))
              << shape.rows << "×" << shape.columns << ", op " << int(op) << ", grid "
              << grid.rows() << "×" << grid.columns() << ", rank " << comm.rank();
        }
      }
    }
  }
}

TEST(DistributedGemvMisuse, ThrowsOnAllRanks) {
  auto const comm = distributed::Communicator<Exec>::duplicate_from_raw(MPI_COMM_WORLD);
  EXPECT_THROW(Grid(comm, comm.size(), 2), std::invalid_argument);
  Grid const grid(comm, 1, comm.size());
  GridLayout const uneven{distributed::block_layout(1, 3),
                          distributed::block_layout(comm.size(), 1000 * comm.size())};
  if (comm.size() > 1) {
    EXPECT_THROW((void)distributed::gemv_workspace<double>(grid, uneven), std::invalid_argument);
  }
  GridLayout const layout{distributed::block_layout(1, 3),
                          distributed::reduction_layout(comm.size(), 2000)};
  auto const workspace = distributed::gemv_workspace<double>(grid, layout);
  auto const columns = layout.columns.count(comm.rank()) + (comm.rank() == 0 ? 1 : 0);
  Kokkos::View<double**, Exec> const A("A", 3, columns);
  Kokkos::View<double*, Exec> const x("x", columns), y("y", 3);
  auto const call = [&] { distributed::gemv(grid, 1.0, A, x, 0.0, y, workspace); };
  if (comm.rank() == 0) {
    EXPECT_THROW(call(), std::invalid_argument);
  } else {
    EXPECT_THROW(call(), distributed::RankError);
  }
}

}  // namespace
