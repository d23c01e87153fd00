// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compress/code/container.hpp"
#include "compress/patches.hpp"

namespace carroll::tool {

/// What was kept of a matrix of a picture.
struct KeptTriplets {
  std::int64_t rank = 0;
  std::int64_t of = 0;
  double energy = 0;  ///< fraction of the squares of all singular values
};

/// What `carroll compress` tells.
struct CompressReport {
  std::string input;
  std::string status = "success";
  std::string method;
  PictureShape shape;
  std::int64_t bytes = 0;
  PictureQuality quality;               ///< of what a reader will see
  std::optional<double> step;           ///< in levels of 8 bits
  std::vector<int> vectors;             ///< of the planes' bases
  std::vector<KeptTriplets> kept;       ///< of matrices
  std::optional<double> promised_psnr;  ///< that singular values alone promise, before rounding
  double seconds = 0;                   ///< of the whole search, files left out
  std::vector<std::string> files;
};

/// What `carroll decompress` tells.
struct DecompressReport {
  std::string input;
  PictureShape shape;
  std::string method;
  double seconds = 0;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(CompressReport const& report);
[[nodiscard]] std::string table(CompressReport const& report);
[[nodiscard]] std::string json(DecompressReport const& report);
[[nodiscard]] std::string table(DecompressReport const& report);

}  // namespace carroll::tool
