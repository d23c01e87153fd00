// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace carroll::test {

/// What the call throws, or "" if it does not.
template <class Call>
std::string complaint(Call const& call) {
  try {
    call();
  } catch (std::invalid_argument const& error) {
    return error.what();
  }
  return "";
}

}  // namespace carroll::test
