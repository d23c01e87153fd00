// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/matrix_product/device/registers.hpp>
#include <carroll/detail/matrix_product/device/tensors.hpp>
#include <carroll/detail/matrix_product/device/tile.hpp>
#include <carroll/detail/matrix_product/dispatch.hpp>
#include <type_traits>

/// The tiles of the table, for each scalar: what was fastest of some ten on an H100. The teams that
/// are side by side fit the smallest scratch of devices since 2020, 100 KiB of a multiprocessor,
/// and each of them the 48 KiB that Kokkos gives before version 5.2.
namespace carroll::detail {

template <class T>
struct RegisterTiles;
template <>
struct RegisterTiles<float> {
  using Large = RegisterTile<128, 64, 16, 2, 8, 8, 8, 3>;
  using Middle = RegisterTile<64, 64, 16, 2, 8, 8, 4, 4>;
  using Narrow = RegisterTile<128, 32, 16, 3, 8, 8, 4, 3>;
  using Slim = RegisterTile<64, 8, 16, 3, 16, 2, 4, 6>;
  using Side32 = RegisterTile<32, 32, 16, 2, 8, 4, 4, 5, 2>;
  using Side16 = RegisterTile<16, 16, 16, 2, 4, 4, 2, 4, 4>;
  using Side8 = RegisterTile<8, 8, 8, 2, 4, 2, 2, 6, 8>;
};
template <>
struct RegisterTiles<double> {
  using Large = RegisterTile<128, 64, 8, 3, 8, 8, 8, 2>;
  using Middle = RegisterTile<64, 64, 8, 3, 8, 8, 4, 3>;
  using Narrow = RegisterTile<64, 32, 8, 3, 8, 4, 4, 4>;
  using Slim = RegisterTile<64, 8, 8, 3, 16, 2, 4, 6>;
  using Side32 = RegisterTile<32, 32, 16, 2, 8, 4, 4, 4>;
  using Side16 = RegisterTile<16, 16, 8, 3, 4, 4, 2, 4, 2>;
  using Side8 = RegisterTile<8, 8, 8, 2, 4, 2, 2, 8, 4>;
};
template <>
struct RegisterTiles<Kokkos::complex<float>> {
  using Large = RegisterTile<128, 64, 8, 3, 8, 8, 4, 2>;
  using Middle = RegisterTile<64, 32, 8, 3, 8, 4, 4, 4>;
  using Narrow = Middle;
  using Slim = RegisterTile<64, 8, 8, 3, 16, 2, 4, 6>;
  using Side32 = RegisterTile<32, 32, 8, 2, 8, 4, 4, 4, 2>;
  using Side16 = RegisterTile<16, 16, 8, 3, 4, 4, 2, 8>;
  using Side8 = RegisterTile<8, 8, 8, 2, 4, 2, 2, 8, 4>;
};
template <>
struct RegisterTiles<Kokkos::complex<double>> {
  using Large = RegisterTile<64, 64, 8, 2, 8, 4, 4, 1>;
  using Middle = RegisterTile<32, 32, 8, 2, 8, 4, 2, 4>;
  using Narrow = Middle;
  using Slim = RegisterTile<32, 8, 8, 2, 8, 2, 2, 8>;
  using Side32 = Middle;
  using Side16 = RegisterTile<16, 16, 8, 2, 4, 2, 2, 4>;
  using Side8 = RegisterTile<8, 8, 8, 2, 4, 2, 2, 4, 4>;
};

template <class T>
struct TensorTiles;
template <>
struct TensorTiles<double> {
  using Huge = TensorTile<128, 96, 8, 3, 64, 48, 2>;
  using Large = TensorTile<128, 64, 8, 3, 64, 32, 2>;
  using Middle = TensorTile<64, 64, 16, 2, 32, 32, 3>;
  using Narrow = TensorTile<64, 32, 8, 3, 32, 16, 6>;
};
template <>
struct TensorTiles<Kokkos::complex<double>> {
  using Large = TensorTile<64, 64, 8, 2, 32, 32, 2>;
  using Huge = Large;
  using Middle = Large;
  using Narrow = Large;
};

/// f.template operator()<Kernel>() for the kernel of a tile; small tiles have no tensor cores'.
template <class ExecSpace, class T, OperandOrder a_order, OperandOrder b_order, class F>
void with_product_kernel(GemmKernel kernel, ProductTile tile, F const& f) {
  if constexpr (std::is_same_v<RealOf<T>, double>) {
    if (kernel == GemmKernel::tensors) {
      using Tiles = TensorTiles<T>;
      auto const run = [&]<class Tile>() {
        f.template operator()<TensorProductKernel<ExecSpace, T, Tile, a_order, b_order>>();
      };
      switch (tile) {
        case ProductTile::huge:  // 96 rows of terms are copied evenly, 48 words of a term are not
          if constexpr (b_order == OperandOrder::along_terms)
            return run.template operator()<typename Tiles::Huge>();
          [[fallthrough]];
        case ProductTile::large: return run.template operator()<typename Tiles::Large>();
        case ProductTile::middle: return run.template operator()<typename Tiles::Middle>();
        case ProductTile::narrow: return run.template operator()<typename Tiles::Narrow>();
        default: break;
      }
    }
  }
  using Tiles = RegisterTiles<T>;
  auto const run = [&]<class Tile>() {
    f.template operator()<RegisterProductKernel<ExecSpace, T, Tile, a_order, b_order>>();
  };
  switch (tile) {
    case ProductTile::huge:
    case ProductTile::large: return run.template operator()<typename Tiles::Large>();
    case ProductTile::middle: return run.template operator()<typename Tiles::Middle>();
    case ProductTile::narrow: return run.template operator()<typename Tiles::Narrow>();
    case ProductTile::slim: return run.template operator()<typename Tiles::Slim>();
    case ProductTile::side32: return run.template operator()<typename Tiles::Side32>();
    case ProductTile::side16: return run.template operator()<typename Tiles::Side16>();
    case ProductTile::side8: return run.template operator()<typename Tiles::Side8>();
  }
}

}  // namespace carroll::detail
