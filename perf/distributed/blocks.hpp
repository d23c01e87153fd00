// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/distributed/blas/dot.hpp>
#include <carroll/distributed/blas/gemm.hpp>
#include <carroll/distributed/blas/gemv.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"

/// The building blocks over ranks.
namespace carroll::perf {

/// A canonical sum or dot of `length` entries in all.
class SharedReduction : public RankContender {
 public:
  SharedReduction(Ranks const& ranks, std::int64_t length, bool dot)
      : ranks_(ranks),
        length_(length),
        dot_(dot),
        layout_(distributed::reduction_layout(ranks.size(), length)),
        x_(entries(1)),
        y_(dot ? entries(2) : Vector()),
        workspace_(distributed::reduction_workspace<double>(ranks, layout_)) {}
  void run() override {
    value_ = dot_ ? distributed::dot(ranks_, x_, y_, workspace_).value
                  : distributed::sum(ranks_, x_, workspace_).value;
  }
  [[nodiscard]] double flops() const override {
    return static_cast<double>(length_) * (dot_ ? 2 : 1);
  }
  [[nodiscard]] double bytes() const override {
    return static_cast<double>(length_) * (dot_ ? 16 : 8);
  }
  std::string complaint() override {
    return std::isfinite(value_) ? "" : "the value is not finite";
  }
  std::uint64_t digest() override { return digest_of(&value_, sizeof value_); }

 private:
  using Vector = Kokkos::View<double*, Exec>;
  Vector entries(std::uint64_t operand) const {
    return shared_entries<double>(ranks_.exec(), layout_.begin(ranks_.rank()),
                                  layout_.count(ranks_.rank()), operand);
  }

  Ranks ranks_;
  std::int64_t length_;
  bool dot_;
  distributed::BlockLayout layout_;
  Vector x_, y_;
  distributed::ReductionWorkspace<Exec, double> workspace_;
  double value_ = 0;
};

enum class Distribution { by_rows, by_columns, on_grid };

/// The grid of a distribution: for both as square as can be.
inline distributed::Grid<Exec> grid_of(Ranks const& ranks, Distribution distribution) {
  int rows = 1;
  if (distribution == Distribution::by_rows) rows = ranks.size();
  if (distribution == Distribution::on_grid)
    for (int r = 1; r * r <= ranks.size(); ++r)
      if (ranks.size() % r == 0) rows = r;
  return {ranks, rows, ranks.size() / rows};
}

/// A rank's block of an order×order matrix, column by column.
class SharedMatrix {
 public:
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
  SharedMatrix(distributed::Grid<Exec> const& grid, distributed::GridLayout const& layout,
               std::uint64_t operand)
      : entries_(shared_entries<double>(
            grid.comm().exec(), grid.comm().rank() * (std::int64_t{1} << 34),
            layout.rows.count(grid.row()) * layout.columns.count(grid.column()), operand)),
        view_(entries_.data(), layout.rows.count(grid.row()), layout.columns.count(grid.column())) {
  }
  [[nodiscard]] View const& view() const { return view_; }

 private:
  Kokkos::View<double*, Exec> entries_;
  View view_;
};

class SharedGemv : public RankContender {
 public:
  SharedGemv(Ranks const& ranks, std::int64_t order, Distribution distribution)
      : order_(order),
        grid_(grid_of(ranks, distribution)),
        layout_{distributed::block_layout(grid_.rows(), order),
                distributed::reduction_layout(grid_.columns(), order)},
        A_(grid_, layout_, 1),
        x_(shared_entries<double>(ranks.exec(), layout_.columns.begin(grid_.column()),
                                  layout_.columns.count(grid_.column()), 2)),
        y_("carroll::perf::y", layout_.rows.count(grid_.row())),
        workspace_(distributed::gemv_workspace<double>(grid_, layout_)) {}
  void run() override { distributed::gemv(grid_, 1.0, A_.view(), x_, 0.0, y_, workspace_); }
  [[nodiscard]] double flops() const override { return 2.0 * double(order_) * double(order_); }
  [[nodiscard]] double bytes() const override { return 8.0 * double(order_) * double(order_); }

 private:
  std::int64_t order_;
  distributed::Grid<Exec> grid_;
  distributed::GridLayout layout_;
  SharedMatrix A_;
  Kokkos::View<double*, Exec> x_, y_;
  distributed::GemvWorkspace<Exec, double> workspace_;
};

class SharedGemm : public RankContender {
 public:
  SharedGemm(Ranks const& ranks, std::int64_t order)
      : order_(order),
        grid_(grid_of(ranks, Distribution::on_grid)),
        layout_{distributed::block_layout(grid_.rows(), order),
                distributed::block_layout(grid_.columns(), order)},
        A_(grid_, layout_, 1),
        B_(grid_, layout_, 2),
        C_(grid_, layout_, 3),
        workspace_(distributed::gemm_workspace<double>(grid_, {layout_, layout_, layout_})) {}
  void run() override {
    distributed::gemm(grid_, 1.0, A_.view(), B_.view(), 0.0, C_.view(), workspace_);
  }
  [[nodiscard]] double flops() const override { return 2.0 * std::pow(double(order_), 3); }

 private:
  std::int64_t order_;
  distributed::Grid<Exec> grid_;
  distributed::GridLayout layout_;
  SharedMatrix A_, B_, C_;
  distributed::GemmWorkspace<Exec, double> workspace_;
};

inline void plan_blocks(RankBench& bench, Sizes const& sizes) {
  for (bool const dot : {false, true})
    for (std::int64_t length = std::int64_t{1} << 20; length <= sizes.longest; length *= 4)
      bench.plan((dot ? "dot/" : "sum/") + std::to_string(length) + "/carroll_canonical",
                 [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                   return std::make_unique<SharedReduction>(ranks, length, dot);
                 });
  struct Named {
    char const* name;
    Distribution distribution;
  };
  for (Named const& each :
       {Named{"by_rows", Distribution::by_rows}, Named{"by_columns", Distribution::by_columns},
        Named{"on_grid", Distribution::on_grid}})
    bench.plan("gemv/" + std::to_string(sizes.order) + "/carroll_" + each.name,
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<SharedGemv>(ranks, sizes.order, each.distribution);
               });
  bench.plan("gemm/" + std::to_string(sizes.product) + "/carroll_on_grid",
             [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
               return std::make_unique<SharedGemm>(ranks, sizes.product);
             });
}

}  // namespace carroll::perf
