// SPDX-License-Identifier: BSD-3-Clause
// Tall QR and SVD, and the randomised SVD, over ranks: the bits of one rank, and what has to hold
// of factors.
#include <carroll/distributed/randomized_svd.hpp>
#include <carroll/distributed/tall_svd.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <svd_instances.hpp>
#include <utility>
#include <vector>

#include "distributed/tall/tall_matrices.hpp"
#include "hostile/ranks/drawn.hpp"
#include "hostile/ranks/rounds.hpp"
#include "support/copy.hpp"

namespace carroll::test {

/// The kinds of matrices have names of their own: all files of this tester may be compiled as one.
namespace rank_tall {
namespace {

constexpr char const* kind_names[] = {"plain",    "graded",    "far scales", "zero columns",
                                      "repeated", "zero rows", "constant",   "with a NaN"};
enum Kind { plain, graded, far_scales, zero_columns, repeated, zero_rows, constant, bad, kinds };

/// Entries of a problem, a function of their place.
template <class Real>
struct Entries {
  Kind kind;
  std::vector<int> exponents;
  std::int64_t rows, bad_row;
  int bad_column;

  Entries(Random& random, Kind of, std::int64_t m, int n)
      : kind(of),
        rows(m),
        bad_row(random.index(static_cast<int>(std::max<std::int64_t>(m, 1)))),
        bad_column(random.index(n)) {
    int const far = std::numeric_limits<Real>::max_exponent - 20;
    int const spread = kind == graded ? 30 : kind == far_scales ? far : 0;
    for (int j = 0; j < n; ++j) exponents.push_back(random.index(2 * spread + 1) - spread);
  }
  double operator()(std::int64_t i, std::int64_t j) const {
    auto const noise = [&](std::int64_t column) {
      return tall::noise(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(column));
    };
    double const x = std::ldexp(noise(j), exponents[static_cast<std::size_t>(j)]);
    switch (kind) {
      case zero_columns: return j % 3 == 1 ? 0 : x;
      case repeated: return noise(j / 3);
      case zero_rows: return i < rows / 2 ? 0 : x;
      case constant: return 1;
      case bad: return i == bad_row && j == bad_column ? std::nan("") : x;
      default: return x;
    }
  }
};

/// Rows × cols of that layout, with strides in memory that is larger.
template <class Real, class Layout>
Kokkos::View<Real**, Layout, Exec> place(std::int64_t rows, std::int64_t cols) {
  auto const m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(cols);
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
    Kokkos::View<Real**, Kokkos::LayoutRight, Exec> const memory("memory", m + 1, 2 * n + 3);
    return Kokkos::subview(Kokkos::View<Real**, Kokkos::LayoutStride, Exec>(memory),
                           std::pair<std::size_t, std::size_t>(1, m + 1),
                           std::pair<std::size_t, std::size_t>(2, n + 2));
  } else {
    return Kokkos::View<Real**, Layout, Exec>("matrix", m, n);
  }
}

template <class Real>
struct Factors {
  std::vector<Real> Q, R, U, S, V;
  Status qr, svd;
};

/// This rank's part of all factors.
template <class Real, class Layout>
Factors<Real> factors(Communicator const& comm, BlockLayout const& layout, int n,
                      Entries<Real> const& entry, bool with_workspace) {
  std::int64_t const rows = layout.count(comm.rank());
  auto const A = place<Real, Layout>(rows, n), Q = place<Real, Layout>(rows, n),
             U = place<Real, Layout>(rows, n);
  carroll::test::deep_copy(A, tall::rows_of<Real>(layout, comm.rank(), n, entry));
  Kokkos::View<Real**, Exec> const R("R", n, n), V("V", n, n);
  Kokkos::View<Real*, Exec> const S("S", n);
  Factors<Real> found;
  if (with_workspace) {
    auto qr = distributed::tall_qr_workspace<Real>(comm, layout, n);
    auto svd = distributed::tall_svd_workspace<Real>(comm, layout, n);
    for (int again = 0; again < 2; ++again) {
      found.qr = distributed::tall_qr(comm, A, Q, R, qr).status;
      found.svd = distributed::tall_svd(comm, A, U, S, V, svd).status;
    }
  } else {
    found.qr = distributed::tall_qr(comm, layout, A, Q, R).status;
    found.svd = distributed::tall_svd(comm, layout, A, U, S, V).status;
  }
  found.Q = tall::entries(Q), found.R = tall::entries(R), found.U = tall::entries(U);
  found.S = tall::entries(S), found.V = tall::entries(V);
  return found;
}

/// max |XᵀX - I| over all ranks' rows.
template <class Real>
double orthogonality(Communicator const& comm, std::vector<Real> const& rows, int n) {
  Kokkos::View<Real const**, Kokkos::LayoutRight, Kokkos::HostSpace> const X(
      rows.data(), rows.size() / static_cast<std::size_t>(n), n);
  return tall::orthogonality(comm, X);
}

template <class Real, class Layout>
void tall_of(Round& round, char const* lie) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  int const n = 1 + random.index(random.chance(0.3) ? 90 : 20);
  auto const block = distributed::tall_block_rows<Real>(n);
  std::int64_t const m = std::max<std::int64_t>(
      n, block * random.index(7) + (random.chance(0.5) ? 0 : random.index(int(block))));
  auto const kind = static_cast<Kind>(random.index(kinds));
  Entries<Real> const entry(random, kind, m, n);
  bool const with_workspace = random.chance(0.3), values_only = random.chance(0.2);
  auto const layout = drawn_units(random, comm.size(), m, block);
  std::string const name = std::string(sizeof(Real) == 4 ? "float " : "double ") + lie + " " +
                           std::to_string(m) + "x" + std::to_string(n) + " " + kind_names[kind] +
                           " on " + std::to_string(comm.size()) + " ranks: ";
  auto const one = factors<Real, Layout>(alone(), BlockLayout{{0, m}}, n, entry, with_workspace);
  auto const all = factors<Real, Layout>(comm, layout, n, entry, with_workspace);
  auto const part = [&](std::vector<Real> const& whole) {
    return std::vector<Real>(whole.begin() + layout.begin(comm.rank()) * n,
                             whole.begin() + layout.end(comm.rank()) * n);
  };
  round.expect(all.qr == one.qr && all.svd == one.svd, name + "another status than on one");
  round.expect(tall::same_bits(all.R, one.R), name + "other bits of R than on one");
  round.expect(tall::same_bits(all.S, one.S), name + "other bits of S than on one");
  round.expect(tall::same_bits(all.V, one.V), name + "other bits of V than on one");
  round.expect(tall::same_bits(all.Q, part(one.Q)), name + "other bits of Q than on one");
  round.expect(tall::same_bits(all.U, part(one.U)), name + "other bits of U than on one");
  round.expect(all.qr == (kind == bad ? Status::non_finite : Status::success) && all.svd == all.qr,
               name + "its status is " + std::string(to_string(all.svd)));
  round.checked(1);
  if (values_only) {
    auto const A = tall::rows_of<Real>(layout, comm.rank(), n, entry);
    Kokkos::View<Real*, Exec> const S("S", n);
    (void)distributed::tall_svd(comm, layout, A, none, S, none);
    round.expect(tall::same_bits(tall::entries(S), one.S), name + "other bits of S alone");
  }
  if (kind == bad) return;
  double const bound = 50 * tall::eps<Real> * std::sqrt(double(n) + 1);
  for (auto const* factor : {&all.Q, &all.U}) {
    double const found = orthogonality(comm, *factor, n);
    round.expect(found < bound, name + "columns are orthonormal to " + std::to_string(found) +
                                    ", allowed " + std::to_string(bound));
  }
}

/// A matrix of some rank and noise, sparse where `sparse`: then all its entries are listed.
template <class Real>
void randomized_of(Round& round) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  int const n = 1 + random.index(60);
  std::int64_t const m = random.chance(0.2) ? random.index(40) : random.index(12'000);
  auto const k = random.index(static_cast<int>(std::min<std::int64_t>({m, n, 9})) + 1);
  distributed::RandomizedSvdOptions const options{
      .oversampling = random.index(6), .power_steps = random.index(4), .seed = 5, .tolerance = 0.9};
  Entries<Real> const entry(random, random.chance(0.5) ? plain : repeated, m, n);
  bool const sparse = random.chance(0.4);
  auto const stretch = distributed::detail::stretch_rows<Real>(
      n, distributed::detail::sketch_width(m, n, k, options));
  auto const layout = drawn_units(random, comm.size(), m, stretch);
  std::string const name = std::string(sizeof(Real) == 4 ? "float " : "double ") +
                           (sparse ? "sparse " : "dense ") + std::to_string(m) + "x" +
                           std::to_string(n) + ", " + std::to_string(k) + " triplets on " +
                           std::to_string(comm.size()) + " ranks: ";
  struct Found {
    std::vector<Real> U, S, V;
    distributed::RandomizedSvdInfo<Real> info;
  };
  auto const solve = [&](Communicator const& ranks, BlockLayout const& lie) {
    auto const rows = static_cast<std::size_t>(lie.count(ranks.rank()));
    Kokkos::View<Real**, Kokkos::LayoutLeft, Exec> const U("U", rows, k), V("V", n, k);
    Kokkos::View<Real*, Exec> const S("S", k);
    auto const A = tall::rows_of<Real, Kokkos::LayoutRight>(lie, ranks.rank(), n, entry);
    Found found;
    if (sparse) {
      Kokkos::View<std::int64_t*, Exec> const offsets("offsets", rows + 1);
      Kokkos::View<int*, Exec> const columns("columns", rows * static_cast<std::size_t>(n));
      Kokkos::View<Real*, Exec> const values(A.data(), A.size());
      auto const o = Kokkos::create_mirror_view(offsets);
      auto const c = Kokkos::create_mirror_view(columns);
      for (std::size_t i = 0; i <= rows; ++i) o(i) = static_cast<std::int64_t>(i) * n;
      for (std::size_t e = 0; e < c.extent(0); ++e) c(e) = static_cast<int>(e) % n;
      carroll::test::deep_copy(offsets, o);
      carroll::test::deep_copy(columns, c);
      found.info = distributed::randomized_svd(
          ranks, lie, distributed::CsrRows{offsets, columns, values, n}, U, S, V, options);
    } else {
      found.info = distributed::randomized_svd(ranks, lie, A, U, S, V, options);
    }
    found.U = tall::entries(U), found.S = tall::entries(S), found.V = tall::entries(V);
    return found;
  };
  auto const one = solve(alone(), BlockLayout{{0, m}});
  auto const all = solve(comm, layout);
  auto const first = one.U.begin() + layout.begin(comm.rank()) * k,
             last = one.U.begin() + layout.end(comm.rank()) * k;
  round.expect(all.info.status == one.info.status, name + "another status than on one");
  round.expect(all.info.residual == one.info.residual, name + "another residual than on one");
  round.expect(tall::same_bits(all.S, one.S), name + "other bits of S than on one");
  round.expect(tall::same_bits(all.V, one.V), name + "other bits of V than on one");
  round.expect(tall::same_bits(all.U, {first, last}), name + "other bits of U than on one");
  round.checked(1);
}

}  // namespace
}  // namespace rank_tall

void tall_round(Round& round) {
  switch (round.random.index(6)) {
    case 0: return rank_tall::tall_of<float, Kokkos::LayoutLeft>(round, "by columns");
    case 1: return rank_tall::tall_of<double, Kokkos::LayoutLeft>(round, "by columns");
    case 2: return rank_tall::tall_of<float, Kokkos::LayoutRight>(round, "by rows");
    case 3: return rank_tall::tall_of<double, Kokkos::LayoutRight>(round, "by rows");
    case 4: return rank_tall::tall_of<float, Kokkos::LayoutStride>(round, "with strides");
    default: return rank_tall::tall_of<double, Kokkos::LayoutStride>(round, "with strides");
  }
}

void randomized_round(Round& round) {
  if (round.random.chance(0.5))
    rank_tall::randomized_of<float>(round);
  else
    rank_tall::randomized_of<double>(round);
}

}  // namespace carroll::test
