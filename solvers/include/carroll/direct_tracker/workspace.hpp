// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/camera.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/direct_tracker/checks.hpp>
#include <carroll/detail/direct_tracker/depth_search/storage.hpp>
#include <carroll/detail/direct_tracker/host_triangles.hpp>
#include <carroll/detail/direct_tracker/mesh.hpp>
#include <carroll/detail/direct_tracker/problem.hpp>
#include <carroll/detail/direct_tracker/schedule/levels.hpp>
#include <carroll/detail/direct_tracker/schedule/plan.hpp>
#include <carroll/detail/direct_tracker/update.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/direct_tracker/types.hpp>
#include <carroll/error.hpp>
#include <carroll/mesh_jacobian.hpp>
#include <carroll/spherical_mesh/types.hpp>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace carroll {

/// Everything that a tracker needs besides the caller's images and state: the mesh, the samples of
/// the reference image, the pyramid, the state between iterations and the solver's workspaces. Made
/// by `direct_tracker_workspace` for one camera, mesh and options. Calls that are given one
/// allocate nothing. One call at a time may use it; copies share the memory, and a move is a copy.
template <class ExecSpace>
class DirectTrackerWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  DirectTrackerWorkspace() = default;
  DirectTrackerWorkspace(DirectTrackerWorkspace const&) = default;
  DirectTrackerWorkspace& operator=(DirectTrackerWorkspace const&) = default;

  [[nodiscard]] DirectTrackerOptions const& options() const { return options_; }
  [[nodiscard]] Camera<double> const& camera() const { return camera_; }
  [[nodiscard]] std::int64_t vertices() const { return mesh_.vertices; }
  [[nodiscard]] std::int64_t triangles() const { return mesh_.triangles; }
  [[nodiscard]] std::int64_t samples() const { return mesh_.samples; }
  /// Of the pyramid.
  [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t const sum = floats_.span() + inverses_.span() * sizeof(float) +
                            ints_.span() * sizeof(int) + doubles_.span() * sizeof(double) +
                            log_.span() * sizeof(log_(0)) + searched_.span();
    return sum + solver_.bytes();
  }

 private:
  friend struct detail::AccessTo<DirectTrackerWorkspace>;

  template <class T>
  using DeviceView = Kokkos::View<T, typename ExecSpace::memory_space>;

  struct Level {
    detail::TrackerImage image;
    detail::TrackerReference reference;
    int rows = 0;
    DeviceView<int*> offsets;
  };

  DirectTrackerOptions options_;
  Camera<double> camera_;
  detail::TrackerMesh mesh_;
  std::vector<Level> levels_;  ///< 0 is the finest
  std::vector<detail::TrackerPass> plan_;
  MeshWorkspace<ExecSpace, float> solver_;
  detail::TrackerDepths depths_;
  detail::DepthSearch depth_search_;

  DeviceView<std::byte*> floats_;  ///< pyramid, samples, depths
  DeviceView<float*> inverses_;
  DeviceView<int*> ints_;            ///< corners and offsets
  DeviceView<double*> doubles_;      ///< depths
  DeviceView<std::byte*> searched_;  ///< of the search over depths
  DeviceView<float*> motion_step_, depth_step_, prior_, covariance_;
  DeviceView<double> damping_;
  DeviceView<int> active_;
  DeviceView<MeshInfo<float>> step_info_;
  DeviceView<detail::TrackerState> state_;
  DeviceView<int*> faults_;  ///< TrackerFault, and TrackerCount behind them
  DeviceView<int*> seen_;    ///< rows of the levels that the reference image reaches
  std::shared_ptr<bool> has_reference_ = std::make_shared<bool>(false);  ///< of all copies
  DeviceView<DirectTrackerInfo> info_;
  DeviceView<DirectTrackerIteration*> log_;
  Kokkos::View<DirectTrackerInfo*, Kokkos::SharedHostPinnedSpace> host_info_;
  Kokkos::View<DirectTrackerIteration*, Kokkos::SharedHostPinnedSpace> host_log_;
};

namespace detail {

/// The inside of a workspace, for the entry points.
template <class ExecSpace>
struct AccessTo<DirectTrackerWorkspace<ExecSpace>> {
  using Workspace = DirectTrackerWorkspace<ExecSpace>;
  using Level = typename Workspace::Level;

  template <class Real, class MemorySpace>
  static Workspace make(ExecSpace const& exec, char const* function, Camera<double> const& camera,
                        SphericalMesh<Real, MemorySpace> const& mesh,
                        DirectTrackerOptions const& options) {
    check_tracker_camera(function, camera);
    check_tracker_options(function, options);
    check_tracker_mesh(function, mesh);
    Workspace w;
    w.options_ = options;
    w.camera_ = camera;
    w.mesh_.vertices = static_cast<int>(mesh.vertices.extent(0));
    w.mesh_.triangles = static_cast<int>(mesh.triangles.extent(0));
    w.mesh_.samples = static_cast<int>(mesh.samples.extent(0));
    auto const chosen = tracker_levels(function, camera, options, w.mesh_);
    for (TrackerLevel const& each : chosen) {
      Level level;
      level.image.camera = each.camera.template as<float>();
      level.reference.stride = each.stride;
      w.levels_.push_back(level);
    }
    w.plan_ = TrackerPlan(options, chosen).passes();
    keep_triangles(exec, function, mesh, w);
    make_state(exec, w);
    keep_samples(exec, mesh, w);
    auto const triangulation = mesh_triangulation(exec, mesh.triangles, w.mesh_.vertices);
    w.solver_ = mesh_workspace<float>(
        exec, triangulation, {.rows = w.mesh_.samples, .motions = motion_columns(options.motion)},
        {.smoothness = options.smoothness, .tolerance = solver_tolerance, .max_iterations = 60});
    if (searches_depths(options))
      w.searched_ = allocate_depth_search(exec, triangulation, w.mesh_, w.depth_search_);
    return w;
  }

