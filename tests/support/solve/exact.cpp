// SPDX-License-Identifier: BSD-3-Clause
#include "support/solve/exact.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "support/quad.hpp"

#ifdef CARROLL_TEST_HAVE_LAPACKE
#include <lapacke.h>
#endif

namespace carroll::test {
namespace {

/// e with 2^(e-1) <= |x| < 2^e.
template <class Real>
int exponent_of_entry(Real x) {
  return std::ilogb(x) + 1;
}

/// Exponents of the largest entries of rows and of columns; zeros do not count.
template <class Real>
void measure_lines(HostMatrix<Real> const& A, std::vector<int>& rows, std::vector<int>& cols) {
  constexpr int none = std::numeric_limits<int>::min();
  rows.assign(static_cast<std::size_t>(A.rows), none);
  cols.assign(static_cast<std::size_t>(A.cols), none);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) {
      if (A(i, j) == 0) continue;
      int const e = exponent_of_entry(A(i, j));
      int &row = rows[static_cast<std::size_t>(i)], &col = cols[static_cast<std::size_t>(j)];
      row = std::max(row, e);
      col = std::max(col, e);
    }
}

bool is_even(std::vector<int> const& exponents) {
  auto const [least, most] = std::minmax_element(exponents.begin(), exponents.end());
  return *most - *least < 5;
}

/// Powers of two of rows and columns. False: a row or column is zero.
template <class Real>
bool choose_scales(HostMatrix<Real> const& A, ExactSolution& found) {
  constexpr int none = std::numeric_limits<int>::min();
  std::vector<int> rows, cols;
  measure_lines(A, rows, cols);
  found.rows.assign(rows.size(), 0);
  found.cols.assign(cols.size(), 0);
  if (std::count(rows.begin(), rows.end(), none) + std::count(cols.begin(), cols.end(), none) > 0)
    return false;
  if (is_even(rows) && is_even(cols)) return true;
  for (std::size_t j = 0; j < cols.size(); ++j) found.cols[j] = -cols[j];
  for (int i = 0; i < A.rows; ++i) {
    int most = none;
    for (int j = 0; j < A.cols; ++j)
      if (A(i, j) != 0)
        most = std::max(most, exponent_of_entry(A(i, j)) + found.cols[static_cast<std::size_t>(j)]);
    found.rows[static_cast<std::size_t>(i)] = -most;
  }
  return true;
}

template <class Number>
Number times_power(Number x, int e) {
  for (; e > 0; e -= std::min(e, 60)) x *= static_cast<Number>(std::ldexp(1.0, std::min(e, 60)));
  for (; e < 0; e += std::min(-e, 60)) x /= static_cast<Number>(std::ldexp(1.0, std::min(-e, 60)));
  return x;
}

/// Rows of [A | B | I] of one system, in plain memory: see quad_reference.cpp.
template <class Number>
class Tableau {
 public:
  Tableau(int n, int cols)
      : n_(n),
        cols_(cols),
        data_(new Number[static_cast<std::size_t>(n) * static_cast<std::size_t>(cols) + 1]),
        filled_(new int[static_cast<std::size_t>(cols) + 1]) {}
  ~Tableau() {
    delete[] data_;
    delete[] filled_;
  }
  Tableau(Tableau const&) = delete;
  Tableau& operator=(Tableau const&) = delete;

  [[nodiscard]] Number& operator()(int i, int j) const {
    return data_[static_cast<std::size_t>(i) * static_cast<std::size_t>(cols_) +
                 static_cast<std::size_t>(j)];
  }

  /// The first n columns become those of the identity, of a matrix of that norm. Returns how many
  /// times that their entries were at most on the way; 0: nothing but rounding was left.
  [[nodiscard]] Number reduce(Number norm) const {
    Tableau const& t = *this;
    Number const least = norm * static_cast<Number>(std::ldexp(1.0, 13 - significand_of<Number>));
    Number most = norm;
    for (int k = 0; k < n_; ++k) {
      int p = k;
      for (int i = k + 1; i < n_; ++i)
        if (magnitude(t(i, k)) > magnitude(t(p, k))) p = i;
      Number const pivot = t(p, k);
      if (magnitude(pivot) <= least) return 0;
      int filled = 0;
      for (int j = k; j < cols_; ++j) {
        Number const kept = t(p, j);
        t(p, j) = t(k, j);
        t(k, j) = kept / pivot;
        if (kept != 0) filled_[filled++] = j;
      }
      for (int i = 0; i < n_; ++i) {
        Number const factor = t(i, k);
        if (i == k || factor == 0) continue;
        for (int l = 0; l < filled; ++l) t(i, filled_[l]) -= factor * t(k, filled_[l]);
        for (int j = k + 1; j < n_; ++j) most = std::max(most, magnitude(t(i, j)));
      }
    }
    return most / norm;
  }

