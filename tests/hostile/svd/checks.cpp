// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/svd/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ios>
#include <limits>
#include <sstream>

#include "support/svd/lapack_oracle.hpp"
#include "support/svd/quad_reference.hpp"
#include "support/svd/ratios.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

/// Small enough for an oracle of more bits than double precision, and, if it is graded, of 113, in
/// which every singular value of a graded matrix is right.
template <class Real>
bool has_long_reference(HostMatrix<Real> const& A) {
  return std::min(A.rows, A.cols) <= 6 && std::max(A.rows, A.cols) <= 40;
}

/// The matrix 2^-k times as large, and values for its factors: those of S, or, where σ₁ is beyond
/// the range, those that the vectors tell.
template <class Real>
SvdRatios scaled_ratios(HostMatrix<Real> const& A, HostSvd<Real> const& result) {
  if (result.info.status != carroll::Status::overflow)
    return svd_ratios(A, result.U, result.S, result.V);
  auto const small = scaled_by_power_of_two(A, -20);
  std::vector<Real> values;
  for (std::size_t k = 0; k < result.S.size(); ++k) {
    long double sum = 0;
    for (int j = 0; j < A.cols; ++j) {
      long double dot = 0;
      for (int i = 0; i < A.rows; ++i)
        dot += static_cast<long double>(result.U(i, static_cast<int>(k))) *
               static_cast<long double>(small(i, j));
      sum += dot * static_cast<long double>(result.V(j, static_cast<int>(k)));
    }
    values.push_back(static_cast<Real>(sum));
  }
  auto ratios = svd_ratios(small, result.U, values, result.V);
  ratios.descending = is_descending(result.S);
  return ratios;
}

/// Reference values, in long double for the sake of the range; none if there is no oracle for A.
template <class Real>
std::vector<long double> reference_values(HostMatrix<Real> const& A, bool graded) {
  if (has_long_reference(A)) return graded ? quad_singular_values(A) : extended_singular_values(A);
  // LAPACK in double, of a matrix near 1.
  double largest = 0;
  for (Real const x : A.data) largest = std::max(largest, std::abs(static_cast<double>(x)));
  int exponent = 0;
  if (largest > 0) std::frexp(largest, &exponent);
  HostMatrix<double> near_one(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k)
    near_one.data[k] = std::ldexp(static_cast<double>(A.data[k]), -exponent);
  auto const S = lapack_singular_values(LapackDriver::gesdd, std::move(near_one));
  std::vector<long double> values;
  if (S)
    for (double const x : *S) values.push_back(std::ldexp(static_cast<long double>(x), exponent));
  return values;
}

template <class Real>
std::string values_differ(HostileMatrix<Real> const& matrix, HostSvd<Real> const& result,
                          SvdOptions const& options) {
  HostMatrix<Real> const& A = matrix.A;
  auto const reference = reference_values(A, matrix.graded);
  if (reference.empty()) return "";
  int const least = std::min(A.rows, A.cols);
  auto const most = static_cast<long double>(std::numeric_limits<Real>::max());
  auto const grid = static_cast<long double>(std::numeric_limits<Real>::denorm_min());
  bool const relative = matrix.graded && has_long_reference(A) &&
                        options.method == carroll::SvdMethod::preconditioned;
  for (std::size_t k = 0; k < reference.size(); ++k) {
    long double const exact = reference[k];
    auto const S = static_cast<long double>(result.S[k]);
    // Beyond the range or on its verge.
    if (std::isinf(result.S[k]) && exact > most * (1 - 1e-5L)) continue;
    long double const unit = relative ? exact : reference.front();
    long double const allowed =
        (relative ? static_cast<long double>(relative_sigma_tolerance<Real>(least))
                  : 10.0L * std::max(A.rows, A.cols) * epsilon<Real>)*unit +
        grid;
    if (std::abs(S - exact) <= allowed) continue;
    std::ostringstream text;
    text << "S(" << k << ") = " << result.S[k] << ", is " << exact << ", off by "
         << std::abs(S - exact) / allowed << " times what is allowed"
         << (relative ? " (relative)" : "");
    return text.str();
  }
  bool const overflows = result.info.status == carroll::Status::overflow;
  if (overflows && reference.front() < most * (1 - 1e-5L)) return "overflow without one";
  return "";
}

template <class Real>
bool rank_is_right(HostMatrix<Real> const& A, HostSvd<Real> const& result) {
  if (result.S.empty()) return result.info.rank == 0;
  double const limit = std::max(A.rows, A.cols) * epsilon<Real> * double(result.S.front());
  if (!std::isfinite(limit) ||
      (limit < double(std::numeric_limits<Real>::min()) && result.S.front() > 0))
    return true;
  int surely = 0, perhaps = 0;
  for (Real const sigma : result.S) {
    surely += double(sigma) > limit * (1 + 8 * epsilon<Real>) ? 1 : 0;
    perhaps += double(sigma) > limit * (1 - 8 * epsilon<Real>) ? 1 : 0;
  }
  return surely <= result.info.rank && result.info.rank <= perhaps;
}

