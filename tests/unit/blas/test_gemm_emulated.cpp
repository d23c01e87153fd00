// SPDX-License-Identifier: BSD-3-Clause
// A device's products, by registers and by tensor cores, whose threads take turns on the host:
// tiles, orders of the operands, teams with several items, parts of sums.
#include <gtest/gtest.h>

#include <carroll/detail/device/emulated/space.hpp>
#include <carroll/detail/quotient.hpp>
// before any kernel
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/matrix_product/device/tiles.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "support/emulated_types.hpp"
#include "support/random.hpp"

namespace {

using namespace carroll::detail;
using carroll::GemmKernel;

template <class T>
class EmulatedGemmTest : public ::testing::Test {};
using EmulatedScalars =
    carroll::test::EmulatedTypes<::testing::Types<double, Kokkos::complex<float>>,
                                 ::testing::Types<float, Kokkos::complex<double>>>;
TYPED_TEST_SUITE(EmulatedGemmTest, EmulatedScalars);

template <class T>
struct EmulatedCase {
  int m, n, k, batch;
  std::vector<T> a, b, c;

  EmulatedCase(int rows, int cols, int terms, int members)
      : m(rows), n(cols), k(terms), batch(members) {
    carroll::test::Random random(1);
    auto const fill = [&](std::vector<T>& x, int count) {
      x.resize(static_cast<std::size_t>(count) + 2);
      for (T& entry : x) {
        entry = T(static_cast<RealOf<T>>(random.symmetric()));
        if constexpr (is_complex<T>) entry.imag(static_cast<RealOf<T>>(random.symmetric()));
      }
    };
    fill(a, m * k * batch);
    fill(b, k * n * batch);
  }

  /// C in three parts of the sum or one, by `teams`.
  template <OperandOrder a_order, OperandOrder b_order>
  std::vector<T> run(GemmKernel which, ProductTile tile, int wanted_parts, int teams) {
    int const depth = wanted_parts == 1 ? k : product_depth(k, wanted_parts);
    int const parts = quotient_up(k, depth);
    c.assign(static_cast<std::size_t>(m * n * batch), T(-7));
    std::vector<T> partial(c.size() * static_cast<std::size_t>(parts), T(-9));
    MatrixProduct<T> p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.batch = batch;
    p.alpha = T(1);
    p.conjugate_b = true;
    bool const a_right = a_order == OperandOrder::along_terms;
    bool const b_right = b_order == OperandOrder::along_rows;
    p.a = {a.data(), std::ptrdiff_t{m} * k, a_right ? k : 1, a_right ? 1 : m};
    p.b = {b.data(), std::ptrdiff_t{k} * n, b_right ? n : 1, b_right ? 1 : k};
    p.c = {c.data(), std::ptrdiff_t{m} * n, 1, m};
    TermParts<T> const cut{parts, depth, parts == 1 ? nullptr : partial.data()};
    with_product_kernel<EmulatedSpace, T, a_order, b_order>(which, tile, [&]<class Kernel>() {
      using Tile = typename Kernel::Shape;
      TileGrid const grid{quotient_up(m, Tile::rows), quotient_up(n, Tile::cols), parts,
                          quotient_up(batch, Tile::tiles)};
      launch_teams("carroll_test::multiply", EmulatedSpace{}, Kernel(p, grid, cut),
                   {.count = std::min(teams, grid.items()),
                    .threads = Kernel::threads,
                    .scratch = Kernel::scratch_bytes});
    });
    if (parts > 1)
      for (std::size_t i = 0; i < c.size(); ++i) {
        c[i] = partial[i];
        for (std::size_t part = 1; part < static_cast<std::size_t>(parts); ++part)
          c[i] += partial[part * c.size() + i];
      }
    return c;
  }

