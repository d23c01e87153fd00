// SPDX-License-Identifier: BSD-3-Clause
#include "support/determinant/condition.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "support/quad.hpp"

namespace carroll::test {
namespace {

/// One complex number, or its real part alone.
struct Entry {
  Quad re, im;
};
Quad magnitude(Entry const& x) {
  return (x.re < 0 ? -x.re : x.re) + (x.im < 0 ? -x.im : x.im);
}

/// x·2^e for any e that long double holds, which has the exponents of a quad.
Quad scaled(double x, int e) {
  return static_cast<Quad>(std::scalbn(static_cast<long double>(x), e));
}

/// B := A scaled, then its inverse, in place.
class Inversion {
 public:
  Inversion(HostMatrix<double> const& re, HostMatrix<double> const& im,
            std::vector<int> const& rows, std::vector<int> const& columns)
      : n_(re.rows),
        complex_(im.rows == re.rows && re.rows > 0),
        b_(new Entry[static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_) + 1]) {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        int const e = -rows[static_cast<std::size_t>(i)] - columns[static_cast<std::size_t>(j)];
        row(i)[j] = {scaled(re(i, j), e), complex_ ? scaled(im(i, j), e) : Quad(0)};
      }
    for (int k = 0; k < n_; ++k)
      result_.determinant.exponent +=
          rows[static_cast<std::size_t>(k)] + columns[static_cast<std::size_t>(k)];
  }

  ConditionedDeterminant run() {
    result_.log2_sensitivity = std::numeric_limits<double>::infinity();
    for (int k = 0; k < n_; ++k)
      if (!step(k)) return result_;
    long double sum = n_ == 0 ? 1 : 0;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) sum += static_cast<long double>(magnitude(row(i)[j]));
    result_.log2_sensitivity = static_cast<double>(std::log2(sum));
    return result_;
  }

 private:
  Entry* row(int i) { return b_.get() + static_cast<std::ptrdiff_t>(i) * n_; }

  bool step(int k) {
    int p = k;
    for (int i = k + 1; i < n_; ++i)
      if (magnitude(row(i)[k]) > magnitude(row(p)[k])) p = i;
    if (p != k) {
      for (int j = 0; j < n_; ++j) std::swap(row(k)[j], row(p)[j]);
      result_.determinant.multiply(-1);
    }
    Entry const pivot = row(k)[k];
    result_.determinant.multiply(static_cast<long double>(pivot.re),
                                 static_cast<long double>(pivot.im));
    if (magnitude(pivot) == 0) return false;
    Quad const norm = pivot.re * pivot.re + pivot.im * pivot.im;
    Entry const inverse{pivot.re / norm, -pivot.im / norm};
    row(k)[k] = {Quad(1), Quad(0)};
    for (int j = 0; j < n_; ++j) row(k)[j] = product(row(k)[j], inverse);
    for (int i = 0; i < n_; ++i) {
      if (i == k) continue;
      Entry const factor = row(i)[k];
      row(i)[k] = {Quad(0), Quad(0)};
      if (magnitude(factor) == 0) continue;
      for (int j = 0; j < n_; ++j) {
        Entry const term = product(factor, row(k)[j]);
        row(i)[j].re -= term.re;
        if (complex_) row(i)[j].im -= term.im;
      }
    }
    return true;
  }
  Entry product(Entry const& x, Entry const& y) const {
    if (!complex_) return {x.re * y.re, Quad(0)};
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }

  int n_;
  bool complex_;
  std::unique_ptr<Entry[]> b_;
  ConditionedDeterminant result_{};
};

}  // namespace

ConditionedDeterminant quad_conditioned_determinant(HostMatrix<double> const& re,
                                                    HostMatrix<double> const& im,
                                                    std::vector<int> const& rows,
                                                    std::vector<int> const& columns) {
  return Inversion(re, im, rows, columns).run();
}

}  // namespace carroll::test
