// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/narrow/determinant.hpp>
#include <cstdint>
#include <string>

#include "support/narrow/matrices.hpp"

namespace carroll::test {

inline bool same_determinant(DeterminantInfo<float> const& a, DeterminantInfo<float> const& b) {
  return a.status == b.status && same_number(a.value.mantissa(), b.value.mantissa()) &&
         a.value.exponent() == b.value.exponent() && same_number(a.growth, b.growth);
}

/// What is not the same of a batch in 16 bits and of its floats, "" if all is: without a workspace,
/// and by one that is used twice.
template <class T, class Layout>
[[nodiscard]] std::string determinant_difference(NarrowPair<T, 3, Layout>& A,
                                                 DeterminantOptions const& options = {}) {
  auto const [members, n, cols] = A.narrow.extents();
  Exec const exec;
  auto const expected = determinant_of(exec, A.wide.view(), options);
  auto const infos = determinant_of(exec, A.narrow.view(), options);
  auto workspace = determinant_workspace<T>(
      exec, {.batch = static_cast<std::int64_t>(members), .n = static_cast<std::int64_t>(cols)},
      options);
  std::string difference;
  for (int times = 0; times < 2; ++times) {
    auto const again = determinant_of(exec, A.narrow.view(), workspace);
    for (std::size_t b = 0; b < members; ++b)
      if (!same_determinant(expected[b], infos[b]) || !same_determinant(expected[b], again[b]))
        difference += " info " + std::to_string(b);
  }
  note_difference(difference, "A", A.narrow, A.wide);
  return difference;
}

}  // namespace carroll::test
