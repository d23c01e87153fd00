// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include "digest.hpp"
#include "support/solve/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(HostSolve<Real> const& result) {
  return Hash()
      .add(result.X)
      .add(result.info.status)
      .add(result.info.ill_conditioned ? 1 : 0)
      .add(result.info.rcond)
      .add(result.info.growth);
}

template <class Real>
void add_solve(Digest& digest) {
  for (bool const inverts : {false, true})
    for (SolvePath const path : {SolvePath::automatic, SolvePath::team})
      for (int const n : {0, 1, 2, 3, 8, 17, 33, 60}) {
        SolveCall call;
        call.options.path = path;
        call.inverse = inverts;
        std::string const name = std::string(to_string(path)) + (inverts ? " inverse" : " solve"),
                          order = std::to_string(n);
        std::vector<HostSystem<Real>> batch;
        for (MatrixType const type :
             {MatrixType::random, MatrixType::rank_deficient, MatrixType::graded_both,
              MatrixType::near_overflow, MatrixType::denormal}) {
          batch.push_back(
              {make_matrix<Real>(type, n, n, 17), make_matrix<Real>(MatrixType::random, n, 3, 18)});
          digest.add(hash_of(run_solve(batch.back(), call)), name, type_name<Real>, to_string(type),
                     order);
        }
        Hash hash;
        for (auto const& result : run_solve_batch(batch, call)) hash.add(hash_of(result).value());
        digest.add(hash, name, type_name<Real>, "batch", order);
      }
}

DigestOf const solve_digest("solve", [](Digest& digest) {
  add_solve<float>(digest);
  add_solve<double>(digest);
});

}  // namespace
}  // namespace carroll::test
