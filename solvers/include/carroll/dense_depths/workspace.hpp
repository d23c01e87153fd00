// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/dense_depths/kernels.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/mesh_corners.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll {

/// Which triangle of a mesh each pixel of a camera looks through. Made by `dense_depths_workspace`.
/// Calls that are given one allocate nothing; any number may use it at a time. Copies share the
/// memory.
template <class ExecSpace>
class DenseDepthsWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  [[nodiscard]] std::int64_t vertices() const { return vertices_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }

 private:
  friend struct detail::AccessTo<DenseDepthsWorkspace>;

  std::int64_t vertices_ = 0;
  int width_ = 0, height_ = 0;
  int* found_ = nullptr;      ///< the triangle of each pixel
  float* weights_ = nullptr;  ///< 3 a pixel
  int* corners_ = nullptr;    ///< 3 a triangle
  float* forward_ = nullptr;  ///< of the vertices
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> memory_;
};

namespace detail {

template <class Mesh>
struct KeepForwardKernel {
  Mesh source;
  float* forward;

  KOKKOS_FUNCTION void operator()(int vertex) const {
    forward[vertex] = static_cast<float>(source.vertices(vertex, 0));
  }
};

template <class ExecSpace>
struct AccessTo<DenseDepthsWorkspace<ExecSpace>> {
  using Workspace = DenseDepthsWorkspace<ExecSpace>;

  template <class Viewer, class Mesh>
  static Workspace make(ExecSpace const& exec, Viewer const& camera, Mesh const& mesh) {
    constexpr char const* function = "carroll::dense_depths_workspace";
    require_three_columns(function, mesh);
    require(camera.width > 0 && camera.height > 0, function, [&] {
      return "the camera's pictures are " + extents_text({camera.height, camera.width}) +
             ", must have pixels";
    });
    std::int64_t const pixels = std::int64_t{camera.width} * camera.height;
    require_size(function, "the number of pixels", pixels);
    int const triangles = static_cast<int>(mesh.triangles.extent(0));
    Workspace w;
    w.vertices_ = static_cast<std::int64_t>(mesh.vertices.extent(0));
    w.width_ = camera.width;
    w.height_ = camera.height;
    w.memory_ = allocate_arena(exec, "carroll::dense_depths::workspace", [&](Arena& arena) {
      w.found_ = arena.take<int>(pixels);
      w.weights_ = arena.take<float>(3 * pixels);
      w.corners_ = arena.take<int>(std::int64_t{3} * triangles);
      w.forward_ = arena.take<float>(w.vertices_);
    });
    keep_corners(function, exec, mesh, w.corners_);
    Kokkos::parallel_for("carroll::dense_depths::keep",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, static_cast<int>(w.vertices_)),
                         KeepForwardKernel<Mesh>{mesh, w.forward_});
    auto const seen = allocate<Kokkos::View<SeenTriangle*, typename ExecSpace::memory_space>>(
        exec, "carroll::dense_depths::triangles", triangles);
    Kokkos::parallel_for("carroll::dense_depths::prepare",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, triangles),
                         PrepareTrianglesKernel<Mesh>{mesh, w.corners_, seen.data()});
    using Locate = LocatePixelsKernel<ExecSpace, Viewer>;
    Locate const locate{camera, triangles, seen.data(), w.found_, w.weights_};
    launch_teams("carroll::dense_depths::locate", exec, locate,
                 {.count = locate.tiles(),
                  .threads = lanes<ExecSpace> == 1 ? 1 : 8,
                  .scratch = Locate::scratch,
                  .lanes = lanes<ExecSpace>});
    exec.fence("carroll::dense_depths_workspace: the mesh may go");
    return w;
  }

  template <class DepthView, class ResultView>
  static void enqueue(ExecSpace const& exec, DepthView const& depths, ResultView const& result,
                      Workspace const& w, DenseDepthOptions const& options) {
    using Kernel = DenseDepthsKernel<typename DepthView::non_const_value_type,
                                     typename ResultView::non_const_value_type>;
    auto const stride = [](auto const& view, int d) {
      return static_cast<std::int64_t>(view.stride(d));
    };
    Kokkos::parallel_for(
        "carroll::dense_depths::depths",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
            exec, 0, std::int64_t{w.width_} * w.height_),
        Kernel{options, w.width_, w.found_, w.weights_, w.corners_, w.forward_, depths.data(),
               stride(depths, 0), result.data(), stride(result, 0), stride(result, 1)});
  }
};

}  // namespace detail
}  // namespace carroll
