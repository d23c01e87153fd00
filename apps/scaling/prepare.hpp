// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/status.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "device/matrix.hpp"
#include "scaling/operations.hpp"

/// What operations are made of.
namespace carroll::tool {

/// An execution space of so many threads. OpenMP alone has them. They are parts of one process so
/// that numbers of threads can be measured in turn, on the same data: one thread takes as long as
/// in a process of its own, sums of 4096 numbers 4.8 µs and 5.0 µs (two cores of an EPYC,
/// 2026-11-25).
inline ExecSpace space_of([[maybe_unused]] int threads) {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<ExecSpace, Kokkos::OpenMP>) return ExecSpace(threads);
#endif
  return ExecSpace();
}

/// What an operation needs for each number of threads, made when it is first asked for: an
/// execution space, and the workspace that `make` makes of it.
template <class Make>
class ForThreads {
 public:
  using Workspace = std::invoke_result_t<Make, ExecSpace const&>;
  struct Entry {
    ExecSpace space;
    Workspace workspace;
  };

  explicit ForThreads(Make make) : make_(std::move(make)) {}

  Entry& operator()(int threads) {
    auto found = entries_.find(threads);
    if (found == entries_.end()) {
      ExecSpace const space = space_of(threads);
      found = entries_.emplace(threads, Entry{space, make_(space)}).first;
    }
    return found->second;
  }

 private:
  Make make_;
  std::map<int, Entry> entries_;
};

inline void require_success(Status status) {
  if (status != Status::success)
    throw std::runtime_error("the operation ends with " + std::string(to_string(status)));
}

/// What is computed must not be left out by a compiler.
inline void keep(double value) {
  double volatile sink = value;
  static_cast<void>(sink);
}

/// Runs `solve(space, workspace)` by any number of threads; it returns a Status.
template <class Make, class Solve>
std::function<void(int)> solver_by_threads(Make make, Solve solve) {
  auto const spaces = std::make_shared<ForThreads<Make>>(std::move(make));
  return [spaces, solve = std::move(solve)](int threads) {
    auto& entry = (*spaces)(threads);
    require_success(solve(entry.space, entry.workspace));
  };
}

/// Uniform in (-1, 1), the same ones in every run.
inline HostMatrix<double> random_matrix(std::int64_t rows, std::int64_t cols) {
  HostMatrix<double> A{rows, cols, std::vector<double>(static_cast<std::size_t>(rows * cols))};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& entry : A.values) entry = uniform(random);
  return A;
}

// Those of the building blocks, in blas_operations.cpp.
[[nodiscard]] PreparedOperation prepare_sum(std::int64_t n);
[[nodiscard]] PreparedOperation prepare_dot(std::int64_t n);
[[nodiscard]] PreparedOperation prepare_norm2(std::int64_t n);
[[nodiscard]] PreparedOperation prepare_add(std::int64_t n);
[[nodiscard]] PreparedOperation prepare_gemv(std::int64_t n);
[[nodiscard]] PreparedOperation prepare_gemm(std::int64_t n);

}  // namespace carroll::tool
