// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "files/host_matrix.hpp"

/// Complex matrices, for the commands that take them.
namespace carroll::tool {

using AnyComplexMatrix =
    std::variant<HostMatrix<std::complex<float>>, HostMatrix<std::complex<double>>>;

/// The type of a number's real part.
template <class Number>
using PartOf = decltype(std::real(Number()));
template <class Number>
inline constexpr bool is_complex_number = !std::is_same_v<PartOf<Number>, Number>;

/// Reads the matrix in `path` as `read_matrix` does, and one of complex numbers, too: c8 (single,
/// without `precision`) and c16 of a .npy file, the field complex of a Matrix Market file.
[[nodiscard]] std::variant<AnyMatrix, AnyComplexMatrix> read_real_or_complex(
    std::string const& path, std::optional<Precision> precision, bool* is_vector = nullptr);

}  // namespace carroll::tool