  /// One chain for each entry.
  template <OperandOrder a_order, OperandOrder b_order>
  std::vector<T> expected() const {
    bool const a_right = a_order == OperandOrder::along_terms;
    bool const b_right = b_order == OperandOrder::along_rows;
    std::vector<T> sums(static_cast<std::size_t>(m * n * batch));
    for (int member = 0; member < batch; ++member)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          T sum{};
          for (int l = 0; l < k; ++l) {
            auto const at_a =
                static_cast<std::size_t>(member * m * k + (a_right ? i * k + l : l * m + i));
            auto const at_b =
                static_cast<std::size_t>(member * k * n + (b_right ? l * n + j : j * k + l));
            sum = plus_product(a[at_a], conjugate_if(true, b[at_b]), sum);
          }
          sums[static_cast<std::size_t>((member * n + j) * m + i)] = conjugate_if(false, sum);
        }
    return sums;
  }

  template <OperandOrder a_order, OperandOrder b_order>
  void check(GemmKernel which, ProductTile tile) {
    SCOPED_TRACE(std::to_string(int(which)) + ", tile " + std::to_string(int(tile)) + ", orders " +
                 std::to_string(int(a_order)) + std::to_string(int(b_order)));
    auto const sums = run<a_order, b_order>(which, tile, 1, 2);  // teams with several items
    auto const wanted = expected<a_order, b_order>();
    RealOf<T> error = 0;
    for (std::size_t i = 0; i < sums.size(); ++i)
      error = std::max(error, Kokkos::abs(sums[i] - wanted[i]));
    EXPECT_LE(error, 20 * Kokkos::Experimental::epsilon_v<RealOf<T>> * static_cast<RealOf<T>>(k));
  }
};

constexpr auto in_rows = OperandOrder::along_rows, in_terms = OperandOrder::along_terms,
               in_any = OperandOrder::any;

TYPED_TEST(EmulatedGemmTest, IsRightWithEveryTileAndOrder) {
  using T = TypeParam;
  auto const check = [](EmulatedCase<T>& x, GemmKernel which, ProductTile tile) {
    x.template check<in_rows, in_terms>(which, tile);
    x.template check<in_terms, in_rows>(which, tile);
  };
  EmulatedCase<T> wide(68, 36, 20, 1), side32(24, 28, 20, 3), side16(12, 16, 20, 5),
      side8(8, 4, 12, 17);
  check(wide, GemmKernel::registers, ProductTile::middle);
  check(side8, GemmKernel::registers, ProductTile::slim);
  check(side32, GemmKernel::registers, ProductTile::side32);
  check(side16, GemmKernel::registers, ProductTile::side16);
  check(side8, GemmKernel::registers, ProductTile::side8);
  side8.template check<in_any, in_any>(GemmKernel::registers, ProductTile::side8);
  if constexpr (std::is_same_v<RealOf<T>, double>) {  // few: lanes hand over every entry
    EmulatedCase<T> piece(12, 16, 20, 1);
    piece.template check<in_terms, in_rows>(GemmKernel::tensors, ProductTile::narrow);
    if constexpr (!is_complex<T>) {
      piece.template check<in_rows, in_terms>(GemmKernel::tensors, ProductTile::middle);
      piece.template check<in_any, in_any>(GemmKernel::tensors, ProductTile::narrow);
    }
  }
}

/// Neither teams nor tiles leave a trace.
TEST(EmulatedGemm, HasTheSameBitsByOtherTeamsAndTiles) {
  EmulatedCase<double> x(36, 20, 40, 1);
  auto const one = x.run<in_rows, in_terms>(GemmKernel::registers, ProductTile::side32, 1, 100);
  EXPECT_EQ(one, (x.run<in_rows, in_terms>(GemmKernel::registers, ProductTile::side32, 1, 1)));
  EXPECT_EQ(one, (x.run<in_rows, in_terms>(GemmKernel::registers, ProductTile::slim, 1, 3)));
  auto const two = x.run<in_rows, in_terms>(GemmKernel::tensors, ProductTile::narrow, 2, 100);
  EXPECT_EQ(two, (x.run<in_rows, in_terms>(GemmKernel::tensors, ProductTile::middle, 2, 1)));
}

}  // namespace
