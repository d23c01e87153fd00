// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/lens.hpp>
#include <carroll/rectify/types.hpp>
#include <cstdint>

/// From the pictures of a lens to those of a camera without distortion: where each pixel is seen is
/// worked out once, in double precision, and kept as 8 bytes; a picture is then read at these
/// places. A thread for each pixel.
namespace carroll::detail {

/// `map`: where the lens shows what the pixel of the camera sees, to 2⁻²³ of the place; `mask`: 1
/// where it does, else 0, and the place is that of the first pixel.
struct MapLensKernel {
  Lens<double> lens;
  Camera<double> camera;
  float* map;
  std::uint8_t* mask;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto const ray =
        camera.ray(static_cast<double>(i % camera.width), static_cast<double>(i / camera.width));
    double u = 0, v = 0;
    bool const seen = lens.project(ray, u, v);
    map[2 * i] = seen ? static_cast<float>(u) : 0.0F;
    map[2 * i + 1] = seen ? static_cast<float>(v) : 0.0F;
    mask[i] = seen ? 1 : 0;
  }
};

/// Rows and columns of somebody's View.
template <class Value>
struct StridedPicture {
  Value* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 0;

  template <class View>
  static StridedPicture of(View const& view) {
    return {view.data(), static_cast<std::int64_t>(view.stride(0)),
            static_cast<std::int64_t>(view.stride(1))};
  }
  KOKKOS_FUNCTION Value& operator()(int v, int u) const {
    return data[v * row_stride + u * column_stride];
  }
};

/// What stands for a mask where there is none.
struct NoMask {};

/// One picture. Source and result have masks, or neither.
template <Interpolation Kind, class Pixel, class Target, class SourceMask, class TargetMask>
struct RectifyKernel {
  static constexpr int taps = Kind == Interpolation::nearest    ? 1
                              : Kind == Interpolation::bilinear ? 2
                                                                : 4;

  int width, height, columns;  ///< of the lens' picture; columns of the camera's
  float const* map;
  std::uint8_t const* seen;
  StridedPicture<Pixel const> source;
  StridedPicture<Target> target;
  SourceMask source_mask;
  TargetMask target_mask;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    int const row = static_cast<int>(i / columns), column = static_cast<int>(i % columns);
    float wu[taps], wv[taps];
    int const left = weights(map[2 * i], wu), top = weights(map[2 * i + 1], wv);
    float sum = 0;
    bool counts = seen[i] != 0;
    for (int b = 0; b < taps; ++b) {
      int const v = within(top + b, height);
      float line = 0;
      for (int a = 0; a < taps; ++a) {
        if (wu[a] == 0 || wv[b] == 0) continue;
        int const u = within(left + a, width);
        line += wu[a] * static_cast<float>(source(v, u));
        if constexpr (!std::is_same_v<SourceMask, NoMask>) counts &= source_mask(v, u) != 0;
      }
      sum += wv[b] * line;
    }
    target(row, column) = static_cast<Target>(seen[i] != 0 ? sum : 0.0F);
    if constexpr (!std::is_same_v<TargetMask, NoMask>)
      target_mask(row, column) = static_cast<std::uint8_t>(counts);
  }

 private:
  KOKKOS_FUNCTION static int within(int i, int count) {
    return i < 0 ? 0 : i < count ? i : count - 1;
  }

  /// Of the pixels that begin with the one that is returned.
  KOKKOS_FUNCTION static int weights(float x, float (&w)[taps]) {
    if constexpr (Kind == Interpolation::nearest) {
      w[0] = 1;
      return static_cast<int>(Kokkos::floor(x + 0.5F));
    } else {
      float const first = Kokkos::floor(x), t = x - first;
      if constexpr (Kind == Interpolation::bilinear) {
        w[0] = 1 - t;
        w[1] = t;
        return static_cast<int>(first);
      } else {
        w[0] = t * (-0.5F + t * (1 - 0.5F * t));
        w[1] = 1 + t * t * (-2.5F + 1.5F * t);
        w[2] = t * (0.5F + t * (2 - 1.5F * t));
        w[3] = t * t * (-0.5F + 0.5F * t);
        return static_cast<int>(first) - 1;
      }
    }
  }
};

}  // namespace carroll::detail
