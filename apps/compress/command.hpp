// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "arguments.hpp"
#include "kokkos_flags.hpp"

namespace carroll::tool {

/// Carry out `carroll compress` and `carroll decompress`; return the exit status.
[[nodiscard]] int run_compress(CompressArguments const& arguments, KokkosFlags const& flags);
[[nodiscard]] int run_decompress(DecompressArguments const& arguments, KokkosFlags const& flags);

}  // namespace carroll::tool
