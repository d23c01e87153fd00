// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/pictures/dense.hpp"

#include <Kokkos_Core.hpp>
#include <carroll/dense_depths.hpp>
#include <carroll/detail/copy.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::tool {

namespace {

using ExecSpace = Kokkos::DefaultExecutionSpace;

/// Row after row, of every pixel.
template <class Viewer>
class PixelDepths {
 public:
  PixelDepths(Viewer const& camera, SphericalMesh<double> const& mesh,
              std::vector<double> const& inverse_depth)
      : zeta_("carroll::tool::inverse_depth", inverse_depth.size()),
        depths_("carroll::tool::dense", static_cast<std::size_t>(camera.height),
                static_cast<std::size_t>(camera.width)),
        workspace_(dense_depths_workspace(exec_, camera, mesh_on<double>(exec_, mesh))) {
    detail::copy_to_device(exec_, zeta_.data(), inverse_depth.data(), inverse_depth.size());
    exec_.fence("carroll::tool: depths on the device");
  }

  auto operator()(DenseDepth quantity, double unit) {
    dense_depths_async(exec_, zeta_, depths_, workspace_, {quantity, unit});
    exec_.fence("carroll::tool: depths of all pixels");
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), depths_);
  }

 private:
  ExecSpace exec_;
  Kokkos::View<double*, ExecSpace> zeta_;
  Pixels depths_;
  DenseDepthsWorkspace<ExecSpace> workspace_;
};

/// 0 of what is no number, or too near or too far for 16 bits.
std::uint16_t level_of(double depth, double scale) {
  double const level = std::round(depth * scale);
  return level >= 1 && level <= 65535 ? static_cast<std::uint16_t>(level) : std::uint16_t{0};
}

template <class Viewer>
DenseDepths dense_of(Viewer const& camera, bool whole_sphere, SphericalMesh<double> const& mesh,
                     std::vector<double> const& inverse_depth, double unit, double scale) {
  PixelDepths<Viewer> depths(camera, mesh, inverse_depth);
  auto const ranges = depths(DenseDepth::range, unit);
  DenseDepths result;
  result.ranges.assign(ranges.data(), ranges.data() + ranges.size());
  result.picture = {camera.width, camera.height, 1, 16, {}};
  auto const shown = whole_sphere ? ranges : depths(DenseDepth::along_axis, unit);
  for (std::size_t i = 0; i < shown.size(); ++i)
    result.picture.levels.push_back(level_of(static_cast<double>(shown.data()[i]), scale));
  return result;
}

}  // namespace

DenseDepths dense_depths_of(LensPictures const& pictures, SphericalMesh<double> const& mesh,
                            std::vector<double> const& inverse_depth, double unit, double scale) {
  bool const whole_sphere = pictures.camera().model == CameraModel::equirectangular;
  if (pictures.lens()) return dense_of(*pictures.lens(), false, mesh, inverse_depth, unit, scale);
  return dense_of(pictures.camera(), whole_sphere, mesh, inverse_depth, unit, scale);
}

}  // namespace carroll::tool
