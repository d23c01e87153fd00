// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/tracker_window/rows.hpp>
#include <carroll/detail/tracker_window/update.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/direct_tracker/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/mesh_jacobian.hpp>
#include <carroll/tracker_window/types.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace carroll {

namespace detail {
inline constexpr int most_window_frames = 8;
}  // namespace detail

/// A window of frames on the mesh and the reference of a direct tracker's workspace, which it
/// shares: made by `tracker_window_workspace`. Calls that are given one allocate nothing. One call
/// at a time may use it, or the tracker's workspace; copies share the memory, and a move is a copy.
template <class ExecSpace>
class TrackerWindowWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  TrackerWindowWorkspace() = default;
  TrackerWindowWorkspace(TrackerWindowWorkspace const&) = default;
  TrackerWindowWorkspace& operator=(TrackerWindowWorkspace const&) = default;

  [[nodiscard]] TrackerWindowOptions const& options() const { return options_; }
  [[nodiscard]] int frames() const { return options_.frames; }
  [[nodiscard]] std::int64_t vertices() const { return tracker_.vertices(); }
  [[nodiscard]] Camera<double> const& camera() const { return tracker_.camera(); }
  /// Bytes of device memory held, besides the tracker's.
  [[nodiscard]] std::size_t bytes() const { return memory_.span() + solver_.bytes(); }

 private:
  friend struct detail::AccessTo<TrackerWindowWorkspace>;

  struct Level {
    detail::TrackerImage image;
  };

  TrackerWindowOptions options_;
  DirectTrackerWorkspace<ExecSpace> tracker_;
  MeshWorkspace<ExecSpace, float> solver_;
  std::vector<std::vector<Level>> frames_;
  std::shared_ptr<std::vector<bool>> has_image_;  ///< of all copies
  std::vector<detail::WindowPass> plan_;
  detail::TrackerDepths depths_;
  detail::TrackerStep step_;
  detail::TrackerState* states_ = nullptr;  ///< F
  int* faults_ = nullptr;                   ///< F
  int* counts_ = nullptr;                   ///< TrackerCount
  float* covariance_ = nullptr;             ///< 8F×8F
  DirectTrackerInfo* info_ = nullptr;
  DirectTrackerIteration* log_ = nullptr;
  std::byte* rows_ = nullptr;  ///< WindowFrameRows of each kind, level and frame
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> memory_;
  Kokkos::View<DirectTrackerInfo*, Kokkos::SharedHostPinnedSpace> host_info_;
};

namespace detail {

/// The inside of a window, for the entry points.
template <class ExecSpace>
struct AccessTo<TrackerWindowWorkspace<ExecSpace>> {
  using Workspace = TrackerWindowWorkspace<ExecSpace>;
  using Tracker = AccessTo<DirectTrackerWorkspace<ExecSpace>>;
  static constexpr int columns = motion_columns(TrackerMotion::se3);

  static Workspace make(ExecSpace const& exec, char const* function,
                        DirectTrackerWorkspace<ExecSpace> const& tracker,
                        TrackerWindowOptions const& options) {
    check(function, tracker, options);
    Workspace w;
    w.options_ = options;
    w.options_.levels = std::min(options.levels, tracker.levels());
    w.tracker_ = tracker;
    w.has_image_ =
        std::make_shared<std::vector<bool>>(static_cast<std::size_t>(options.frames), false);
    w.memory_ = allocate_arena(exec, "carroll::tracker_window::workspace",
                               [&](Arena& arena) { lay_out(w, arena); });
    w.solver_ = mesh_workspace<float>(
        exec, Tracker::triangulation(tracker),
        {.frames = options.frames, .rows = tracker.samples(), .motions = columns},
        {.smoothness = tracker.options().smoothness,
         .tolerance = solver_tolerance,
         .max_iterations = 60});
    w.host_info_ = allocate<decltype(w.host_info_)>(Kokkos::DefaultHostExecutionSpace(),
                                                    "carroll::tracker_window::host_info", 1);
    w.plan_ = plan(w);
    if (tracker.camera().model == CameraModel::equirectangular)
      keep_rows<CameraModel::equirectangular>(exec, w);
    else
      keep_rows<CameraModel::unified>(exec, w);
    return w;
  }

