// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compress/code/bytes.hpp"
#include "compress/code/entropy.hpp"
#include "compress/code/tokens.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// What a compressed picture is made of.
enum class PictureCode : std::uint8_t {
  patches = 1,          ///< integer factors of patches
  singular_values = 2,  ///< the course's truncated singular value decomposition
};

/// Planes of one kind, which share tokens and a step: luma or grey, the two chromas, alpha.
struct PlaneGroup {
  int step = 1;
  std::vector<PlaneFactors> planes;
};

/// A channel, or all of them side by side, as a product of k columns and k rows, each of 16-bit
/// integers times a number of its own.
struct MatrixFactors {
  float mean = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int rank = 0;
  std::vector<float> scales;          ///< 2·rank: of columns, then of rows
  std::vector<std::int16_t> entries;  ///< rank·(rows + columns): the columns, then the rows
};

struct CompressedPicture {
  PictureShape shape;
  PictureCode code = PictureCode::patches;
  std::vector<PlaneGroup> groups;       ///< of patches
  std::vector<MatrixFactors> matrices;  ///< of singular values: one, or one a channel
};

/// The groups of a picture's planes, empty, of the extents that they have.
[[nodiscard]] std::vector<PlaneGroup> groups_of(PictureShape const& shape);

[[nodiscard]] Bytes bytes_of(CompressedPicture const& picture, Effort effort);

/// How many bytes bytes_of gives what is no section of tokens.
inline constexpr std::size_t header_bytes = 28;

/// BadPicture, with the reason, where bytes are no compressed picture, or one of more pixels than
/// `most_pixels`. Takes no memory beyond what that many pixels need.
[[nodiscard]] CompressedPicture picture_of(std::span<std::uint8_t const> bytes,
                                           std::int64_t most_pixels);

}  // namespace carroll::tool
