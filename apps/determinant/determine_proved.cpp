// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <carroll/certified_determinant.hpp>
#include <carroll/integer_determinant.hpp>
#include <cstddef>
#include <string>

#include "determinant/timed.hpp"

namespace carroll::tool {

namespace {

template <class Real>
ScaledText scaled_text(ScaledNumber<Real> const& x) {
  return {static_cast<double>(x.mantissa()), x.exponent(), to_string(x)};
}

/// The nearest ScaledNumber, from the highest limbs.
ScaledNumber<double> rounded(IntegerDeterminant const& det) {
  IntegerDeterminant top = det;
  // 16 limbs fit a double's range, and the lower ones can only decide ties.
  std::size_t const left_out = det.limbs.size() - std::min<std::size_t>(det.limbs.size(), 15);
  if (left_out > 0) {
    auto const end = det.limbs.begin() + static_cast<std::ptrdiff_t>(left_out);
    bool const more = std::any_of(det.limbs.begin(), end, [](auto limb) { return limb != 0; });
    top.limbs.assign(end, det.limbs.end());
    if (more) top.limbs.front() |= 1U;
  }
  return ScaledNumber<double>(static_cast<double>(top), 64 * static_cast<std::int64_t>(left_out));
}

}  // namespace

template <class Real>
Determination certify(HostMatrix<Real> const& matrix, Progress& progress) {
  Determination found;
  auto const info =
      timed(matrix, "certifying", progress, found,
            [](ExecSpace const& exec, auto const& A) { return certified_determinant(exec, A); });
  set_value(info.value, found);
  found.interval = {scaled_text(info.lower), scaled_text(info.upper)};
  return found;
}

template Determination certify(HostMatrix<float> const&, Progress&);
template Determination certify(HostMatrix<double> const&, Progress&);

Determination determine_exactly(HostMatrix<std::int64_t> const& matrix, Progress& progress) {
  Determination found;
  auto const det =
      timed(matrix, "computing exactly", progress, found,
            [](ExecSpace const& exec, auto const& A) { return integer_determinant(exec, A); });
  set_value(rounded(det), found);
  found.exact = det.to_string();
  return found;
}

}  // namespace carroll::tool
