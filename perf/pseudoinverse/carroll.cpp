// SPDX-License-Identifier: BSD-3-Clause
#include "pseudoinverse/carroll.hpp"

#include <carroll/pseudoinverse.hpp>
#include <utility>

namespace carroll::perf {
namespace {

using Memory = Exec::memory_space;

template <class Real>
PseudoinverseExtents extents_of(ArrowFrames<Real> const& frames, bool dense) {
  auto const& shape = frames.shape();
  return {.frames = shape.frames,
          .rows = shape.rows,
          .motions = shape.motions,
          .depths = shape.depths,
          .right_hand_sides = 1,
          .dense = dense};
}

/// A part of a View, on the host, in double precision.
template <class View>
std::vector<double> to_host(View const& view) {
  auto const contiguous = Kokkos::View<typename View::non_const_value_type*, Memory>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "contiguous"), view.extent(0));
  Kokkos::deep_copy(contiguous, view);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contiguous);
  return {host.data(), host.data() + host.size()};
}

template <class Real>
class InfoViews {
 public:
  InfoViews(Exec const& exec, int frames)
      : infos_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "info"), frames) {}

  Kokkos::View<PseudoinverseInfo<Real>*, Memory> const& view() const { return infos_; }
  std::string complaint() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), infos_);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      if (host(i).status != Status::success)
        return "status is " + std::string(to_string(host(i).status));
    return {};
  }

 private:
  Kokkos::View<PseudoinverseInfo<Real>*, Memory> infos_;
};

template <class Real>
class CarrollStep final : public StepContender {
 public:
  CarrollStep(Exec const& exec, PseudoinverseOptions const& options,
              ArrowFrames<Real> const& frames)
      : exec_(exec),
        frames_(frames),
        motion_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "motion step"),
                frames.shape().frames, frames.shape().motions),
        depth_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "depth step"),
               frames.shape().frames, frames.shape().depths),
        infos_(exec, frames.shape().frames),
        workspace_(pseudoinverse_workspace<Real>(exec, extents_of(frames, false), options)) {}

  void run() override {
    apply_pseudoinverse_async(exec_, frames_.jacobian(), frames_.residuals(),
                              ArrowSolution{motion_, depth_}, infos_.view(), workspace_);
  }
  void fence() override { exec_.fence("carroll::perf::CarrollStep"); }
  ArrowStep step(int frame) override {
    return {to_host(Kokkos::subview(motion_, frame, Kokkos::ALL)),
            to_host(Kokkos::subview(depth_, frame, Kokkos::ALL))};
  }
  std::string complaint() override { return infos_.complaint(); }
  bool is_enqueued() const override { return true; }

 private:
  using Solution = Kokkos::View<Real**, Kokkos::LayoutRight, Memory>;

  Exec exec_;
  ArrowFrames<Real> frames_;
  Solution motion_, depth_;
  InfoViews<Real> infos_;
  PseudoinverseWorkspace<Exec, Real> workspace_;
};

template <class Real>
class CarrollInverse final : public InverseContender {
 public:
  CarrollInverse(Exec const& exec, PseudoinverseOptions const& options, Orientation orientation,
                 bool product_only, ArrowFrames<Real> const& frames)
      : exec_(exec),
        product_only_(product_only),
        frames_(frames),
        entries_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "inverse"),
                 rows() * frames.shape().rows),
        infos_(exec, 1),
        workspace_(pseudoinverse_workspace<Real>(exec, extents_of(frames, true), options)) {
    auto const n = static_cast<std::size_t>(frames.shape().rows);
    inverse_ =
        orientation == Orientation::rows
            ? Inverse(entries_.data(), Kokkos::LayoutStride(1, rows() * n, rows(), n, n, 1))
            : Inverse(entries_.data(), Kokkos::LayoutStride(1, rows() * n, rows(), 1, n, rows()));
    plan();
  }

  void restore() override {
    if (product_only_) detail::launch_step(exec_, bound(), step_);
  }
  void run() override {
    if (product_only_)
      detail::launch_dense(
          exec_, detail::planned(bound(), step_),
          detail::AccessTo<PseudoinverseWorkspace<Exec, Real>>::factors(workspace_), dense_);
    else
      pseudoinverse_async(exec_, frames_.jacobian(), inverse_, infos_.view(), workspace_);
  }
  void fence() override { exec_.fence("carroll::perf::CarrollInverse"); }
  std::vector<double> column(int p) override {
    return to_host(Kokkos::subview(inverse_, 0, Kokkos::ALL, p));
  }
  std::string complaint() override { return infos_.complaint(); }

 private:
  using Inverse = Kokkos::View<Real***, Kokkos::LayoutStride, Memory>;

  std::size_t rows() const {
    return static_cast<std::size_t>(frames_.shape().motions) + frames_.shape().depths;
  }
  detail::ArrowBatch<Real> bound() const {
    constexpr char const* function = "carroll::perf::CarrollInverse";
    auto batch = detail::bind_inverse(function, frames_.jacobian(), inverse_, workspace_);
    detail::bind_pseudoinverse_info<true>(function, batch, infos_.view());
    return detail::step_of_inverse(batch);
  }
  /// A step, and what writes A⁺ after one.
  void plan() {
    auto const batch = bound();
    step_ = detail::plan_step(detail::step_case(exec_, batch));
    auto dense = detail::dense_case<Exec>(batch);
    using Writer = PseudoinverseWriter;
    for (auto const writer : {Writer::stretches, Writer::entries, Writer::products}) {
      dense.writer = writer;
      auto const plan = detail::plan_dense(dense);
      if (plan.writer == writer) dense_ = plan;
    }
  }

  Exec exec_;
  bool product_only_;
  detail::StepPlan step_;
  detail::DensePlan dense_;
  ArrowFrames<Real> frames_;
  Kokkos::View<Real*, Memory> entries_;
  Inverse inverse_;
  InfoViews<Real> infos_;
  PseudoinverseWorkspace<Exec, Real> workspace_;
};

}  // namespace

