// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/field.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm/cases.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

/// Entry `index` of an operand, in [-1, 1): the same on host and device.
template <class T>
KOKKOS_INLINE_FUNCTION T gemm_entry(std::uint64_t index, std::uint64_t operand) {
  using Real = detail::RealOf<T>;
  std::uint64_t x = (index + (operand << 40)) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  auto const part = [](std::uint64_t bits) {  // of 20 bits
    return static_cast<Real>(static_cast<std::int64_t>(bits & 0xfffffU)) / Real(1 << 19) - Real(1);
  };
  if constexpr (detail::is_complex<T>)
    return {part(x), part(x >> 24)};
  else
    return part(x);
}

template <class T>
struct FillOperand {
  T* data;
  std::uint64_t operand;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    data[i] = gemm_entry<T>(static_cast<std::uint64_t>(i), operand);
  }
};
template <class T>
struct GatherEntries {
  T const* from;
  std::int64_t step;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i * step]; }
};

/// Operands of a batch, each member's columns without gaps, and a place for the product.
template <class T>
class GemmProblem {
 public:
  using Memory = Kokkos::View<T*, Exec::memory_space>;

  GemmProblem(Exec const& exec, GemmShape const& shape) : shape_(shape), exec_(exec) {
    A_ = detail::allocate<Memory>(exec, "carroll::perf::A", shape.size_a());
    B_ = detail::allocate<Memory>(exec, "carroll::perf::B", shape.size_b());
    C_ = detail::allocate<Memory>(exec, "carroll::perf::C", shape.size_c());
    fill(A_, 0);
    fill(B_, 1);
  }

  [[nodiscard]] GemmShape const& shape() const { return shape_; }
  [[nodiscard]] T const* A() const { return A_.data(); }
  [[nodiscard]] T const* B() const { return B_.data(); }
  [[nodiscard]] T* C() const { return C_.data(); }

  /// So that what a contender leaves out is seen.
  void clear() const { fill(C_, 2); }

  /// Some entries of C against sums in long double, |error| relative to k·eps·Σ|terms|/√k; what is
  /// wrong, or nothing.
  [[nodiscard]] std::string fault() const {
    constexpr std::int64_t samples = 199;
    std::int64_t const step = std::max<std::int64_t>(shape_.size_c() / samples, 1);
    std::int64_t const count = (shape_.size_c() + step - 1) / step;
    auto const found = detail::allocate<Memory>(exec_, "carroll::perf::samples", count);
    Kokkos::parallel_for("carroll::perf::samples", Policy(exec_, 0, count),
                         GatherEntries<T>{C_.data(), step, found.data()});
    std::vector<T> host(static_cast<std::size_t>(count));
    Kokkos::deep_copy(
        exec_,
        Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()),
        found);
    exec_.fence();
    double worst = 0;
    for (std::int64_t s = 0; s < count; ++s) {
      double const error = error_of(s * step, host[static_cast<std::size_t>(s)]);
      if (!(error <= worst)) worst = error;
    }
    return worst <= 20 ? "" : "error of " + std::to_string(worst) + " sqrt(k) eps";
  }

 private:
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Wide = std::complex<long double>;

  void fill(Memory const& x, std::uint64_t operand) const {
    Kokkos::parallel_for("carroll::perf::fill",
                         Policy(exec_, 0, static_cast<std::int64_t>(x.extent(0))),
                         FillOperand<T>{x.data(), operand});
  }
  static Wide wide(std::uint64_t index, std::uint64_t operand) {
    T const x = gemm_entry<T>(index, operand);
    if constexpr (detail::is_complex<T>)
      return {x.real(), x.imag()};
    else
      return {x, 0};
  }
  [[nodiscard]] double error_of(std::int64_t place, T const& found) const {
    auto const unsigned_of = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    std::int64_t const i = place % shape_.rows, j = place / shape_.rows % shape_.cols;
    std::int64_t const member = place / shape_.rows / shape_.cols;
    Wide sum = 0;
    for (std::int64_t l = 0; l < shape_.terms; ++l)
      sum += wide(unsigned_of((member * shape_.terms + l) * shape_.rows + i), 0) *
             wide(unsigned_of((member * shape_.cols + j) * shape_.terms + l), 1);
    Wide value = 0;
    if constexpr (detail::is_complex<T>)
      value = {found.real(), found.imag()};
    else
      value = found;
    // Partial sums are of the size of √k: so many rounding errors of √k·eps.
    return double(std::abs(value - sum)) /
           (double(Kokkos::Experimental::epsilon_v<detail::RealOf<T>>) * shape_.terms);
  }

  GemmShape shape_;
  Exec exec_;
  Memory A_, B_, C_;
};

}  // namespace carroll::perf
