// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/randomized_svd.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"
#include "distributed/tall/slepc.hpp"

/// Leading singular triplets of matrices whose rows ranks share, dense and sparse, to a residual
/// that all methods have to reach: each with the least number of steps that does.
namespace carroll::perf {

/// Largest residual of a triplet relative to σ₁.
inline constexpr double sketch_residual = 1e-4;
inline constexpr int most_sketch_steps = 30;

/// Rows of matrices whose singular values fall: dense, eight outer products, each half of the one
/// before, and noise; sparse, ten entries a row, columns that become shorter. Functions of places.
struct SketchRows {
  static constexpr int terms = 8, per_row = 10;
  std::int64_t first, rows, cols;

  [[nodiscard]] std::vector<double> dense() const {  // column by column
    std::vector<double> left(static_cast<std::size_t>(rows * terms)),
        values(static_cast<std::size_t>(rows * cols));
    for (std::size_t k = 0; k < left.size(); ++k)
      left[k] = gemm_entry<double>(static_cast<std::uint64_t>(first * terms) + k, 6);
    auto* value = values.data();
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < rows; ++i, ++value) {
        *value = 1e-3 * gemm_entry<double>(static_cast<std::uint64_t>((first + i) * cols + j), 7);
        for (int t = 0; t < terms; ++t)
          *value += std::ldexp(left[static_cast<std::size_t>(i * terms + t)] *
                                   gemm_entry<double>(static_cast<std::uint64_t>(j * terms + t), 8),
                               -t);
      }
    return values;
  }
  struct Sparse {
    std::vector<int> offsets, columns;
    std::vector<double> values;
  };
  [[nodiscard]] Sparse sparse() const {
    Sparse all;
    for (std::int64_t i = 0; i <= rows; ++i) all.offsets.push_back(static_cast<int>(i * per_row));
    for (std::int64_t i = 0; i < rows; ++i)
      for (int e = 0; e < per_row; ++e) {
        auto const place = static_cast<std::uint64_t>((first + i) * per_row + e);
        double const where = 0.5 + 0.5 * gemm_entry<double>(place, 9);
        std::int64_t const begin = cols * e / per_row, end = cols * (e + 1) / per_row;
        auto const column = static_cast<int>(std::min<std::int64_t>(
            end - 1, begin + static_cast<std::int64_t>(where * double(end - begin))));
        all.columns.push_back(column);
        all.values.push_back(gemm_entry<double>(place, 10) * std::exp2(-0.5 * column));
      }
    return all;
  }
};

/// What the contenders have.
class SketchContender : public RankContender {
 public:
  SketchContender(Ranks const& ranks, distributed::BlockLayout layout, std::int64_t cols, int rank)
      : ranks_(ranks),
        layout_(std::move(layout)),
        rows_{layout_.begin(ranks.rank()), layout_.count(ranks.rank()), cols},
        rank_(rank) {}
  [[nodiscard]] int runs() const override { return 5; }
  std::string complaint() override {
    return residual_ <= sketch_residual ? std::string()
                                        : "the residual is " + std::to_string(residual_);
  }

 protected:
  Ranks ranks_;
  distributed::BlockLayout layout_;
  SketchRows rows_;
  int rank_;
  double residual_ = 0;
};

class SharedRandomizedSvd : public SketchContender {
  using Dense = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;
  using Numbers = Kokkos::View<double*, Exec>;
  using Integers = Kokkos::View<int*, Exec>;

