// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/determinant/types.hpp>
#include <vector>

/// What typed tests of determinants run over.
namespace carroll::test {

using Scalars = ::testing::Types<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;

/// The same orders with one for which every backend takes several panels from memory: the
/// references take a second of each. Only for `blocked`: others have one path for all orders.
template <class T>
std::vector<int> with_panels(std::vector<int> tested, DeterminantMethod method) {
  if (method == DeterminantMethod::blocked && !detail::is_complex<T>) tested.push_back(257);
  return tested;
}

}  // namespace carroll::test
