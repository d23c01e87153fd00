// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "digest.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/truncated_drivers.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(HostTruncatedSvd<Real> const& result) {
  auto const& info = result.info;
  return Hash()
      .add(result.U)
      .add(result.S)
      .add(result.V)
      .add(result.residuals)
      .add(info.status)
      .add(info.path)
      .add(info.power_steps)
      .add(info.residual)
      .add(info.error);
}

template <class Real>
void add_truncated_svd(Digest& digest) {
  for (auto const& [rows, cols, rank] :
       {std::array{1, 1, 1}, {20, 9, 4}, {70, 90, 3}, {300, 130, 20}, {260, 260, 60}, {600, 70, 5}})
    for (MatrixType const type : {MatrixType::uniform01, MatrixType::dense_geometric}) {
      auto const A = make_matrix<Real>(type, rows, cols, 17);
      for (auto const& [path, name] : {std::pair{TruncatedSvdPath::randomized, "randomized"},
                                       {TruncatedSvdPath::automatic, "automatic"},
                                       {TruncatedSvdPath::full, "full"}})
        digest.add(hash_of(run_truncated_svd(A, rank, {.path = path})), type_name<Real>,
                   to_string(type), rows, cols, rank, name);
      digest.add(hash_of(run_truncated_svd_with_workspace(A, rank, {.power_steps = 2, .seed = 5})),
                 type_name<Real>, to_string(type), rows, cols, rank, "workspace");
    }
}

DigestOf const truncated_svd_digest("truncated_svd", [](Digest& digest) {
  add_truncated_svd<float>(digest);
  add_truncated_svd<double>(digest);
});

}  // namespace
}  // namespace carroll::test
