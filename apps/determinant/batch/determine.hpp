// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "determinant/determine.hpp"
#include "files/batch_file.hpp"
#include "progress.hpp"

namespace carroll::tool {

/// The determinant of one member, in numbers that ranks can send each other.
struct MemberDeterminant {
  int status = 0;  ///< of carroll::Status
  double mantissa = 0;
  std::int64_t exponent = 0;
  double growth = 0;
};

struct BatchDeterminants {
  std::string backend;
  std::vector<MemberDeterminant> members;
  double seconds = 0;
};

/// As `determine`, of every member of a batch of square matrices. Needs a Runtime.
template <class Real>
[[nodiscard]] BatchDeterminants determine(HostBatch<Real> const& batch, std::string const& method,
                                          std::string const& path, Progress& progress);

/// A member's, as `determine` tells one matrix's.
[[nodiscard]] Determination told(MemberDeterminant const& member, Precision precision);

}  // namespace carroll::tool
