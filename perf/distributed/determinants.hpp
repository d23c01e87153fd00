// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/determinant.hpp>
#include <carroll/distributed/determinant.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "distributed/cusolver_mg.hpp"
#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"

/// The determinant of one matrix whose rows ranks share, by the plain solver, and by peers. There
/// is no second matrix to restore the first from: its entries are functions of their places.
namespace carroll::perf {

struct FillRows {
  double* data;
  std::int64_t cols;
  Kokkos::View<std::int64_t const*, Exec> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    data[k] = gemm_entry<double>(static_cast<std::uint64_t>(rows(k / cols) * cols + k % cols),
                                 determinant_operand);
  }
};

/// A rank's rows, allocated on all ranks or on none.
class CyclicRows {
 public:
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

  CyclicRows(Ranks const& ranks, distributed::CyclicLayout const& layout)
      : exec_(ranks.exec()), cols_(layout.n), count_(layout.rows(ranks.rank())) {
    ranks.agree("carroll::perf::CyclicRows", static_cast<std::uint64_t>(layout.n), [&] {
      // Panels of a workspace besides.
      require_memory(exec_, 8.0 * double(count_ * cols_) + 8.0 * 1024 * double(cols_));
      data_ =
          detail::allocate<Kokkos::View<double*, Exec>>(exec_, "carroll::perf::A", count_ * cols_);
      rows_ = Kokkos::View<std::int64_t*, Exec>("carroll::perf::rows", count_);
    });
    auto const host = Kokkos::create_mirror_view(rows_);
    for (std::int64_t i = 0; i < count_; ++i) host(i) = layout.global_row(ranks.rank(), i);
    Kokkos::deep_copy(rows_, host);
  }
  void fill() const {
    Kokkos::parallel_for(
        "carroll::perf::fill",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, count_ * cols_),
        FillRows{data_.data(), cols_, rows_});
  }
  [[nodiscard]] View view() const { return View(data_.data(), count_, cols_); }

 private:
  Exec exec_;
  std::int64_t cols_, count_;
  Kokkos::View<double*, Exec> data_;
  Kokkos::View<std::int64_t*, Exec> rows_;
};

/// `plain`: by carroll::determinant, on one rank.
class SharedDeterminant : public RankContender {
 public:
  SharedDeterminant(Ranks const& ranks, std::int64_t n, distributed::DeterminantEngine engine,
                    bool plain)
      : ranks_(ranks),
        layout_(distributed::determinant_layout<double>(ranks, n)),
        rows_(ranks, layout_) {
    if (plain)
      plain_.emplace(determinant_workspace<double>(ranks.exec(), {.n = n}));
    else
      workspace_.emplace(distributed::determinant_workspace<double>(ranks, layout_, {engine}));
  }
  void restore() override { rows_.fill(); }
  void run() override {
    if (plain_)
      info_ = carroll::determinant(ranks_.exec(), rows_.view(), *plain_);
    else
      info_ = distributed::determinant(ranks_, rows_.view(), *workspace_);
  }
  [[nodiscard]] int runs() const override {
    return layout_.n >= 100'000 ? 1 : layout_.n >= 2000 ? 3 : 0;
  }
  [[nodiscard]] double flops() const override { return determinant_flops(layout_.n); }
  std::string complaint() override {
    return info_.status == Status::success ? "" : std::string(to_string(info_.status));
  }
  std::uint64_t digest() override {
    struct {
      double mantissa;
      std::int64_t exponent;
    } const value{info_.value.mantissa(), info_.value.exponent()};
    return digest_of(&value, sizeof value);
  }

 private:
  Ranks ranks_;
  distributed::CyclicLayout layout_;
  CyclicRows rows_;
  std::optional<carroll::DeterminantWorkspace<Exec, double>> plain_;
  std::optional<distributed::DeterminantWorkspace<Exec, double>> workspace_;
  carroll::DeterminantInfo<double> info_;
};

