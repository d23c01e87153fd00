// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/tall_svd.hpp>
#include <carroll/svd.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"
#include "distributed/tall/scalapack.hpp"

/// The SVD of a tall matrix whose rows ranks share.
namespace carroll::perf {

/// Some rows of a tall matrix, column by column: entries are functions of their places alone.
struct FillTall {
  double* data;
  std::int64_t first, rows, cols;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t const i = first + k % rows, j = k / rows;
    data[k] = gemm_entry<double>(static_cast<std::uint64_t>(i * cols + j), 4);
  }
};

/// A rank's share of A, and of U if there is one; allocated on all ranks or on none.
class TallRows {
 public:
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

  TallRows(Ranks const& ranks, distributed::BlockLayout const& layout, std::int64_t cols,
           bool vectors)
      : rows_(layout.count(ranks.rank())), cols_(cols) {
    auto const& exec = ranks.exec();
    ranks.agree("carroll::perf::TallRows", static_cast<std::uint64_t>(layout.length()), [&] {
      // A workspace holds about as much as A.
      require_memory(exec, 8.0 * double(rows_) * double(cols) * (vectors ? 3 : 2));
      a_ = detail::allocate<Entries>(exec, "carroll::perf::A", rows_ * cols);
      if (vectors) u_ = detail::allocate<Entries>(exec, "carroll::perf::U", rows_ * cols);
    });
    Kokkos::parallel_for(
        "carroll::perf::fill",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows_ * cols),
        FillTall{a_.data(), layout.begin(ranks.rank()), rows_, cols});
  }
  [[nodiscard]] View A() const { return View(a_.data(), rows_, cols_); }
  [[nodiscard]] View U() const { return View(u_.data(), rows_, cols_); }

 private:
  using Entries = Kokkos::View<double*, Exec>;
  std::int64_t rows_, cols_;
  Entries a_, u_;
};

/// What all of them have.
class TallContender : public RankContender {
 public:
  TallContender(Ranks const& ranks, distributed::BlockLayout layout, std::int64_t cols,
                bool vectors)
      : ranks_(ranks),
        layout_(std::move(layout)),
        rows_(ranks, layout_, cols, vectors),
        cols_(cols),
        vectors_(vectors),
        V_("carroll::perf::V", cols, cols),
        S_("carroll::perf::S", cols) {}
  [[nodiscard]] int runs() const override { return 3; }
  [[nodiscard]] double flops() const override {
    return (vectors_ ? 4.0 : 2.0) * double(layout_.length()) * double(cols_) * double(cols_);
  }
  std::string complaint() override {
    return status_ == Status::success ? "" : std::string(to_string(status_));
  }

 protected:
  Ranks ranks_;
  distributed::BlockLayout layout_;
  TallRows rows_;
  std::int64_t cols_;
  bool vectors_;
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> V_;
  Kokkos::View<double*, Exec> S_;
  Status status_ = Status::success;
};

class SharedTallSvd : public TallContender {
 public:
  SharedTallSvd(Ranks const& ranks, std::int64_t rows, std::int64_t cols, bool vectors)
      : TallContender(ranks, distributed::tall_layout<double>(ranks.size(), rows, cols), cols,
                      vectors),
        workspace_(distributed::tall_svd_workspace<double>(ranks, layout_, cols,
                                                           {.left = vectors, .right = vectors})) {}
  void run() override {
    status_ = vectors_
                  ? distributed::tall_svd(ranks_, rows_.A(), rows_.U(), S_, V_, workspace_).status
                  : distributed::tall_svd(ranks_, rows_.A(), none, S_, none, workspace_).status;
  }
  std::uint64_t digest() override {
    auto const S = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S_);
    return digest_of(S.data(), S.extent(0) * sizeof(double));
  }

 private:
  distributed::TallWorkspace<Exec, double> workspace_;
};

/// By carroll::svd, which knows nothing of tall matrices' trees.
class OneRankTallSvd : public TallContender {
 public:
  OneRankTallSvd(Ranks const& ranks, std::int64_t rows, std::int64_t cols)
      : TallContender(ranks, distributed::block_layout(1, rows), cols, true),
        workspace_(svd_workspace<double>(ranks.exec(), {.rows = rows, .cols = cols})) {}
  void run() override {
    status_ = carroll::svd(ranks_.exec(), rows_.A(), rows_.U(), S_, V_, workspace_).status;
  }

 private:
  SvdWorkspace<Exec, double> workspace_;
};

inline void plan_tall_svd(RankBench& bench, Sizes const& sizes) {
  std::int64_t const rows = sizes.tall_rows, cols = sizes.tall_cols;
  auto const shape = [&](std::int64_t m) { return std::to_string(m) + "x" + std::to_string(cols); };
  auto const add = [&](std::string const& name, std::int64_t m, bool vectors, bool of_each) {
    auto numbers = bench.rank_numbers();
    if (of_each) std::erase(numbers, 1);
    if (numbers.empty()) return;
    bench.plan(
        name + "/carroll_tree",
        [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
          return std::make_unique<SharedTallSvd>(ranks, of_each ? m * ranks.size() : m, cols,
                                                 vectors);
        },
        numbers);
  };
  for (bool const vectors : {true, false}) {
    std::string const function = vectors ? "tall_svd" : "tall_svd_values";
    add(function + "/" + shape(rows), rows, vectors, false);
    add(function + "_of_each/" + shape(rows), rows, vectors, true);
    plan_scalapack_tall(bench, function + "/" + shape(rows), rows, cols, vectors);
  }
  // The plain solver works on all rows in every sweep: a part of them tells enough.
  std::int64_t const few = std::max(rows / 100, cols);
  std::vector<int> const alone{1};
  bench.plan("tall_svd/" + shape(few) + "/carroll_one_rank",
             [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
               return std::make_unique<OneRankTallSvd>(ranks, few, cols);
             },
             alone, {distributed::Transport::mpi});
  bench.plan(
      "tall_svd/" + shape(few) + "/carroll_tree",
      [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
        return std::make_unique<SharedTallSvd>(ranks, few, cols, true);
      },
      alone);
}

}  // namespace carroll::perf
