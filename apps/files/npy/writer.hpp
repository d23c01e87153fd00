// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "output/files.hpp"

namespace carroll::tool {

/// What a .npy file begins with: `type` is NumPy's name of it without the byte order, "f8"; `shape`
/// the extents between the brackets, "3, 4" or "3,".
[[nodiscard]] std::string npy_header(std::string const& type, std::string const& shape,
                                     bool fortran_order);

/// Adds a .npy file (format version 1.0, this machine's byte order, Fortran order) to `files`; of a
/// matrix of real or complex numbers.
template <class Real>
void write_npy(OutputFiles& files, std::string const& path, HostMatrix<Real> const& A);

/// The same for a vector: an array of one dimension.
template <class Real>
void write_npy(OutputFiles& files, std::string const& path, std::vector<Real> const& values);

/// The same for an array of any dimensions, the last of which is the fastest: in C order. Of real
/// or complex numbers, or of int.
template <class Number>
void write_npy(OutputFiles& files, std::string const& path,
               std::vector<std::int64_t> const& extents, std::vector<Number> const& values);

}  // namespace carroll::tool