  static auto& options(Workspace& w) { return w.options_; }
  static auto& levels(Workspace& w) { return w.levels_; }
  static auto const& levels(Workspace const& w) { return w.levels_; }
  static auto const& offsets(Level const& level) { return level.offsets; }
  static auto const& triangulation(Workspace const& w) { return w.solver_.triangulation(); }
  static auto const& plan(Workspace const& w) { return w.plan_; }
  static TrackerMesh const& mesh(Workspace const& w) { return w.mesh_; }
  static TrackerDepths const& depths(Workspace const& w) { return w.depths_; }
  static DepthSearch const& depth_search(Workspace const& w) { return w.depth_search_; }
  static TrackerState* state(Workspace const& w) { return w.state_.data(); }
  static auto const& faults(Workspace const& w) { return w.faults_; }
  static auto const& seen(Workspace const& w) { return w.seen_; }
  static int* counts(Workspace const& w) { return w.faults_.data() + tracker_faults; }
  static bool& has_reference(Workspace const& w) { return *w.has_reference_; }
  static auto const& info(Workspace const& w) { return w.info_; }
  static DirectTrackerIteration* log(Workspace const& w) { return w.log_.data(); }
  static TrackerStep step(Workspace const& w) {
    return {w.motion_step_.data(), w.depth_step_.data(), w.damping_.data(),
            w.active_.data(),      w.step_info_.data(),  w.covariance_.data()};
  }

  /// The solver's two halves.
  template <class Rows>
  static void sum_async(ExecSpace const& exec, Workspace& w, Level const& level, Rows const& rows) {
    mesh_moments_async(exec, level.offsets, rows, w.solver_, w.active_);
  }
  template <class After>
  static void solve_async(ExecSpace const& exec, Workspace& w, double smoothness,
                          TrackerPass const& pass, After const& after) {
    Binder bind("carroll::direct_tracker");
    MeshControls const controls{w.damping_, w.prior_, w.active_};
    int const k = motion_columns(w.options_.motion);
    Kokkos::View<float**, Kokkos::LayoutRight, typename Workspace::memory_space,
                 Kokkos::MemoryUnmanaged> const covariance_view(w.covariance_.data(), k, k);
    auto batch =
        pass.level == 0
            ? bind_step(bind, ArrowSolution{w.motion_step_, w.depth_step_, covariance_view},
                        w.solver_, controls)
            : bind_step(bind, ArrowSolution{w.motion_step_, w.depth_step_}, w.solver_, controls);
    bind_mesh_info(bind.function(), batch, w.step_info_);
    batch.options.smoothness = smoothness;
    bool const may_jump = w.options_.motion == TrackerMotion::se3 && pass.level < levels_with_jumps;
    batch.options.smoothness_scale = may_jump ? w.options_.smoothness_scale : 0;
    // Where depths are held they take no step, and the motion's does not depend on theirs.
    batch.holds_depths = pass.columns.depth == 0;
    enqueue_mesh_step(exec, batch, after);
  }

  /// The info of the call before, on the host. Fences the instance once.
  static DirectTrackerInfo fetch_info(ExecSpace const& exec, Workspace const& w) {
    Kokkos::deep_copy(exec, Kokkos::subview(w.host_info_, 0), w.info_);
    exec.fence("carroll::direct_tracker::info");
    return w.host_info_(0);
  }
  /// Its log. Fences the instance once.
  static std::span<DirectTrackerIteration const> fetch_log(ExecSpace const& exec,
                                                           Workspace const& w) {
    detail::copy_view(exec, w.host_log_, w.log_);
    DirectTrackerInfo const info = fetch_info(exec, w);
    return {w.host_log_.data(), static_cast<std::size_t>(info.iterations)};
  }

