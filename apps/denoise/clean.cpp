// SPDX-License-Identifier: BSD-3-Clause
#include "denoise/clean.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/denoise.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/noise.hpp>
#include <cmath>

namespace carroll::tool {

namespace {

using Planes =
    Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace::memory_space>;

constexpr int levels_per_grey = 257;

/// Colours of a pixel; the last of an even number of channels is alpha.
int colours_of(SamplePicture const& picture) {
  return picture.channels % 2 == 0 ? picture.channels - 1 : picture.channels;
}

std::size_t place(SamplePicture const& picture, int y, int x, int channel) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
          static_cast<std::size_t>(x)) *
             static_cast<std::size_t>(picture.channels) +
         static_cast<std::size_t>(channel);
}

Planes planes_of(SamplePicture const& picture) {
  Planes const planes("carroll::tool::planes", colours_of(picture), picture.height, picture.width);
  auto const host = Kokkos::create_mirror_view(planes);
  for (int c = 0; c < host.extent_int(0); ++c)
    for (int y = 0; y < picture.height; ++y)
      for (int x = 0; x < picture.width; ++x)
        host(c, y, x) =
            static_cast<float>(picture.levels[place(picture, y, x, c)]) / levels_per_grey;
  Kokkos::DefaultExecutionSpace const exec;
  detail::copy_view(exec, planes, host);
  exec.fence("carroll::tool: mirror may go");
  return planes;
}

void take_levels(Planes const& planes, SamplePicture& picture) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), planes);
  int const unit = picture.bits == 8 ? levels_per_grey : 1;
  float const units = static_cast<float>(levels_per_grey / unit);
  for (int c = 0; c < host.extent_int(0); ++c)
    for (int y = 0; y < picture.height; ++y)
      for (int x = 0; x < picture.width; ++x) {
        auto const level = std::lround(host(c, y, x) * units) * unit;
        picture.levels[place(picture, y, x, c)] =
            static_cast<std::uint16_t>(std::clamp(level, 0L, 65535L));
      }
}

}  // namespace

CleanPicture clean(SamplePicture const& noisy, std::optional<double> sigma, bool fast,
                   Progress& progress) {
  Kokkos::DefaultExecutionSpace const exec;
  CleanPicture result;
  result.picture = noisy;
  Planes const planes = planes_of(noisy);
  if (sigma) {
    result.noise = *sigma;
  } else {
    progress.phase("estimating the noise");
    auto const estimate = estimate_noise(exec, planes);
    result.noise = estimate.noise;
    if (estimate.status != Status::success) {
      result.status = to_string(estimate.status);
      return result;
    }
  }
  Planes const denoised("carroll::tool::denoised", planes.extent(0), planes.extent(1),
                        planes.extent(2));
  auto const options =
      denoise_options(result.noise, fast ? DenoiseEffort::fast : DenoiseEffort::thorough);
  progress.phase("denoising");
  auto const info = denoise(exec, planes, denoised, options, [&](int done, int all) {
    progress.phase("denoising: " + std::to_string(done) + " of " + std::to_string(all) +
                   " iterations");
  });
  result.status = to_string(info.status);
  result.iterations = info.iterations;
  if (info.status == Status::success) take_levels(denoised, result.picture);
  return result;
}

}  // namespace carroll::tool
