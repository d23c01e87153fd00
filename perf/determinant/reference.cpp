// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "determinant/matrices.hpp"
#ifdef CARROLL_PERF_HAVE_LAPACKE
#include <lapacke.h>

#include "libraries/host_library.hpp"
#endif

namespace carroll::perf {

#ifdef CARROLL_PERF_HAVE_LAPACKE
DeterminantReference lapack_reference(int n, std::vector<double> A, int threads) {
  set_library_threads(threads);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n)), integers(pivots.size());
  std::vector<double> work(4 * static_cast<std::size_t>(n));
  double const norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', n, n, A.data(), n, work.data());
  lapack_int const info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A.data(), n, pivots.data());
  if (info != 0) throw std::runtime_error("LAPACK: the reference's getrf failed");
  double reciprocal = 0;
  LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, A.data(), n, norm, &reciprocal, work.data(),
                      integers.data());
  DeterminantReference reference{.value{1.0}, .scale = n + 1 / (reciprocal * n)};
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    double const pivot = A[i * (pivots.size() + 1)];
    bool const swapped = pivots[i] != static_cast<lapack_int>(i + 1);
    reference.value *= ScaledNumber<double>(swapped ? -pivot : pivot);
  }
  return reference;
}
#endif

DeterminantReference KnownDeterminant::reference() const {
  double value = 1;
  bool odd = false;  // the number of minus signs: of D and of the permutation
  std::vector<bool> seen(static_cast<std::size_t>(n_));
  for (std::int64_t i = 0; i < n_; ++i) {
    value += part(i, 0) * part(i, 1) * sign(i);
    if (sign(i) < 0) odd = !odd;
    std::int64_t length = 0;  // of the cycle of i, if it has not been seen before
    for (std::int64_t j = i; !seen[static_cast<std::size_t>(j)]; j = source_row(j, n_)) {
      seen[static_cast<std::size_t>(j)] = true;
      ++length;
    }
    if (length > 0 && length % 2 == 0) odd = !odd;
  }
  return {ScaledNumber<double>(odd ? -value : value), 4 * static_cast<double>(n_)};
}

std::vector<int> sampled_members(DeterminantShape const& shape) {
  if (shape.batch == 1) return {0};
  if (shape.batch == 2) return {0, 1};
  return {0, shape.batch / 2, shape.batch - 1};
}

template <class Real>
DeterminantCheck check_determinants(DeterminantShape const& shape,
                                    std::span<ScaledNumber<Real> const> values,
                                    std::span<DeterminantReference const> references) {
  DeterminantCheck check;
  if (!std::all_of(values.begin(), values.end(), [](auto const& x) { return x.is_finite(); }))
    check.fault = "determinants not finite";
  else if (references.empty())
    check.fault = "nothing to check against";
  std::vector<int> const members = sampled_members(shape);
  for (std::size_t i = 0; i < members.size() && check.fault.empty(); ++i) {
    auto const& value = values[static_cast<std::size_t>(members[i])];
    auto const ratio =
        ScaledNumber<double>(static_cast<double>(value.mantissa()), value.exponent()) /
        references[i].value;
    double const error = std::abs(ratio.log_abs());
    check.log_error = std::max(check.log_error, error);
    check.residual = std::max(check.residual,
                              error / (references[i].scale * std::numeric_limits<Real>::epsilon()));
    if (!(ratio.sign() > 0)) check.fault = "sign wrong";
  }
  if (check.fault.empty() && !(check.residual <= 30)) check.fault = "determinant wrong";
  return check;
}
template DeterminantCheck check_determinants(DeterminantShape const&,
                                             std::span<ScaledNumber<float> const>,
                                             std::span<DeterminantReference const>);
template DeterminantCheck check_determinants(DeterminantShape const&,
                                             std::span<ScaledNumber<double> const>,
                                             std::span<DeterminantReference const>);

}  // namespace carroll::perf
