// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/patch_factors.hpp>
#include <carroll/picture_colours.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/contender.hpp"

/// A picture's way to the entropy coder: from pixels to factors, where kernels run.
namespace carroll::perf {

using Pixels = Kokkos::View<std::uint16_t***, Kokkos::LayoutRight, Exec::memory_space>;

/// Waves, edges and a little noise in three colours: about as many factors that are not 0 as a
/// photograph has.
struct DrawPixels {
  Pixels pixels;
  KOKKOS_FUNCTION void operator()(int y, int x) const {
    auto const u = static_cast<float>(x), v = static_cast<float>(y);
    float const slow = 40 * Kokkos::sin(0.011F * u + 0.017F * v);
    float const fast = (x / 96 + y / 80) % 3 == 0 ? 18 * Kokkos::sin(0.7F * u - 0.4F * v) : 0.0F;
    float const edge = (x / 160 + y / 120) % 2 == 0 ? 25.0F : -10.0F;
    for (int c = 0; c < 3; ++c) {
      auto const index = (std::uint64_t(y) * pixels.extent(1) + x) * 3 + c;
      float const level = 120 + (1 - 0.3F * c) * slow + fast + edge * (c == 1 ? 1.0F : 0.6F) +
                          2 * detail::random_normal<float>(17, 0, index);
      pixels(y, x, c) = static_cast<std::uint16_t>(257 * (level < 0     ? 0
                                                          : level > 255 ? 255
                                                                        : level));
    }
  }
};

/// `basis` cosines: nothing is said to the host until the end; automatic: as the tool does.
class Encode : public Contender {
 public:
  Encode(Exec const& exec, int width, int height, PatchBasis basis)
      : exec_(exec),
        basis_(basis),
        pixels_("carroll_perf::pixels", height, width, 3),
        luma_("carroll_perf::luma", height, width),
        blue_("carroll_perf::blue", (height + 1) / 2, (width + 1) / 2),
        red_("carroll_perf::red", (height + 1) / 2, (width + 1) / 2),
        info_("carroll_perf::info") {
    for (auto const& plane : {luma_, blue_, red_})
      patches_.push_back(patch_factors(exec, static_cast<std::int64_t>(plane.extent(0)),
                                       static_cast<std::int64_t>(plane.extent(1))));
    Kokkos::parallel_for(
        "carroll_perf::draw",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {height, width}),
        DrawPixels{pixels_});
    exec.fence("carroll_perf::draw");
  }
  void run() override {
    split_colours(exec_, pixels_, luma_, blue_, red_);
    Plane const planes[] = {luma_, blue_, red_};
    for (std::size_t p = 0; p < 3; ++p) {
      load_patches(exec_, planes[p], patches_[p]);
      int const step = p == 0 ? step_ : step_ / 2;
      if (basis_ == PatchBasis::cosines)
        factorise_patches_async(exec_, step, info_, patches_[p], {.basis = basis_});
      else
        (void)factorise_patches(exec_, step, patches_[p], {.basis = basis_});
    }
  }
  void fence() override { exec_.fence("carroll_perf::encode"); }
  /// A photograph keeps one factor in some hundred at this step.
  std::string complaint() override {
    auto const& luma = patches_.front();
    auto const all = 64 * luma.patches();
    load_patches(exec_, luma_, patches_.front());  // factors have taken the coefficients' place
    auto const kept = factorise_patches(exec_, step_, patches_.front(), {.basis = basis_}).non_zero;
    return kept > all / 1000 && kept < all / 2 ? "" : "keeps " + std::to_string(kept) + " factors";
  }

 private:
  using Plane = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec::memory_space>;
  static constexpr int step_ = 40 * 128;  // 40 levels of 8 bits
  Exec exec_;
  PatchBasis basis_;
  Pixels pixels_;
  Plane luma_, blue_, red_;
  Kokkos::View<PatchFactorInfo, Exec::memory_space> info_;
  std::vector<PatchFactors<Exec>> patches_;
};

}  // namespace carroll::perf
