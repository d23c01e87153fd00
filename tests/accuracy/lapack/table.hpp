// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/warp.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/summary.hpp"
#include "support/tolerance.hpp"

namespace carroll::test::lapack {

/// The greatest ratios of a test program by matrix type, all below the bar. They are printed when
/// it ends if the environment has CARROLL_TEST_RATIOS.
class Table : public ::testing::Environment {
 public:
  /// Owned by GoogleTest, which wants a raw pointer.
  static Table& instance() {
    static auto* const table = static_cast<Table*>(::testing::AddGlobalTestEnvironment(new Table));
    return *table;
  }

  void add(std::string const& subject, std::string const& ratio, double value,
           std::string const& where) {
    auto& worst = ratios_[subject][ratio];
    if (!(value <= worst.first)) worst = {value, where};
  }

  void TearDown() override {
    if (std::getenv("CARROLL_TEST_RATIOS") == nullptr) return;
    for (auto const& [subject, ratios] : ratios_) {
      std::printf("%-34s", subject.c_str());
      for (auto const& [ratio, worst] : ratios)
        std::printf("  %s %.3g%s", ratio.c_str(), worst.first,
                    worst.first > 5 ? (" (" + worst.second + ")").c_str() : "");
      std::printf("\n");
    }
  }

 private:
  std::map<std::string, std::map<std::string, std::pair<double, std::string>>> ratios_;
};

/// `all` kernels, without those that need warps where there are none: they give way to others.
template <class Paths, class Path, std::size_t count>
[[nodiscard]] std::vector<Path> usable(Paths const& all, Path const (&of_warps)[count]) {
  std::vector<Path> paths;
  for (Path const path : all)
    if (detail::has_warps<Kokkos::DefaultExecutionSpace> ||
        std::find(of_warps, of_warps + count, path) == of_warps + count)
      paths.push_back(path);
  return paths;
}

/// Judges ratios of one matrix: those of type `type` of LAPACK's program, told with `where`.
template <class Real>
class Judge {
 public:
  Judge(std::string const& program, int type, std::string where)
      : subject_(program + (type < 10 ? " type  " : " type ") + std::to_string(type) + ", " +
                 precision_name<Real>),
        where_(std::move(where)) {}

  void operator()(std::string const& ratio, double value) const {
    Table::instance().add(subject_, ratio, value, where_);
    EXPECT_LE(value, ratio_bar) << subject_ << ", " << ratio << ", " << where_;
  }

  [[nodiscard]] std::string text() const { return subject_ + ", " + where_; }

 private:
  std::string subject_, where_;
};

}  // namespace carroll::test::lapack
