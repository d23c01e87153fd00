// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/distributed/randomized_svd.hpp>
#include <carroll/distributed/tall_svd.hpp>
#include <cmath>
#include <svd_instances.hpp>

#include "distributed/digest/ranks.hpp"
#include "distributed/tall/tall_matrices.hpp"

namespace carroll::test {
namespace {

/// Column j by 2^(±10·(j mod 3)).
double graded(std::int64_t i, std::int64_t j) {
  int const exponent = static_cast<int>(j % 3) * 10 - 10;
  return std::ldexp(tall::noise(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)),
                    exponent);
}

template <class Real>
void add_factors(Digest& digest) {
  auto const comm = all_ranks();
  for (int const n : {1, 5, 33, 64}) {
    auto const block = distributed::tall_block_rows<Real>(n);
    for (std::int64_t const m : {std::int64_t{n}, block, 3 * block + 17}) {
      auto const layouts = some_layouts(comm.size(), m, block);
      for (std::size_t way = 0; way < layouts.size(); ++way) {
        auto const& layout = layouts[way];
        auto const A = tall::rows_of<Real, Kokkos::LayoutRight>(layout, comm.rank(), n, graded);
        tall::Matrix<Real, Kokkos::LayoutRight> const U("U", A.extent(0), n),
            Q("Q", A.extent(0), n);
        tall::Matrix<Real> const R("R", n, n), V("V", n, n);
        tall::Vector<Real> const S("S", n);
        Hash svd, qr;
        svd.add(distributed::tall_svd(comm, layout, A, U, S, V).status);
        add_rows(add_view(add_view(svd, S), V), comm, layout, U);
        digest.add(svd, "svd", type_name<Real>, m, n, "shared", way);
        qr.add(distributed::tall_qr(comm, layout, A, Q, R).status);
        add_rows(add_view(qr, R), comm, layout, Q);
        digest.add(qr, "qr", type_name<Real>, m, n, "shared", way);
      }
    }
  }
}

template <class Real>
void add_randomized(Digest& digest) {
  auto const comm = all_ranks();
  for (auto const& [m, n, k] : {std::tuple{900, 40, 5}, {20'000, 30, 8}}) {
    auto const layout = distributed::randomized_svd_layout<Real>(comm.size(), m, n, k);
    auto const A = tall::rows_of<Real, Kokkos::LayoutRight>(layout, comm.rank(), n, graded);
    tall::Matrix<Real> const U("U", A.extent(0), k), V("V", n, k);
    tall::Vector<Real> const S("S", k);
    Hash hash;
    hash.add(distributed::randomized_svd(comm, layout, A, U, S, V).status);
    add_rows(add_view(add_view(hash, S), V), comm, layout, U);
    digest.add(hash, "randomized", type_name<Real>, m, n, k);
  }
}

DigestOf const rank_tall("rank_tall", [](Digest& digest) {
  add_factors<float>(digest);
  add_factors<double>(digest);
  add_randomized<float>(digest);
  add_randomized<double>(digest);
});

}  // namespace
}  // namespace carroll::test
