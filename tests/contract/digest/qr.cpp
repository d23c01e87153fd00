// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "support/field_matrix.hpp"
#include "support/qr/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {
namespace {

template <class Value>
Hash hash_of(HostQr<Value> const& result) {
  Hash hash;
  for (auto const* const M : {&result.Q, &result.R})
    hash.add(M->rows).add(M->cols).add(parts_of(M->data));
  return hash.add(result.P).add(result.info.status).add(result.info.rank);
}

template <class Value>
void add_qr(Digest& digest) {
  std::string const scalar =
      std::string(is_complex<Value> ? "complex " : "") + type_name<RealOf<Value>>;
  std::vector<QrCall> calls(7);
  calls[1].options.path = QrPath::team;
  calls[2].options.path = QrPath::host_block;
  for (std::size_t k = 3; k < 6; ++k) calls[k].pivoted = true;
  calls[4].options.path = QrPath::team;
  calls[5].options.path = QrPath::host_block;
  calls[6].options.path = QrPath::tiled;
  char const* const names[] = {
      "automatic", "team", "host_block", "pivoted", "pivoted team", "pivoted host_block", "tiled"};
  for (std::size_t k = 0; k < calls.size(); ++k)
    for (auto const& [m, n] :
         {std::pair(0, 3), {1, 1}, {3, 2}, {8, 8}, {5, 9}, {33, 31}, {90, 70}}) {
      std::vector<HostMatrix<Value>> batch;
      std::string const extents = std::to_string(m) + "x" + std::to_string(n);
      for (MatrixType const type :
           {MatrixType::random, MatrixType::rank_deficient, MatrixType::graded_rows,
            MatrixType::one_huge_column, MatrixType::denormal}) {
        batch.push_back(field::make_field_matrix<Value>(type, m, n, 17));
        calls[k].mode = QrMode::full;
        digest.add(hash_of(run_qr(batch.back(), calls[k])), names[k], scalar, to_string(type),
                   extents);
      }
      Hash hash;
      calls[k].mode = QrMode::thin;
      for (auto const& result : run_qr_batch(batch, calls[k])) hash.add(hash_of(result).value());
      digest.add(hash, names[k], scalar, "batch", extents);
    }
}

DigestOf const qr_digest("qr", [](Digest& digest) {
  add_qr<float>(digest);
  add_qr<double>(digest);
  add_qr<Kokkos::complex<float>>(digest);
  add_qr<Kokkos::complex<double>>(digest);
});

}  // namespace
}  // namespace carroll::test
