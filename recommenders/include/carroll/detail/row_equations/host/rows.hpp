// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/row_equations/host/triangle.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace carroll::detail {

/// A triangle and its right hand side in a host's memory, for `unknowns`; what follows the matrix
/// are vectors of its order.
template <class Real, int Bytes>
struct HostSystem {
  using Tile = HostTriangleTile<Real, Bytes>;
  Real* a;
  Real* right;
  std::ptrdiff_t pitch;
  int order;

  HostSystem(Real* memory, int unknowns)
      : a(memory), pitch(Tile::pitch(unknowns)), order(rounded(unknowns)) {
    right = a + pitch * order;
  }
  static int rounded(int unknowns) {
    return (unknowns + Tile::multiple - 1) / Tile::multiple * Tile::multiple;
  }
  static std::int64_t numbers(int unknowns) {
    return std::int64_t{rounded(unknowns)} * Tile::pitch(unknowns) + rounded(unknowns);
  }
  /// += another.
  void add(HostSystem const& other) const {
    using V = typename Tile::V;
    for (int j = 0; j < order; ++j)
      for (int i = j / Tile::width * Tile::width; i < order; i += Tile::width)
        V::at(a + j * pitch + i) += V::at(other.a + j * pitch + i);
    for (int i = 0; i < order; i += Tile::width) V::at(right + i) += V::at(other.right + i);
  }
};

/// What a host's thread does for rows, in memory of its own: `numbers()`.
///
/// Some ratings' factors at a time are copied, padded and weighted, to the first cache; their outer
/// products are added up in register tiles, d² flops for each rating with the lower triangle only.
template <class Real, int Bytes>
class HostEquationRows {
  using System = HostSystem<Real, Bytes>;
  using Tile = typename System::Tile;
  using V = typename Tile::V;
  using Vector = typename Tile::Vector;
  static constexpr int width = Tile::width;
  static constexpr int most_staged = 64, least_staged = 16;

 public:
  HostEquationRows(RowEquations<Real> const& problem, Real* memory)
      : problem_(problem), d_(problem.unknowns()), order_(System::rounded(d_)) {
    own_ = memory;
    chunk_ = memory + System::numbers(d_);
    vectors_ = chunk_ + System::numbers(d_);
    staged_ = vectors_ + 3 * order_;
    weighted_ = problem.is_weighted() ? staged_ + staged(order_) * order_ : staged_;
  }
  static std::int64_t numbers(int unknowns) {
    int const order = System::rounded(unknowns);
    return 2 * System::numbers(unknowns) + 3 * order + 2 * staged(order) * std::int64_t{order};
  }

  System own() const { return System(own_, d_); }

  /// system := Σ over the row's ratings from `begin` up to `end`.
  void accumulate(std::int32_t row, std::int64_t begin, std::int64_t end,
                  System const& system) const {
    sum_chunk(row, begin, std::min<std::int64_t>(begin + row_chunk, end), system);
    System const chunk(chunk_, d_);
    for (std::int64_t e = begin + row_chunk; e < end; e += row_chunk) {
      sum_chunk(row, e, std::min<std::int64_t>(e + row_chunk, end), chunk);
      system.add(chunk);
    }
  }

  /// Solves the row's equations, of which the ratings' part stands in `system`.
  void finish(std::int32_t row, System const& system) const {
    if (problem_.gram) return hand_over(system);
    if (problem_.is_cold(row)) {
      for (int i = 0; i < d_; ++i) problem_.clear(row, i);
      return;
    }
    add_common(row, system);
    Real *const x = vectors_, *const y = vectors_ + order_, *const inverse = y + order_;
    HostEquationTriangle<Real, Bytes> const triangle{system.a, system.pitch, order_};
    std::uint32_t flags = triangle.factor(system.right, y, inverse);
    if (problem_.sampled)
      for (int i = 0; i < d_; ++i) y[i] += problem_.normal(row, i);
    std::memset(x, 0, static_cast<std::size_t>(order_) * sizeof(Real));
    triangle.solve_transposed(y, inverse, x);
    for (int i = 0; i < d_; ++i) {
      if (!std::isfinite(x[i])) flags |= row_not_finite;
      problem_.store(row, i, x[i]);
    }
    if (flags) problem_.report(flags);
  }

