// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/camera/camera_file.hpp"

namespace carroll::tool {

/// std::invalid_argument where a lens' distortion leaves hardly anything of its pictures. Needs no
/// Runtime; this header leaves Kokkos out.
void check_lens(CameraParameters const& parameters);

}  // namespace carroll::tool
