// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/narrow/svd.hpp>
#include <cstdint>
#include <string>

#include "support/narrow/matrices.hpp"

namespace carroll::test {

inline bool same_svd_info(SvdInfo<float> const& a, SvdInfo<float> const& b) {
  return a.status == b.status && a.sweeps == b.sweeps && a.rotations == b.rotations &&
         same_number(a.max_cosine, b.max_cosine) && a.rank == b.rank;
}

/// What is not the same of a batch in 16 bits and of its floats, "" if all is: with vectors of
/// floats, and, by a workspace that is used twice, of 16 bits.
template <class T, class Layout>
[[nodiscard]] std::string svd_difference(NarrowPair<T, 3, Layout>& A, bool full,
                                         SvdOptions const& options = {}) {
  auto const [members, m, n] = A.narrow.extents();
  std::size_t const least = std::min(m, n), u = full ? m : least, v = full ? n : least;
  GuardedView<float, 3, Layout> U({members, m, u}), V({members, n, v}), U2({members, m, u}),
      V2({members, n, v});
  GuardedView<T, 3, Layout> U16({members, m, u}), V16({members, n, v});
  GuardedView<float, 2, Layout> S({members, least}), S2({members, least}), S3({members, least});
  fill_otherwise(U2, V2, S2, S3);
  Exec const exec;
  auto const expected = svd(exec, A.wide.view(), U.view(), S.view(), V.view(), options);
  auto const floats = svd(exec, A.narrow.view(), U2.view(), S2.view(), V2.view(), options);
  auto workspace = svd_workspace<T>(exec,
                                    {.batch = static_cast<std::int64_t>(members),
                                     .rows = static_cast<std::int64_t>(m),
                                     .cols = static_cast<std::int64_t>(n),
                                     .u = u != least ? SvdVectors::full : SvdVectors::thin,
                                     .v = v != least ? SvdVectors::full : SvdVectors::thin},
                                    options);
  std::string difference;
  for (int times = 0; times < 2; ++times) {
    auto const rounded = svd(exec, A.narrow.view(), U16.view(), S3.view(), V16.view(), workspace);
    for (std::size_t b = 0; b < members; ++b)
      if (!same_svd_info(expected[b], floats[b]) || !same_svd_info(expected[b], rounded[b]))
        difference += " info " + std::to_string(b);
  }
  note_difference(difference, "U", U2, U);
  note_difference(difference, "V", V2, V);
  note_difference(difference, "S", S2, S);
  note_difference(difference, "U in 16 bits", U16, U);
  note_difference(difference, "V in 16 bits", V16, V);
  note_difference(difference, "S beside them", S3, S);
  note_difference(difference, "A", A.narrow, A.wide);
  return difference;
}

}  // namespace carroll::test
