// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "support/svd/ratios.hpp"

namespace carroll::test {

/// Collects the worst ratios of a test program by subject and prints them as a table when it ends.
class Summary : public ::testing::Environment {
 public:
  struct Worst {
    SvdRatios ratios;
    std::string where;
    long count = 0;
  };

  /// Owned by GoogleTest, which wants a raw pointer.
  static Summary& instance() {
    static auto* const summary =
        static_cast<Summary*>(::testing::AddGlobalTestEnvironment(new Summary));
    return *summary;
  }

  void add(std::string const& subject, std::string const& where, SvdRatios const& ratios) {
    Worst& worst = table_[subject];
    if (worst.count++ == 0 || ratios.worst() > worst.ratios.worst()) worst.where = where;
    worst.ratios.residual = std::max(worst.ratios.residual, ratios.residual);
    worst.ratios.u = std::max(worst.ratios.u, ratios.u);
    worst.ratios.v = std::max(worst.ratios.v, ratios.v);
    worst.ratios.descending = worst.ratios.descending && ratios.descending;
  }

  [[nodiscard]] Worst const& of(std::string const& subject) { return table_[subject]; }

  void note(std::string const& line) { notes_ += line + "\n"; }

  void TearDown() override {
    if (!table_.empty())
      std::printf("\n%-46s %8s %9s %9s %9s  %s\n", "worst ratios (bar: 10)", "matrices", "residual",
                  "U", "V", "worst at");
    for (auto const& [subject, worst] : table_)
      std::printf("%-46s %8ld %9.3g %9.3g %9.3g  %s%s\n", subject.c_str(), worst.count,
                  worst.ratios.residual, worst.ratios.u, worst.ratios.v, worst.where.c_str(),
                  worst.ratios.descending ? "" : "  S NOT DESCENDING");
    std::printf("%s", notes_.c_str());
  }

 private:
  std::map<std::string, Worst> table_;
  std::string notes_;
};

template <class Real>
inline constexpr char const* precision_name = "double";
template <>
inline constexpr char const* precision_name<float> = "float";

}  // namespace carroll::test
