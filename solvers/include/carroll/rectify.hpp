// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/camera.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/rectify/kernels.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/error.hpp>
#include <carroll/lens.hpp>
#include <carroll/rectify/types.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

/// Pictures of a lens with distortion as a camera without would take them, so that the tracker need
/// not know of the lens:
///
///   auto const camera = carroll::rectified_camera(lens);
///   auto const rectifier = carroll::lens_rectifier(exec, lens, camera);   // once
///   carroll::rectify_async(exec, picture, rectified, rectifier);          // once per frame
///   carroll::track_frame(exec, rectified, state, workspace);              // of that camera
///
/// Any camera will do. Of one that looks beyond the lens' picture, the rectifier's mask says what
/// is seen: the tracker takes MaskedImage{rectified, rectifier.mask()}.
namespace carroll {

/// The largest camera, up to the lens' own field or, of fisheye lenses, half as much again, whose
/// pixels the lens sees all, so that no mask is needed: a pinhole, or for kannala_brandt the
/// unified camera of χ = 1, with the lens' scale in the middle. On the host. std::invalid_argument
/// where hardly anything is left.
[[nodiscard]] inline Camera<double> rectified_camera(Lens<double> const& lens) {
  bool const fisheye = lens.model == LensModel::kannala_brandt;
  double const chi = fisheye ? 1 : 0;
  auto camera = Camera<double>::unified(0, 0, (1 + chi) * lens.fx, (1 + chi) * lens.fy, 0, 0, chi);
  auto const sees = [&](int u, int v) {
    double x = 0, y = 0;
    return lens.project(camera.ray(u, v), x, y);
  };
  auto const sees_border = [&] {
    bool all = true;
    for (int u = 0; u < camera.width && all; ++u) all = sees(u, 0) && sees(u, camera.height - 1);
    for (int v = 0; v < camera.height && all; ++v) all = sees(0, v) && sees(camera.width - 1, v);
    return all;
  };
  for (int percent = fisheye ? 150 : 100; percent >= 20; --percent) {
    auto const part = [&](double length) {
      return static_cast<int>(Kokkos::floor(Kokkos::fmax(0.0, length) * percent / 100));
    };
    int const left = part(lens.cx), above = part(lens.cy);
    camera.cx = left;
    camera.cy = above;
    camera.width = left + 1 + part(lens.width - 1 - lens.cx);
    camera.height = above + 1 + part(lens.height - 1 - lens.cy);
    if (sees_border()) return camera;
  }
  throw std::invalid_argument("the lens' distortion leaves hardly anything of its picture");
}

/// Where a camera's pixels are in the pictures of a lens. Made by `lens_rectifier`; copies share
/// its memory, 9 bytes a pixel. Any number of calls may use it at a time.
template <ExecutionSpace ExecSpace>
class LensRectifier {
 public:
  using execution_space = ExecSpace;
  using Mask =
      Kokkos::View<std::uint8_t const**, Kokkos::LayoutRight, typename ExecSpace::memory_space>;

  [[nodiscard]] Lens<double> const& lens() const { return lens_; }
  [[nodiscard]] Camera<double> const& camera() const { return camera_; }
  /// Height×width of the camera: 1 where the lens sees, 0 where it does not.
  [[nodiscard]] Mask mask() const { return mask_; }

 private:
  friend struct detail::AccessTo<LensRectifier>;

  Lens<double> lens_;
  Camera<double> camera_;
  Kokkos::View<float*, typename ExecSpace::memory_space> map_;
  Mask mask_;
};

namespace detail {

template <class ExecSpace>
struct AccessTo<LensRectifier<ExecSpace>> {
  using Rectifier = LensRectifier<ExecSpace>;

  static Rectifier make(ExecSpace const& exec, Lens<double> const& lens,
                        Camera<double> const& camera) {
    constexpr char const* function = "carroll::lens_rectifier";
    require(lens.width > 0 && lens.height > 0 && camera.width > 0 && camera.height > 0, function,
            [&] {
              return "the lens' pictures are " + extents_text({lens.height, lens.width}) +
                     " and the camera's " + extents_text({camera.height, camera.width}) +
                     ", must have pixels";
            });
    std::int64_t const pixels = std::int64_t{camera.width} * camera.height;
    require_size(function, "the number of the camera's pixels", pixels);
    Rectifier rectifier;
    rectifier.lens_ = lens;
    rectifier.camera_ = camera;
    using Map = decltype(rectifier.map_);
    rectifier.map_ = allocate<Map>(exec, "carroll::rectify::map", 2 * pixels);
    Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, typename ExecSpace::memory_space> const mask(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "carroll::rectify::mask"),
        static_cast<std::size_t>(camera.height), static_cast<std::size_t>(camera.width));
    rectifier.mask_ = mask;
    Kokkos::parallel_for(
        "carroll::rectify::map",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, pixels),
        MapLensKernel{lens, camera, rectifier.map_.data(), mask.data()});
    return rectifier;
  }

  static float const* map(Rectifier const& rectifier) { return rectifier.map_.data(); }
};

template <class View, class ExecSpace>
inline constexpr bool is_lens_picture =
    (is_view_of<View, ExecSpace, float> ||
     is_view_of<View, ExecSpace, std::uint8_t>)&&rank_of<View>() == 2;

