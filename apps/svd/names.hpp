// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "svd/decompose.hpp"

/// What `carroll svd` of a matrix and of a batch have in common.
namespace carroll::tool {

struct OutputNames {
  std::string u, s, v;
};
[[nodiscard]] OutputNames output_names(std::string const& prefix);

/// What can be known about the output before the work is done, which may take hours.
void check_output(SvdArguments const& arguments);

/// FileError where the method is for real matrices alone.
void require_method_for_complex(SvdArguments const& arguments);

/// FileError where the matrix has not so many singular values.
[[nodiscard]] std::int64_t columns_to_keep(SvdArguments const& arguments, std::int64_t rows,
                                           std::int64_t cols);

[[nodiscard]] DecomposeOptions options_of(SvdArguments const& arguments, std::int64_t kept);

[[nodiscard]] std::string method_text(SvdArguments const& arguments);

}  // namespace carroll::tool
