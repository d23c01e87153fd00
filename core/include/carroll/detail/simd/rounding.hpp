// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/simd/pack.hpp>

/// device/rounding.hpp for packs.
namespace carroll::detail {

/// An fma is not fused with anything, and -0 leaves the product as it is, its sign, too. Where
/// there is none, nothing can be fused.
template <class Real, int Bytes>
Pack<Real, Bytes> rounded_product(Pack<Real, Bytes> const& x, Pack<Real, Bytes> const& y) {
  using P = Pack<Real, Bytes>;
  if constexpr (P::Instructions::fuses)
    return fma(x, y, P(Real(-0.0)));
  else
    return x * y;
}
template <class Real, int Bytes>
Pack<Real, Bytes> fused_product_sum(Pack<Real, Bytes> const& x, Pack<Real, Bytes> const& y,
                                    Pack<Real, Bytes> const& z) {
  return fma(x, y, z);
}
template <class Real, int Bytes>
Pack<Real, Bytes> absolute(Pack<Real, Bytes> const& x) {
  return abs(x);
}
template <class Real, int Bytes>
Pack<Real, Bytes> larger_size(Pack<Real, Bytes> const& x, Pack<Real, Bytes> const& y) {
  return Pack<Real, Bytes>::from_bits(max(bits_of(abs(x)), bits_of(abs(y))));
}

}  // namespace carroll::detail
