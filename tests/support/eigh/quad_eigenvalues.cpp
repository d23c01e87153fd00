// SPDX-License-Identifier: BSD-3-Clause
#include "support/eigh/quad_eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "support/quad.hpp"

namespace carroll::test {
namespace {

/// A symmetric matrix in plain memory: see quad_reference.cpp.
template <class Number>
class Symmetric {
 public:
  explicit Symmetric(int n)
      : n_(n), data_(new Number[static_cast<std::size_t>(n) * static_cast<std::size_t>(n) + 1]) {}
  ~Symmetric() { delete[] data_; }
  Symmetric(Symmetric const&) = delete;
  Symmetric& operator=(Symmetric const&) = delete;

  [[nodiscard]] Number& operator()(int i, int j) const {
    return data_[static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) +
                 static_cast<std::size_t>(j)];
  }

  /// Annihilates entry (p, q) by a rotation unless it is negligible; says which.
  [[nodiscard]] bool rotate(int p, int q) const {
    Symmetric const& a = *this;
    Number const eps = std::ldexp(1.0, 3 - significand_of<Number>);
    Number const app = a(p, p), aqq = a(q, q), apq = a(p, q);
    if (apq == 0 || apq * apq <= eps * eps * magnitude(app * aqq)) return false;
    Number const theta = (aqq - app) / (2 * apq);
    Number const root = square_root(1 + theta * theta);
    Number const t = 1 / (theta < 0 ? theta - root : theta + root);
    Number const c = 1 / square_root(1 + t * t), s = t * c;
    for (int k = 0; k < n_; ++k) {
      if (k == p || k == q) continue;
      Number const x = a(k, p), y = a(k, q);
      a(k, p) = a(p, k) = c * x - s * y;
      a(k, q) = a(q, k) = s * x + c * y;
    }
    a(p, p) = app - t * apq;
    a(q, q) = aqq + t * apq;
    a(p, q) = a(q, p) = 0;
    return true;
  }

 private:
  int n_;
  Number* data_;
};

template <class Number, class Real>
std::vector<long double> eigenvalues_in(HostMatrix<Real> const& A) {
  int const n = A.rows;
  Symmetric<Number> const a(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) a(i, j) = a(j, i) = A(i, j);
  bool rotated = true;
  for (int sweep = 0; rotated; ++sweep) {
    if (sweep == 60) throw std::runtime_error("oracle of eigenvalues: Jacobi does not converge");
    rotated = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) rotated = a.rotate(p, q) || rotated;
  }
  std::vector<long double> values;
  for (int k = 0; k < n; ++k) values.push_back(static_cast<long double>(a(k, k)));
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

template <class Real>
std::vector<long double> quad_eigenvalues(HostMatrix<Real> const& A) {
  return eigenvalues_in<Quad>(A);
}
template <class Real>
std::vector<long double> extended_eigenvalues(HostMatrix<Real> const& A) {
  return eigenvalues_in<Extended>(A);
}

#define CARROLL_TEST_INSTANTIATE(Real)                                         \
  template std::vector<long double> quad_eigenvalues(HostMatrix<Real> const&); \
  template std::vector<long double> extended_eigenvalues(HostMatrix<Real> const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
