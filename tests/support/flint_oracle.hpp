// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "host_matrix.hpp"

namespace carroll::test {

/// Was FLINT there when the tests were built?
[[nodiscard]] bool have_flint();

/// det A in decimal, by FLINT's fmpz_mat_det; empty without FLINT.
[[nodiscard]] std::string flint_determinant(HostMatrix<std::int64_t> const& A);

}  // namespace carroll::test
