// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/add.hpp>
#include <carroll/dot.hpp>
#include <carroll/gemm.hpp>
#include <carroll/gemv.hpp>
#include <carroll/norm2.hpp>
#include <carroll/sum.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "scaling/loops.hpp"
#include "scaling/prepare.hpp"

namespace carroll::tool {

namespace {

using Numbers = std::shared_ptr<HostMatrix<double> const>;

Numbers random_numbers(std::int64_t rows, std::int64_t cols) {
  return std::make_shared<HostMatrix<double> const>(random_matrix(rows, cols));
}

/// A matrix of random numbers in the memory of all.
DeviceMatrix<double> on_device(HostMatrix<double> const& A) {
  ExecSpace const all;
  auto const device = to_device(all, "carroll::tool::A", A);
  all.fence("carroll::tool: matrix on the device");
  return device;
}

auto vector_of(DeviceMatrix<double> const& column) {
  return Kokkos::subview(column, Kokkos::ALL, 0);
}

auto reduction_of(std::int64_t n) {
  return [n](ExecSpace const& space) { return reduction_workspace<double>(space, {.length = n}); };
}

/// Of one vector: reduce(space, x, workspace) by Carroll, by_loop(x) on one thread.
template <class Reduce, class Loop>
PreparedOperation prepare_reduction(std::int64_t n, Reduce const& reduce, Loop const& by_loop) {
  Numbers const numbers = random_numbers(n, 1);
  auto const x = vector_of(on_device(*numbers));
  auto const solve = [x, reduce](ExecSpace const& space, auto& workspace) {
    return reduce(space, x, workspace).status;
  };
  return {solver_by_threads(reduction_of(n), solve),
          [numbers, by_loop] { keep(by_loop(numbers->values)); }};
}

}  // namespace

PreparedOperation prepare_sum(std::int64_t n) {
  return prepare_reduction(
      n,
      [](ExecSpace const& space, auto const& x, auto& workspace) {
        return sum(space, x, workspace);
      },
      [](std::vector<double> const& x) { return sum_by_loop(x); });
}

PreparedOperation prepare_dot(std::int64_t n) {
  Numbers const numbers = random_numbers(n, 1);
  auto const x = vector_of(on_device(*numbers)), y = vector_of(on_device(*numbers));
  auto const solve = [x, y](ExecSpace const& space, auto& workspace) {
    return dot(space, x, y, workspace).status;
  };
  auto const others = std::make_shared<std::vector<double> const>(numbers->values);
  return {solver_by_threads(reduction_of(n), solve),
          [numbers, others] { keep(dot_by_loop(numbers->values, *others)); }};
}

PreparedOperation prepare_norm2(std::int64_t n) {
  return prepare_reduction(
      n,
      [](ExecSpace const& space, auto const& x, auto& workspace) {
        return norm2(space, x, workspace);
      },
      [](std::vector<double> const& x) { return std::sqrt(dot_by_loop(x, x)); });
}

PreparedOperation prepare_add(std::int64_t n) {
  Numbers const numbers = random_numbers(n, 1);
  auto const x = vector_of(on_device(*numbers)), y = vector_of(on_device(*numbers));
  auto const z = vector_of(on_device(*numbers));
  auto const no_workspace = [](ExecSpace const&) { return 0; };
  auto const solve = [x, y, z](ExecSpace const& space, int) {
    add(space, x, y, z);
    return Status::success;
  };
  auto const others = std::make_shared<std::vector<double> const>(numbers->values);
  auto const sums = std::make_shared<std::vector<double>>(numbers->values);
  return {solver_by_threads(no_workspace, solve),
          [numbers, others, sums] { add_by_loop(numbers->values, *others, *sums); }};
}

PreparedOperation prepare_gemv(std::int64_t n) {
  Numbers const matrix = random_numbers(n, n), numbers = random_numbers(n, 1);
  auto const A = on_device(*matrix);
  auto const x = vector_of(on_device(*numbers)), y = vector_of(on_device(*numbers));
  auto const make = [n](ExecSpace const& space) {
    return gemv_workspace<double>(space, {.rows = n, .terms = n});
  };
  auto const solve = [=](ExecSpace const& space, auto& workspace) {
    return gemv(space, 1.0, A, x, 0.0, y, workspace).status;
  };
  auto const product = std::make_shared<HostMatrix<double>>(*numbers);
  return {solver_by_threads(make, solve),
          [matrix, numbers, product] { multiply_by_loop(*matrix, *numbers, *product); }};
}

PreparedOperation prepare_gemm(std::int64_t n) {
  Numbers const a = random_numbers(n, n), b = random_numbers(n, n);
  auto const A = on_device(*a), B = on_device(*b), C = on_device(*a);
  auto const make = [n](ExecSpace const& space) {
    return gemm_workspace<double>(space, {.rows = n, .cols = n, .terms = n});
  };
  auto const solve = [=](ExecSpace const& space, auto& workspace) {
    return gemm(space, 1.0, A, B, 0.0, C, workspace).status;
  };
  auto const product = std::make_shared<HostMatrix<double>>(*a);
  return {solver_by_threads(make, solve), [a, b, product] { multiply_by_loop(*a, *b, *product); }};
}

}  // namespace carroll::tool
