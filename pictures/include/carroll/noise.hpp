// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/denoise/bind.hpp>
#include <carroll/detail/denoise/checks.hpp>
#include <carroll/detail/noise/covariance.hpp>
#include <carroll/status.hpp>
#include <carroll/svd.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

/// How much white noise a picture has.
///
///   auto noise = carroll::estimate_noise(exec, picture);  // .status, .noise: standard deviation
///
///   picture   height×width or planes×height×width, a strided View of float or double; read only
///
/// Patches of 8×8 pixels, 3 apart, vary in all 64 directions by noise, and by what the picture
/// shows in some. Their covariance's smallest eigenvalues are therefore those of noise alone: as
/// many as have a mean that is not above their median (Chen, Zhu and Heng, ICCV 2015), which is the
/// noise's variance. Textures over all of a picture are taken for noise. Pictures smaller than a
/// patch, and those of one colour, have none.
///
/// 2080·3 flops for each patch in double precision and the singular values of a 64×64 matrix.
/// Allocates 40 KiB and a workspace of `svd`; fences `exec`. The same bits for any number of
/// threads.
namespace carroll {

struct NoiseEstimate {
  Status status = Status::success;  ///< non_finite: a sample is; noise is NaN
  double noise = 0;                 ///< standard deviation
};

namespace detail {

/// The mean of the smallest of descending eigenvalues that are noise's alone.
inline double noise_variance(std::span<double const> descending) {
  auto const count = descending.size();
  for (std::size_t first = 0; first < count; ++first) {
    auto const rest = descending.subspan(first);
    double sum = 0;
    for (double value : rest) sum += value;
    double const mean = sum / static_cast<double>(rest.size());
    std::size_t const half = rest.size() / 2;
    double const median = rest.size() % 2 == 1 ? rest[half] : (rest[half - 1] + rest[half]) / 2;
    if (mean <= median) return mean;
  }
  return 0;
}

/// Pixels from one patch to the next: few patches' eigenvalues are spread, many take time.
inline int noise_step(std::int64_t samples) {
  int step = 1;
  while (step < 64 && samples / (std::int64_t{step} * step) > 40000) ++step;
  return step;
}

}  // namespace detail

template <ExecutionSpace ExecSpace, class Picture>
[[nodiscard]] NoiseEstimate estimate_noise(ExecSpace const& exec, Picture const& picture) {
  static_assert(
      ReadableView<Picture, ExecSpace, 2> || ReadableView<Picture, ExecSpace, 3>,
      "carroll::estimate_noise: picture must be a strided View of float or double, of rank 2 or 3, "
      "in memory that the execution space can access");
  constexpr int patch = 8, order = patch * patch;
  using T = typename Picture::non_const_value_type;
  auto const bound = detail::bind_picture("carroll::estimate_noise", picture);
  NoiseEstimate estimate;
  if (detail::range_of(exec, bound).bad > 0) {
    estimate.status = Status::non_finite;
    estimate.noise = std::nan("");
    return estimate;
  }
  if (bound.planes == 0 || std::min(bound.height, bound.width) < patch) return estimate;
  int const step = detail::noise_step(bound.planes * bound.pixels());
  using Kernel = detail::PatchCovariance<ExecSpace, T>;
  using Vector = Kokkos::View<double*, Kokkos::LayoutRight, typename ExecSpace::memory_space>;
  typename Kernel::Matrix const covariance(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::noise::covariance"), order,
      order);
  auto const values = detail::allocate<Vector>(exec, "carroll::noise::values", order);
  Kernel const kernel(bound.from, bound.planes, {bound.height - patch + 1, step},
                      {bound.width - patch + 1, step}, patch, covariance);
  Kokkos::parallel_for("carroll::noise::covariance", kernel.policy(exec), kernel);
  auto const info = singular_values(exec, covariance, values);
  estimate.status = info.status;
  std::vector<double> host(order);
  detail::copy_to_host(exec, host.data(), values.data(), host.size());
  exec.fence("carroll::estimate_noise: done");
  estimate.noise = std::sqrt(std::max(detail::noise_variance(host), 0.0));
  return estimate;
}

}  // namespace carroll
