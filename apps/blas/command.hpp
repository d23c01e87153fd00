// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

// Each runs the command of its name; returns the exit status. FileError when a file cannot be read
// or written, or has the wrong shape. Sums and gemv are shared by the ranks; gemm and add are for
// the first of them alone.
[[nodiscard]] int run_sum(ReductionArguments const& arguments, KokkosFlags const& flags,
                          Ranks const& ranks);
[[nodiscard]] int run_dot(ReductionArguments const& arguments, KokkosFlags const& flags,
                          Ranks const& ranks);
[[nodiscard]] int run_norm(ReductionArguments const& arguments, KokkosFlags const& flags,
                           Ranks const& ranks);
[[nodiscard]] int run_gemv(ProductArguments const& arguments, KokkosFlags const& flags,
                           Ranks const& ranks);
[[nodiscard]] int run_gemm(ProductArguments const& arguments, KokkosFlags const& flags,
                           Ranks const& ranks);
[[nodiscard]] int run_add(ProductArguments const& arguments, KokkosFlags const& flags,
                          Ranks const& ranks);

}  // namespace carroll::tool
