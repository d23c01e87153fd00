// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "files/host_matrix.hpp"

namespace carroll::tool {

/// Does the file begin as a PLY file does? Of a pipe no byte is taken, and it is taken for none.
[[nodiscard]] bool begins_as_ply(std::string const& path);

/// The points of a PLY file, N x 3: x, y and z of its vertices, of any type of numbers, in a text
/// or in binary of either order; all other properties are passed over, and what follows the
/// vertices is not looked at. FileError for what is no such file, and for one without vertices.
[[nodiscard]] HostMatrix<double> read_ply_points(std::string const& path);

}  // namespace carroll::tool
