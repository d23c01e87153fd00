// SPDX-License-Identifier: BSD-3-Clause
#include "support/blas/slow_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace carroll::test {

namespace {

/// A sum, what it has lost where that is kept, and the scale of squares: (high + low)·4^scale.
template <class Real>
struct Amount {
  Real high = Real(-0.0), low = 0;
  int scale = 0;
};

template <class Real>
class SlowTree {
  using A = Amount<Real>;

 public:
  explicit SlowTree(SlowProblem<Real> const& problem) : p_(problem) {}

  SlowResult<Real> result() {
    long const reals = static_cast<long>(p_.x.size());
    if (p_.reduction == SlowReduction::max_abs) return largest();
    long const per_chunk = 1024L * p_.parts;
    chunks_ = (reals + per_chunk - 1) / per_chunk;
    switch (p_.reduction) {
      case SlowReduction::dot: return dot();
      case SlowReduction::norm2: return norm();
      case SlowReduction::asum: return finished({value(total(0, 1, false)), 0});
      default:
        if (p_.parts == 1) return finished({value(total(0, 1, false)), 0});
        return finished({value(total(0, 2, false)), value(total(1, 2, false))});
    }
  }

 private:
  // --- of two sums

  static void count_in(A& sum, Real x, bool compensated) {
    Real const before = sum.high, after = before + x;
    if (compensated) {
      Real const of_x = after - before, of_sum = after - of_x;
      Real const lost = (before - of_sum) + (x - of_x);
      sum.low = sum.low + lost;
    }
    sum.high = after;
  }
  void count_product(A& sum, Real x, Real y) const {
    Real const product = x * y;
    count_in(sum, product, p_.compensated);
    if (p_.compensated) sum.low = sum.low + std::fma(x, y, -product);
  }
  A joined(A left, A right) const {
    if (left.scale != right.scale) {
      if (value(right) == 0) return left;
      if (value(left) == 0) return right;
      int const twice = std::max(size(left), size(right));
      int const common = twice >= 0 ? twice / 2 : -((1 - twice) / 2);
      left = moved(left, common);
      right = moved(right, common);
    }
    A result{left.high, 0, left.scale};
    count_in(result, right.high, p_.compensated);
    result.low = result.low + (left.low + right.low);
    return result;
  }
  static int size(A const& sum) {
    Real const x = value_of(sum);
    int e = std::numeric_limits<Real>::max_exponent + 1;
    if (std::isfinite(x)) std::frexp(x, &e);
    return e + 2 * sum.scale;
  }
  static A moved(A const& sum, int scale) {
    int const by = 2 * (sum.scale - scale);
    return {std::ldexp(sum.high, by), std::ldexp(sum.low, by), scale};
  }
  static Real value_of(A const& sum) {
    return std::isfinite(sum.low) ? sum.high + sum.low : sum.high;
  }
  Real value(A const& sum) const { return p_.compensated ? value_of(sum) : sum.high; }

  // --- the tree

  /// Entries of a row, and real numbers.
  [[nodiscard]] int row() const {
    return (p_.parts == 1 && sizeof(Real) == 4 ? 64 : 32) * p_.parts;
  }

