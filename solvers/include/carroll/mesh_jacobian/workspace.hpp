// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/system/small_system.hpp>
#include <carroll/error.hpp>
#include <carroll/mesh_jacobian/types.hpp>
#include <carroll/mesh_triangulation.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

namespace carroll {

namespace detail {
template <class ExecSpace, class Real>
struct MeshAccess;
}

/// Everything that steps on a mesh need besides the caller's Views, made by `mesh_workspace` for
/// one triangulation, which it keeps, and fixed extents and options. Calls that are given one
/// allocate nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class MeshWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using Info = MeshInfo<Real>;

  [[nodiscard]] MeshOptions const& options() const { return options_; }
  [[nodiscard]] MeshExtents const& extents() const { return extents_; }
  [[nodiscard]] MeshTriangulation<ExecSpace> const& triangulation() const { return mesh_; }
  /// Bytes of device memory held, without the triangulation.
  [[nodiscard]] std::size_t bytes() const {
    return doubles_.span() * sizeof(double) + ints_.span() * sizeof(int) +
           totals_.span() * sizeof(detail::MeshTotals) + infos_.span() * sizeof(Info);
  }

 private:
  friend struct detail::MeshAccess<ExecSpace, Real>;

  MeshOptions options_;
  MeshExtents extents_{.problems = 0};  ///< a workspace that nobody made fits no call
  MeshTriangulation<ExecSpace> mesh_;
  Kokkos::View<double*, memory_space> doubles_;
  Kokkos::View<int*, memory_space> ints_;
  Kokkos::View<detail::MeshTotals*, memory_space> totals_;
  Kokkos::View<Info*, memory_space> infos_;
  Kokkos::View<Info*, Kokkos::SharedHostPinnedSpace> host_infos_;
};

namespace detail {

inline void check_mesh_options(char const* function, MeshOptions const& options) {
  auto const number = [](double x) { return std::to_string(x); };
  require(options.damping >= 0 && std::isfinite(options.damping), function, [&] {
    return "options.damping is " + number(options.damping) + ", must be finite and not negative";
  });
  require(options.smoothness >= 0 && std::isfinite(options.smoothness), function, [&] {
    return "options.smoothness is " + number(options.smoothness) +
           ", must be finite and not negative";
  });
  require(options.tolerance >= 0 && options.tolerance < 1, function, [&] {
    return "options.tolerance is " + number(options.tolerance) + ", must be from 0 to below 1";
  });
  require(options.max_iterations >= 0, function, [&] {
    return "options.max_iterations is " + std::to_string(options.max_iterations) +
           ", must not be negative";
  });
}

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class Real>
struct MeshAccess {
  using Workspace = MeshWorkspace<ExecSpace, Real>;
  using Triangulation = TriangulationAccess<ExecSpace>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        MeshTriangulation<ExecSpace> const& mesh, MeshExtents const& extents,
                        MeshOptions const& options) {
    require_size(function, "the number of problems", extents.problems);
    require_size(function, "the number of frames", extents.frames);
    require_size(function, "the number of rows", extents.rows);
    require_size(function, "the number of motion columns", extents.motions);
    require(extents.frames >= 1, function,
            [] { return std::string("the number of frames is 0, must be at least 1"); });
    require(extents.motions >= 1, function,
            [] { return std::string("the number of motion columns is 0, must be at least 1"); });
    require(mesh.meshes() == 1 || mesh.meshes() == extents.problems, function, [&] {
      return "the triangulation has " + std::to_string(mesh.meshes()) + " meshes, must have 1 or " +
             std::to_string(extents.problems) + ", one per problem";
    });
    check_mesh_options(function, options);
    double const problems = static_cast<double>(extents.problems);
    double const k = static_cast<double>(extents.motions);
    double const K = k * static_cast<double>(extents.frames);
    double const items =
        problems * static_cast<double>(extents.frames) * static_cast<double>(mesh.triangles());
    double const vectors = problems * (K + 1) * (static_cast<double>(mesh.vertices()) + slice_rows);
    // Kernels count triangles, systems and pairs of motion columns with an int.
    require(k < 1e3 && K < 1e4 && items < 2e9 && problems * (K + 1) < 2e9 && vectors < 1e15 &&
                items * k * k < 1e15,
            function, [&] {
              return "extents " +
                     extents_text({extents.problems, extents.frames, extents.rows, extents.motions,
                                   mesh.vertices(), mesh.triangles()}) +
                     " (problems×frames×rows×motions×vertices×triangles) are too large";
            });
    Workspace w;
    w.options_ = options;
    w.extents_ = extents;
    w.mesh_ = mesh;
    MeshBatch<Real> sizes;
    std::int64_t const systems = extents.problems * (extents.frames * extents.motions + 1);
    w.doubles_ =
        allocate<decltype(w.doubles_)>(exec, "carroll::mesh::workspace", lay_out(w, sizes));
    w.ints_ =
        allocate<decltype(w.ints_)>(exec, "carroll::mesh::counts", systems + extents.problems);
    Kokkos::deep_copy(exec, w.ints_, 0);
    w.totals_ = allocate<decltype(w.totals_)>(exec, "carroll::mesh::totals", extents.problems);
    w.infos_ = allocate<decltype(w.infos_)>(exec, "carroll::mesh::infos", extents.problems);
    // The pinned host copy needs an instance to be made on; nothing is launched or waited for.
    w.host_infos_ = allocate<decltype(w.host_infos_)>(
        Kokkos::DefaultHostExecutionSpace(), "carroll::mesh::host_infos", extents.problems);
    return w;
  }

