// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"

namespace carroll::tool {

/// `carroll recommend`: learns from ratings, tests, and recommends. Returns the exit status.
[[nodiscard]] int run_recommend(RecommendArguments const& arguments, KokkosFlags const& flags);

}  // namespace carroll::tool
