// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <carroll/determinant_ragged.hpp>
#include <string>
#include <vector>

#include "contract/digest/digest.hpp"
#include "support/determinant/drivers.hpp"
#include "support/determinant/ragged_matrices.hpp"

namespace carroll::test {
namespace {

template <class T>
Hash hash_of(DeterminantInfo<T> const& info) {
  Hash hash;
  hash.add(info.status).add(info.growth).add(info.value.exponent());
  auto const mantissa = info.value.mantissa();
  if constexpr (detail::is_complex<T>)
    hash.add(mantissa.real()).add(mantissa.imag());
  else
    hash.add(mantissa);
  return hash;
}
template <class Infos>
Hash hash_of_all(Infos const& infos) {
  Hash hash;
  for (auto const& info : infos) hash.add(hash_of(info).value());
  return hash;
}

template <class T>
std::string scalar_name() {
  return (detail::is_complex<T> ? std::string("complex ") : std::string()) + type_name<RealOf<T>>;
}

template <class T>
void add_orders(Digest& digest, std::vector<int> const& orders) {
  for (int const n : orders) {
    auto const A = random_square<T>(n, 11);
    digest.add(hash_of(run_determinant(A)), scalar_name<T>(), "rows", n);
    if (n > 600) continue;
    digest.add(hash_of(run_determinant<Kokkos::LayoutLeft>(A)), scalar_name<T>(), "columns", n);
    digest.add(hash_of(run_determinant<Kokkos::LayoutStride>(A)), scalar_name<T>(), "strided", n);
  }
}

/// As many as one team each would be for, as a few that teams share, and in between.
template <class T>
void add_determinant_batches(Digest& digest, std::vector<std::array<int, 2>> const& batches) {
  for (auto const& [n, batch] : batches) {
    std::vector<HostMatrix<T>> members;
    for (int b = 0; b < batch; ++b) {
      members.push_back(random_square<T>(n, static_cast<std::uint64_t>(30 + b)));
      if (b % 5 == 3)
        for (int j = 0; j < n; ++j) members.back()(n / 2, j) = T(0);
    }
    auto const right = guarded_batch<T, Kokkos::LayoutRight>(members, n);
    digest.add(hash_of_all(determinant_of(Exec(), right.view())), scalar_name<T>(), "batch_of", n,
               batch);
    auto const left = guarded_batch<T, Kokkos::LayoutLeft>(members, n);
    digest.add(hash_of_all(determinant(Exec(), left.view())), scalar_name<T>(), "batch", n, batch);
  }
}

template <class T>
void add_methods(Digest& digest) {
  constexpr char const* names[] = {"blocked",  "condensation", "salem_said", "dodgson",
                                   "in_place", "ping_pong",    "read_only",  "read_only_column"};
  static_assert(std::size(names) == std::size(all_determinant_methods));
  for (int const n : {1, 2, 3, 4, 7, 20, 33, 70, 150})
    for (DeterminantMethod const method : all_determinant_methods) {
      auto A = random_square<T>(n, 12);
      // Dodgson's divides by minors of the interior, which are far from 0 here.
      for (int i = 0; i < n; ++i) A(i, i) += T(3);
      digest.add(hash_of(run_determinant(A, {.method = method})), scalar_name<T>(),
                 names[static_cast<int>(method)], n);
    }
}

template <class T>
void add_ragged(Digest& digest) {
  for (auto const& orders : {std::vector<int>{0, 1, 2, 3, 4, 5, 8, 8, 17, 32, 33, 40, 64},
                             {130, 3, 65, 200, 34, 12, 300, 1, 100},
                             {70, 70, 71, 90, 33, 33}}) {
    RaggedMatrices<T> const matrices(orders, 13);
    digest.add(hash_of_all(determinant_of_ragged(Exec(), matrices.members, matrices.A.view())),
               scalar_name<T>(), "ragged", orders.size(), orders.front());
  }
}

/// Exact zeros, entries of all sizes, and what is no number.
template <class Real>
void add_special(Digest& digest) {
  for (int const n : {2, 3, 6, 19, 32, 50, 110}) {
    digest.add(hash_of(run_determinant(random_exponents<Real>(n, 60, 0.4, 14))), type_name<Real>,
               "sparse", n);
    auto A = random_square<Real>(n, 15);
    for (int j = 0; j < n; ++j) A(n - 1, j) = A(0, j);
    digest.add(hash_of(run_determinant(A)), type_name<Real>, "equal_rows", n);
    A(n / 2, n / 3) = std::numeric_limits<Real>::infinity();
    digest.add(hash_of(run_determinant(A)), type_name<Real>, "infinite", n);
    HostMatrix<Real> ones(n, n);
    for (Real& entry : ones.data) entry = 1;
    for (int i = 0; i < n; ++i) ones(i, i) = 2;
    digest.add(hash_of(run_determinant(ones)), type_name<Real>, "ones", n);
  }
}

template <class Real>
void add_real(Digest& digest) {
  add_orders<Real>(digest,
                   {0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   12,  13,  16,   17,  20,
                    24,  28,  31,  32,  33,  40,  47,  48,  63,  64,  65,  80,  96,   100, 127,
                    128, 129, 160, 200, 255, 256, 257, 300, 330, 400, 512, 600, 1000, 2600});
  add_determinant_batches<Real>(digest, {{1, 20},
                                         {2, 50},
                                         {3, 50},
                                         {4, 40},
                                         {8, 130},
                                         {15, 20},
                                         {20, 40},
                                         {32, 33},
                                         {33, 20},
                                         {64, 30},
                                         {100, 12},
                                         {128, 300},
                                         {200, 6},
                                         {300, 3}});
  add_methods<Real>(digest);
  add_ragged<Real>(digest);
  add_special<Real>(digest);
}
template <class T>
void add_complex(Digest& digest) {
  add_orders<T>(digest, {0, 1, 2, 3, 4, 5, 8, 13, 16, 20, 32, 33, 50, 64, 100, 150, 200, 300});
  add_determinant_batches<T>(digest,
                             {{1, 10}, {2, 20}, {3, 20}, {8, 40}, {20, 20}, {33, 5}, {100, 3}});
  add_methods<T>(digest);
  add_ragged<T>(digest);
}

DigestOf const determinant_digest("determinant", [](Digest& digest) {
  add_real<float>(digest);
  add_real<double>(digest);
  add_complex<Kokkos::complex<float>>(digest);
  add_complex<Kokkos::complex<double>>(digest);
});

}  // namespace
}  // namespace carroll::test