template <class ExecSpace, class Source, class Target, class SourceMask, class TargetMask>
void enqueue_rectified(ExecSpace const& exec, Source const& source, Target const& target,
                       SourceMask const& source_mask, TargetMask const& target_mask,
                       LensRectifier<ExecSpace> const& rectifier, RectifyOptions const& options) {
  constexpr char const* function = "carroll::rectify_async";
  static_assert(is_lens_picture<Source, ExecSpace>,
                "carroll::rectify_async: a picture must be a strided View of float or "
                "std::uint8_t, of rank 2, in memory that the execution space can access");
  static_assert(is_output_of<Target, ExecSpace, float> && rank_of<Target>() == 2,
                "carroll::rectify_async: the result must be a writable strided View of float, of "
                "rank 2, in memory that the execution space can access");
  auto const extents = [](auto const& view) {
    return std::pair{static_cast<long long>(view.extent(0)),
                     static_cast<long long>(view.extent(1))};
  };
  auto const check = [&](char const* name, auto const& view, auto const& of) {
    auto const [rows, columns] = extents(view);
    require_extents(function, name, {rows, columns}, {of.height, of.width});
  };
  check("the picture", source, rectifier.lens());
  check("the result", target, rectifier.camera());
  if constexpr (!std::is_same_v<SourceMask, NoMask>) {
    static_assert(is_lens_picture<SourceMask, ExecSpace>,
                  "carroll::rectify_async: a mask must be a strided View of float or "
                  "std::uint8_t, of rank 2, in memory that the execution space can access");
    check("the picture's mask", source_mask, rectifier.lens());
  }
  if constexpr (!std::is_same_v<TargetMask, NoMask>) {
    static_assert(is_output_of<TargetMask, ExecSpace, std::uint8_t> && rank_of<TargetMask>() == 2,
                  "carroll::rectify_async: the result's mask must be a writable strided View of "
                  "std::uint8_t, of rank 2, in memory that the execution space can access");
    check("the result's mask", target_mask, rectifier.camera());
  }
  auto const bound = [](auto const& mask) {
    using Mask = std::remove_cvref_t<decltype(mask)>;
    if constexpr (std::is_same_v<Mask, NoMask>)
      return NoMask{};
    else
      return StridedPicture<typename Mask::value_type>::of(mask);
  };
  auto const from = StridedPicture<typename Source::const_value_type>::of(source);
  auto const to = StridedPicture<float>::of(target);
  auto const run = [&]<Interpolation Kind>() {
    using Kernel = RectifyKernel<Kind, typename Source::non_const_value_type, float,
                                 decltype(bound(source_mask)), decltype(bound(target_mask))>;
    Kernel const kernel{rectifier.lens().width,
                        rectifier.lens().height,
                        rectifier.camera().width,
                        AccessTo<LensRectifier<ExecSpace>>::map(rectifier),
                        rectifier.mask().data(),
                        from,
                        to,
                        bound(source_mask),
                        bound(target_mask)};
    Kokkos::parallel_for("carroll::rectify::picture",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(target.size())),
                         kernel);
  };
  if (options.interpolation == Interpolation::nearest)
    run.template operator()<Interpolation::nearest>();
  else if (options.interpolation == Interpolation::bilinear)
    run.template operator()<Interpolation::bilinear>();
  else
    run.template operator()<Interpolation::bicubic>();
}

}  // namespace detail

/// Where the pixels of `camera` are in the pictures of `lens`: two allocations and a kernel, no
/// fence. std::invalid_argument for a lens or a camera without pixels, AllocationError for want of
/// memory.
template <ExecutionSpace ExecSpace>
[[nodiscard]] LensRectifier<ExecSpace> lens_rectifier(ExecSpace const& exec,
                                                      Lens<double> const& lens,
                                                      Camera<double> const& camera) {
  return detail::AccessTo<LensRectifier<ExecSpace>>::make(exec, lens, camera);
}

/// Enqueues `result`, height×width of the rectifier's camera, from `picture`, height×width of its
/// lens, and returns. Where the lens does not see, the result is 0.
///
/// `picture`: a strided View of float or std::uint8_t; `result`: one of float. They must not
/// overlap. With a MaskedImage as `picture`, `result` is one, too, whose mask, of std::uint8_t,
/// becomes 1 where the lens sees and all pixels that the grey level is made of count, else 0. O(1)
/// operations a pixel: 8 bytes of the map, 1 of the mask and 4 of the result, besides the picture.
/// Never fences, never allocates. Throws std::invalid_argument for wrong extents; nothing is
/// enqueued then.
template <ExecutionSpace ExecSpace, class Picture, class Result>
void rectify_async(ExecSpace const& exec, Picture const& picture, Result const& result,
                   LensRectifier<ExecSpace> const& rectifier, RectifyOptions const& options = {}) {
  static_assert(
      detail::is_instance_of<Picture, MaskedImage> == detail::is_instance_of<Result, MaskedImage>,
      "carroll::rectify_async: picture and result must both be a carroll::MaskedImage, "
      "or neither");
  if constexpr (detail::is_instance_of<Picture, MaskedImage>)
    detail::enqueue_rectified(exec, picture.image, result.image, picture.mask, result.mask,
                              rectifier, options);
  else
    detail::enqueue_rectified(exec, picture, result, detail::NoMask{}, detail::NoMask{}, rectifier,
                              options);
}

}  // namespace carroll
