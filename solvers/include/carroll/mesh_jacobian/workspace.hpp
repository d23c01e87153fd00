// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/mesh_jacobian/system/small_system.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/mesh_jacobian/types.hpp>
#include <carroll/mesh_triangulation.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

namespace carroll {

/// Everything that steps on a mesh need besides the caller's Views, made by `mesh_workspace` for
/// one triangulation, which it keeps, and fixed extents and options. Calls that are given one
/// allocate nothing. One call at a time may use it; copies share the memory. bytes() is
/// without the triangulation.
template <class ExecSpace, class Real>
class MeshWorkspace
    : public detail::SolverWorkspace<ExecSpace, MeshInfo<Real>, MeshExtents, MeshOptions> {
 public:
  [[nodiscard]] MeshTriangulation<ExecSpace> const& triangulation() const { return mesh_; }

 private:
  friend struct detail::AccessTo<MeshWorkspace>;

  MeshTriangulation<ExecSpace> mesh_;
  detail::MeshBatch<Real> batch_;  ///< without the caller's Views
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
  require(options.smoothness_scale >= 0 && std::isfinite(options.smoothness_scale), function, [&] {
    return "options.smoothness_scale is " + number(options.smoothness_scale) +
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
struct AccessTo<MeshWorkspace<ExecSpace, Real>> {
  using Workspace = MeshWorkspace<ExecSpace, Real>;
  using Triangulation = AccessTo<MeshTriangulation<ExecSpace>>;

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
    // Of a problem: right-hand sides, each padded to whole slices.
    double const columns = (K + 1) * (static_cast<double>(mesh.vertices()) + slice_rows);
    // Kernels count triangles, systems and pairs of motion columns with an int, and with it say
    // where in a problem's columns a vertex is.
    require(k < 1e3 && K < 1e4 && items < 2e9 && problems * (K + 1) < 2e9 && columns < 0x1p31 &&
                problems * columns < 1e15 && items * k * k < 1e15,
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
    shape(w);
    std::int64_t const systems = extents.problems * w.batch_.right_hand_sides();
    w.bytes_ = allocate_arena(exec, "carroll::mesh::workspace",
                              [&](Arena& arena) { lay_out(w, systems, arena); });
    set_to_zero(exec, w.batch_.iterations, systems);
    set_to_zero(exec, w.batch_.ready, extents.problems);
    w.infos_.allocate_host("carroll::mesh::host_infos", extents.problems);
    return w;
  }

  /// A batch without the caller's Views.
  static MeshBatch<Real> batch(Workspace const& w) { return w.batch_; }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<MeshInfo<Real> const> fetch_infos(ExecSpace const& exec, Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::mesh::info");
  }

 private:
  static void shape(Workspace& w) {
    auto const& e = w.extents_;
    auto const& mesh = w.mesh_;
    auto& batch = w.batch_;
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
  }

  static void lay_out(Workspace& w, std::int64_t systems, Arena& arena) {
    auto const& e = w.extents_;
    auto const& mesh = w.mesh_;
    auto& batch = w.batch_;
    auto const doubles = [&](std::int64_t count) { return arena.take<double>(count); };
    std::int64_t const vectors = systems * batch.padded(), frames = e.problems * e.frames;
    batch.moments = doubles(frames * mesh.triangles() * MomentLayout::size(batch.k));
    batch.matrix = doubles(Triangulation::entries(mesh) * (batch.shared_mesh ? e.problems : 1));
    batch.diagonal = doubles(e.problems * batch.padded());
    batch.rhs = doubles(vectors);
    batch.solutions = doubles(vectors);
    batch.residuals = doubles(vectors);
    batch.work = doubles(mesh_work_vectors * vectors);
    batch.errors = doubles(systems);
    batch.partials = doubles(e.problems * reduction_size(batch.motions()));
    batch.motion_totals = doubles(frames * motion_sums(batch.k));
    batch.cores = doubles(e.problems * SmallSystem::size(batch.motions()));
    batch.iterations = arena.take<int>(systems);
    batch.ready = arena.take<int>(e.problems);
    batch.totals = arena.take<MeshTotals>(e.problems);
    w.infos_.lay_out(arena, e.problems);
    batch.infos = w.infos_.data();
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
  return detail::AccessTo<MeshWorkspace<ExecSpace, Real>>::make(exec, "carroll::mesh_workspace",
                                                                mesh, extents, options);
}

}  // namespace carroll