  static auto& tracker(Workspace& w) { return w.tracker_; }
  static auto const& levels(Workspace const& w, int frame) {
    return w.frames_[static_cast<std::size_t>(frame)];
  }
  static auto const& plan_of(Workspace const& w) { return w.plan_; }
  static auto const& depths(Workspace const& w) { return w.depths_; }
  static auto const& step(Workspace const& w) { return w.step_; }
  static TrackerState* states(Workspace const& w) { return w.states_; }
  static int* faults(Workspace const& w) { return w.faults_; }
  static int* counts(Workspace const& w) { return w.counts_; }
  static DirectTrackerInfo* info(Workspace const& w) { return w.info_; }
  static DirectTrackerIteration* log(Workspace const& w) { return w.log_; }
  static bool has_reference(Workspace const& w) { return Tracker::has_reference(w.tracker_); }
  static void keep_image(Workspace& w, int frame) {
    (*w.has_image_)[static_cast<std::size_t>(frame)] = true;
  }
  /// The first one; -1: none.
  static int frame_without_image(Workspace const& w) {
    auto const found = std::ranges::find(*w.has_image_, false);
    return found == w.has_image_->end() ? -1 : static_cast<int>(found - w.has_image_->begin());
  }
  static auto fault(Workspace const& w, int frame) {
    return Kokkos::View<int, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>(w.faults_ +
                                                                                        frame);
  }

  /// The rows of all frames on a level.
  template <CameraModel Model>
  static WindowFrameRows<Model> const* rows(Workspace const& w, int level, bool all) {
    return reinterpret_cast<WindowFrameRows<Model> const*>(w.rows_) +
           ((all ? w.options_.levels : 0) + level) * w.options_.frames;
  }

  template <CameraModel Model, class After>
  static void pass_async(ExecSpace const& exec, Workspace& w, WindowPass const& pass,
                         After const& after) {
    using Real = Kokkos::View<float*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
    using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, typename ExecSpace::memory_space,
                                Kokkos::MemoryUnmanaged>;
    int const K = columns * w.options_.frames;
    Kokkos::View<int, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged> const active(
        w.step_.active);
    Kokkos::View<double, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged> const damping(
        w.step_.damping);
    auto const& level = Tracker::levels(w.tracker_)[static_cast<std::size_t>(pass.level)];
    bool const all = pass.kind == WindowPassKind::all;
    mesh_moments_async(exec, Tracker::offsets(level),
                       WindowRows<Model>{rows<Model>(w, pass.level, all)}, w.solver_, active);
    Binder bind("carroll::tracker_window");
    Real const motion(w.step_.motion, K), depth(w.step_.depth, w.vertices()),
        prior(w.depths_.prior, w.vertices());
    Matrix const covariance(w.covariance_, K, K);
    MeshControls const controls{damping, prior, active};
    auto batch =
        pass.level == 0 && all
            ? bind_step(bind, ArrowSolution{motion, depth, covariance}, w.solver_, controls)
            : bind_step(bind, ArrowSolution{motion, depth}, w.solver_, controls);
    bind_mesh_info(
        bind.function(), batch,
        Kokkos::View<MeshInfo<float>, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>(
            w.step_.info));
    batch.options.smoothness = std::ldexp(w.tracker_.options().smoothness, -pass.level);
    // Squares on all levels: where depths may jump, drifts of two drives are 0.53 and 0.58 m for
    // 0.50 and 0.55.
    batch.holds_depths = !all;
    enqueue_mesh_step(exec, batch, after);
  }

  /// The info of the call before, on the host. Fences the instance once.
  static DirectTrackerInfo fetch_info(ExecSpace const& exec, Workspace const& w) {
    Kokkos::deep_copy(
        exec, w.host_info_,
        Kokkos::View<DirectTrackerInfo*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>(
            w.info_, 1));
    exec.fence("carroll::tracker_window::info");
    return w.host_info_(0);
  }

