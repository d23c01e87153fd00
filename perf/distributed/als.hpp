// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als.hpp>
#include <carroll/distributed/als.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"
#include "recommenders/synthetic.hpp"

/// Alternating least squares over ranks, and of one rank without them, by Cholesky in single
/// precision, on made-up ratings of a published shape. Times are of one iteration.
namespace carroll::perf {

/// Triples of the host, made when they are first asked for: all calls have the same ones.
class HostRatings {
 public:
  explicit HostRatings(RatingsShape shape) : shape_(std::move(shape)) {}
  [[nodiscard]] RatingsShape const& shape() const { return shape_; }
  [[nodiscard]] BenchRatings ratings(Exec const& exec) {
    if (triples_.values.empty()) triples_ = synthetic_ratings(shape_);
    auto const moved = [&]<class T>(std::vector<T> const& from) {
      auto const to = detail::allocate<Kokkos::View<T*, Exec>>(
          exec, "carroll::perf::triples", static_cast<std::int64_t>(from.size()));
      Kokkos::deep_copy(exec, to,
                        Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                            from.data(), from.size()));
      return to;
    };
    return BenchRatings(exec, moved(triples_.users), moved(triples_.items), moved(triples_.values),
                        {.users = shape_.users, .items = shape_.items});
  }

 private:
  RatingsShape shape_;
  SyntheticRatings triples_;
};

class SharedAls : public RankContender {
  static constexpr int iterations = 4;
  using Factors = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;

 public:
  /// `plain`: by carroll::als.
  SharedAls(Ranks const& ranks, HostRatings& host, int factors, bool plain)
      : ranks_(ranks), shape_(host.shape()), factors_(factors) {
    auto const& exec = ranks.exec();
    AlsOptions const options{.iterations = iterations, .residual = false};
    auto const all = host.ratings(exec);
    U_ = detail::allocate_matrix<Factors>(exec, "carroll::perf::U", place(shape_.users),
                                          place(factors));
    V_ = detail::allocate_matrix<Factors>(exec, "carroll::perf::V", place(shape_.items),
                                          place(factors));
    if (plain) {
      ratings_ = all;
      plain_.emplace(als_workspace(exec, all, factors, options));
      return;
    }
    auto const layout = distributed::als_layout(exec, ranks.size(), all, factors);
    int const me = ranks.rank();
    by_user_ = row_range(exec, all.by_user(), layout.users.begin(me), layout.users.end(me));
    by_item_ = row_range(exec, all.by_item(), layout.items.begin(me), layout.items.end(me));
    workspace_.emplace(
        distributed::als_workspace(ranks, layout, by_user_, by_item_, factors, options));
  }

  void run() override {
    info_ = plain_ ? carroll::als(ranks_.exec(), ratings_, U_, V_, *plain_)
                   : distributed::als(ranks_, by_user_, by_item_, U_, V_, *workspace_);
  }
  [[nodiscard]] int calls() const override { return iterations; }
  [[nodiscard]] double flops() const override {
    double const k = factors_, rows = double(shape_.users) + shape_.items;
    return 4 * double(shape_.count) * (k * k + 3 * k) + rows * (k * k * k / 3 + 2 * k * k);
  }
  std::string complaint() override {
    return info_.status == Status::success ? "" : std::string(to_string(info_.status));
  }
  std::uint64_t digest() override {
    std::vector<float> bits(U_.size() + V_.size());
    auto const fetch = [&](Factors const& factors, float* to) {
      Kokkos::deep_copy(
          Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
              to, factors.extent(0), factors.extent(1)),
          factors);
    };
    fetch(U_, bits.data());
    fetch(V_, bits.data() + U_.size());
    return digest_of(bits.data(), bits.size() * sizeof(float));
  }

 private:
  static std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

  Ranks ranks_;
  RatingsShape shape_;
  int factors_;
  BenchRatings ratings_;
  BenchRatings::Rows by_user_, by_item_;
  Factors U_, V_;
  std::optional<AlsWorkspace<Exec, float>> plain_;
  std::optional<distributed::AlsWorkspace<Exec, float>> workspace_;
  AlsInfo info_;
};

inline void plan_als(RankBench& bench, Sizes const& sizes) {
  auto const host = std::make_shared<HostRatings>(sizes.ratings == "ml-20m"  ? ml_20m()
                                                  : sizes.ratings == "ml-1m" ? ml_1m()
                                                                             : ml_100k());
  int const k = static_cast<int>(sizes.als_factors);
  std::string const shape =
      "als/" + std::to_string(host->shape().count) + "x" + std::to_string(k) + "/carroll_";
  bench.plan(shape + "one_rank",
             [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
               return std::make_unique<SharedAls>(ranks, *host, k, true);
             },
             {1}, {distributed::Transport::mpi});
  bench.plan(shape + "by_rows", [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
    return std::make_unique<SharedAls>(ranks, *host, k, false);
  });
}

}  // namespace carroll::perf
