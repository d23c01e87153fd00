// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/svd/truncated.hpp"

#include <algorithm>
#include <carroll/truncated_svd.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/svd/matrices.hpp"
#include "support/guarded_view.hpp"
#include "support/svd/lapack_oracle.hpp"
#include "support/svd/ratios.hpp"
#include "support/svd/truncated_drivers.hpp"
#include "support/tolerance.hpp"
#include "truncated_svd_instances.hpp"

namespace carroll::test {
namespace {

using carroll::Status;

template <class Real>
class TruncatedRound {
 public:
  explicit TruncatedRound(Round& round) : round_(round) {
    Random& random = round.random;
    int const most = random.chance(0.8) ? 16 : 70;
    int const rows = 1 + random.index(most), cols = 1 + random.index(most);
    matrix_ = hostile_matrix<Real>(random, rows, cols);
    rank_ = 1 + random.index(std::min(rows, cols));
    TruncatedSvdPath const paths[] = {TruncatedSvdPath::automatic, TruncatedSvdPath::randomized,
                                      TruncatedSvdPath::full};
    options_.path = paths[random.index(3)];
    if (random.chance(0.3)) options_.power_steps = random.index(6);
    if (random.chance(0.3)) options_.oversampling = 1 + random.index(8);
    options_.seed = static_cast<std::uint64_t>(random.index(1000));
  }

  void play() {
    first_ = call<Kokkos::LayoutLeft>(matrix_.A);
    auto const wrong = what_is_wrong();
    if (!wrong.empty()) complain(wrong);
    if (!same_result(first_, call<Kokkos::LayoutRight>(matrix_.A)))
      complain("LayoutRight: other bits");
    if (!same_result(first_, call<Kokkos::LayoutStride>(matrix_.A)))
      complain("LayoutStride: other bits");
    if (!same_result(first_, run_truncated_svd(matrix_.A, rank_, options_)))
      complain("without guards: other bits");
    scaled();
    round_.checked(1);
  }

 private:
  void complain(std::string const& what) {
    char const* const paths[] = {"automatic", "randomized", "full"};
    std::ostringstream text;
    text << (sizeof(Real) == 4 ? "float " : "double ") << matrix_.A.rows << 'x' << matrix_.A.cols
         << ' ' << matrix_.kind << ", truncated rank " << rank_ << ' '
         << paths[static_cast<int>(options_.path)] << ", power_steps " << options_.power_steps
         << ", oversampling " << options_.oversampling << ", seed " << options_.seed << ": "
         << what;
    round_.wrong(text.str());
  }

  template <class Layout>
  HostTruncatedSvd<Real> call(HostMatrix<Real> const& matrix) {
    HostTruncatedSvd<Real> result;
    auto const k = static_cast<std::size_t>(rank_);
    auto A = guarded_from<Real, Layout>(matrix);
    GuardedView<Real, 2, Layout> U({static_cast<std::size_t>(matrix.rows), k});
    GuardedView<Real, 2, Layout> V({static_cast<std::size_t>(matrix.cols), k});
    GuardedView<Real, 1, Layout> S({k});
    result.info = carroll::truncated_svd(Exec(), A.view(), U.view(), S.view(), V.view(), options_);
    A.to_host();
    U.to_host();
    S.to_host();
    V.to_host();
    result.U = to_host_matrix(U, matrix.rows, rank_);
    result.V = to_host_matrix(V, matrix.cols, rank_);
    for (std::size_t j = 0; j < k; ++j) result.S.push_back(S({j}));
    bool const intact = U.guards_intact() && V.guards_intact() && S.guards_intact() &&
                        A.guards_intact() &&
                        same_bits(to_host_matrix(A, matrix.rows, matrix.cols), matrix);
    if (!intact) complain(std::string(layout_name<Layout>) + ": wrote where it may not");
    return result;
  }

