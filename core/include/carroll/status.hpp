// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace carroll {

/// How the numerics of one problem ended. Misuse is not a status: it throws.
enum class Status : int {
  success,        ///< every output is right
  not_converged,  ///< a limit on steps came first; the outputs hold the best result so far
  non_finite,     ///< the input has a NaN or an infinity; every output is NaN
  overflow,       ///< a result exceeds the largest finite number and is ±Inf; the others are right
  singular,       ///< a pivot is 0: no inverse found; what exists of the outputs is right (det 0)
  breakdown,      ///< the method divides by zero here where another one would not; outputs are NaN
  not_certified,  ///< the proof does not reach; the outputs are right, but do not say all
};

/// The enumerator's name, as it is printed in reports and JSON.
[[nodiscard]] constexpr std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::success: return "success";
    case Status::not_converged: return "not_converged";
    case Status::non_finite: return "non_finite";
    case Status::overflow: return "overflow";
    case Status::singular: return "singular";
    case Status::breakdown: return "breakdown";
    case Status::not_certified: return "not_certified";
  }
  return "unknown";
}

}  // namespace carroll