 public:
  SharedRandomizedSvd(Ranks const& ranks, std::int64_t rows, std::int64_t cols, int rank,
                      bool sparse)
      : SketchContender(
            ranks,
            distributed::randomized_svd_layout<double>(ranks.size(), rows, cols, rank, options()),
            cols, rank),
        sparse_(sparse),
        A_("A", sparse ? 0 : rows_.rows, cols),
        U_("U", rows_.rows, rank),
        V_("V", cols, rank),
        S_("S", rank) {
    if (sparse) {
      auto const from = rows_.sparse();
      offsets_ = on_device_of(from.offsets), columns_ = on_device_of(from.columns);
      values_ = on_device_of(from.values);
    } else {
      auto const from = rows_.dense();
      Kokkos::deep_copy(A_, Kokkos::View<double const**, Kokkos::LayoutLeft, Kokkos::HostSpace,
                                         Kokkos::MemoryUnmanaged>(from.data(), rows_.rows, cols));
    }
    for (steps_ = 0; steps_ < most_sketch_steps; ++steps_) {
      run();
      if (residual_ <= sketch_residual) break;
    }
  }
  void run() override {
    auto const how = options(steps_);
    residual_ =
        sparse_
            ? distributed::randomized_svd(
                  ranks_, layout_, distributed::CsrRows{offsets_, columns_, values_, rows_.cols},
                  U_, S_, V_, how)
                  .residual
            : distributed::randomized_svd(ranks_, layout_, A_, U_, S_, V_, how).residual;
  }
  std::uint64_t digest() override {
    auto const S = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), S_);
    return digest_of(S.data(), S.extent(0) * sizeof(double));
  }

 private:
  static distributed::RandomizedSvdOptions options(int steps = 0) {
    return {.oversampling = sketch_oversampling, .power_steps = steps, .tolerance = 0.9};
  }
  template <class T>
  static Kokkos::View<T*, Exec> on_device_of(std::vector<T> const& values) {
    Kokkos::View<T*, Exec> const view("view", values.size());
    Kokkos::deep_copy(view, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                values.data(), values.size()));
    return view;
  }

  bool sparse_;
  int steps_ = 0;
  Dense A_, U_, V_;
  Numbers S_, values_;
  Integers offsets_, columns_;
};

#ifdef CARROLL_PERF_HAVE_SLEPC
class SlepcSvd : public SketchContender {
 public:
  SlepcSvd(Ranks const& ranks, std::int64_t rows, std::int64_t cols, int rank, bool sparse,
           bool lanczos)
      : SketchContender(ranks, distributed::block_layout(ranks.size(), rows), cols, rank) {
    if (sparse) {
      sparse_values_ = rows_.sparse();
      matrix_ = slepc::Matrix(ranks.raw(), rows_.rows, rows, cols, sparse_values_.offsets.data(),
                              sparse_values_.columns.data(), sparse_values_.values.data());
    } else {
      dense_values_ = rows_.dense();
      matrix_ = slepc::Matrix(ranks.raw(), rows_.rows, rows, cols, dense_values_.data());
    }
    for (steps_ = 1; steps_ < most_sketch_steps; ++steps_) {
      solver_ = slepc::Solver(matrix_, rank_, lanczos, steps_, sketch_residual);
      run();
      complaint();
      if (residual_ <= sketch_residual) break;
    }
    lanczos_ = lanczos;
  }
  void restore() override {
    solver_ = slepc::Solver(matrix_, rank_, lanczos_, steps_, sketch_residual);
  }
  void run() override { solver_.solve(); }
  std::string complaint() override {
    residual_ = solver_.residual(rank_);
    return SketchContender::complaint();
  }

 private:
  std::vector<double> dense_values_;
  SketchRows::Sparse sparse_values_;
  slepc::Matrix matrix_;
  slepc::Solver solver_;
  int steps_ = 1;
  bool lanczos_ = false;
};
#endif

inline void plan_randomized(RankBench& bench, Sizes const& sizes) {
  for (bool const sparse : {false, true}) {
    std::int64_t const rows = sizes.sketch_rows * (sparse ? 4 : 1),
                       cols = sizes.sketch_cols * (sparse ? 4 : 1);
    int const rank = 8;
    std::string const problem = std::string("randomized_svd") + (sparse ? "_sparse/" : "/") +
                                std::to_string(rows) + "x" + std::to_string(cols) + "x" +
                                std::to_string(rank);
    bench.plan(problem + "/carroll_tree",
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<SharedRandomizedSvd>(ranks, rows, cols, rank, sparse);
               });
#ifdef CARROLL_PERF_HAVE_SLEPC
    if constexpr (!on_device)
      for (bool const lanczos : {false, true})
        bench.plan(problem + (lanczos ? "/slepc_trlanczos" : "/slepc_randomized"),
                   [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                     return std::make_unique<SlepcSvd>(ranks, rows, cols, rank, sparse, lanczos);
                   });
#endif
  }
}

}  // namespace carroll::perf
