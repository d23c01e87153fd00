// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/svd/drivers.hpp"

namespace carroll::test {

enum class Arrangement { left, right, stride };
[[nodiscard]] char const* to_string(Arrangement arrangement);

/// How a batch is handed over.
struct SvdCall {
  Wanted wanted;
  SvdOptions options;
  Arrangement arrangement = Arrangement::left;
  bool used_workspace = false;  ///< that other matrices have been through
  /// Each member by itself, where it lies; not with Arrangement::left.
  bool one_by_one = false;
};

/// What a call brought, and what it did to memory that is none of its business.
template <class Real>
struct SvdOutcome {
  std::vector<HostSvd<Real>> members;
  std::string damage;  ///< empty if all guards stand
};

/// Matrices of equal extents as a uniform batch, guards around all and, strided, between entries.
template <class Real>
[[nodiscard]] SvdOutcome<Real> call_uniform(std::vector<HostMatrix<Real>> const& matrices,
                                            SvdCall const& call);

/// Matrices of any extents as a ragged batch; members stand in random order with random gaps.
template <class Real>
[[nodiscard]] SvdOutcome<Real> call_ragged(std::vector<HostMatrix<Real>> const& matrices,
                                           SvdCall const& call, Random& random);

}  // namespace carroll::test
