// Products of matrices on grids of ranks: the same bits on all of them.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/blas/gemm.hpp>
#include <carroll/gemm.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "distributed/packed.hpp"
#include "gemm_instances.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"

namespace {

namespace distributed = carroll::distributed;
using carroll::MatrixOp;
using distributed::block_layout;
using distributed::BlockLayout;
using distributed::GemmLayouts;
using distributed::GridLayout;
using Exec = Kokkos::DefaultExecutionSpace;
using Grid = distributed::Grid<Exec>;
constexpr bool on_host = carroll::detail::lanes<Exec> == 1;

template <class View>
void fill(View const& view, std::uint64_t seed) {
  using T = typename View::non_const_value_type;
  using Real = carroll::detail::RealOf<T>;
  auto const host = Kokkos::create_mirror_view(view);
  carroll::test::Random random(seed);
  for (std::size_t i = 0; i < host.span(); ++i) {
    auto const one = [&] { return static_cast<Real>(random.normal()); };
    if constexpr (carroll::detail::is_complex<T>) {
      Real const re = one();
      host.data()[i] = T(re, one());
    } else {
      host.data()[i] = one();
    }
  }
  carroll::test::deep_copy(view, host);
}

template <class View>
std::string bytes(View const& view) {
  return carroll::test::packed_bytes(view);
}

/// The rank's block of a matrix that all have.
template <class View>
auto block(Grid const& grid, GridLayout const& layout, View const& view) {
  using Range = std::pair<std::int64_t, std::int64_t>;
  return Kokkos::subview(
      view, Range{layout.rows.begin(grid.row()), layout.rows.end(grid.row())},
      Range{layout.columns.begin(grid.column()), layout.columns.end(grid.column())});
}

/// All on the last rank.
BlockLayout last_has_all(int ranks, std::int64_t length) {
  BlockLayout layout;
  for (int r = 1; r < ranks; ++r) layout.offsets.push_back(0);
  layout.offsets.push_back(length);
  return layout;
}

/// Is C, of whatever grid, what one rank has? On devices: of this workspace's.
template <class T>
void check(std::int64_t m, std::int64_t n, std::int64_t k, MatrixOp op_a, MatrixOp op_b) {
  auto const comm = distributed::Communicator<Exec>::duplicate_from_raw(MPI_COMM_WORLD);
  bool const turn_a = op_a != MatrixOp::identity, turn_b = op_b != MatrixOp::identity;
  Kokkos::View<T**, Kokkos::LayoutLeft, Exec> const A("A", turn_a ? k : m, turn_a ? m : k),
      B("B", turn_b ? n : k, turn_b ? k : n), before("before", m, n), C("C", m, n),
      whole("whole", m, n);
  fill(A, 1);
  fill(B, 2);
  fill(before, 3);
  for (T const beta : {T(0), T(-0.75)}) {
    carroll::test::deep_copy(whole, before);
    if (on_host) {
      carroll::gemm(comm.exec(), T(1.25), A, B, beta, whole, {.op_a = op_a, .op_b = op_b});
    } else {
      Grid const alone(comm.split(comm.rank(), 0), 1, 1);
      auto const one = [](std::int64_t length) { return block_layout(1, length); };
      GemmLayouts const layouts{{one(A.extent(0)), one(A.extent(1))},
                                {one(B.extent(0)), one(B.extent(1))},
                                {one(m), one(n)}};
      distributed::gemm(alone, layouts, T(1.25), A, B, beta, whole, {.op_a = op_a, .op_b = op_b});
    }
    for (int const rows : {1, 2, 8}) {
      if (comm.size() % rows != 0) continue;
      Grid const grid(comm, rows, comm.size() / rows);
      for (bool const uneven : {false, true}) {
        auto const shares = [&](int ranks, std::int64_t length) {
          return uneven ? last_has_all(ranks, length) : block_layout(ranks, length);
        };
        GemmLayouts layouts;
        layouts.C = {shares(grid.rows(), m), shares(grid.columns(), n)};
        layouts.A = {block_layout(grid.rows(), turn_a ? k : m),
                     shares(grid.columns(), turn_a ? m : k)};
        layouts.B = {shares(grid.rows(), turn_b ? n : k),
                     block_layout(grid.columns(), turn_b ? k : n)};
        if (!turn_a) layouts.A.rows = layouts.C.rows;
        if (!turn_b) layouts.B.columns = layouts.C.columns;
        carroll::test::deep_copy(C, before);
        auto const part = block(grid, layouts.C, C);
        distributed::gemm(grid, layouts, T(1.25), block(grid, layouts.A, A),
                          block(grid, layouts.B, B), beta, part, {.op_a = op_a, .op_b = op_b});
        // Tensor cores add complex numbers otherwise than registers, which small blocks are left
        // to.
        if (!on_host && sizeof(T) == 16) continue;
        EXPECT_EQ(bytes(part), bytes(block(grid, layouts.C, whole)))
            << m << "×" << n << "×" << k << ", ops " << int(op_a) << int(op_b) << ", grid "
            << grid.rows() << "×" << grid.columns() << ", rank " << comm.rank() << uneven;
      }
    }
  }
}

template <class T>
class DistributedGemm : public ::testing::Test {};
using Types = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(DistributedGemm, Types);

TYPED_TEST(DistributedGemm, HasTheSameBitsOnAnyGrid) {
  auto const none = MatrixOp::identity, t = MatrixOp::transpose, h = MatrixOp::conjugate_transpose;
  check<TypeParam>(37, 41, 700, none, none);
  check<TypeParam>(11, 12, 400, h, t);
  // Every message is a turn of all ranks, who share two processors.
  if constexpr (std::is_same_v<TypeParam, double>) {
    check<TypeParam>(40, 9, 300, t, none);
    check<TypeParam>(9, 40, 300, none, h);
    check<TypeParam>(5, 3, 1, h, h);
    check<TypeParam>(4, 4, 0, none, none);
    check<TypeParam>(1, 1, 5, t, none);
  }
}

TEST(DistributedGemmMisuse, ThrowsOnAllRanks) {
  auto const comm = distributed::Communicator<Exec>::duplicate_from_raw(MPI_COMM_WORLD);
  Grid const grid(comm, comm.size(), 1);
  auto const rows = block_layout(comm.size(), 4 * comm.size());
  auto const one = block_layout(1, 4);
  auto const terms = block_layout(comm.size(), 4);
  GemmLayouts const layouts{{rows, one}, {terms, one}, {rows, one}};
  auto const workspace = distributed::gemm_workspace<double>(grid, layouts);
  Kokkos::View<double**, Exec> const A("A", comm.rank() == 0 ? 5 : 4, 4),
      B("B", terms.count(comm.rank()), 4), C("C", 4, 4);
  auto const call = [&] { distributed::gemm(grid, 1.0, A, B, 0.0, C, workspace); };
  if (comm.rank() == 0) {
    EXPECT_THROW(call(), std::invalid_argument);
  } else {
    EXPECT_THROW(call(), distributed::RankError);
  }
  auto other = layouts;
  other.B.rows = block_layout(comm.size(), 5);
  EXPECT_THROW((void)distributed::gemm_workspace<double>(grid, other), std::invalid_argument);
}

}  // namespace
