// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "output/files.hpp"

namespace carroll::tool {

/// Adds a .npy file (format version 1.0, this machine's byte order, Fortran order) to `files`.
template <class Real>
void write_npy(OutputFiles& files, std::string const& path, HostMatrix<Real> const& A);

/// The same for a vector: an array of one dimension.
template <class Real>
void write_npy(OutputFiles& files, std::string const& path, std::vector<Real> const& values);

/// The same for a picture, row after row: an array of height x width in C order.
void write_npy_rows(OutputFiles& files, std::string const& path, std::int64_t height,
                    std::int64_t width, std::vector<float> const& values);

}  // namespace carroll::tool