 private:
  int n_, cols_;
  Number* data_;
  int* filled_;  ///< columns where the row that is taken off has something
};

/// Solves the system, scaled as `found` says. Returns an estimate of the errors, relative to what
/// is right: of 1/rcond, and of X in the norm; 1 where there is no good one.
template <class Number, class Real>
double solve_in(HostMatrix<Real> const& A, HostMatrix<Real> const& B, bool pairs,
                ExactSolution& found) {
  int const n = A.rows, columns = B.cols, order = pairs ? n / 2 : n;
  auto const row = [&](int i) { return found.rows[static_cast<std::size_t>(i)]; };
  auto const col = [&](int j) { return found.cols[static_cast<std::size_t>(j)]; };
  Tableau<Number> const t(n, n + columns + n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      t(i, j) = times_power(static_cast<Number>(A(i, j)), row(i) + col(j));
      t(i, n + columns + j) = i == j ? 1 : 0;
    }
  // Of the columns from `first` on.
  auto const one_norm = [&](int first) {
    Number norm = 0;
    for (int j = first; j < first + order; ++j) {
      Number sum = 0;
      for (int i = 0; i < order; ++i)
        sum += pairs ? square_root(t(i, j) * t(i, j) + t(order + i, j) * t(order + i, j))
                     : magnitude(t(i, j));
      norm = sum > norm ? sum : norm;
    }
    return norm;
  };
  Number const norm = one_norm(0);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < n; ++i) t(i, n + j) = times_power(static_cast<Number>(B(i, j)), row(i));
  Number const growth = t.reduce(norm);
  found.singular = growth == 0;
  if (found.singular) return 1;
  found.rcond = static_cast<double>(1 / norm / one_norm(n + columns));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j)
      found.X(i, j) = static_cast<long double>(times_power(t(i, n + j), col(i)));
  if (growth > 1000) return 1;
  return n * std::ldexp(static_cast<double>(growth), -significand_of<Number>) / found.rcond;
}

}  // namespace

template <class Real>
ExactSolution exact_solution(HostMatrix<Real> const& A, HostMatrix<Real> const& B, bool pairs) {
  ExactSolution found;
  found.X = HostMatrix<long double>(A.rows, B.cols);
  found.rcond = 1;
  if (A.rows == 0) return found;
  found.singular = !choose_scales(A, found);
  if (found.singular) return found;
  // 64 bits, in a twentieth of the time, where that is as good as exact.
  constexpr double as_good_as_exact = 1e-7;
  if (!(solve_in<Extended>(A, B, pairs, found) < as_good_as_exact))
    solve_in<Quad>(A, B, pairs, found);
  return found;
}