  /// A batch without the caller's Views.
  static MeshBatch<Real> batch(Workspace const& w) {
    MeshBatch<Real> batch;
    lay_out(w, batch);
    return batch;
  }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<MeshInfo<Real> const> fetch_infos(ExecSpace const& exec, Workspace const& w) {
    Kokkos::deep_copy(exec, w.host_infos_, w.infos_);
    exec.fence("carroll::mesh::info");
    return {w.host_infos_.data(), w.host_infos_.extent(0)};
  }

 private:
  /// Fills in what a batch has of the workspace. Returns how many doubles that needs.
  static std::int64_t lay_out(Workspace const& w, MeshBatch<Real>& batch) {
    auto const& e = w.extents_;
    auto const& mesh = w.mesh_;
    batch.pattern = Triangulation::pattern(mesh);
    batch.shared_mesh = mesh.meshes() == 1;
    batch.problems = static_cast<int>(e.problems);
    batch.frames = static_cast<int>(e.frames);
    batch.n = static_cast<int>(e.rows);
    batch.k = static_cast<int>(e.motions);
    batch.m = static_cast<int>(mesh.vertices());
    batch.triangles = static_cast<int>(mesh.triangles());
    batch.slices = (batch.m + slice_rows - 1) / slice_rows;
    batch.matrix_size = batch.shared_mesh ? Triangulation::entries(mesh) : 0;
    batch.options = w.options_;
    std::int64_t const systems = e.problems * batch.right_hand_sides();
    std::int64_t const vectors = systems * batch.padded();
    std::int64_t at = 0;
    auto const take = [&](std::int64_t count) {
      double* const begin = w.doubles_.data() + at;
      at += count;
      return begin;
    };
    batch.moments = take(e.problems * e.frames * mesh.triangles() * MomentLayout::size(batch.k));
    batch.matrix = take(Triangulation::entries(mesh) * (batch.shared_mesh ? e.problems : 1));
    batch.diagonal = take(e.problems * batch.padded());
    batch.rhs = take(vectors);
    batch.solutions = take(vectors);
    batch.residuals = take(vectors);
    batch.work = take(mesh_work_vectors * vectors);
    batch.errors = take(systems);
    batch.partials = take(e.problems * reduction_size(batch.motions()));
    batch.motion_totals = take(e.problems * e.frames * motion_sums(batch.k));
    batch.cores = take(e.problems * SmallSystem::size(batch.motions()));
    batch.iterations = w.ints_.data();
    batch.ready = w.ints_.data() + systems;
    batch.totals = w.totals_.data();
    batch.infos = w.infos_.data();
    return at;
  }
};

}  // namespace detail

/// A workspace for steps on `mesh`, which is that of all problems, or has a mesh per problem. Holds
/// (11 + 4k + k(k+1)/2)·T·F + 8·m·(kF+1) + 7·m doubles, about, per problem. Allocates, for which
/// Kokkos may wait for the instance; freeing it waits for the whole device on CUDA. Throws
/// std::invalid_argument for unusable extents or options, AllocationError for want of memory.
///
///   auto workspace = carroll::mesh_workspace<float>(exec, mesh, {.rows = 120'000, .motions = 1});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] MeshWorkspace<ExecSpace, Real> mesh_workspace(
    ExecSpace const& exec, MeshTriangulation<ExecSpace> const& mesh, MeshExtents const& extents,
    MeshOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::mesh_workspace: Real must be float or double");
  return detail::MeshAccess<ExecSpace, Real>::make(exec, "carroll::mesh_workspace", mesh, extents,
                                                   options);
}

}  // namespace carroll
