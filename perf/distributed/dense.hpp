// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/svd.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"

/// The SVD of a large dense matrix through ScaLAPACK, and p?gesvd itself, on hosts.
namespace carroll::perf {

#ifdef CARROLL_HAVE_SCALAPACK
class SharedDenseSvd : public RankContender {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, Host>;

 public:
  SharedDenseSvd(Ranks const& ranks, std::int64_t rows, std::int64_t cols)
      : ranks_(distributed::Communicator<Host>::duplicate_from_raw(ranks.raw())),
        layout_(distributed::block_layout(ranks.size(), rows)),
        A_("A", layout_.count(ranks.rank()), cols),
        U_("U", layout_.count(ranks.rank()), cols),
        V_("V", distributed::block_layout(ranks.size(), cols).count(ranks.rank()), cols),
        S_("S", cols) {
    for (std::size_t j = 0; j < A_.extent(1); ++j)
      for (std::size_t i = 0; i < A_.extent(0); ++i)
        A_(i, j) = gemm_entry<double>(
            (static_cast<std::uint64_t>(layout_.begin(ranks.rank())) + i) * A_.extent(1) + j, 5);
  }
  void run() override { info_ = distributed::svd(ranks_, A_, layout_, U_, S_, V_); }
  [[nodiscard]] int runs() const override { return 5; }
  std::string complaint() override {
    return info_.status == Status::success ? "" : std::string(to_string(info_.status));
  }

 private:
  distributed::Communicator<Host> ranks_;
  distributed::BlockLayout layout_;
  View A_, U_, V_;
  Kokkos::View<double*, Host> S_;
  distributed::DenseInfo info_;
};

class ScalapackDenseSvd : public RankContender {
  using Matrix = distributed::detail::scalapack::Matrix;
  using Shape = distributed::detail::scalapack::GridShape;

 public:
  ScalapackDenseSvd(Ranks const& ranks, std::int64_t rows, std::int64_t cols)
      : m_(static_cast<int>(rows)),
        n_(static_cast<int>(cols)),
        grid_(ranks.raw(), 0, Shape::of(ranks.size()).rows, Shape::of(ranks.size()).cols),
        a_(grid_, rows, cols, block, block),
        vt_(grid_, cols, cols, block, block),
        input_(static_cast<std::size_t>(a_.entries())),
        U_(input_.size()),
        VT_(static_cast<std::size_t>(vt_.entries())),
        S_(static_cast<std::size_t>(cols)) {
    for (std::int64_t j = 0; j < a_.local_cols(); ++j)
      for (std::int64_t i = 0; i < a_.local_rows(); ++i) {
        std::int64_t const row = Matrix::global(i, block, grid_.row(), grid_.rows()),
                           col = Matrix::global(j, block, grid_.col(), grid_.cols());
        input_[static_cast<std::size_t>(j * a_.leading() + i)] =
            gemm_entry<double>(static_cast<std::uint64_t>(row * cols + col), 5);
      }
    restore();
    double wanted[8] = {};
    call(wanted, -1);
    work_.resize(static_cast<std::size_t>(wanted[0]) + 64);
  }
  void restore() override { A_ = input_; }
  void run() override { call(work_.data(), static_cast<int>(work_.size())); }
  [[nodiscard]] int runs() const override { return 5; }
  std::string complaint() override { return info_ == 0 ? "" : "info is not 0"; }

 private:
  static constexpr std::int64_t block = distributed::detail::scalapack::default_block;
  void call(double* work, int length) {
    distributed::detail::scalapack::gesvd(true, true, m_, n_, A_.data(), a_.descriptor(), S_.data(),
                                          U_.data(), a_.descriptor(), VT_.data(), vt_.descriptor(),
                                          work, length, info_);
  }

  int m_, n_;
  distributed::detail::scalapack::Grid grid_;
  Matrix a_, vt_;
  std::vector<double> input_, A_, U_, VT_, S_, work_;
  int info_ = 0;
};
#endif

inline void plan_dense([[maybe_unused]] RankBench& bench, [[maybe_unused]] Sizes const& sizes) {
#ifdef CARROLL_HAVE_SCALAPACK
  if constexpr (!on_device) {
    std::int64_t const cols = sizes.dense_order, rows = 2 * cols;
    std::string const problem = "svd/" + std::to_string(rows) + "x" + std::to_string(cols);
    bench.plan(problem + "/carroll_scalapack",
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<SharedDenseSvd>(ranks, rows, cols);
               });
    bench.plan(problem + "/scalapack_gesvd",
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<ScalapackDenseSvd>(ranks, rows, cols);
               });
  }
#endif
}

}  // namespace carroll::perf
