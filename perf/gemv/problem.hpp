// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gemm/problem.hpp"
#include "gemv/cases.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

/// A matrix and a vector of numbers from [-1, 1), a place for the product, and what some of its
/// entries are.
template <class T>
class GemvProblem {
 public:
  using Memory = Kokkos::View<T*, Exec::memory_space>;

  GemvProblem(Exec const& exec, GemvCase const& the_case) : case_(the_case), exec_(exec) {
    A_ = detail::allocate<Memory>(exec, "carroll::perf::A", case_.rows * case_.cols);
    x_ = detail::allocate<Memory>(exec, "carroll::perf::x", case_.terms());
    y_ = detail::allocate<Memory>(exec, "carroll::perf::y", case_.results());
    fill(A_, 0);
    fill(x_, 1);
    exec.fence();
    constexpr std::int64_t most_terms = 20'000'000;
    std::int64_t const most = std::clamp<std::int64_t>(most_terms / case_.terms(), 3, 99);
    step_ = std::max<std::int64_t>(case_.results() / most, 1);
    for (std::int64_t i = 0; i < case_.results(); i += step_) expected_.push_back(sum_of(i));
  }

  [[nodiscard]] GemvCase const& the_case() const { return case_; }
  [[nodiscard]] T const* A() const { return A_.data(); }
  [[nodiscard]] T const* x() const { return x_.data(); }
  [[nodiscard]] T* y() const { return y_.data(); }

  /// So that what a contender leaves out is seen.
  void clear() const { fill(y_, 2); }

  /// Some entries of y against sums in long double; what is wrong, or nothing.
  [[nodiscard]] std::string fault() const {
    std::vector<T> host(y_.extent(0));
    Kokkos::deep_copy(
        exec_,
        Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()), y_);
    exec_.fence();
    // Partial sums are of the size of √k: so many rounding errors of √k·eps at worst.
    long double const unit = std::numeric_limits<T>::epsilon() * double(case_.terms());
    long double worst = 0;
    for (std::size_t s = 0; s < expected_.size(); ++s) {
      auto const found = static_cast<long double>(host[s * static_cast<std::size_t>(step_)]);
      long double const error = std::abs(found - expected_[s]) / unit;
      if (!(error <= worst)) worst = error;
    }
    return worst <= 20 ? "" : "error of " + std::to_string(double(worst)) + " sqrt(k) eps";
  }

 private:
  void fill(Memory const& memory, std::uint64_t operand) const {
    Kokkos::parallel_for("carroll::perf::fill",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                             exec_, 0, static_cast<std::int64_t>(memory.extent(0))),
                         FillOperand<T>{memory.data(), operand});
  }
  [[nodiscard]] long double sum_of(std::int64_t i) const {
    auto const entry = [](std::int64_t index, std::uint64_t operand) {
      return static_cast<long double>(gemm_entry<T>(static_cast<std::uint64_t>(index), operand));
    };
    long double sum = 0;
    for (std::int64_t l = 0; l < case_.terms(); ++l)
      sum += entry(case_.transposed ? i * case_.rows + l : l * case_.rows + i, 0) * entry(l, 1);
    return sum;
  }

  GemvCase case_;
  Exec exec_;
  Memory A_, x_, y_;
  std::int64_t step_ = 1;
  std::vector<long double> expected_;
};

}  // namespace carroll::perf
