// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/robust_pca.hpp>
#include <cmath>

#include "denoise/clean.hpp"

namespace carroll::tool {

namespace {

/// A frame in each row.
using Frames =
    Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace::memory_space>;

template <class ToGrey>
std::vector<BytePicture> byte_pictures(Frames const& frames, GreyPicture const& shape,
                                       ToGrey const& grey) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), frames);
  std::vector<BytePicture> pictures;
  for (std::size_t f = 0; f < host.extent(0); ++f) {
    BytePicture picture;
    picture.width = shape.width;
    picture.height = shape.height;
    for (std::size_t i = 0; i < host.extent(1); ++i)
      picture.bytes.push_back(
          static_cast<std::uint8_t>(std::clamp(std::lround(grey(host(f, i))), 0L, 255L)));
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

}  // namespace

SeparatedFrames separate(std::vector<GreyPicture> const& frames, double tolerance,
                         int max_iterations, Progress& progress) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const pixels = frames.front().grey.size();
  Frames const D("carroll::tool::frames", frames.size(), pixels);
  auto const host = Kokkos::create_mirror_view(D);
  for (std::size_t f = 0; f < frames.size(); ++f)
    std::copy(frames[f].grey.begin(), frames[f].grey.end(), &host(f, 0));
  detail::copy_view(exec, D, host);
  Frames const L("carroll::tool::background", frames.size(), pixels),
      S("carroll::tool::foreground", frames.size(), pixels);
  progress.phase("separating");
  auto const info =
      robust_pca(exec, D, L, S, {.tolerance = tolerance, .max_iterations = max_iterations},
                 [&](RobustPcaInfo const& so_far) {
                   progress.phase("separating: iteration " + std::to_string(so_far.iterations) +
                                  ", rank " + std::to_string(so_far.rank));
                 });
  SeparatedFrames result;
  result.status = to_string(info.status);
  result.rank = info.rank;
  result.iterations = info.iterations;
  result.residual = info.residual;
  result.foreground =
      static_cast<double>(info.nonzeros) / static_cast<double>(frames.size() * pixels);
  result.background = byte_pictures(L, frames.front(), [](float x) { return x; });
  result.differences = byte_pictures(S, frames.front(), [](float x) { return std::fabs(x); });
  return result;
}

}  // namespace carroll::tool