#ifdef CARROLL_HAVE_SCALAPACK
/// p?getrf itself, on the grid that Carroll would take.
class ScalapackLu : public RankContender {
  using Matrix = distributed::detail::scalapack::Matrix;
  using Shape = distributed::detail::scalapack::GridShape;

 public:
  ScalapackLu(Ranks const& ranks, std::int64_t n, std::int64_t block)
      : n_(n),
        block_(block),
        grid_(ranks.raw(), 0, Shape::of(ranks.size()).rows, Shape::of(ranks.size()).cols),
        matrix_(grid_, n, n, block, block),
        A_(static_cast<std::size_t>(matrix_.entries())),
        pivots_(static_cast<std::size_t>(matrix_.local_rows() + block)) {}
  void restore() override {
    for (std::int64_t j = 0; j < matrix_.local_cols(); ++j)
      for (std::int64_t i = 0; i < matrix_.local_rows(); ++i) {
        std::int64_t const row = Matrix::global(i, block_, grid_.row(), grid_.rows()),
                           col = Matrix::global(j, block_, grid_.col(), grid_.cols());
        A_[static_cast<std::size_t>(j * matrix_.leading() + i)] =
            gemm_entry<double>(static_cast<std::uint64_t>(row * n_ + col), determinant_operand);
      }
  }
  void run() override {
    distributed::detail::scalapack::getrf(static_cast<int>(n_), A_.data(), 1, matrix_.descriptor(),
                                          pivots_.data(), info_);
  }
  [[nodiscard]] int runs() const override { return n_ >= 2000 ? 3 : 0; }
  [[nodiscard]] double flops() const override { return determinant_flops(n_); }
  std::string complaint() override { return info_ == 0 ? "" : "info is not 0"; }

 private:
  std::int64_t n_, block_;
  distributed::detail::scalapack::Grid grid_;
  Matrix matrix_;
  std::vector<double> A_;
  std::vector<int> pivots_;
  int info_ = 0;
};
#endif

inline void plan_determinants(RankBench& bench, Sizes const& sizes) {
  using Engine = distributed::DeterminantEngine;
  std::vector<distributed::Transport> const by_mpi{distributed::Transport::mpi};
  auto const plan = [&](std::int64_t n, char const* method, Engine engine, bool plain,
                        std::vector<int> const& numbers,
                        std::vector<distributed::Transport> const& by) {
    bench.plan(
        "determinant/" + std::to_string(n) + "/" + method,
        [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
          return std::make_unique<SharedDeterminant>(ranks, n, engine, plain);
        },
        numbers, by);
  };
  auto several = bench.rank_numbers();
  std::erase(several, 1);
  std::int64_t const n = sizes.determinant_order;
  plan(n, "carroll_one_rank", Engine::automatic, true, {1}, by_mpi);
  // A rank alone sends nothing.
  plan(n, "carroll_automatic", Engine::automatic, false, {1}, by_mpi);
  if (!several.empty()) plan(n, "carroll_automatic", Engine::automatic, false, several, {});
#ifdef CARROLL_HAVE_SCALAPACK
  if constexpr (!on_device) {
    plan(n, "carroll_panels", Engine::panels, false, {}, {});
    plan(n, "carroll_scalapack", Engine::scalapack, false, {}, {});
    for (std::int64_t const block : {64, 128})
      bench.plan("determinant/" + std::to_string(n) + "/scalapack_getrf_" + std::to_string(block),
                 [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                   return std::make_unique<ScalapackLu>(ranks, n, block);
                 });
  }
#endif
#ifdef CARROLL_PERF_HAVE_CUSOLVERMG
  bench.plan(
      "determinant/" + std::to_string(n) + "/cusolverMg_getrf",
      [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
        return std::make_unique<CusolverMgLu>(ranks, n);
      },
      {}, by_mpi);
#endif
  if (sizes.huge_order > 0)
    plan(sizes.huge_order, "carroll_automatic", Engine::automatic, false, {bench.world().size()},
         {bench.world().transport()});
}

}  // namespace carroll::perf
