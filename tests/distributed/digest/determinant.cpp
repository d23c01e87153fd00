// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/determinant.hpp>

#include "determinant_instances.hpp"
#include "distributed/determinant/shared_rows.hpp"
#include "distributed/digest/ranks.hpp"

namespace carroll::test {
namespace {

template <class T>
void add_orders(Digest& digest, char const* scalar) {
  auto const comm = all_ranks();
  for (std::int64_t const n : {0, 1, 50, 257, 400, 777}) {
    auto const A = shared_rows::random_matrix<T>(n, static_cast<std::uint64_t>(n));
    for (std::int64_t const blocks : {1, 3}) {
      auto const info = shared_rows::determinant<T>(comm, A, blocks * shared_rows::some_rows,
                                                    distributed::DeterminantEngine::automatic);
      auto const mantissa = info.value.mantissa();
      Hash hash;
      hash.add(info.status).add(info.value.exponent());
      if constexpr (detail::is_complex<T>)
        hash.add(mantissa.real()).add(mantissa.imag());
      else
        hash.add(mantissa);
      digest.add(hash, scalar, n, "blocks", blocks);
    }
  }
}

DigestOf const rank_determinant("rank_determinant", [](Digest& digest) {
  add_orders<float>(digest, "float");
  add_orders<double>(digest, "double");
  add_orders<Kokkos::complex<float>>(digest, "complex float");
  add_orders<Kokkos::complex<double>>(digest, "complex double");
});

}  // namespace
}  // namespace carroll::test