  /// ‖A·v − σ·u‖ of triplet j, for wide A ‖Aᵀ·u − σ·v‖.
  [[nodiscard]] long double triplet_residual(int j) const {
    auto const A = matrix_.A.rows < matrix_.A.cols ? transposed(matrix_.A) : matrix_.A;
    auto const& left = matrix_.A.rows < matrix_.A.cols ? first_.V : first_.U;
    auto const& right = matrix_.A.rows < matrix_.A.cols ? first_.U : first_.V;
    long double square = 0;
    for (int i = 0; i < A.rows; ++i) {
      long double entry = -static_cast<long double>(first_.S[static_cast<std::size_t>(j)]) *
                          static_cast<long double>(left(i, j));
      for (int l = 0; l < A.cols; ++l)
        entry += static_cast<long double>(A(i, l)) * static_cast<long double>(right(l, j));
      square += entry * entry;
    }
    return std::sqrt(square);
  }

  [[nodiscard]] std::string what_is_wrong() const {
    HostMatrix<Real> const& A = matrix_.A;
    auto const status = first_.info.status;
    auto const said = "status " + std::string(carroll::to_string(status));
    if (!all_finite(A.data)) {
      if (status != Status::non_finite) return said + " for input that is not finite";
      return all_nan(first_.U.data) && all_nan(first_.S) && all_nan(first_.V.data)
                 ? ""
                 : "outputs are not all NaN";
    }
    bool const infinite = std::isinf(first_.S.front());
    if (status == Status::overflow) return infinite ? "" : "overflow without one";
    if (status != Status::success && status != Status::not_converged) return said;
    if (!is_descending(first_.S)) return "S is not descending";
    for (auto const* Q : {&first_.U, &first_.V})
      if (!(orthogonality_ratio(*Q) <= ratio_bar))
        return "orthogonality " + std::to_string(orthogonality_ratio(*Q)) + ", " + said;
    if (infinite) return status == Status::not_converged ? "" : said + ", S(0) is infinite";
    return residuals_are_wrong();
  }

  [[nodiscard]] std::string residuals_are_wrong() const {
    auto const top = static_cast<long double>(first_.S.front());
    long double const rounding =
        20.0L * std::max(matrix_.A.rows, matrix_.A.cols) * epsilon<Real> * top +
        matrix_.A.rows * static_cast<long double>(std::numeric_limits<Real>::denorm_min());
    for (int j = 0; j < rank_; ++j) {
      long double const measured = triplet_residual(j);
      if (measured <= static_cast<long double>(first_.info.residual) * top * 1.01L + rounding)
        continue;
      std::ostringstream text;
      text << "residual " << measured / top << " of triplet " << j << ", said "
           << first_.info.residual;
      return text.str();
    }
    return "";
  }

  void scaled() {
    using Limits = std::numeric_limits<Real>;
    int const shift = round_.random.index(Limits::max_exponent / 2) - Limits::max_exponent / 4;
    auto const in_range = [&](Real x) {
      Real const y = std::ldexp(x, shift);
      return x == 0 ||
             (std::abs(x) > Limits::min() && std::abs(y) > Limits::min() && std::isfinite(y));
    };
    auto const& data = matrix_.A.data;
    if (!std::all_of(data.begin(), data.end(), in_range)) return;
    auto const moved = call<Kokkos::LayoutLeft>(scaled_by_power_of_two(matrix_.A, shift));
    for (std::size_t j = 0; j < first_.S.size(); ++j) {
      Real const x = first_.S[j], y = moved.S[j];
      if (x == 0 || std::isinf(x) || !in_range(x) || y == std::ldexp(x, shift)) continue;
      std::ostringstream text;
      text << "times 2^" << shift << ": S(" << j << ") of " << x << " becomes " << y;
      complain(text.str());
      return;
    }
  }

  Round& round_;
  HostileMatrix<Real> matrix_;
  int rank_ = 1;
  TruncatedSvdOptions options_;
  HostTruncatedSvd<Real> first_;
};

}  // namespace

void truncated_round(Round& round) {
  if (round.random.chance(0.5))
    TruncatedRound<float>(round).play();
  else
    TruncatedRound<double>(round).play();
}

}  // namespace carroll::test
