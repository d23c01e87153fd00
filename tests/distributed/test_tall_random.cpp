// Tall QR and SVD of random problems over random ranks: what has to hold of the factors, the bits
// of one rank, and errors on all ranks where one cannot go on. CARROLL_TALL_SEED and
// CARROLL_TALL_ROUNDS ask for others, and for more.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/tall_svd.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <svd_instances.hpp>
#include <vector>

#include "distributed/tall_matrices.hpp"

namespace {

using carroll::Status;
using carroll::distributed::tall_block_rows;
using carroll::distributed::tall_qr;
using carroll::distributed::tall_svd;
using namespace carroll::test::tall;

using Draw = std::mt19937_64;
int index(Draw& draw, std::int64_t end) {
  return static_cast<int>(draw() % static_cast<std::uint64_t>(end));
}

/// Whole blocks for each rank, none for some.
BlockLayout drawn_layout(Draw& draw, int ranks, std::int64_t rows, std::int64_t block) {
  std::vector<std::int64_t> cuts{rows};
  for (int r = 1; r < ranks; ++r)
    cuts.push_back(std::min(rows, block * index(draw, rows / block + 2)));
  std::sort(cuts.begin(), cuts.end());
  BlockLayout layout;
  layout.offsets.insert(layout.offsets.end(), cuts.begin(), cuts.end());
  return layout;
}

enum Kind { plain, graded, far_scales, zero_columns, repeated, zero_rows, constant, bad, kinds };

/// Entries of a problem, a function of their place.
template <class Real>
struct Entries {
  Kind kind;
  std::vector<int> exponents;
  std::int64_t rows, bad_row;
  int bad_column;

  Entries(Draw& draw, Kind of, std::int64_t m, int n)
      : kind(of),
        rows(m),
        bad_row(index(draw, std::max<std::int64_t>(m, 1))),
        bad_column(index(draw, n)) {
    int const far = std::numeric_limits<Real>::max_exponent - 20;
    int const spread = kind == graded ? 30 : kind == far_scales ? far : 0;
    for (int j = 0; j < n; ++j) exponents.push_back(index(draw, 2 * spread + 1) - spread);
  }
  double operator()(std::int64_t i, std::int64_t j) const {
    double const x = std::ldexp(noise(i, j), exponents[static_cast<std::size_t>(j)]);
    switch (kind) {
      case zero_columns: return j % 3 == 1 ? 0 : x;
      case repeated: return noise(i, j / 3);
      case zero_rows: return i < rows / 2 ? 0 : x;
      case constant: return 1;
      case bad: return i == bad_row && j == bad_column ? std::nan("") : x;
      default: return x;
    }
  }
};

template <class Real, class Layout>
struct Factors {
  Matrix<Real, Layout> Q, U;
  Matrix<Real> R, V;
  Vector<Real> S;
  Status qr, svd;

  Factors(Communicator const& comm, BlockLayout const& layout, Matrix<Real, Layout> const& A)
      : Q("Q", A.extent(0), A.extent(1)),
        U("U", A.extent(0), A.extent(1)),
        R("R", A.extent(1), A.extent(1)),
        V("V", A.extent(1), A.extent(1)),
        S("S", A.extent(1)) {
    qr = tall_qr(comm, layout, A, Q, R).status;
    svd = tall_svd(comm, layout, A, U, S, V).status;
  }
};

template <class Real, class Layout>
void round(Draw& draw) {
  auto const everyone = world();
  int const first = 1 + index(draw, everyone.size());
  auto const comm = everyone.split(everyone.rank() < first ? 0 : 1, everyone.rank());
  int const n = 1 + index(draw, index(draw, 3) == 0 ? 90 : 20);
  std::int64_t const block = tall_block_rows<Real>(n);
  std::int64_t const m = std::max<std::int64_t>(
      n, block * index(draw, 7) + (index(draw, 2) == 0 ? 0 : index(draw, block)));
  auto const kind = static_cast<Kind>(index(draw, kinds));
  Entries<Real> const entry(draw, kind, m, n);
  // Both groups draw as often.
  auto const seed = draw();
  Draw own(seed);
  auto const layout = drawn_layout(own, comm.size(), m, block);
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " kind " + std::to_string(kind) +
               (sizeof(Real) == 4 ? " float" : " double") + " on " + std::to_string(comm.size()));
  auto const A = rows_of<Real, Layout>(layout, comm.rank(), n, entry);
  Factors<Real, Layout> const all(comm, layout, A);

