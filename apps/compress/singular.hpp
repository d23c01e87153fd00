// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compress/code/container.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// A singular value decomposition of a picture's levels of 8 bits, less their mean if they are
/// centred: of each channel, or of all side by side.
struct SingularMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double mean = 0;
  std::vector<double> values;  ///< all singular values, descending
  std::vector<double> U, V;    ///< columns one after the other, min(rows, columns) of each
};

struct SingularPicture {
  PictureShape shape;
  std::string status;  ///< of the worst
  std::vector<SingularMatrix> matrices;
};

/// Needs a Runtime.
[[nodiscard]] SingularPicture decompose_picture(SamplePicture const& picture, bool whole,
                                                bool centred);

/// What is kept of the leading triplets, `ranks` of each matrix.
[[nodiscard]] CompressedPicture truncate(SingularPicture const& picture,
                                         std::vector<std::int64_t> const& ranks);

/// The same bits on every machine. Needs a Runtime.
[[nodiscard]] SamplePicture decode_singular(CompressedPicture const& picture);

}  // namespace carroll::tool
