// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/complex_svd/drivers.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

using Wide = std::complex<double>;

/// Quad precision takes too long beyond.
constexpr int most_in_quad = 20;

/// A·2^-down in double.
template <class Real>
HostMatrix<Wide> widened(ComplexMatrix<Real> const& A, int down = 0) {
  HostMatrix<Wide> W(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k)
    W.data[k] = {std::ldexp(static_cast<double>(A.data[k].real()), -down),
                 std::ldexp(static_cast<double>(A.data[k].imag()), -down)};
  return W;
}

template <class Real>
int exponent_of_largest(ComplexMatrix<Real> const& A) {
  Real largest = 0;
  for (auto const& z : A.data)
    largest = std::max({largest, std::abs(z.real()), std::abs(z.imag())});
  return largest > 0 ? std::ilogb(largest) : 0;
}

/// ‖I - QᴴQ‖₁ / (rows·ε)
template <class Real>
double orthogonality(ComplexMatrix<Real> const& Q) {
  auto const W = widened(Q);
  double worst = 0;
  for (int j = 0; j < Q.cols; ++j) {
    double sum = 0;
    for (int i = 0; i < Q.cols; ++i) {
      Wide dot = i == j ? -1 : 0;
      for (int k = 0; k < Q.rows; ++k) dot += std::conj(W(k, i)) * W(k, j);
      sum += std::abs(dot);
    }
    worst = std::max(worst, sum);
  }
  return worst / (std::max(Q.rows, 1) * epsilon<Real>);
}

/// ‖A - U·S·Vᴴ‖₁ / (max(m, n)·‖A‖₁·ε); S may be rounded to subnormal numbers.
template <class Real>
double residual(ComplexMatrix<Real> const& A, HostComplexSvd<Real> const& result) {
  int const down = exponent_of_largest(A);
  auto const a = widened(A, down), U = widened(result.U), V = widened(result.V);
  std::vector<double> sigma;
  for (Real const s : result.S) sigma.push_back(std::ldexp(static_cast<double>(s), -down));
  double worst = 0, norm = 0;
  for (int j = 0; j < A.cols; ++j) {
    double sum = 0, length = 0;
    for (int i = 0; i < A.rows; ++i) {
      Wide left = a(i, j);
      length += std::abs(left);
      for (std::size_t k = 0; k < sigma.size(); ++k) {
        int const c = static_cast<int>(k);
        left -= U(i, c) * std::conj(V(j, c)) * sigma[k];
      }
      sum += std::abs(left);
    }
    worst = std::max(worst, sum);
    norm = std::max(norm, length);
  }
  if (norm == 0) return worst == 0 ? 0 : std::numeric_limits<double>::infinity();
  double const rounded =
      std::ldexp(static_cast<double>(std::numeric_limits<Real>::denorm_min()), -down);
  return worst / (std::max(A.rows, A.cols) * norm * epsilon<Real> +
                  static_cast<double>(sigma.size()) * rounded);
}

/// [Re -Im; Im Re], which has each singular value of A twice.
template <class Real>
HostMatrix<Real> embedded(ComplexMatrix<Real> const& A) {
  HostMatrix<Real> R(2 * A.rows, 2 * A.cols);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) {
      R(i, j) = R(A.rows + i, A.cols + j) = A(i, j).real();
      R(A.rows + i, j) = A(i, j).imag();
      R(i, A.cols + j) = -A(i, j).imag();
    }
  return R;
}

}  // namespace