#ifdef CARROLL_TEST_HAVE_LAPACKE
namespace {

lapack_complex_float* of_lapack(std::complex<float>* z) {
  return reinterpret_cast<lapack_complex_float*>(z);
}
lapack_complex_double* of_lapack(std::complex<double>* z) {
  return reinterpret_cast<lapack_complex_double*>(z);
}

lapack_int gesv(int n, int k, double* a, lapack_int* pivots, double* b) {
  return LAPACKE_dgesv(LAPACK_COL_MAJOR, n, k, a, n, pivots, b, n);
}
lapack_int gesv(int n, int k, std::complex<float>* a, lapack_int* pivots, std::complex<float>* b) {
  return LAPACKE_cgesv(LAPACK_COL_MAJOR, n, k, of_lapack(a), n, pivots, of_lapack(b), n);
}
lapack_int gesv(int n, int k, std::complex<double>* a, lapack_int* pivots,
                std::complex<double>* b) {
  return LAPACKE_zgesv(LAPACK_COL_MAJOR, n, k, of_lapack(a), n, pivots, of_lapack(b), n);
}
lapack_int gesv(int n, int k, float* a, lapack_int* pivots, float* b) {
  return LAPACKE_sgesv(LAPACK_COL_MAJOR, n, k, a, n, pivots, b, n);
}
void getrs(char form, int n, std::complex<float>* lu, lapack_int const* pivots,
           std::complex<float>* x) {
  LAPACKE_cgetrs(LAPACK_COL_MAJOR, form, n, 1, of_lapack(lu), n, pivots, of_lapack(x), n);
}
void getrs(char form, int n, std::complex<double>* lu, lapack_int const* pivots,
           std::complex<double>* x) {
  LAPACKE_zgetrs(LAPACK_COL_MAJOR, form, n, 1, of_lapack(lu), n, pivots, of_lapack(x), n);
}
void getrs(char form, int n, double const* lu, lapack_int const* pivots, double* x) {
  LAPACKE_dgetrs(LAPACK_COL_MAJOR, form, n, 1, lu, n, pivots, x, n);
}
void getrs(char form, int n, float const* lu, lapack_int const* pivots, float* x) {
  LAPACKE_sgetrs(LAPACK_COL_MAJOR, form, n, 1, lu, n, pivots, x, n);
}
void lacn2(int n, double* v, double* x, lapack_int* signs, double* estimate, lapack_int* wanted,
           lapack_int* state) {
  LAPACKE_dlacn2(n, v, x, signs, estimate, wanted, state);
}
void lacn2(int n, float* v, float* x, lapack_int* signs, float* estimate, lapack_int* wanted,
           lapack_int* state) {
  LAPACKE_slacn2(n, v, x, signs, estimate, wanted, state);
}
void lacn2(int n, std::complex<double>* v, std::complex<double>* x, lapack_int*, double* estimate,
           lapack_int* wanted, lapack_int* state) {
  LAPACKE_zlacn2(n, of_lapack(v), of_lapack(x), estimate, wanted, state);
}
void lacn2(int n, std::complex<float>* v, std::complex<float>* x, lapack_int*, float* estimate,
           lapack_int* wanted, lapack_int* state) {
  LAPACKE_clacn2(n, of_lapack(v), of_lapack(x), estimate, wanted, state);
}

template <class T>
using ModulusOf = decltype(std::abs(T()));

/// Of ‖A⁻¹‖₁.
template <class T>
ModulusOf<T> inverse_norm(int n, T* lu, lapack_int const* pivots) {
  constexpr bool real = std::is_same_v<T, ModulusOf<T>>;
  auto const size = static_cast<std::size_t>(n);
  std::vector<T> v(size), x(size);
  std::vector<lapack_int> signs(size);
  lapack_int wanted = 0, state[3] = {};
  ModulusOf<T> estimate = 0;
  for (;;) {
    lacn2(n, v.data(), x.data(), signs.data(), &estimate, &wanted, state);
    if (wanted == 0) return estimate;
    getrs(wanted == 1 ? 'N' : real ? 'T' : 'C', n, lu, pivots, x.data());
  }
}

}  // namespace

template <class T>
std::optional<LapackSolution<T>> lapack_solution(HostMatrix<T> A, HostMatrix<T> B) {
  using Real = ModulusOf<T>;
  int const n = A.rows;
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  Real norm = 0;
  for (int j = 0; j < n; ++j) {
    Real sum = 0;
    for (int i = 0; i < n; ++i) sum += std::abs(A(i, j));
    norm = std::max(norm, sum);
  }
  LapackSolution<T> found;
  found.singular = gesv(n, B.cols, A.data.data(), pivots.data(), B.data.data()) > 0;
  if (n > 0 && !found.singular)
    found.rcond = 1 / norm / inverse_norm(n, A.data.data(), pivots.data());
  found.X = std::move(B);
  return found;
}
#else
template <class T>
std::optional<LapackSolution<T>> lapack_solution(HostMatrix<T>, HostMatrix<T>) {
  return std::nullopt;
}
#endif

#define CARROLL_TEST_INSTANTIATE(Real)                                                           \
  template ExactSolution exact_solution(HostMatrix<Real> const&, HostMatrix<Real> const&, bool); \
  template std::optional<LapackSolution<Real>> lapack_solution(HostMatrix<Real>,                 \
                                                               HostMatrix<Real>);                \
  template std::optional<LapackSolution<std::complex<Real>>> lapack_solution(                    \
      HostMatrix<std::complex<Real>>, HostMatrix<std::complex<Real>>)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
