// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/distributed/batch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"
#include "harness/contender.hpp"

/// Batches over ranks, with and without results on all of them.
namespace carroll::perf {

template <class Info>
class SharedBatch : public RankContender {
 public:
  SharedBatch(Ranks const& ranks, std::int64_t members, bool gathers)
      : ranks_(ranks),
        layout_(distributed::block_layout(ranks.size(), members)),
        options_{gathers ? distributed::Gather::all : distributed::Gather::none, 0},
        own_(layout_.count(ranks.rank())),
        out_(gathers ? members : own_) {}
  std::map<std::string, double> parts() override {
    return {{"compute_seconds", info_.compute_seconds}, {"move_seconds", info_.move_seconds}};
  }
  std::string complaint() override { return first_complaint(info_.infos); }

 protected:
  template <class T>
  auto entries(std::int64_t size, std::uint64_t operand) const {
    return shared_entries<T>(ranks_.exec(), layout_.begin(ranks_.rank()) * size, own_ * size,
                             operand);
  }

  Ranks ranks_;
  distributed::BlockLayout layout_;
  distributed::BatchOptions options_;
  std::int64_t own_, out_;
  distributed::BatchInfo<Info> info_;
};

template <class Real>
class SharedSvds : public SharedBatch<SvdInfo<Real>> {
  static constexpr std::int64_t order = 32;
  using Batch = Kokkos::View<Real***, Kokkos::LayoutRight, Exec>;

 public:
  SharedSvds(Ranks const& ranks, std::int64_t members, bool gathers)
      : SharedBatch<SvdInfo<Real>>(ranks, members, gathers),
        entries_(this->template entries<Real>(order * order, 1)),
        U_("U", this->out_, order, order),
        V_("V", this->out_, order, order),
        S_("S", this->out_, order),
        workspace_(svd_workspace<Real>(ranks.exec(),
                                       {.batch = this->own_, .rows = order, .cols = order})) {}
  void run() override {
    Kokkos::View<Real***, Kokkos::LayoutRight, Exec> const A(entries_.data(), this->own_, order,
                                                             order);
    this->info_ = distributed::svd_batch(this->ranks_, this->layout_, A, U_, S_, V_, workspace_,
                                         this->options_);
  }

 private:
  Kokkos::View<Real*, Exec> entries_;
  Batch U_, V_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Exec> S_;
  SvdWorkspace<Exec, Real> workspace_;
};

template <class Real>
class SharedDeterminants : public SharedBatch<DeterminantInfo<Real>> {
  static constexpr std::int64_t order = 64;

 public:
  SharedDeterminants(Ranks const& ranks, std::int64_t members, bool gathers)
      : SharedBatch<DeterminantInfo<Real>>(ranks, members, gathers),
        entries_(this->template entries<Real>(order * order, 1)),
        workspace_(determinant_workspace<Real>(ranks.exec(),
                                               {.batch = this->own_, .n = order, .keep = true})) {}
  void run() override {
    Kokkos::View<Real***, Kokkos::LayoutRight, Exec> const A(entries_.data(), this->own_, order,
                                                             order);
    this->info_ = distributed::determinant_of_batch(this->ranks_, this->layout_, A, workspace_,
                                                    this->options_);
  }
  [[nodiscard]] double flops() const override {
    return 2.0 / 3 * std::pow(double(order), 3) * double(this->layout_.length());
  }

 private:
  Kokkos::View<Real*, Exec> entries_;
  DeterminantWorkspace<Exec, Real> workspace_;
};

template <class Real>
class SharedFrames : public SharedBatch<PseudoinverseInfo<Real>> {
  static constexpr std::int64_t motions = 6, segment_rows = 100;

 public:
  SharedFrames(Ranks const& ranks, std::int64_t frames, std::int64_t rows, bool gathers)
      : SharedBatch<PseudoinverseInfo<Real>>(ranks, frames, gathers),
        rows_(rows),
        depths_((rows + segment_rows - 1) / segment_rows),
        motion_(this->template entries<Real>(rows * motions, 1)),
        depth_(this->template entries<Real>(rows, 2)),
        residual_(this->template entries<Real>(rows, 3)),
        offsets_("offsets", depths_ + 1),
        y_("y", this->out_, motions),
        xi_("xi", this->out_, depths_),
        workspace_(pseudoinverse_workspace<Real>(
            ranks.exec(),
            {.frames = this->own_, .rows = rows, .motions = motions, .depths = depths_})) {
    auto const host = Kokkos::create_mirror_view(offsets_);
    for (std::int64_t i = 0; i <= depths_; ++i)
      host(i) = static_cast<int>(std::min(rows, i * segment_rows));
    Kokkos::deep_copy(offsets_, host);
  }
  void run() override {
    // Each frame's B is column after column.
    using Strides = Kokkos::LayoutStride;
    auto const f = static_cast<std::size_t>(this->own_), n = static_cast<std::size_t>(rows_);
    Kokkos::View<Real const***, Strides, Exec> const B(
        motion_.data(), Strides(f, n * motions, n, 1, std::size_t{motions}, n));
    Kokkos::View<Real const**, Kokkos::LayoutRight, Exec> const u(depth_.data(), f, n),
        d(residual_.data(), f, n);
    this->info_ = distributed::apply_pseudoinverse_batch(
        this->ranks_, this->layout_, ArrowJacobian{B, u, offsets_}, d, ArrowSolution{y_, xi_},
        workspace_, this->options_);
  }
  [[nodiscard]] double bytes() const override {
    return double(motions + 2) * double(rows_) * double(this->layout_.length()) * sizeof(Real);
  }

 private:
  std::int64_t rows_, depths_;
  Kokkos::View<Real*, Exec> motion_, depth_, residual_;
  Kokkos::View<int*, Exec> offsets_;
  Kokkos::View<Real**, Kokkos::LayoutRight, Exec> y_, xi_;
  PseudoinverseWorkspace<Exec, Real> workspace_;
};

inline void plan_batches(RankBench& bench, Sizes const& sizes) {
  for (bool const gathers : {false, true}) {
    std::string const where = gathers ? "/carroll_to_all" : "/carroll_in_place";
    bench.plan("svd_batch/" + std::to_string(sizes.svds) + "x32x32" + where,
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<SharedSvds<float>>(ranks, sizes.svds, gathers);
               });
    bench.plan("determinant_batch/" + std::to_string(sizes.determinants) + "x64x64" + where,
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<SharedDeterminants<double>>(ranks, sizes.determinants,
                                                                     gathers);
               });
    bench.plan("frames/" + std::to_string(sizes.frames) + "x" + std::to_string(sizes.frame_rows) +
                   "x6" + where,
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<SharedFrames<float>>(ranks, sizes.frames, sizes.frame_rows,
                                                              gathers);
               });
  }
}

}  // namespace carroll::perf
