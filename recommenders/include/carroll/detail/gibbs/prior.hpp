// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/random.hpp>
#include <carroll/gibbs/types.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::detail {

/// Random numbers of the calling thread by a counter of its own.
class CountedRandom {
 public:
  CountedRandom(std::uint64_t seed, std::uint32_t stream) : seed_(seed), stream_(stream) {}
  double normal() { return random_normal<double>(seed_, stream_, next_++); }
  /// Between 0 and 1, neither of them.
  double uniform() {
    auto const bits = philox(seed_, {static_cast<std::uint32_t>(next_),
                                     static_cast<std::uint32_t>(next_ >> 32U), stream_, 1});
    ++next_;
    std::uint64_t const word = (std::uint64_t{bits[0]} << 32U | bits[1]) >> 11U;
    return (static_cast<double>(word) + 0.5) * 0x1p-53;
  }
  /// Of shape a > 0 and scale 1 (Marsaglia and Tsang, ACM TOMS 26(3), 2000).
  double gamma(double a) {
    if (a < 1) return gamma(a + 1) * std::pow(uniform(), 1 / a);
    double const d = a - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      double const x = normal(), root = 1 + c * x;
      if (root <= 0) continue;
      double const v = root * root * root;
      if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  std::uint64_t next_ = 0;
};

/// A side's normal prior, drawn given its rows: Λ and Λ·μ, by a host's thread in double precision,
/// some k³ operations.
///
/// With N rows of mean x̄ and S = Σ (x - x̄)(x - x̄)ᵀ, the precision is of Wishart(M⁻¹, ν + N),
/// M = scale·I + S + (β·N/(β + N))·x̄·x̄ᵀ, and μ of N(N·x̄/(β + N), ((β + N)·Λ)⁻¹) (Salakhutdinov and
/// Mnih, ICML 2008, eq. 14). With M = C·Cᵀ and Bartlett's triangle A, Λ = B·Bᵀ where Cᵀ·B = A.
class GibbsPrior {
 public:
  explicit GibbsPrior(int k)
      : k_(static_cast<std::size_t>(k)), c_(k_ * k_), a_(k_ * k_), precision(k_ * k_), rhs(k_) {}

  std::vector<double> const& drawn_precision() const { return precision; }

  /// `gram`: Σ x·xᵀ, k×k; `sum`: Σ x.
  template <class Real>
  void draw(std::vector<Real> const& gram, std::vector<Real> const& sum, double rows,
            GibbsOptions const& options, std::uint32_t stream) {
    CountedRandom random(options.seed, stream);
    double const beta = options.mean_weight, all = beta + rows;
    for (std::size_t i = 0; i < k_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        // S + β·N/(β + N)·x̄·x̄ᵀ = Σ x·xᵀ - (Σ x)(Σ x)ᵀ/(β + N)
        double const outer = static_cast<double>(sum[i]) * static_cast<double>(sum[j]) / all;
        at(c_, i, j) = static_cast<double>(gram[i * k_ + j]) - outer + (i == j ? options.scale : 0);
      }
    factor();
    double const freedom = static_cast<double>(k_) + options.extra_freedom + rows;
    for (std::size_t i = 0; i < k_; ++i) {
      for (std::size_t j = 0; j < i; ++j) at(a_, i, j) = random.normal();
      at(a_, i, i) = std::sqrt(2 * random.gamma((freedom - static_cast<double>(i)) / 2));
    }
    // μ = μ* + C·A⁻ᵀ·z/√(β + N)
    std::vector<double> z(k_), mu(k_);
    for (double& x : z) x = random.normal();
    for (std::size_t i = k_; i-- > 0;) {
      for (std::size_t p = i + 1; p < k_; ++p) z[i] -= at(a_, p, i) * z[p];
      z[i] /= at(a_, i, i);
    }
    for (std::size_t i = 0; i < k_; ++i) {
      mu[i] = 0;
      for (std::size_t j = 0; j <= i; ++j) mu[i] += at(c_, i, j) * z[j];
      mu[i] = static_cast<double>(sum[i]) / all + mu[i] / std::sqrt(all);
    }
    make_precision();
    for (std::size_t i = 0; i < k_; ++i) {
      rhs[i] = 0;
      for (std::size_t j = 0; j < k_; ++j) rhs[i] += at(precision, i, j) * mu[j];
    }
  }

 private:
  double& at(std::vector<double>& m, std::size_t i, std::size_t j) const { return m[i * k_ + j]; }

  /// c := its Cholesky factor.
  void factor() {
    for (std::size_t j = 0; j < k_; ++j) {
      for (std::size_t p = 0; p < j; ++p)
        for (std::size_t i = j; i < k_; ++i) at(c_, i, j) -= at(c_, i, p) * at(c_, j, p);
      double const pivot = std::sqrt(at(c_, j, j));
      for (std::size_t i = j; i < k_; ++i) at(c_, i, j) /= pivot;
    }
  }
  /// a := C⁻ᵀ·A, full, and the precision := a·aᵀ.
  void make_precision() {
    for (std::size_t i = 0; i < k_; ++i)
      for (std::size_t j = i + 1; j < k_; ++j) at(a_, i, j) = 0;
    for (std::size_t i = k_; i-- > 0;) {
      for (std::size_t p = i + 1; p < k_; ++p)
        for (std::size_t j = 0; j < k_; ++j) at(a_, i, j) -= at(c_, p, i) * at(a_, p, j);
      for (std::size_t j = 0; j < k_; ++j) at(a_, i, j) /= at(c_, i, i);
    }
    for (std::size_t i = 0; i < k_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::size_t p = 0; p < k_; ++p) dot += at(a_, i, p) * at(a_, j, p);
        at(precision, i, j) = at(precision, j, i) = dot;
      }
  }

  std::size_t k_;
  std::vector<double> c_, a_;

 public:
  std::vector<double> precision;  ///< Λ
  std::vector<double> rhs;        ///< Λ·μ
};

}  // namespace carroll::detail
