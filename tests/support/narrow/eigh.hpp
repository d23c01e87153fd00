// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/narrow/eigh.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "support/narrow/matrices.hpp"

namespace carroll::test {

inline bool same_eigh_info(EighInfo<float> const& a, EighInfo<float> const& b) {
  return a.status == b.status && a.sweeps == b.sweeps && a.rank == b.rank &&
         a.negative == b.negative;
}

/// What is not the same of a batch in 16 bits and of its floats, "" if all is: with vectors of
/// floats, and, by a workspace that is used twice, of 16 bits. Makes the triangle NaN that is not
/// to be read.
template <class T, class Layout>
[[nodiscard]] std::string eigh_difference(NarrowPair<T, 3, Layout>& A,
                                          EighOptions const& options = {}) {
  auto const [members, n, cols] = A.narrow.extents();
  T const nan(std::numeric_limits<float>::quiet_NaN());
  A.set([&](auto at) {
    bool const upper = at[1]<at[2], lower = at[1]> at[2];
    return (options.triangle == Triangle::lower ? upper : lower) ? nan : A.narrow(at);
  });
  GuardedView<float, 3, Layout> V({members, n, cols}), V2({members, n, cols});
  GuardedView<T, 3, Layout> V16({members, n, cols});
  GuardedView<float, 2, Layout> W({members, n}), W2({members, n}), W3({members, n});
  fill_otherwise(V2, W2, W3);
  Exec const exec;
  auto const expected = eigh(exec, A.wide.view(), W.view(), V.view(), options);
  auto const floats = eigh(exec, A.narrow.view(), W2.view(), V2.view(), options);
  auto workspace = eigh_workspace<T>(
      exec, {.batch = static_cast<std::int64_t>(members), .n = static_cast<std::int64_t>(n)},
      options);
  std::string difference;
  for (int times = 0; times < 2; ++times) {
    auto const rounded = eigh(exec, A.narrow.view(), W3.view(), V16.view(), workspace);
    for (std::size_t b = 0; b < members; ++b)
      if (!same_eigh_info(expected[b], floats[b]) || !same_eigh_info(expected[b], rounded[b]))
        difference += " info " + std::to_string(b);
  }
  note_difference(difference, "V", V2, V);
  note_difference(difference, "W", W2, W);
  note_difference(difference, "V in 16 bits", V16, V);
  note_difference(difference, "W beside it", W3, W);
  return difference;
}

}  // namespace carroll::test
