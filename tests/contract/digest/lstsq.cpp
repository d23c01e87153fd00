// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(HostLstsq<Real> const& result) {
  return Hash()
      .add(result.X)
      .add(result.info.status)
      .add(result.info.rank)
      .add(std::vector<Real>{result.info.sigma_max, result.info.sigma_min});
}

template <class Real>
void add_lstsq(Digest& digest) {
  for (bool const inverse : {false, true})
    for (auto const& [m, n] :
         {std::pair(0, 3), {1, 1}, {3, 2}, {8, 8}, {5, 9}, {33, 31}, {90, 70}}) {
      std::string const extents = std::to_string(m) + "x" + std::to_string(n);
      char const* const name = inverse ? "pinv" : "lstsq";
      std::vector<LstsqProblem<Real>> batch;
      for (MatrixType const type : {MatrixType::random, MatrixType::rank_deficient,
                                    MatrixType::graded_rows, MatrixType::denormal}) {
        batch.push_back(
            {make_matrix<Real>(type, m, n, 19), make_matrix<Real>(MatrixType::random, m, 5, 20)});
        auto const& [A, B] = batch.back();
        digest.add(hash_of(inverse ? run_pinv(A) : run_lstsq(A, B)), name, type_name<Real>,
                   to_string(type), extents);
      }
      Hash hash;
      for (auto const& result : run_lstsq_batch(batch, inverse)) hash.add(hash_of(result).value());
      digest.add(hash, name, type_name<Real>, "batch", extents);
    }
}

DigestOf const lstsq_digest("lstsq", [](Digest& digest) {
  add_lstsq<float>(digest);
  add_lstsq<double>(digest);
});

}  // namespace
}  // namespace carroll::test
