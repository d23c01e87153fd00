// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "contract/digest/digest.hpp"
#include "support/determinant/integer_matrices.hpp"

namespace carroll::test {
namespace {

Hash hash_of(IntegerDeterminant const& result) {
  return Hash()
      .add(result.status)
      .add(result.sign)
      .add(result.limbs)
      .add(result.primes)
      .add(result.proven);
}

DigestOf const integer_determinant_digest("integer_determinant", [](Digest& digest) {
  for (int const n : {1, 2, 3, 5, 20, 33, 64, 100})
    for (int const bits : {2, 20, 31, 63}) {
      if (n > 64 && bits > 20) continue;  // slow
      auto A = random_integers(n, bits, 51);
      digest.add(hash_of(run_integer_determinant(A)), "rows", n, bits);
      digest.add(hash_of(run_integer_determinant<std::int64_t, Kokkos::LayoutStride>(A)), "strided",
                 n, bits);
      if (bits <= 32)
        digest.add(hash_of(run_integer_determinant<std::int32_t>(A)), "32_bits", n, bits);
      digest.add(hash_of(run_integer_determinant(A, {.early_termination = 2, .seed = 3})), "early",
                 n, bits);
      for (int j = 0; j < n; ++j) A(n - 1, j) = n == 1 ? 0 : A(0, j);
      digest.add(hash_of(run_integer_determinant(A)), "equal_rows", n, bits);
    }
});

}  // namespace
}  // namespace carroll::test
