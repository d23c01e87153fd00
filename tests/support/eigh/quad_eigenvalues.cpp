// SPDX-License-Identifier: BSD-3-Clause
#include "support/eigh/quad_eigenvalues.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "support/quad.hpp"

namespace carroll::test {
namespace {

/// A symmetric matrix in plain memory: see quad_reference.cpp.
class Symmetric {
 public:
  explicit Symmetric(int n)
      : n_(n), data_(new Quad[static_cast<std::size_t>(n) * static_cast<std::size_t>(n) + 1]) {}
  ~Symmetric() { delete[] data_; }
  Symmetric(Symmetric const&) = delete;
  Symmetric& operator=(Symmetric const&) = delete;

  [[nodiscard]] Quad& operator()(int i, int j) const {
    return data_[static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) +
                 static_cast<std::size_t>(j)];
  }

  /// Annihilates entry (p, q) by a rotation unless it is negligible; says which.
  [[nodiscard]] bool rotate(int p, int q) const {
    Symmetric const& a = *this;
    constexpr Quad eps = static_cast<Quad>(0x1p-110);
    Quad const app = a(p, p), aqq = a(q, q), apq = a(p, q);
    if (apq == 0 || apq * apq <= eps * eps * magnitude(app * aqq)) return false;
    Quad const theta = (aqq - app) / (2 * apq);
    Quad const root = square_root(1 + theta * theta);
    Quad const t = 1 / (theta < 0 ? theta - root : theta + root);
    Quad const c = 1 / square_root(1 + t * t), s = t * c;
    for (int k = 0; k < n_; ++k) {
      if (k == p || k == q) continue;
      Quad const x = a(k, p), y = a(k, q);
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
  Quad* data_;
};

}  // namespace

template <class Real>
std::vector<long double> quad_eigenvalues(HostMatrix<Real> const& A) {
  int const n = A.rows;
  Symmetric const a(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) a(i, j) = a(j, i) = A(i, j);
  bool rotated = true;
  for (int sweep = 0; rotated; ++sweep) {
    if (sweep == 60) throw std::runtime_error("quad_eigenvalues: Jacobi does not converge");
    rotated = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) rotated = a.rotate(p, q) || rotated;
  }
  std::vector<long double> values;
  for (int k = 0; k < n; ++k) values.push_back(static_cast<long double>(a(k, k)));
  std::sort(values.begin(), values.end());
  return values;
}

template std::vector<long double> quad_eigenvalues(HostMatrix<float> const&);
template std::vector<long double> quad_eigenvalues(HostMatrix<double> const&);

}  // namespace carroll::test
