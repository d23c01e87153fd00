// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include "digest.hpp"
#include "support/blas/reduction_drivers.hpp"

namespace carroll::test {
namespace {

template <class V>
Hash& add_info(Hash& hash, ReductionInfo<V> const& info) {
  hash.add(info.status);
  for (auto const x : parts_of(info.value)) hash.add(x);
  return hash;
}

template <class T>
std::vector<T> drawn_entries(Random& random, VectorKind kind, int length) {
  return entries_of<T>(
      VectorsOf<RealOf<T>>(random, kind, length, detail::is_complex<T> ? 2 : 1).draw().x);
}

/// Of vectors alone, by all summations.
template <class T>
void add_lengths(Digest& digest) {
  for (int const n : {0,    1,    2,    3,    31,   33,   64,    100,   1000,  1023,
                      1024, 1025, 2049, 3000, 5000, 9000, 32768, 33000, 70001, 300000}) {
    for_each_reduction([&](auto chosen) {
      Hash hash;
      for (VectorKind const kind :
           {VectorKind::uniform, VectorKind::wide, VectorKind::cancelling, VectorKind::subnormal}) {
        if (n > 70001 && kind != VectorKind::uniform) continue;
        Random random(static_cast<std::uint64_t>(71 + n));
        PlacedVectors<T> const x({drawn_entries<T>(random, kind, n)}, Placement::rows(n)),
            y({drawn_entries<T>(random, kind, n)}, Placement::rows(n));
        for (Summation const summation : all_summations)
          add_info(hash, reduced<chosen()>(Exec(), x.member(0), y.member(0), summation));
      }
      digest.add(hash, scalar_name_of<T>(), name_of(chosen()), n);
    });
  }
}

/// Of batches whose members are of all kinds, by rows and by columns.
template <class T>
void add_reduction_batches(Digest& digest) {
  for (auto const& [members, n] :
       {std::pair{2000, 3}, {50, 40}, {30, 1024}, {14, 2500}, {3, 40000}}) {
    Random random(72);
    std::vector<std::vector<T>> vectors;
    for (int b = 0; b < members; ++b)
      vectors.push_back(
          drawn_entries<T>(random, static_cast<VectorKind>(b % int(vector_kinds.size())), n));
    PlacedVectors<T> const rows(vectors, Placement::rows(n));
    PlacedVectors<T> const columns(vectors, Placement::columns(members, 1));
    for (Summation const summation : all_summations) {
      Hash hash;
      for_each_reduction([&](auto chosen) {
        for (auto const& info :
             reduced<chosen()>(Exec(), rows.batch(), columns.batch(), summation, false))
          add_info(hash, info);
      });
      digest.add(hash, scalar_name_of<T>(), "batch", members, n, name_of(summation));
    }
  }
}

template <class T>
void add_scalar(Digest& digest) {
  add_lengths<T>(digest);
  add_reduction_batches<T>(digest);
}

DigestOf const reductions_digest("reductions", [](Digest& digest) {
  add_scalar<float>(digest);
  add_scalar<double>(digest);
  add_scalar<Kokkos::complex<float>>(digest);
  add_scalar<Kokkos::complex<double>>(digest);
});

}  // namespace
}  // namespace carroll::test