 private:
  /// 16 KiB of them, more only for very many factors.
  static int staged(int order) {
    int const some = 16 * 1024 / (std::max(order, 1) * static_cast<int>(sizeof(Real)));
    return std::clamp(some, int{least_staged}, int{most_staged});
  }

  void sum_chunk(std::int32_t row, std::int64_t begin, std::int64_t end,
                 System const& system) const {
    int const at_once = staged(order_);
    bool fresh = true;
    std::memset(system.right, 0, static_cast<std::size_t>(order_) * sizeof(Real));
    for (std::int64_t e = begin; e < end || fresh; e += at_once) {
      int const terms =
          static_cast<int>(std::min<std::int64_t>(at_once, std::max<std::int64_t>(end - e, 0)));
      Real h[most_staged];
      stage(row, e, terms, h);
      add_right(terms, h, system.right);
      for (int j = 0; j < order_; j += Tile::cols) {
        int const i = j / width * width;
        Tile::template update<false>(system.a + j * system.pitch + i, system.pitch,
                                     (order_ - i) / width, staged_ + i, weighted_ + j, order_,
                                     terms, fresh);
      }
      fresh = false;
    }
  }

  void stage(std::int32_t row, std::int64_t e, int terms, Real* h) const {
    int const f = problem_.factors, whole = f / width * width;
    for (int t = 0; t < terms; ++t) {
      auto const [g, right] = problem_.coefficients(row, e + t);
      h[t] = right;
      Real const* const y = problem_.y + problem_.column(e + t) * problem_.y_pitch;
      Real* const to = staged_ + t * order_;
      for (int i = 0; i < whole; i += width) V::at(to + i) = V::loose(y + i);
      for (int i = whole; i < f; ++i) to[i] = y[i];
      int i = f;
      if (problem_.fits_bias) to[i++] = 1;
      for (; i < order_; ++i) to[i] = 0;
      if (weighted_ != staged_) {
        Real* const by_weight = weighted_ + t * order_;
        Vector const weight = g - Vector{};
        for (i = 0; i < order_; i += width) V::at(by_weight + i) = V::at(to + i) * weight;
      }
    }
  }

  void add_right(int terms, Real const* h, Real* right) const {
    for (int i = 0; i < order_; i += width) {
      Vector sum = V::at(right + i);
      for (int t = 0; t < terms; ++t) {
        Vector factor;
        Spread<Bytes>::run(factor, h + t);
        Tile::Fused::add(sum, V::at(staged_ + t * order_ + i), factor);
      }
      V::at(right + i) = sum;
    }
  }

  void add_common(std::int32_t row, System const& system) const {
    if (problem_.common) {
      for (int j = 0; j < problem_.factors; ++j) {
        Real const* const column = problem_.common + j * problem_.common_pitch;
        Real* const to = system.a + j * system.pitch;
        for (int i = j; i < problem_.factors; ++i)
          to[i] = std::fma(problem_.common_scale, column[i], to[i]);
      }
    }
    Real const regularization = problem_.row_regularization(row);
    for (int i = 0; i < d_; ++i) system.a[i * system.pitch + i] += regularization;
    for (int i = d_; i < order_; ++i) system.a[i * system.pitch + i] = 1;
    if (problem_.common_rhs || problem_.adds)
      for (int i = 0; i < d_; ++i) system.right[i] += problem_.rhs(row, i);
  }

  void hand_over(System const& system) const {
    for (int j = 0; j < d_; ++j) {
      for (int i = j; i < d_; ++i) {
        Real const value = system.a[j * system.pitch + i];
        problem_.gram[static_cast<std::ptrdiff_t>(j) * d_ + i] = value;
        problem_.gram[static_cast<std::ptrdiff_t>(i) * d_ + j] = value;
      }
      if (problem_.sum) problem_.sum[j] = system.right[j];
    }
  }

  RowEquations<Real> const& problem_;
  int d_, order_;
  Real *own_, *chunk_, *vectors_, *staged_, *weighted_;
};

}  // namespace carroll::detail
