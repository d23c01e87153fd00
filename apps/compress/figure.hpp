// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "compress/singular.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// The course's figure: the picture with 1, 5, 20 and `ranks` singular values of each matrix, side
/// by side with itself, and below the energy that k of them have, of the first matrix. Pictures are
/// shrunk to 384 pixels. Needs a Runtime.
[[nodiscard]] BytePicture figure_of(SamplePicture const& picture, SingularPicture const& singular,
                                    std::vector<std::int64_t> const& ranks);

}  // namespace carroll::tool