template <class Real>
std::string what_is_wrong(ComplexMatrix<Real> const& A, HostComplexSvd<Real> const& result,
                          bool relative) {
  std::ostringstream wrong;
  auto const expect = [&](double value, double bar, char const* what) {
    if (!(value <= bar)) wrong << what << " is " << value << ", allowed " << bar << "; ";
  };
  if (result.info.status != Status::success)
    wrong << "status " << static_cast<int>(result.info.status) << "; ";
  if (!result.guarded) wrong << "written beside the outputs; ";
  for (std::size_t k = 0; k < result.S.size(); ++k)
    if (!(result.S[k] >= 0) || (k > 0 && !(result.S[k] <= result.S[k - 1])))
      wrong << "S(" << k << ") is " << result.S[k] << "; ";
  if (result.U.cols > 0) expect(orthogonality(result.U), ratio_bar, "U's orthogonality");
  if (result.V.cols > 0) expect(orthogonality(result.V), ratio_bar, "V's orthogonality");
  if (result.U.cols > 0 && result.V.cols > 0) expect(residual(A, result), ratio_bar, "residual");
  int const least = std::min(A.rows, A.cols);
  // The matrix that has them twice is twice as large.
  if (least > 0 && least <= most_in_quad) {
    auto const exact =
        relative ? quad_singular_values(embedded(A)) : extended_singular_values(embedded(A));
    double const first = static_cast<double>(exact[0]);
    for (int k = 0; k < least; ++k) {
      auto const at = static_cast<std::size_t>(k);
      auto const sigma = static_cast<double>(exact[2 * at]);
      double const allowed = relative
                                 ? relative_sigma_tolerance<Real>(least) * sigma
                                 : absolute_sigma_tolerance<Real>(2 * std::max(least, 2), first) +
                                       static_cast<double>(std::numeric_limits<Real>::denorm_min());
      expect(std::abs(static_cast<double>(result.S[at]) - sigma), allowed,
             ("S(" + std::to_string(k) + ")'s error").c_str());
    }
  }
  return wrong.str();
}

template <class Real>
bool same_result(HostComplexSvd<Real> const& a, HostComplexSvd<Real> const& b) {
  auto const same_if_there = [](auto const& x, auto const& y) {
    int const cols = std::min(x.cols, y.cols);
    return cols == 0 ||
           (x.rows == y.rows && std::memcmp(x.data.data(), y.data.data(),
                                            sizeof(x.data[0]) * static_cast<std::size_t>(x.rows) *
                                                static_cast<std::size_t>(cols)) == 0);
  };
  return same_bits(a.S, b.S) && same_if_there(a.U, b.U) && same_if_there(a.V, b.V) &&
         a.info.status == b.info.status && a.info.sweeps == b.info.sweeps &&
         a.info.rotations == b.info.rotations && a.info.rank == b.info.rank &&
         std::memcmp(&a.info.max_cosine, &b.info.max_cosine, sizeof(Real)) == 0;
}

template <class Real>
ComplexMatrix<Real> random_complex(Random& random, int rows, int cols) {
  ComplexMatrix<Real> A(rows, cols);
  for (auto& z : A.data) {
    double const re = random.normal(), im = random.normal();
    z = {static_cast<Real>(re), static_cast<Real>(im)};
  }
  return A;
}

template <class Real>
ComplexMatrix<Real> scaled_columns(ComplexMatrix<Real> A, std::vector<int> const& exponents) {
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) {
      int const e = exponents[static_cast<std::size_t>(j)];
      A(i, j) = {std::ldexp(A(i, j).real(), e), std::ldexp(A(i, j).imag(), e)};
    }
  return A;
}

template <class Real>
ComplexMatrix<Real> conjugate_transposed(ComplexMatrix<Real> const& A) {
  auto T = transposed(A);
  for (auto& z : T.data) z = std::conj(z);
  return T;
}

#define CARROLL_TEST_COMPLEX(Real)                                                            \
  template std::string what_is_wrong(ComplexMatrix<Real> const&, HostComplexSvd<Real> const&, \
                                     bool);                                                   \
  template bool same_result(HostComplexSvd<Real> const&, HostComplexSvd<Real> const&);        \
  template ComplexMatrix<Real> random_complex(Random&, int, int);                             \
  template ComplexMatrix<Real> scaled_columns(ComplexMatrix<Real>, std::vector<int> const&);  \
  template ComplexMatrix<Real> conjugate_transposed(ComplexMatrix<Real> const&)
CARROLL_TEST_COMPLEX(float);
CARROLL_TEST_COMPLEX(double);

}  // namespace carroll::test
