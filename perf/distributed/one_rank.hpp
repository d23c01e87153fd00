// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/determinant.hpp>
#include <carroll/dot.hpp>
#include <carroll/gemv.hpp>
#include <carroll/sum.hpp>
#include <carroll/svd.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"
#include "harness/contender.hpp"

/// The plain solvers on what a rank alone has in blocks.hpp and batches.hpp: what those cost beside
/// them.
namespace carroll::perf {

class OneRankReduction : public RankContender {
 public:
  OneRankReduction(Ranks const& ranks, std::int64_t length, bool dot)
      : exec_(ranks.exec()),
        dot_(dot),
        x_(shared_entries<double>(exec_, 0, length, 1)),
        y_(dot ? shared_entries<double>(exec_, 0, length, 2) : Vector()),
        workspace_(reduction_workspace<double>(exec_, {.length = length})) {}
  void run() override {
    value_ = dot_ ? carroll::dot(exec_, x_, y_, workspace_).value
                  : carroll::sum(exec_, x_, workspace_).value;
  }
  [[nodiscard]] double bytes() const override {
    return static_cast<double>(x_.extent(0)) * (dot_ ? 16 : 8);
  }
  std::uint64_t digest() override { return digest_of(&value_, sizeof value_); }

 private:
  using Vector = Kokkos::View<double*, Exec>;
  Exec exec_;
  bool dot_;
  Vector x_, y_;
  ReductionWorkspace<Exec, double> workspace_;
  double value_ = 0;
};

class OneRankGemv : public RankContender {
 public:
  OneRankGemv(Ranks const& ranks, std::int64_t order)
      : exec_(ranks.exec()),
        order_(order),
        entries_(shared_entries<double>(exec_, 0, order * order, 1)),
        x_(shared_entries<double>(exec_, 0, order, 2)),
        y_("carroll::perf::y", order) {}
  void run() override {
    Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const A(entries_.data(), order_, order_);
    carroll::gemv(exec_, 1.0, A, x_, 0.0, y_);
  }
  [[nodiscard]] double bytes() const override { return 8.0 * double(order_) * double(order_); }

 private:
  Exec exec_;
  std::int64_t order_;
  Kokkos::View<double*, Exec> entries_, x_, y_;
};

class OneRankSvds : public RankContender {
  static constexpr std::int64_t order = 32;
  using Batch = Kokkos::View<float***, Kokkos::LayoutRight, Exec>;

 public:
  OneRankSvds(Ranks const& ranks, std::int64_t members)
      : exec_(ranks.exec()),
        members_(members),
        entries_(shared_entries<float>(exec_, 0, members * order * order, 1)),
        U_("U", members, order, order),
        V_("V", members, order, order),
        S_("S", members, order),
        workspace_(svd_workspace<float>(exec_, {.batch = members, .rows = order, .cols = order})) {}
  void run() override {
    infos_ =
        carroll::svd(exec_, Batch(entries_.data(), members_, order, order), U_, S_, V_, workspace_);
  }
  std::string complaint() override { return first_complaint(infos_); }

 private:
  Exec exec_;
  std::int64_t members_;
  Kokkos::View<float*, Exec> entries_;
  Batch U_, V_;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> S_;
  SvdWorkspace<Exec, float> workspace_;
  std::span<SvdInfo<float> const> infos_;
};

class OneRankDeterminants : public RankContender {
  static constexpr std::int64_t order = 64;

 public:
  OneRankDeterminants(Ranks const& ranks, std::int64_t members)
      : exec_(ranks.exec()),
        members_(members),
        entries_(shared_entries<double>(exec_, 0, members * order * order, 1)),
        workspace_(
            determinant_workspace<double>(exec_, {.batch = members, .n = order, .keep = true})) {}
  void run() override {
    Kokkos::View<double***, Kokkos::LayoutRight, Exec> const A(entries_.data(), members_, order,
                                                               order);
    infos_ = carroll::determinant_of(exec_, A, workspace_);
  }
  std::string complaint() override { return first_complaint(infos_); }

 private:
  Exec exec_;
  std::int64_t members_;
  Kokkos::View<double*, Exec> entries_;
  DeterminantWorkspace<Exec, double> workspace_;
  std::span<carroll::DeterminantInfo<double> const> infos_;
};

inline void plan_one_rank(RankBench& bench, Sizes const& sizes) {
  auto const add = [&]<class Plain>(std::type_identity<Plain>, std::string const& problem,
                                    auto... of_problem) {
    bench.plan(problem + "/carroll_one_rank",
               [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                 return std::make_unique<Plain>(ranks, of_problem...);
               },
               {1}, {distributed::Transport::mpi});
  };
  for (bool const dot : {false, true})
    for (std::int64_t length = std::int64_t{1} << 20; length <= sizes.longest; length *= 4)
      add(std::type_identity<OneRankReduction>(), (dot ? "dot/" : "sum/") + std::to_string(length),
          length, dot);
  add(std::type_identity<OneRankGemv>(), "gemv/" + std::to_string(sizes.order), sizes.order);
  add(std::type_identity<OneRankSvds>(), "svd_batch/" + std::to_string(sizes.svds) + "x32x32",
      sizes.svds);
  add(std::type_identity<OneRankDeterminants>(),
      "determinant_batch/" + std::to_string(sizes.determinants) + "x64x64", sizes.determinants);
}

}  // namespace carroll::perf
