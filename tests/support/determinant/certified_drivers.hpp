// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/certified_determinant.hpp>
#include <cstring>
#include <vector>

#include "certified_determinant_instances.hpp"
#include "support/determinant/flint_oracle.hpp"
#include "support/guarded_view.hpp"

/// Certified determinants of host matrices.
namespace carroll::test {

template <class Layout = Kokkos::LayoutRight, class Real>
CertifiedDeterminantInfo<Real> run_certified(HostMatrix<Real> const& matrix) {
  auto const A = guarded_from<Real, Layout>(matrix);
  using ConstView = typename GuardedView<Real, 2, Layout>::ViewType::const_type;
  return certified_determinant(Exec(), ConstView(A.view()));
}

/// Matrices of one order, as a batch.
template <class Real>
std::vector<CertifiedDeterminantInfo<Real>> run_certified(
    std::vector<HostMatrix<Real>> const& members) {
  auto const n = static_cast<std::size_t>(members.front().rows);
  GuardedView<Real, 3, Kokkos::LayoutRight> batch({members.size(), n, n});
  batch.for_each_index([&](std::array<std::size_t, 3> at) {
    batch(at) = members[at[0]](static_cast<int>(at[1]), static_cast<int>(at[2]));
  });
  batch.to_device();
  return certified_determinant(Exec(), batch.view());
}

template <class Real>
BinaryNumber binary(ScaledNumber<Real> const& x) {
  return {static_cast<double>(x.mantissa()), x.exponent()};
}

/// Compares bits; paddings aside.
template <class Real>
bool same_bits(CertifiedDeterminantInfo<Real> const& a, CertifiedDeterminantInfo<Real> const& b) {
  auto const same = [](ScaledNumber<Real> const& x, ScaledNumber<Real> const& y) {
    Real const m = x.mantissa(), k = y.mantissa();
    return std::memcmp(&m, &k, sizeof m) == 0 && x.exponent() == y.exponent();
  };
  return a.status == b.status && same(a.lower, b.lower) && same(a.upper, b.upper) &&
         same(a.value, b.value);
}

}  // namespace carroll::test
