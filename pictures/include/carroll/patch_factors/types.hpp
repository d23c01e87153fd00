// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace carroll {

/// What the patches of a plane are written in.
enum class PatchBasis {
  automatic,  ///< the one that the singular values say takes fewer bits; of small planes cosines
  cosines,    ///< the cosine transform's, which a reader knows
  singular_vectors,  ///< the plane's own, rounded to bounded integers
};

/// How many patches of 8×8 samples cover `length` samples in one direction.
[[nodiscard]] constexpr std::int64_t patches_across(std::int64_t length) {
  return (length + 7) / 8;
}

/// Samples of a patch, and components that it can have.
inline constexpr int patch_samples = 64;
/// Planes of fewer patches, a megapixel, take cosines where the choice is automatic: on the Kodak
/// pictures vectors of their own took more bytes than they saved at every step tried (2026-11).
inline constexpr std::int64_t fewest_patches_for_vectors = 16384;
/// Entries of a basis lie between these bounds and are unit vectors times this, about.
inline constexpr int patch_basis_bound = 16;
/// Factors lie between these bounds.
inline constexpr int patch_factor_bound = 32767;
/// Steps lie between these: with a finer one factors of black and white would not keep theirs.
inline constexpr int patch_least_step = 4, patch_most_step = 1 << 20;

struct PatchFactorOptions {
  PatchBasis basis = PatchBasis::automatic;
  /// What a bit weighs against squared errors, in squares of a step.
  double rate_weight = 0.08;
  /// Sweeps over all factors after the first, each with the rates of the one before.
  int passes = 1;
};

struct PatchFactorInfo {
  PatchBasis basis = PatchBasis::cosines;  ///< the one that was taken
  int components = 1;                      ///< up to the last one with a factor that is not 0
  std::int64_t non_zero = 0;               ///< factors that are not 0, means of patches left out
};

}  // namespace carroll