  auto const alone = comm.split(comm.rank(), 0);
  BlockLayout const whole{{0, m}};
  auto const A1 = rows_of<Real, Layout>(whole, 0, n, entry);
  Factors<Real, Layout> const one(alone, whole, A1);
  EXPECT_EQ(all.qr, one.qr);
  EXPECT_EQ(all.svd, one.svd);
  EXPECT_TRUE(same_bits(entries(all.R), entries(one.R)));
  EXPECT_TRUE(same_bits(entries(all.S), entries(one.S)));
  EXPECT_TRUE(same_bits(entries(all.V), entries(one.V)));
  auto const mine = std::make_pair(static_cast<std::size_t>(layout.begin(comm.rank())),
                                   static_cast<std::size_t>(layout.end(comm.rank())));
  EXPECT_TRUE(same_bits(entries(all.Q), entries(Kokkos::subview(one.Q, mine, Kokkos::ALL))));
  EXPECT_TRUE(same_bits(entries(all.U), entries(Kokkos::subview(one.U, mine, Kokkos::ALL))));
  if (kind == bad) {
    EXPECT_EQ(all.qr, Status::non_finite);
    EXPECT_EQ(all.svd, Status::non_finite);
    return;
  }
  EXPECT_EQ(all.qr, Status::success);
  EXPECT_EQ(all.svd, Status::success);
  double const bound = 50 * eps<Real> * std::sqrt(double(n) + 1);
  EXPECT_LT(orthogonality(comm, all.Q), bound);
  EXPECT_LT(orthogonality(comm, all.U), bound);
  if (kind == far_scales) return;  // squares of these overflow in the test
  auto const r = on_host(all.R);
  EXPECT_LT(column_residual(comm, A, all.Q,
                            [&](std::size_t k, std::size_t j) { return double(r(k, j)); }),
            bound);
}

/// One rank gives what does not fit: an error on all, and all go on.
template <class Real>
void fault(Draw& draw) {
  auto const comm = world();
  int const guilty = index(draw, comm.size());
  std::int64_t const n = 1 + index(draw, 9), m = 100 + index(draw, 10'000);
  auto const layout = carroll::distributed::tall_layout<Real>(comm.size(), m, n);
  auto const cols = static_cast<std::size_t>(n);
  auto const rows = static_cast<std::size_t>(layout.count(comm.rank()));
  bool const here = comm.rank() == guilty;
  Matrix<Real> const A("A", rows + (here ? 1 : 0), cols), R("R", cols, cols);
  if (here)
    EXPECT_THROW((void)tall_qr(comm, layout, A, carroll::none, R), std::invalid_argument);
  else
    EXPECT_THROW((void)tall_qr(comm, layout, A, carroll::none, R), carroll::distributed::RankError);
}

std::int64_t number_from(char const* name, std::int64_t otherwise) {
  char const* const text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

TEST(TallRandom, Problems) {
  Draw draw(static_cast<std::uint64_t>(number_from("CARROLL_TALL_SEED", 2718)));
  std::int64_t const rounds = number_from("CARROLL_TALL_ROUNDS", 24);
  for (std::int64_t k = 0; k < rounds && !HasFailure(); ++k) {
    SCOPED_TRACE("round " + std::to_string(k));
    switch (index(draw, 5)) {
      case 0: round<float, Kokkos::LayoutLeft>(draw); break;
      case 1: round<double, Kokkos::LayoutLeft>(draw); break;
      case 2: round<float, Kokkos::LayoutRight>(draw); break;
      case 3: round<double, Kokkos::LayoutRight>(draw); break;
      default: index(draw, 2) == 0 ? fault<float>(draw) : fault<double>(draw);
    }
  }
}

}  // namespace
