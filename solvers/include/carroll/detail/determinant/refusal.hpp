// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/dispatch.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace carroll::detail {

/// Why options.path cannot take matrices of order n: what the table says of it.
template <class T>
std::string determinant_refusal(DeterminantOptions const& options, std::int64_t n,
                                DeterminantDevice const& device) {
  std::string const text = "options.path is " + std::string(to_string(options.path)) + ", which ";
  bool is_for_method = false;
  for (DeterminantRow const& row : determinant_table<T>()) {
    if (row.path != options.path) continue;
    for (auto const backend : {DeterminantBackend::host, DeterminantBackend::warps})
      is_for_method = is_for_method || is_for<T>(row, options.method, backend);
    if (!is_for<T>(row, options.method, device.backend)) continue;
    if (row.can.contain(n)) return text + "has no room for order " + std::to_string(n) + " here";
    bool const ends = row.can.most < std::numeric_limits<int>::max();
    return text + "takes orders from " + std::to_string(row.can.least) +
           (ends ? " to " + std::to_string(row.can.most) : " on") + ", not " + std::to_string(n);
  }
  return text +
         (is_for_method ? "this backend does not have" : "is not for this method and scalar");
}

}  // namespace carroll::detail
