// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/arrow_step.hpp>
#include <carroll/pseudoinverse.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"

/// One step whose rows ranks share, and that of one rank without them.
namespace carroll::perf {

template <class Real>
class SharedStep : public RankContender {
  static constexpr std::int64_t motions = 6, segment_rows = 100;

 public:
  /// `plain`: by carroll::apply_pseudoinverse.
  SharedStep(Ranks const& ranks, std::int64_t rows, bool plain)
      : ranks_(ranks), all_rows_(rows), layout_(layout_of(ranks, rows)) {
    auto const& exec = ranks.exec();
    int const me = ranks.rank();
    std::int64_t const begin = layout_.rows.begin(me), n = layout_.rows.count(me);
    auto const m = static_cast<std::size_t>(layout_.segments.count(me));
    motion_ = shared_entries<Real>(exec, begin * motions, n * motions, 1);
    depth_ = shared_entries<Real>(exec, begin, n, 2);
    residual_ = shared_entries<Real>(exec, begin, n, 3);
    offsets_ = Kokkos::View<int*, Exec>("offsets", m + 1);
    auto const host = Kokkos::create_mirror_view(offsets_);
    for (std::size_t i = 0; i <= m; ++i)
      host(i) = static_cast<int>(std::min(n, static_cast<std::int64_t>(i) * segment_rows));
    Kokkos::deep_copy(offsets_, host);
    y_ = Kokkos::View<Real*, Exec>("y", motions);
    xi_ = Kokkos::View<Real*, Exec>("xi", m);
    if (plain)
      plain_.emplace(pseudoinverse_workspace<Real>(
          exec, {.rows = n, .motions = motions, .depths = static_cast<std::int64_t>(m)}));
    else
      workspace_.emplace(distributed::arrow_step_workspace<Real>(ranks, layout_, motions));
  }
  void run() override {
    auto const n = static_cast<std::size_t>(layout_.rows.count(ranks_.rank()));
    Kokkos::View<Real const**, Kokkos::LayoutLeft, Exec> const B(motion_.data(), n, motions);
    ArrowJacobian const A{B, depth_, offsets_};
    ArrowSolution const x{y_, xi_};
    info_ = plain_ ? apply_pseudoinverse(ranks_.exec(), A, residual_, x, *plain_)
                   : distributed::arrow_step(ranks_, A, residual_, x, *workspace_);
  }
  [[nodiscard]] double bytes() const override {
    return double(motions + 2) * double(all_rows_) * sizeof(Real);
  }
  std::string complaint() override {
    return info_.status == Status::success ? "" : std::string(to_string(info_.status));
  }

 private:
  static distributed::ArrowLayout layout_of(Ranks const& ranks, std::int64_t rows) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t row = 0; row < rows; row += segment_rows) offsets.push_back(row);
    offsets.push_back(rows);
    return distributed::arrow_layout(ranks.size(), offsets);
  }

  Ranks ranks_;
  std::int64_t all_rows_;
  distributed::ArrowLayout layout_;
  Kokkos::View<Real*, Exec> motion_, depth_, residual_, y_, xi_;
  Kokkos::View<int*, Exec> offsets_;
  std::optional<PseudoinverseWorkspace<Exec, Real>> plain_;
  std::optional<distributed::ArrowStepWorkspace<Exec, Real>> workspace_;
  PseudoinverseInfo<Real> info_;
};

inline void plan_arrow_step(RankBench& bench, Sizes const& sizes) {
  std::string const shape = "arrow_step/" + std::to_string(sizes.arrow_rows) + "x6/carroll_";
  bench.plan(shape + "one_rank",
             [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
               return std::make_unique<SharedStep<float>>(ranks, sizes.arrow_rows, true);
             },
             {1});
  bench.plan(shape + "leaves", [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
    return std::make_unique<SharedStep<float>>(ranks, sizes.arrow_rows, false);
  });
}

}  // namespace carroll::perf
