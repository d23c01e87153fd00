// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// A lane's factors of a row in memory, any number of them.
template <class Real>
struct SgdLaneRow {
  Real* row;
  int vector, chunks;

  KOKKOS_FUNCTION SgdLaneRow(SgdProblem<Real> const& p, Real* rows, std::int64_t number,
                             DeviceWarp const& warp)
      : row(rows + number * p.width() + warp.lane * p.layout.vector),
        vector(p.layout.vector),
        chunks(p.chunks) {}
  [[nodiscard]] KOKKOS_FUNCTION Real& operator[](std::int64_t place) const { return row[place]; }
  /// f(place) for all of them.
  template <class F>
  KOKKOS_FUNCTION void for_each(F const& f) const {
    for (std::int64_t c = 0; c < chunks; c += vector)
      for (int e = 0; e < vector; ++e) f(32 * c + e);
  }
};

}  // namespace carroll::detail
