// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "compress/code/container.hpp"
#include "files/picture.hpp"

namespace carroll::tool {

/// How good a picture is that a reader will see.
struct PictureQuality {
  double psnr = 0;  ///< over all channels, in dB; infinite where nothing is lost
  double ssim = 0;  ///< of luma, alpha left out; 1 for less than 11×11 pixels where nothing is lost
};

/// Peak signal-to-noise ratio of a picture.
[[nodiscard]] double psnr_of(SamplePicture const& picture, SamplePicture const& original);

/// Needs a Runtime, as all below.
[[nodiscard]] double ssim_of(SamplePicture const& picture, SamplePicture const& original);
[[nodiscard]] PictureQuality quality_of(SamplePicture const& picture,
                                        SamplePicture const& original);

/// Codes a picture as integer factors of its patches, with any step.
class PatchCoder {
 public:
  /// `basis` is automatic, cosines or singular.
  PatchCoder(SamplePicture const& picture, std::string const& basis);
  ~PatchCoder();
  PatchCoder(PatchCoder const&) = delete;
  PatchCoder& operator=(PatchCoder const&) = delete;

  /// Of a step from patch_least_step, in 128ths of an 8-bit level.
  [[nodiscard]] CompressedPicture code(int step);

 private:
  struct Planes;
  std::unique_ptr<Planes> planes_;
};

/// What a reader sees: the same bits on every machine.
[[nodiscard]] SamplePicture decode_patches(CompressedPicture const& picture);

/// The largest step for which `good` holds, which it does for all below some step; 0 where it does
/// not hold for the least. Looks at no more than a dozen of them: what it returns is within 1 %.
[[nodiscard]] int largest_step(std::function<bool(int)> const& good);

}  // namespace carroll::tool
