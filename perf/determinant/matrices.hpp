// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "determinant/contender.hpp"
#include "determinant/reference.hpp"

namespace carroll::perf {

/// The matrices of a case where kernels can reach them, made there, and on the host when asked for.
/// Contenders take the rows of a member for rows or for columns as they like: the determinant is
/// the same.
template <class Real>
class DeterminantMatrices {
  using Exec = Kokkos::DefaultExecutionSpace;

 public:
  using Buffer = Kokkos::View<Real*, Exec::memory_space>;

  DeterminantMatrices() = default;
  DeterminantMatrices(Exec const& exec, DeterminantShape const& shape)
      : shape_(shape),
        buffer_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "matrices"), shape.size()) {}

  DeterminantShape const& shape() const { return shape_; }
  Buffer const& buffer() const { return buffer_; }
  std::span<Real const> host() {
    if (host_.data() == nullptr)
      host_ = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffer_);
    return {host_.data(), host_.size()};
  }
  /// One member in double precision.
  std::vector<double> member(int index) const {
    auto const first = static_cast<std::size_t>(index) * shape_.matrix_size();
    auto const host = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(),
        Kokkos::subview(buffer_, std::pair(first, first + shape_.matrix_size())));
    return {host.data(), host.data() + host.size()};
  }

 private:
  DeterminantShape shape_;
  Buffer buffer_;
  Kokkos::View<Real*, Kokkos::HostSpace> host_;
};

/// Uniform random entries in (-1, 1). Every entry has 24 significant bits, so that both precisions
/// have exactly the same matrices; member b depends on n and b only.
template <class Real>
DeterminantMatrices<Real> uniform_determinant_matrices(Kokkos::DefaultExecutionSpace const& exec,
                                                       DeterminantShape const& shape) {
  DeterminantMatrices<Real> const matrices(exec, shape);
  auto const A = matrices.buffer();
  auto const size = static_cast<std::int64_t>(shape.matrix_size());
  std::int64_t const quads = (size + 3) / 4;  // of entries, from one counter
  auto const n = static_cast<std::uint64_t>(shape.n);
  using Range = Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "carroll::perf::uniform_matrices", Range(exec, 0, quads * shape.batch),
      KOKKOS_LAMBDA(std::int64_t i) {
        std::int64_t const member = i / quads, quad = i % quads;
        auto const bits = detail::philox(
            n, {static_cast<std::uint32_t>(quad), static_cast<std::uint32_t>(quad >> 32),
                static_cast<std::uint32_t>(member), 1});
        for (int k = 0; k < 4; ++k) {
          std::int64_t const entry = 4 * quad + k;
          if (entry >= size) return;
          auto const odd = 2 * static_cast<int>(bits[k] >> 8) + 1 - (1 << 24);
          A(member * size + entry) = static_cast<Real>(odd) * Real(1.0 / (1 << 24));
        }
      });
  exec.fence("carroll::perf::uniform_matrices");
  return matrices;
}

/// A dense matrix with a known determinant, made in n² operations: rows of D + u·vᵀ in another
/// order, D of ±1, u and v random with 11 bits, so that no entry is rounded. Its determinant is
/// ±(1 + vᵀ·D·u).
class KnownDeterminant {
 public:
  explicit KnownDeterminant(int n) : n_(n) {}

  template <class Real>
  DeterminantMatrices<Real> matrix(Kokkos::DefaultExecutionSpace const& exec) const {
    DeterminantMatrices<Real> const matrices(exec, {1, static_cast<int>(n_)});
    auto const A = matrices.buffer();
    std::int64_t const n = n_;
    using Range =
        Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(
        "carroll::perf::known_determinant", Range(exec, 0, n * n), KOKKOS_LAMBDA(std::int64_t i) {
          std::int64_t const row = source_row(i / n, n), column = i % n;
          double const product = part(row, 0) * part(column, 1);
          A(i) = static_cast<Real>(row == column ? sign(column) + product : product);
        });
    exec.fence("carroll::perf::known_determinant");
    return matrices;
  }

  DeterminantReference reference() const;

 private:
  /// Row i of A is this row of D + u·vᵀ, if n is no multiple of the prime 7919.
  KOKKOS_FUNCTION static std::int64_t source_row(std::int64_t i, std::int64_t n) {
    return (7919 * i + 11) % n;
  }
  /// u_i (which = 0) and v_i (which = 1): odd multiples of 2^-11 in (-1, 1).
  KOKKOS_FUNCTION static double part(std::int64_t i, std::uint32_t which) {
    auto const bits = detail::philox(1, {static_cast<std::uint32_t>(i), 0, which, 2});
    return (2 * static_cast<int>(bits[0] >> 21) + 1 - (1 << 11)) / 2048.0;
  }
  /// d_i.
  KOKKOS_FUNCTION static double sign(std::int64_t i) {
    return detail::philox(1, {static_cast<std::uint32_t>(i), 0, 2, 2})[0] >> 31 ? 1 : -1;
  }

  std::int64_t n_;
};

}  // namespace carroll::perf