template <class Real>
std::unique_ptr<StepContender> make_carroll_step(Exec const& exec,
                                                 PseudoinverseOptions const& options,
                                                 ArrowFrames<Real> const& frames) {
  return std::make_unique<CarrollStep<Real>>(exec, options, frames);
}
template std::unique_ptr<StepContender> make_carroll_step(Exec const&, PseudoinverseOptions const&,
                                                          ArrowFrames<float> const&);
template std::unique_ptr<StepContender> make_carroll_step(Exec const&, PseudoinverseOptions const&,
                                                          ArrowFrames<double> const&);

template <class Real>
std::vector<PseudoinverseOptions> other_step_families(Exec const& exec, ArrowShape const& shape) {
  detail::ArrowBatch<Real> batch;
  batch.n = shape.rows;
  batch.k = shape.motions;
  batch.m = shape.depths;
  batch.frames = shape.frames;
  auto const family = [&](PseudoinversePath path) {
    batch.options.path = path;
    return detail::plan_step(detail::step_case(exec, batch)).path;
  };
  auto const chosen = family(PseudoinversePath::automatic);
  std::vector<PseudoinverseOptions> families;
  for (auto const& row : detail::step_families) {
    bool const known = !families.empty() && families.back().path == row.path;
    if (!known && row.path != chosen && family(row.path) == row.path)
      families.push_back({.path = row.path});
  }
  return families;
}
template std::vector<PseudoinverseOptions> other_step_families<float>(Exec const&,
                                                                      ArrowShape const&);
template std::vector<PseudoinverseOptions> other_step_families<double>(Exec const&,
                                                                       ArrowShape const&);

template <class Real>
std::unique_ptr<InverseContender> make_carroll_inverse(Exec const& exec,
                                                       PseudoinverseOptions const& options,
                                                       Orientation orientation, bool product_only,
                                                       ArrowFrames<Real> const& frames) {
  return std::make_unique<CarrollInverse<Real>>(exec, options, orientation, product_only, frames);
}
template std::unique_ptr<InverseContender> make_carroll_inverse(Exec const&,
                                                                PseudoinverseOptions const&,
                                                                Orientation, bool,
                                                                ArrowFrames<float> const&);
template std::unique_ptr<InverseContender> make_carroll_inverse(Exec const&,
                                                                PseudoinverseOptions const&,
                                                                Orientation, bool,
                                                                ArrowFrames<double> const&);

std::vector<PseudoinverseOptions> other_writers(ArrowShape const& shape, Orientation orientation) {
  std::int64_t const rows = shape.motions + std::int64_t{shape.depths};
  bool const by_rows = orientation == Orientation::rows;
  detail::DenseCase dense{.backend = detail::arrow_backend<Exec>,
                          .n = shape.rows,
                          .k = shape.motions,
                          .m = shape.depths,
                          .row_stride = by_rows ? shape.rows : 1,
                          .column_stride = by_rows ? 1 : rows};
  auto const family = [&](PseudoinverseWriter writer) {
    dense.writer = writer;
    return detail::plan_dense(dense).writer;
  };
  auto const chosen = family(PseudoinverseWriter::automatic);
  std::vector<PseudoinverseOptions> families;
  for (auto const& row : detail::dense_families)
    if (row.writer != chosen && family(row.writer) == row.writer)
      families.push_back({.writer = row.writer});
  return families;
}

}  // namespace carroll::perf
