// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "support/qr/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(HostQr<Real> const& result) {
  return Hash()
      .add(result.Q)
      .add(result.R)
      .add(result.P)
      .add(result.info.status)
      .add(result.info.rank);
}

template <class Real>
void add_qr(Digest& digest) {
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
      std::vector<HostMatrix<Real>> batch;
      std::string const extents = std::to_string(m) + "x" + std::to_string(n);
      for (MatrixType const type :
           {MatrixType::random, MatrixType::rank_deficient, MatrixType::graded_rows,
            MatrixType::one_huge_column, MatrixType::denormal}) {
        batch.push_back(make_matrix<Real>(type, m, n, 17));
        calls[k].mode = QrMode::full;
        digest.add(hash_of(run_qr(batch.back(), calls[k])), names[k], type_name<Real>,
                   to_string(type), extents);
      }
      Hash hash;
      calls[k].mode = QrMode::thin;
      for (auto const& result : run_qr_batch(batch, calls[k])) hash.add(hash_of(result).value());
      digest.add(hash, names[k], type_name<Real>, "batch", extents);
    }
}

DigestOf const qr_digest("qr", [](Digest& digest) {
  add_qr<float>(digest);
  add_qr<double>(digest);
});

}  // namespace
}  // namespace carroll::test