  /// Of lane `lane`, row by row; exponent: entries are divided by 2^that.
  A lane_sum(long chunk, int lane, bool crossed, int exponent) const {
    A sum;
    for (int first = 0; first < 1024 * p_.parts; first += row()) {
      auto const i = static_cast<std::size_t>(chunk * 1024 * p_.parts + first + lane);
      if (i >= p_.x.size()) break;
      Real const x = std::ldexp(p_.x[i], -exponent);
      switch (p_.reduction) {
        case SlowReduction::dot: count_product(sum, x, p_.y[crossed ? i ^ 1U : i]); break;
        case SlowReduction::norm2: count_product(sum, x, x); break;
        case SlowReduction::asum: count_in(sum, std::abs(x), p_.compensated); break;
        default: count_in(sum, x, p_.compensated);
      }
    }
    return sum;
  }
  /// What lane `lane` has once `width` of them are left.
  A halved(long chunk, int lane, int width, bool crossed, int exponent) const {
    if (width == row()) return lane_sum(chunk, lane, crossed, exponent);
    return joined(halved(chunk, lane, 2 * width, crossed, exponent),
                  halved(chunk, lane + width, 2 * width, crossed, exponent));
  }
  A chunk_sum(long chunk, int lane, int kept, bool crossed) const {
    A sum = halved(chunk, lane, kept, crossed, 0);
    if (p_.reduction != SlowReduction::norm2) return sum;
    bool const single = sizeof(Real) == 4;
    Real const squares = value(sum);
    if (squares >= std::ldexp(Real(1), single ? -60 : -900) &&
        squares <= std::ldexp(Real(1), single ? 90 : 980))
      return sum;
    Real const most = largest_of(chunk * 1024 * p_.parts, 1024 * p_.parts);
    if (most == 0) return {};
    if (!std::isfinite(most)) return {most, 0, 0};
    int exponent = 0;
    std::frexp(most, &exponent);
    sum = halved(chunk, lane, kept, crossed, exponent);
    sum.scale = exponent;
    return sum;
  }
  /// Of chunks first, …: as many on the left as a power of two allows.
  A pairs(long first, long count, int lane, int kept, bool crossed) const {
    if (count == 1) return chunk_sum(first, lane, kept, crossed);
    long left = 1;
    while (2 * left < count) left *= 2;
    return joined(pairs(first, left, lane, kept, crossed),
                  pairs(first + left, count - left, lane, kept, crossed));
  }
  A total(int lane, int kept, bool crossed) const {
    return chunks_ == 0 ? A{} : pairs(0, chunks_, lane, kept, crossed);
  }

  // --- results

  static SlowResult<Real> finished(std::array<Real, 2> value) {
    SlowResult<Real> result;
    for (Real& x : value) {
      result.finite = result.finite && std::isfinite(x);
      x = std::isnan(x) ? std::numeric_limits<Real>::quiet_NaN() : x + Real(0);
    }
    result.value = value;
    return result;
  }
  static A negated(A const& sum) { return {-sum.high, -sum.low, sum.scale}; }

  SlowResult<Real> dot() const {
    if (p_.parts == 1) return finished({value(total(0, 1, false)), 0});
    A const rr = total(0, 2, false), ii = total(1, 2, false);
    A const ri = total(0, 2, true), ir = total(1, 2, true);
    return finished({value(joined(rr, p_.conjugate ? ii : negated(ii))),
                     value(joined(ri, p_.conjugate ? negated(ir) : ir))});
  }
  SlowResult<Real> norm() const {
    A const sum = total(0, 1, false);
    Real const squares = std::abs(value(sum));
    auto result = finished({std::ldexp(std::sqrt(squares), sum.scale), 0});
    result.overflow = !result.finite && std::isfinite(squares);
    return result;
  }
  [[nodiscard]] Real largest_of(long first, long count) const {
    Real most = 0;
    bool nan = false;
    auto const end = std::min(static_cast<std::size_t>(first + count), p_.x.size());
    for (auto i = static_cast<std::size_t>(first); i < end; ++i) {
      nan = nan || std::isnan(p_.x[i]);
      most = std::max(most, std::abs(p_.x[i]));
    }
    return nan ? std::numeric_limits<Real>::quiet_NaN() : most;
  }
  [[nodiscard]] SlowResult<Real> largest() const {
    return finished({largest_of(0, static_cast<long>(p_.x.size())), 0});
  }

  SlowProblem<Real> const& p_;
  long chunks_ = 0;
};

}  // namespace

template <class Real>
SlowResult<Real> slow_tree(SlowProblem<Real> const& problem) {
  return SlowTree<Real>(problem).result();
}
template SlowResult<float> slow_tree(SlowProblem<float> const&);
template SlowResult<double> slow_tree(SlowProblem<double> const&);

}  // namespace carroll::test