 private:
  static void check(char const* function, DirectTrackerWorkspace<ExecSpace> const& tracker,
                    TrackerWindowOptions const& options) {
    require(tracker.options().motion == TrackerMotion::se3, function,
            [] { return std::string("the tracker's options.motion must be TrackerMotion::se3"); });
    auto const is_within = [&](int x, int least, int most, char const* name) {
      require(least <= x && x <= most, function, [&] {
        return "options." + std::string(name) + " is " + std::to_string(x) + ", must be from " +
               std::to_string(least) + " to " + std::to_string(most);
      });
    };
    is_within(options.frames, 1, most_window_frames, "frames");
    is_within(options.levels, 1, most_levels, "levels");
    is_within(options.passes, 2, most_iterations, "passes");
  }

  static void lay_out(Workspace& w, Arena& arena) {
    int const F = w.options_.frames, m = static_cast<int>(w.vertices()), K = columns * F;
    auto const& levels = Tracker::levels(w.tracker_);
    w.frames_.assign(static_cast<std::size_t>(F), {});
    for (auto& frame : w.frames_)
      for (int l = 0; l < w.options_.levels; ++l) {
        auto level = typename Workspace::Level{levels[static_cast<std::size_t>(l)].image};
        level.image.pixels = arena.take<float>(static_cast<std::int64_t>(level.image.pitch()) *
                                               level.image.camera.height);
        frame.push_back(level);
      }
    w.depths_.kept = arena.take<double>(m);
    w.depths_.trial = arena.take<double>(m);
    w.depths_.start = arena.take<double>(m);
    w.depths_.saved = arena.take<double>(m);
    w.depths_.zeta = arena.take<float>(m);
    w.depths_.prior = arena.take<float>(m);
    w.covariance_ = arena.take<float>(static_cast<std::int64_t>(K) * K);
    w.step_ = {arena.take<float>(K), arena.take<float>(m),           arena.take<double>(1),
               arena.take<int>(1),   arena.take<MeshInfo<float>>(1), w.covariance_};
    w.states_ = arena.take<TrackerState>(F);
    w.faults_ = arena.take<int>(F);
    w.counts_ = arena.take<int>(tracker_counts);
    w.info_ = arena.take<DirectTrackerInfo>(1);
    w.log_ = arena.take<DirectTrackerIteration>(2 + w.options_.levels * w.options_.passes);
    w.rows_ = arena.take<std::byte>(
        2 * F * w.options_.levels *
        static_cast<std::int64_t>(sizeof(WindowFrameRows<CameraModel::unified>)));
  }

  /// The start on the finest level, twice: the first pass fits its brightness. Then the levels.
  static std::vector<WindowPass> plan(Workspace const& w) {
    std::vector<WindowPass> passes{{.kind = WindowPassKind::look}, {.kind = WindowPassKind::look}};
    passes.back().last = 1;
    for (int l = w.options_.levels - 1; l >= 0; --l)
      for (int i = 0; i < w.options_.passes; ++i)
        passes.push_back({.level = l, .last = i + 1 == w.options_.passes});
    return passes;
  }

  template <CameraModel Model>
  static void keep_rows(ExecSpace const& exec, Workspace& w) {
    using Rows = WindowFrameRows<Model>;
    auto const& options = w.tracker_.options();
    float const huber = tracker_huber(options);
    float const on = options.brightness ? 1.0F : 0.0F;
    std::vector<Rows> rows;
    for (TrackerColumns const& free : {TrackerColumns{0, 0, 0, on}, TrackerColumns{1, 1, 1, on}})
      for (int l = 0; l < w.options_.levels; ++l)
        for (int f = 0; f < w.options_.frames; ++f)
          rows.push_back({Tracker::mesh(w.tracker_),
                          Tracker::levels(w.tracker_)[static_cast<std::size_t>(l)].reference,
                          levels(w, f)[static_cast<std::size_t>(l)].image, w.depths_.zeta,
                          w.states_ + f, huber, shown_levels(options), free});
    copy_from_host<Rows>(exec, reinterpret_cast<Rows*>(w.rows_), rows);
    exec.fence("carroll::tracker_window: the host's rows may go");
  }
};

}  // namespace detail
}  // namespace carroll