 private:
  static void make_state(ExecSpace const& exec, Workspace& w) {
    auto const scalar = [&]<class View>(View& view, char const* label) {
      view = View(Kokkos::view_alloc(exec, std::string(label)));
    };
    scalar(w.damping_, "carroll::direct_tracker::damping");
    scalar(w.active_, "carroll::direct_tracker::active");
    scalar(w.step_info_, "carroll::direct_tracker::step_info");
    scalar(w.state_, "carroll::direct_tracker::state");
    w.faults_ = decltype(w.faults_)(
        Kokkos::view_alloc(exec, std::string("carroll::direct_tracker::faults")), tracker_flags);
    w.seen_ = allocate<decltype(w.seen_)>(exec, "carroll::direct_tracker::seen", w.levels());
    for (int l = 0; l < w.levels(); ++l) w.levels_[l].reference.seen = w.seen_.data() + l;
    scalar(w.info_, "carroll::direct_tracker::info");
    int const m = w.mesh_.vertices;
    int const k = motion_columns(w.options_.motion);
    w.motion_step_ =
        allocate<decltype(w.motion_step_)>(exec, "carroll::direct_tracker::motion_step", k);
    w.covariance_ =
        allocate<decltype(w.covariance_)>(exec, "carroll::direct_tracker::covariance", k * k);
    w.depth_step_ =
        allocate<decltype(w.depth_step_)>(exec, "carroll::direct_tracker::depth_step", m);
    w.prior_ = allocate<decltype(w.prior_)>(exec, "carroll::direct_tracker::prior", m);
    w.doubles_ = allocate<decltype(w.doubles_)>(exec, "carroll::direct_tracker::depths", 4 * m);
    auto const passes = std::ssize(w.plan_);
    w.log_ = allocate<decltype(w.log_)>(exec, "carroll::direct_tracker::log", passes);
    // The pinned host copies need an instance to be made on; nothing is launched or waited for.
    w.host_info_ = allocate<decltype(w.host_info_)>(Kokkos::DefaultHostExecutionSpace(),
                                                    "carroll::direct_tracker::host_info", 1);
    w.host_log_ = allocate<decltype(w.host_log_)>(Kokkos::DefaultHostExecutionSpace(),
                                                  "carroll::direct_tracker::host_log", passes);
    w.depths_.kept = w.doubles_.data();
    w.depths_.trial = w.doubles_.data() + m;
    w.depths_.start = w.doubles_.data() + 2 * m;
    w.depths_.saved = w.doubles_.data() + 3 * m;
    w.depths_.prior = w.prior_.data();
  }

  /// Triangles, offsets, and those of the rows of each level.
  template <class Mesh>
  static void keep_triangles(ExecSpace const& exec, char const* function, Mesh const& mesh,
                             Workspace& w) {
    TrackerMesh& kept = w.mesh_;
    std::vector<int> strides;
    for (Level const& level : w.levels_) strides.push_back(level.reference.stride);
    HostTriangles const host = host_triangles(function, mesh, strides);
    std::int64_t const t = kept.triangles;
    w.ints_ = allocate<decltype(w.ints_)>(exec, "carroll::direct_tracker::mesh",
                                          static_cast<std::int64_t>(host.indices.size()));
    detail::copy_to_device(exec, w.ints_.data(), host.indices.data(), host.indices.size());
    kept.corners = w.ints_.data();
    kept.offsets = kept.corners + 3 * t;
    std::int64_t at = 4 * t + 1;
    for (Level& level : w.levels_) {
      level.offsets =
          Kokkos::subview(w.ints_, Kokkos::pair<std::int64_t, std::int64_t>(at, at + t + 1));
      level.reference.offsets = level.offsets.data();
      at += t + 1;
      level.rows = host.indices[static_cast<std::size_t>(at - 1)];
    }
    w.inverses_ = allocate<decltype(w.inverses_)>(exec, "carroll::direct_tracker::planes", 9 * t);
    detail::copy_to_device(exec, w.inverses_.data(), host.inverses.data(), host.inverses.size());
    kept.inverse = w.inverses_.data();
    exec.fence("carroll::direct_tracker: the host's arrays may go");
  }

  /// The pyramid, the samples coordinate by coordinate, and what is sampled of the reference.
  template <class Mesh>
  static void keep_samples(ExecSpace const& exec, Mesh const& mesh, Workspace& w) {
    bool const esm = w.options_.method == TrackerMethod::esm;
    std::int64_t const n = w.mesh_.samples;
    float *rays[3], *weights[3];
    w.floats_ = allocate_arena(exec, "carroll::direct_tracker::samples", [&](Arena& arena) {
      for (Level& level : w.levels_)
        level.image.pixels = arena.take<float>(static_cast<std::int64_t>(level.image.pitch()) *
                                               level.image.camera.height);
      for (float*& ray : rays) ray = arena.take<float>(n);
      for (float*& weight : weights) weight = arena.take<float>(n);
      for (Level& level : w.levels_) {
        level.reference.grey = arena.take<float>(level.rows);
        if (esm && &level != w.levels_.data())
          for (float*& gradient : level.reference.gradient)
            gradient = arena.take<float>(level.rows);
      }
      w.depths_.zeta = arena.take<float>(w.mesh_.vertices);
    });
    for (int a = 0; a < 3; ++a) {
      w.mesh_.rays[a] = rays[a];
      w.mesh_.weights[a] = weights[a];
    }
    KeepSamplesKernel<Mesh> const kernel{
        mesh, {rays[0], rays[1], rays[2]}, {weights[0], weights[1], weights[2]}};
    Kokkos::parallel_for("carroll::direct_tracker::keep_samples",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, n), kernel);
  }
};

}  // namespace detail
}  // namespace carroll
