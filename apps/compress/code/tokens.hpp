// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "compress/code/bytes.hpp"

namespace carroll::tool {

/// The factors of a plane, 64 a patch, patches row by row, by component.
struct PlaneFactors {
  int across = 0;                     ///< patches in a row
  int down = 0;                       ///< rows of patches
  int vectors = 0;                    ///< of the basis; 0: cosines
  std::vector<std::int32_t> basis;    ///< 63 entries a vector
  std::vector<std::int32_t> factors;  ///< 64 a patch

  [[nodiscard]] std::int64_t patches() const { return std::int64_t{across} * down; }
};

/// Planes as bytes that an entropy coder may shorten. docs/pictures.md says what they mean.
struct Tokens {
  Bytes basis;  ///< entries of bases
  Bytes means;  ///< of patches, as differences from what their neighbours let expect
  Bytes runs;   ///< zeros between factors, and how many bits these have
  Bytes bits;   ///< of numbers whose sizes are in `means` and `runs`
};

[[nodiscard]] Tokens tokens_of(std::vector<PlaneFactors> const& planes);

/// Fills in the factors and bases of planes whose extents and vectors are known. BadPicture where
/// tokens are no planes, or more than they need.
void read_tokens(Tokens const& tokens, std::vector<PlaneFactors>& planes);

/// No tokens of planes with so many patches are longer than this in any of their parts.
[[nodiscard]] std::size_t most_tokens(std::int64_t patches);

}  // namespace carroll::tool
