// SPDX-License-Identifier: BSD-3-Clause
// Determinants over ranks: the bits of one rank whatever the blocks, the layout and the engine, and
// on hosts those of the plain solver.
#include <carroll/determinant.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "determinant_instances.hpp"
#include "distributed/determinant/shared_rows.hpp"
#include "hostile/ranks/drawn.hpp"
#include "hostile/ranks/rounds.hpp"
#include "support/copy.hpp"

namespace carroll::test {

/// The kinds of matrices have names of their own: all files of this tester may be compiled as one.
namespace rank_determinants {
namespace {

using distributed::DeterminantEngine;

constexpr char const* kind_names[] = {"plain",      "graded rows", "permutation", "zero row",
                                      "equal rows", "far scales",  "with a NaN",  "triangle"};
enum Kind { plain, graded, permutation, zero_row, equal_rows, far_scales, bad, triangle, kinds };

/// All draw the same one.
template <class T>
shared_rows::Host<T> drawn_matrix(Random& random, Kind kind, std::int64_t n) {
  using Real = detail::RealOf<T>;
  auto const A =
      shared_rows::random_matrix<T>(n, static_cast<std::uint64_t>(random.index(1 << 30)));
  int const size = static_cast<int>(n), far = std::numeric_limits<Real>::max_exponent / 2 - 4;
  if (n == 0) return A;
  int const row = random.index(size), other = random.index(size), column = random.index(size);
  std::vector<int> order;
  for (int i = 0; i < size; ++i) order.push_back(i);
  random.shuffle(order);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) switch (kind) {
        case graded: A(i, j) *= std::ldexp(Real(1), i * 31 % 41 - 20); break;
        case permutation: A(i, j) = T(order[std::size_t(i)] == j ? 1 : 0); break;
        case zero_row: A(i, j) *= Real(i == row ? 0 : 1); break;
        case equal_rows: A(i, j) = i == row ? A(other, j) : A(i, j); break;
        case far_scales: A(i, j) *= std::ldexp(Real(1), i * 37 % (2 * far) - far); break;
        case triangle: A(i, j) *= Real(j >= i ? 1 : 0); break;
        default: break;
      }
  if (kind == bad) A(row, column) = T(std::numeric_limits<Real>::quiet_NaN());
  return A;
}

template <class T>
bool same(DeterminantInfo<T> const& is, DeterminantInfo<T> const& was) {
  if (is.status != was.status || is.value.is_nan() != was.value.is_nan()) return false;
  return was.value.is_nan() ||
         (is.value == was.value && (was.status != Status::success || is.growth == was.growth));
}

template <class T>
void determinant_of(Round& round) {
  Random& random = round.random;
  constexpr bool complex = detail::is_complex<T>;
  Communicator const comm = drawn_ranks(random);
  std::int64_t const n = random.chance(0.3) ? random.index(40) : random.index(complex ? 400 : 700);
  auto const kind = static_cast<Kind>(random.index(kinds));
  auto const A = drawn_matrix<T>(random, kind, n);
  std::vector<DeterminantEngine> engines{DeterminantEngine::automatic, DeterminantEngine::gathered,
                                         DeterminantEngine::panels};
  if (shared_rows::on_host && !complex) engines.push_back(DeterminantEngine::host_blocks);
  auto const engine = engines[std::size_t(random.index(int(engines.size())))];
  constexpr std::int64_t unit = shared_rows::on_host ? 64 : 256;
  std::int64_t const block = unit * (1 + random.index(4));
  bool const by_columns = random.chance(0.3);
  int const more = random.index(4);
  std::string const name =
      std::string(complex ? "complex " : "") +
      (sizeof(detail::RealOf<T>) == 4 ? "float " : "double ") + std::to_string(n) + " " +
      kind_names[kind] + ", " + std::string(to_string(engine)) +
      (by_columns ? " by columns" : " by rows") + ", blocks of " + std::to_string(block) + " on " +
      std::to_string(comm.size()) + " ranks: ";
  auto const solve = [&](Communicator const& ranks, std::int64_t rows, DeterminantEngine by,
                         int gap) {
    return by_columns ? shared_rows::determinant<T, Kokkos::LayoutLeft>(ranks, A, rows, by, gap)
                      : shared_rows::determinant<T, Kokkos::LayoutRight>(ranks, A, rows, by, gap);
  };
  auto const one = solve(alone(), unit, engine, 0);
  auto const all = solve(comm, block, engine, more);
  round.expect(same<T>(all, one), name + to_string(all.value, 17) + ", on one rank " +
                                      to_string(one.value, 17) + ", status " +
                                      std::string(to_string(all.status)));
  round.checked(1);
  // These have the plain solver's bits on hosts.
  bool const plain_bits = engine == DeterminantEngine::automatic ||
                          engine == DeterminantEngine::gathered ||
                          engine == DeterminantEngine::host_blocks || complex;
  if (!shared_rows::on_host || !plain_bits || n <= 256) return;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const whole("A", n, n);
  carroll::test::deep_copy(whole, A);
  auto const wanted = carroll::determinant(comm.exec(), whole);
  round.expect(same<T>(all, wanted),
               name + to_string(all.value, 17) + ", plainly " + to_string(wanted.value, 17));
}

}  // namespace
}  // namespace rank_determinants

void determinant_round(Round& round) {
  switch (round.random.index(6)) {
    case 0: return rank_determinants::determinant_of<Kokkos::complex<float>>(round);
    case 1: return rank_determinants::determinant_of<Kokkos::complex<double>>(round);
    case 2:
    case 3: return rank_determinants::determinant_of<float>(round);
    default: return rank_determinants::determinant_of<double>(round);
  }
}

}  // namespace carroll::test
