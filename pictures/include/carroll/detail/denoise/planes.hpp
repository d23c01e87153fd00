// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>

/// Between a caller's picture and the planes that stacks are made of.
namespace carroll::detail {

inline constexpr int most_planes = 8;

/// Orthonormal, so that white noise stays white: the cosine transform of the planes' index, whose
/// first result is their mean. Of three colours it makes the opponent ones.
struct PlaneTransform {
  int planes = 1;
  float matrix[most_planes][most_planes] = {};

  explicit PlaneTransform(int count = 1) : planes(count) {
    for (int k = 0; k < count; ++k)
      for (int c = 0; c < count; ++c)
        matrix[k][c] = static_cast<float>(std::sqrt((k == 0 ? 1.0 : 2.0) / count) *
                                          std::cos(std::numbers::pi * (c + 0.5) * k / count));
  }
};

/// A caller's picture, planes first.
template <class T>
struct PlanesOfCaller {
  T* data = nullptr;
  std::ptrdiff_t plane_stride = 0, row_stride = 0, column_stride = 0;
  KOKKOS_INLINE_FUNCTION T& operator()(int plane, int y, int x) const {
    return data[plane * plane_stride + y * row_stride + x * column_stride];
  }
};

/// What has to be known of samples: the largest size, and how many are not finite.
struct SampleRange {
  double largest = 0;
  std::int64_t bad = 0;
  KOKKOS_INLINE_FUNCTION SampleRange& operator+=(SampleRange const& other) {
    largest = other.largest > largest ? other.largest : largest;
    bad += other.bad;
    return *this;
  }
};

/// 64 samples of a row at a time: divisions take longer than what is done with a sample.
template <class T>
struct FindRange {
  static constexpr int piece = 64;
  PlanesOfCaller<T const> picture;
  int height, width;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t pieces() const {
    return (std::int64_t{width} + piece - 1) / piece;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t e, SampleRange& range) const {
    std::int64_t const row = e / pieces();
    auto const first = static_cast<int>(e % pieces()) * piece;
    int const end = width - first < piece ? width : first + piece;
    auto const plane = static_cast<int>(row / height), y = static_cast<int>(row % height);
    for (int x = first; x < end; ++x) {
      auto const sample = static_cast<double>(picture(plane, y, x));
      bool const finite = Kokkos::isfinite(sample);
      range += SampleRange{finite ? Kokkos::fabs(sample) : 0.0, finite ? 0 : 1};
    }
  }
};

/// The power of two that takes numbers up to `largest` below 2^8 and not below 2^7.
inline double picture_scale(double largest) {
  if (largest == 0) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, 8 - exponent);
}

/// current += part·(noisy − current).
struct FeedBack {
  float const* noisy;
  float* current;
  float part;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    current[i] += part * (noisy[i] - current[i]);
  }
};

/// current := sums by how many estimates each pixel has; as it is where there are none.
struct MeanOfEstimates {
  PictureLayout layout;
  int patch;
  double const *sums, *hits;
  float* current;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    auto const y = static_cast<int>(e / layout.width), x = static_cast<int>(e % layout.width);
    int const up = y < patch - 1 ? y : patch - 1, left = x < patch - 1 ? x : patch - 1;
    std::int64_t const at = layout.at(y, x);
    double count = 0;
    for (int u = 0; u <= up; ++u)
      for (int v = 0; v <= left; ++v) count += hits[at - u * layout.pitch - v];
    if (count > 0) current[at] = static_cast<float>(sums[at] / count * double(StackProblem::unit));
  }
};

}  // namespace carroll::detail

template <>
struct Kokkos::reduction_identity<carroll::detail::SampleRange> {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr carroll::detail::SampleRange sum() { return {}; }
};
