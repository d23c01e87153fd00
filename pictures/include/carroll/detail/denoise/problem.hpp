// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll::detail {

/// Places of reference patches along one side: 0, step, 2·step, …, and the last.
struct PatchGrid {
  int places = 0;  ///< of patches, one beside the other
  int step = 1;
  KOKKOS_INLINE_FUNCTION int count() const {
    return places > 0 ? (places - 1 + step - 1) / step + 1 : 0;
  }
  KOKKOS_INLINE_FUNCTION int at(int i) const {
    int const place = i * step;
    return place < places - 1 ? place : places - 1;
  }
};

/// A plane of a picture among what kernels may read of it without looking: `margin` columns on both
/// sides of its rows, which are `pitch` numbers apart; scaled so that 2^7 ≤ max|x| < 2^8.
struct PictureLayout {
  int height = 0, width = 0, margin = 0;
  std::int64_t pitch = 0;
  KOKKOS_INLINE_FUNCTION std::int64_t at(int y, int x) const { return y * pitch + margin + x; }
  KOKKOS_INLINE_FUNCTION std::int64_t numbers() const { return (height + 1) * pitch; }
};

/// Stacks of similar patches of one plane.
struct StackProblem {
  PictureLayout layout;
  PatchGrid down, across;
  int patch = 0;    ///< pixels along a patch's side
  int members = 0;  ///< patches of a stack
  int stride = 0;   ///< places in memory for each stack
  int window = 0;   ///< how far members are from the reference, at most
  std::int32_t const* places = nullptr;  ///< layout.at of members, stack by stack, ascending
  float const* current = nullptr;        ///< what is denoised
  float const* noisy = nullptr;          ///< what was given
  float noise = 0;                       ///< standard deviation of what was given
  float residual = 0;   ///< of the noise that current may have lost: λ; 0: it is `noisy` itself
  float weight = 0;     ///< c of the singular values' weights
  double* sums = nullptr;  ///< += estimates in whole multiples of `unit`, which any order adds alike
  double* hits = nullptr;  ///< += 1 for each estimate of a patch, at its place

  static constexpr int most_members = 256;
  static constexpr float unit = 0x1p-12F;
  static constexpr float largest = 0x1p9F;  ///< estimates beyond are cut; 2^21 units

  KOKKOS_INLINE_FUNCTION int order() const { return patch * patch; }
  KOKKOS_INLINE_FUNCTION std::int64_t stacks() const {
    return std::int64_t{down.count()} * across.count();
  }
  KOKKOS_INLINE_FUNCTION std::int64_t reference(std::int64_t stack) const {
    int const columns = across.count();
    return layout.at(down.at(static_cast<int>(stack / columns)),
                     across.at(static_cast<int>(stack % columns)));
  }
  /// Below this, λ of Yᵀ·Y counts as noise: σ² < 4·c·√members·2·noise².
  KOKKOS_INLINE_FUNCTION float threshold(float local_noise) const {
    return 8 * weight * Kokkos::sqrt(static_cast<float>(members)) * local_noise * local_noise;
  }
};

/// What weights c·√m·2·τ²/(σ' + ε), σ' the singular value that comes out, leave of singular value
/// σ (Gu, Zhang, Zuo and Feng 2014): the fixed point of soft thresholding by them is
/// (σ + √(σ² − t))/2, or 0 for σ² < t = 4·c·√m·2·τ² (ε → 0). Its part of σ for σ² = λ.
KOKKOS_INLINE_FUNCTION float kept_part(float lambda, float threshold) {
  return lambda > threshold ? 0.5F * (1 + Kokkos::sqrt(1 - threshold / lambda)) : 0.0F;
}

}  // namespace carroll::detail
