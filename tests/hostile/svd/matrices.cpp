// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/svd/matrices.hpp"

#include <cstdint>
#include <iterator>

#include "hostile/svd/patterns.hpp"
#include "hostile/svd/ranges.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {
namespace {

template <class Real>
struct Kind {
  char const* name;
  HostMatrix<Real> (*make)(Random&, int, int);
};

template <class Real>
constexpr Kind<Real> kinds[] = {
    {"normal", svd_kinds::normal<Real>},
    {"zero", svd_kinds::zero<Real>},
    {"integers", svd_kinds::integers<Real>},
    {"sparse", svd_kinds::sparse<Real>},
    {"dependent", svd_kinds::dependent<Real>},
    {"dependent", svd_kinds::dependent<Real>},
    {"low_rank", svd_kinds::low_rank<Real>},
    {"nearly_parallel", svd_kinds::nearly_parallel<Real>},
    {"graded_rows", svd_kinds::graded_rows<Real>},
    {"graded_columns", svd_kinds::graded_columns<Real>},
    {"graded_both", svd_kinds::graded_both<Real>},
    {"far_apart", svd_kinds::far_apart<Real>},
    {"small_row", svd_kinds::small_row<Real>},
    {"denormal", svd_kinds::denormal<Real>},
    {"huge", svd_kinds::huge<Real>},
    {"extremes", svd_kinds::extremes<Real>},
    {"tiny_entries", svd_kinds::tiny_entries<Real>},
    {"non_finite", svd_kinds::non_finite<Real>},
    {"diagonal", svd_kinds::diagonal<Real>},
    {"coordinates", svd_kinds::coordinates<Real>},
    {"holes", svd_kinds::holes<Real>},
    {"triangular", svd_kinds::triangular<Real>},
};

}  // namespace

template <class Real>
HostileMatrix<Real> hostile_matrix(Random& random, int rows, int cols) {
  if (rows == 0 || cols == 0) return {HostMatrix<Real>(rows, cols), "empty"};
  auto const seed = static_cast<std::uint64_t>(random.index(1 << 30));
  constexpr int own = static_cast<int>(std::size(kinds<Real>));
  int const drawn = random.index(own + 8);
  if (drawn < own) return {kinds<Real>[drawn].make(random, rows, cols), kinds<Real>[drawn].name};
  if (drawn < own + 2) {
    double const decades = random.uniform() * (sizeof(Real) == 4 ? 9 : 100);
    if (rows == cols && random.chance(0.5))
      return {transposed(scaled_columns<Real>(rows, cols, 100, decades, true, seed)), "scaled_rows",
              true};
    if (rows >= cols)
      return {scaled_columns<Real>(rows, cols, 100, decades, true, seed), "scaled_columns", true};
    return {transposed(scaled_columns<Real>(cols, rows, 100, decades, true, seed)), "scaled_rows",
            true};
  }
  auto const& types = all_matrix_types();
  MatrixType const type =
      types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
  return {make_matrix<Real>(type, rows, cols, seed), to_string(type)};
}

template HostileMatrix<float> hostile_matrix<float>(Random&, int, int);
template HostileMatrix<double> hostile_matrix<double>(Random&, int, int);

}  // namespace carroll::test