template <class Real>
bool same_columns(HostMatrix<Real> const& A, HostMatrix<Real> const& B) {
  return A.rows == B.rows &&
         std::memcmp(A.data.data(), B.data.data(),
                     std::min(A.data.size(), B.data.size()) * sizeof(Real)) == 0;
}

/// The first entry that differs.
template <class Real>
std::string first_other(HostMatrix<Real> const& A, HostMatrix<Real> const& B) {
  for (int j = 0; j < std::min(A.cols, B.cols); ++j)
    for (int i = 0; i < A.rows; ++i) {
      Real const a = A(i, j), b = B(i, j);
      if (std::memcmp(&a, &b, sizeof(Real)) == 0) continue;
      std::ostringstream text;
      text << '(' << i << ", " << j << ") = " << std::hexfloat << a << '/' << b;
      return text.str();
    }
  return "";
}

}  // namespace

template <class Real>
std::string what_is_wrong(HostileMatrix<Real> const& matrix, HostSvd<Real> const& result,
                          SvdOptions const& options, bool with_values) {
  HostMatrix<Real> const& A = matrix.A;
  auto const status = result.info.status;
  auto const said = "status " + std::string(carroll::to_string(status));
  if (!all_finite(A.data)) {
    if (status != carroll::Status::non_finite) return said + " for input that is not finite";
    return all_nan(result.U.data) && all_nan(result.S) && all_nan(result.V.data)
               ? ""
               : "outputs are not all NaN";
  }
  bool const may_fail = options.max_sweeps < SvdOptions{}.max_sweeps;
  bool const infinite = !result.S.empty() && std::isinf(result.S.front());
  if (status == carroll::Status::not_converged) return may_fail ? "" : said;
  if (status != carroll::Status::success && status != carroll::Status::overflow) return said;
  if (infinite != (status == carroll::Status::overflow)) return said + ", S(0) says otherwise";
  if (options.tolerance > 16 * epsilon<Real>) return "";
  if (!rank_is_right(A, result)) return "rank " + std::to_string(result.info.rank);
  auto const ratios = scaled_ratios(A, result);
  if (!(ratios.worst() <= ratio_bar)) return to_string(ratios);
  return with_values ? values_differ(matrix, result, options) : "";
}

template <class Real>
std::string difference(HostSvd<Real> const& all, HostSvd<Real> const& some) {
  std::ostringstream text;
  if (!same_bits(all.S, some.S)) text << " S";
  if (some.U.cols > 0 && !same_columns(all.U, some.U)) text << " U" << first_other(all.U, some.U);
  if (some.V.cols > 0 && !same_columns(all.V, some.V)) text << " V" << first_other(all.V, some.V);
  auto const &a = all.info, &b = some.info;
  if (a.status != b.status)
    text << " status " << carroll::to_string(a.status) << '/' << carroll::to_string(b.status);
  if (a.sweeps != b.sweeps) text << " sweeps " << a.sweeps << '/' << b.sweeps;
  if (a.rotations != b.rotations) text << " rotations " << a.rotations << '/' << b.rotations;
  if (a.rank != b.rank) text << " rank " << a.rank << '/' << b.rank;
  if (std::memcmp(&a.max_cosine, &b.max_cosine, sizeof(Real)) != 0)
    text << " max_cosine " << a.max_cosine << '/' << b.max_cosine;
  return text.str();
}

std::string to_string(SvdOptions const& options) {
  char const* const methods[] = {"preconditioned", "cyclic", "round_robin"};
  char const* const placements[] = {"global", "semi_shared", "shared"};
  std::ostringstream text;
  text << methods[static_cast<int>(options.method)] << ' ' << carroll::to_string(options.path)
       << ' ' << placements[static_cast<int>(options.placement)];
  if (options.tolerance > 0) text << " tolerance " << options.tolerance;
  if (options.max_sweeps != SvdOptions{}.max_sweeps) text << " max_sweeps " << options.max_sweeps;
  return text.str();
}

std::string to_string(Wanted wanted) {
  char const* const names[] = {"none", "thin", "full"};
  return std::string("U ") + names[static_cast<int>(wanted.u)] + " V " +
         names[static_cast<int>(wanted.v)];
}

template <class Real>
std::string entries(HostMatrix<Real> const& A) {
  if (A.data.size() > 36) return "";
  std::ostringstream text;
  text << std::hexfloat << " [";
  for (int i = 0; i < A.rows; ++i) {
    text << (i > 0 ? "; " : "");
    for (int j = 0; j < A.cols; ++j) text << (j > 0 ? " " : "") << A(i, j);
  }
  text << ']';
  return text.str();
}

#define CARROLL_TEST_INSTANTIATE(Real)                                                       \
  template std::string what_is_wrong<Real>(HostileMatrix<Real> const&, HostSvd<Real> const&, \
                                           SvdOptions const&, bool);                         \
  template std::string difference<Real>(HostSvd<Real> const&, HostSvd<Real> const&);         \
  template std::string entries<Real>(HostMatrix<Real> const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
