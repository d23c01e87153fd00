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
  /// What patches and windows may reach over, with the widest registers.
  static PictureLayout of(int height, int width, int patch, int window) {
    int const margin = (patch + window + 32 + 15) / 16 * 16;
    return {height, width, margin, std::int64_t{(width + 15) / 16 * 16} + 2 * margin};
  }
  KOKKOS_INLINE_FUNCTION std::int64_t numbers() const { return (height + 1) * pitch; }
};

/// What is done to the singular values of a stack.
enum class ShrinkageRule {
  weighted,  ///< by the weights of a weighted nuclear norm
  optimal,   ///< what is best for the Frobenius norm where the noise is white
};

/// λ ↦ how much of √λ stays, of the eigenvalues λ of YᵀY, for one stack.
struct Shrinkage {
  ShrinkageRule rule = ShrinkageRule::weighted;
  float threshold = 1;  ///< nothing stays of λ ≤ threshold
  float scale = 1;      ///< optimal: the larger extent times the noise's variance
  float ratio = 1;      ///< optimal: β, the smaller extent by the larger one

  /// Weights c·√m·τ²/σ', σ' the singular value that comes out (Gu, Zhang, Zuo and Feng 2014, with
  /// ε → 0): the fixed point of soft thresholding by them is (σ + √(σ² − t))/2, t = 4·c·√m·τ², and
  /// 0 where σ² < t.
  static KOKKOS_INLINE_FUNCTION Shrinkage weighted(float weight, int members, float noise) {
    return {ShrinkageRule::weighted,
            4 * weight * Kokkos::sqrt(static_cast<float>(members)) * noise * noise, 1, 1};
  }
  /// √((y² − β − 1)² − 4β)/y for y = σ/(τ·√n) above the Marchenko–Pastur edge 1 + √β (Gavish and
  /// Donoho 2017).
  static KOKKOS_INLINE_FUNCTION Shrinkage optimal(int rows, int columns, float noise) {
    auto const larger = static_cast<float>(rows > columns ? rows : columns);
    float const ratio = static_cast<float>(rows < columns ? rows : columns) / larger;
    float const edge = 1 + Kokkos::sqrt(ratio), scale = larger * noise * noise;
    return {ShrinkageRule::optimal, edge * edge * scale, scale, ratio};
  }

  KOKKOS_INLINE_FUNCTION float operator()(float lambda) const {
    if (!(lambda > threshold)) return 0;
    if (rule == ShrinkageRule::weighted) return 0.5F * (1 + Kokkos::sqrt(1 - threshold / lambda));
    float const y = lambda / scale, b = y - ratio - 1, rest = b * b - 4 * ratio;
    return rest > 0 ? Kokkos::sqrt(rest) / y : 0.0F;
  }
};

/// Stacks of similar patches of one plane.
struct StackProblem {
  PictureLayout layout;
  PatchGrid down, across;
  int patch = 0;                         ///< pixels along a patch's side
  int members = 0;                       ///< patches of a stack
  int stride = 0;                        ///< places in memory for each stack
  int window = 0;                        ///< how far members are from the reference, at most
  std::int32_t const* places = nullptr;  ///< layout.at of members, stack by stack, ascending
  float const* current = nullptr;        ///< what is denoised
  float const* noisy = nullptr;          ///< what was given
  ShrinkageRule rule = ShrinkageRule::weighted;
  float const* noise = nullptr;  ///< standard deviation of what was given; 0: nothing to do
  float residual = 0;            ///< λ of local_noise; 0: `current` is what was given
  float weight = 0;              ///< c of the weighted rule
  double* sums =
      nullptr;  ///< += estimates in whole multiples of `unit`, which any order adds alike
  double* hits = nullptr;   ///< += 1 for each estimate of a patch, at its place
  std::int64_t origin = 0;  ///< the place that sums and hits begin with

  static constexpr int most_members = 256, most_patch = 12;
  static constexpr float unit = 0x1p-12F;
  static constexpr float largest = 0x1p9F;  ///< estimates beyond are cut; 2^21 units

  /// An estimate in whole units, to which adding and subtracting 1.5·2^23 rounds.
  static KOKKOS_INLINE_FUNCTION float in_units(float x) {
    float const cut = x > largest ? largest : (x < -largest ? -largest : x);
    return (cut * (1 / unit) + 0x1.8p23F) - 0x1.8p23F;
  }

  /// Whether kernels leave all as it is.
  KOKKOS_INLINE_FUNCTION bool idle() const { return *noise == 0; }
  KOKKOS_INLINE_FUNCTION int order() const { return patch * patch; }
  KOKKOS_INLINE_FUNCTION std::int64_t stacks() const {
    return std::int64_t{down.count()} * across.count();
  }
  KOKKOS_INLINE_FUNCTION std::int64_t reference(std::int64_t stack) const {
    int const columns = across.count();
    return layout.at(down.at(static_cast<int>(stack / columns)),
                     across.at(static_cast<int>(stack % columns)));
  }
  KOKKOS_INLINE_FUNCTION float squared_difference(std::int64_t at) const {
    float const difference = noisy[at] - current[at];
    return difference * difference;
  }
  /// λ·√|noise² − mean (noisy − current)²| of a reference patch, of which the squares' sum is
  /// given.
  KOKKOS_INLINE_FUNCTION float local_noise(float squares) const {
    float const given = *noise;
    if (residual == 0) return given;
    float const rest = given * given - squares / static_cast<float>(order());
    return residual * Kokkos::sqrt(rest < 0 ? -rest : rest);
  }
  KOKKOS_INLINE_FUNCTION Shrinkage shrinkage(float local) const {
    return rule == ShrinkageRule::weighted ? Shrinkage::weighted(weight, members, local)
                                           : Shrinkage::optimal(order(), members, local);
  }
};

}  // namespace carroll::detail
