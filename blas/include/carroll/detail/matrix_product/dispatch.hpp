// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/quotient.hpp>
#include <carroll/gemm/types.hpp>
#include <cstdint>

/// Which kernel, which tile of a team, and in how many parts a sum is computed. Measured on an
/// H100.
///
/// | extents of C and sum          | tile        | why                                          |
/// | ----------------------------- | ----------- | -------------------------------------------- |
/// | m, n <= 8, 16, 32             | side8 to 32 | a member's C fits it; several members a team |
/// | n <= 8                        | slim        | bound by the memory that A is read from      |
/// | n <= 32                       | narrow      | the same                                     |
/// | fewer than 100 large tiles    | middle      | keeps a large device busy                    |
/// | on tensor cores than 264, or  | middle      | the same; C is soon written again            |
/// | k <= 128                      |             |                                              |
/// | on tensor cores 2000 huge ones| huge        | fewest reads from the device's cache         |
/// | all others                    | large       | few reads from scratch for a multiply-add    |
///
/// Before, the product is turned so that C's columns lie side by side. The tile leaves no trace in
/// the bits, the parts do: they are chosen by the extents alone. So is whether tensor cores, which
/// add real products as registers do, add complex ones: on devices that have them always, but for
/// GemmOptions::kernel.
namespace carroll::detail {

enum class ProductTile { huge, large, middle, narrow, slim, side32, side16, side8 };

/// Of an execution space and, where it has a device, of that.
struct ProductPlace {
  bool host = true;
  bool tensors = false;  ///< faster ones for double precision than the other units
};

/// A scalar's, as far as the table asks.
struct ProductScalar {
  int bytes;
  bool is_double, is_complex;
};

struct ProductPlan {
  GemmInfo info;
  int depth = 0;    ///< terms of a part
  int workers = 1;  ///< of a host
};

constexpr GemmKernel product_kernel(ProductPlace const& place, ProductScalar const& scalar,
                                    GemmOptions const& options) {
  switch (options.method) {
    case GemmMethod::naive: return GemmKernel::naive;
    case GemmMethod::tiled: return GemmKernel::tiled;
    case GemmMethod::vendor: return GemmKernel::vendor;
    default: break;
  }
  if (options.kernel != GemmKernel::automatic) return options.kernel;
  if (place.host) return GemmKernel::packed;
  return place.tensors && scalar.is_double ? GemmKernel::tensors : GemmKernel::registers;
}

/// m and n as C lies.
constexpr ProductTile product_tile(int m, int n, int k, std::int64_t members_and_parts,
                                   bool tensors) {
  int const side = std::max(m, n);
  if (side <= 8) return ProductTile::side8;
  if (side <= 16) return ProductTile::side16;
  if (side <= 32) return ProductTile::side32;
  if (n <= 8) return ProductTile::slim;
  if (n <= 32) return ProductTile::narrow;
  double const items = double(members_and_parts) * quotient_up(m, 128);
  if (items * quotient_up(n, 64) < (tensors ? 264 : 100)) return ProductTile::middle;
  if (tensors && k <= 128) return ProductTile::middle;
  return tensors && items * quotient_up(n, 96) >= 2000 ? ProductTile::huge : ProductTile::large;
}

/// Do teams go from tile to tile, so that copies for the next one are on their way while C is
/// written? Where sums are short; with long ones a device deals out teams better.
constexpr bool has_lasting_teams(int k, ProductTile tile) {
  return k <= 512 && tile <= ProductTile::narrow;
}

/// Ranges of terms on a device: where C alone has too few tiles for 132 multiprocessors.
constexpr int product_parts(int m, int n, int k) {
  constexpr std::int64_t wanted_tiles = 264, least_depth = 256, most_parts = 32;
  auto const tiles = [](int rows, int cols) {
    return std::int64_t{quotient_up(rows, 128)} * quotient_up(cols, 64);
  };
  std::int64_t const fewest = std::max<std::int64_t>(std::min(tiles(m, n), tiles(n, m)), 1);
  std::int64_t const parts = std::min({wanted_tiles / fewest, most_parts, k / least_depth});
  return static_cast<int>(std::max<std::int64_t>(parts, 1));
}

/// Terms of each of them, in whole stages.
constexpr int product_depth(int k, int parts) {
  return parts == 1 ? k : quotient_up(quotient_up(k, parts), 32) * 32;
}

}  // namespace carroll::detail
