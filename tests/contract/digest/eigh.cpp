// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include "digest.hpp"
#include "support/complex_entries.hpp"
#include "support/eigh/drivers.hpp"
#include "support/eigh/hermitian_matrices.hpp"
#include "support/eigh/symmetric_matrices.hpp"
#include "support/guarded_view.hpp"

namespace carroll::test {
namespace {

template <class T>
Hash hash_of(HostEigh<T> const& result) {
  auto const& info = result.info;
  return Hash()
      .add(result.W)
      .add(result.V.rows)
      .add(result.V.cols)
      .add(parts_of(result.V.data))
      .add(info.status)
      .add(info.sweeps)
      .add(info.rank)
      .add(info.negative);
}

template <class Real>
void add_eigh(Digest& digest) {
  std::vector<EighCall> calls(4);
  calls[1].options.path = EighPath::team;
  calls[2].options.method = EighMethod::cholesky_jacobi;
  calls[3].options.path = EighPath::divided;
  char const* const names[] = {"automatic", "team", "cholesky_jacobi", "divided"};
  for (std::size_t k = 0; k < calls.size(); ++k) {
    Random random(17);
    for (int const n : {0, 1, 2, 3, 7, 8, 16, 31, 33, 64, 65, 100, 130}) {
      std::vector<HostMatrix<Real>> ragged;
      for (int type = 0; type < (n > 40 ? 3 : symmetric_types); ++type) {
        auto const kind = static_cast<SymmetricType>(type);
        auto const A =
            k == 2 ? whole_gram<Real>(random, n, n) : symmetric_matrix<Real>(random, kind, n);
        digest.add(hash_of(run_eigh(A, calls[k])), names[k], type_name<Real>,
                   std::string(to_string(kind)), n);
        ragged.push_back(A);
      }
      Hash hash;
      for (auto const& result : run_eigh_batch(ragged, calls[k])) hash.add(hash_of(result).value());
      digest.add(hash, names[k], type_name<Real>, "batch", n);
    }
  }
}

/// Of all orders in one ragged batch.
template <class Real>
void add_complex_eigh(Digest& digest) {
  std::vector<EighCall> calls(3);
  calls[1].options.method = EighMethod::cholesky_jacobi;
  calls[2].options.path = EighPath::divided;
  char const* const names[] = {"complex automatic", "complex cholesky_jacobi", "complex divided"};
  for (std::size_t k = 0; k < calls.size(); ++k) {
    Random random(18);
    std::vector<HostMatrix<Kokkos::complex<Real>>> ragged;
    std::vector<int> const orders{0, 1, 2, 3, 7, 8, 16, 31, 33, 64, 65, 100, 130};
    for (int const n : orders) ragged.push_back(scaled_hermitian<Real>(random, n, 10, 3).A);
    auto const results = run_eigh_ragged(ragged, calls[k]);
    for (std::size_t b = 0; b < orders.size(); ++b)
      digest.add(hash_of(results[b]), names[k], type_name<Real>, "ragged", orders[b]);
  }
}

DigestOf const eigh_digest("eigh", [](Digest& digest) {
  add_eigh<float>(digest);
  add_eigh<double>(digest);
  add_complex_eigh<float>(digest);
  add_complex_eigh<double>(digest);
});

}  // namespace
}  // namespace carroll::test
