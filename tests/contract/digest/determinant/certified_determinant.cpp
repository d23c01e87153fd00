// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "contract/digest/digest.hpp"
#include "support/determinant/certified_drivers.hpp"
#include "support/determinant/drivers.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(CertifiedDeterminantInfo<Real> const& info) {
  Hash hash;
  hash.add(info.status);
  for (auto const& number : {info.lower, info.upper, info.value})
    hash.add(number.mantissa()).add(number.exponent());
  return hash;
}

template <class Real>
void add_certified_determinant(Digest& digest) {
  for (int const n : {0, 1, 2, 3, 4, 5, 8, 16, 20, 31, 32, 33, 50, 64, 65, 100, 150, 257, 400}) {
    auto A = random_square<Real>(n, 21);
    digest.add(hash_of(run_certified(A)), type_name<Real>, "rows", n);
    if (n == 0) continue;
    digest.add(hash_of(run_certified<Kokkos::LayoutLeft>(A)), type_name<Real>, "columns", n);
    digest.add(hash_of(run_certified(random_exponents<Real>(n, 30, 0.5, 22))), type_name<Real>,
               "sparse", n);
    for (int j = 0; j < n; ++j) A(n - 1, j) = A(0, j);
    digest.add(hash_of(run_certified(A)), type_name<Real>, "equal_rows", n);
    if (n > 100) continue;
    std::vector<HostMatrix<Real>> members;
    for (int b = 0; b < 7; ++b)
      members.push_back(random_square<Real>(n, static_cast<std::uint64_t>(40 + b)));
    Hash hash;
    for (auto const& info : run_certified(members)) hash.add(hash_of(info).value());
    digest.add(hash, type_name<Real>, "batch", n);
  }
}

DigestOf const certified_determinant_digest("certified_determinant", [](Digest& digest) {
  add_certified_determinant<float>(digest);
  add_certified_determinant<double>(digest);
});

}  // namespace
}  // namespace carroll::test
