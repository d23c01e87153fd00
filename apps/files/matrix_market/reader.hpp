// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/host_matrix.hpp"
#include "files/input_file.hpp"

namespace carroll::tool {

inline constexpr std::string_view matrix_market_banner = "%%MatrixMarket";

/// Reads a Matrix Market file as a dense matrix. Format: R. F. Boisvert, R. Pozo, K. A. Remington,
/// "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
///
/// Array and coordinate; real, integer and pattern (entries that are listed are 1); general,
/// symmetric and skew-symmetric, of which the file holds the lower triangle. Repeated coordinates
/// are summed. Upper and lower case are the same, comments and blank lines may stand anywhere
/// after the first line. FileError, with the number of the line, for anything else.
///
/// Number is float, double or std::int64_t, for which entries of the field integer are read as they
/// are, and those of the field real have to be whole and at most 2^53 large. Or it is
/// std::complex<float> or std::complex<double> for files of the field complex, which may be
/// Hermitian, too.
template <class Number>
[[nodiscard]] HostMatrix<Number> read_matrix_market(InputFile& file);

}  // namespace carroll::tool
