// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/distributed/blas/asum.hpp>
#include <carroll/distributed/blas/dot.hpp>
#include <carroll/distributed/blas/max_abs.hpp>
#include <carroll/distributed/blas/norm2.hpp>
#include <carroll/distributed/blas/reduction/layout.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <utility>

#include "distributed/digest/ranks.hpp"
#include "support/blas/reduction_drivers.hpp"

namespace carroll::test {
namespace {

template <class T>
void add_vectors(Digest& digest) {
  auto const comm = all_ranks();
  auto const add = [](Hash& hash, auto const& info) {
    hash.add(info.status);
    for (auto const x : parts_of(info.value)) hash.add(x);
  };
  for (int const n : {0, 1, 7, 1000, 1024, 1025, 5000, 9000, 33'000, 200'000})
    for (Summation const summation : all_summations)
      for (VectorKind const kind :
           {VectorKind::uniform, VectorKind::wide, VectorKind::cancelling}) {
        Random random(static_cast<std::uint64_t>(17 + n));
        auto const draw = [&] {
          return entries_of<T>(
              VectorsOf<RealOf<T>>(random, kind, n, detail::is_complex<T> ? 2 : 1).draw().x);
        };
        PlacedVectors<T> const x({draw()}, Placement::rows(n)), y({draw()}, Placement::rows(n));
        auto layouts = some_layouts(comm.size(), n);
        layouts.push_back(distributed::reduction_layout(comm.size(), n));
        for (std::size_t way = 0; way < layouts.size(); ++way) {
          auto const& layout = layouts[way];
          std::pair const mine(layout.begin(comm.rank()), layout.end(comm.rank()));
          auto const my_x = Kokkos::subview(x.member(0), mine),
                     my_y = Kokkos::subview(y.member(0), mine);
          ReductionOptions const options{summation};
          Hash hash;
          add(hash, distributed::sum(comm, my_x, options));
          add(hash, distributed::dot(comm, my_x, my_y, {summation, true}));
          add(hash, distributed::norm2(comm, my_x, options));
          add(hash, distributed::asum(comm, my_x, options));
          add(hash, distributed::max_abs(comm, my_x));
          digest.add(hash, scalar_name_of<T>(), name_of(summation), std::string(name_of(kind)), n,
                     "shared", way);
        }
      }
}

DigestOf const rank_reductions("rank_reductions", [](Digest& digest) {
  add_vectors<float>(digest);
  add_vectors<double>(digest);
  add_vectors<Kokkos::complex<float>>(digest);
  add_vectors<Kokkos::complex<double>>(digest);
});

}  // namespace
}  // namespace carroll::test
