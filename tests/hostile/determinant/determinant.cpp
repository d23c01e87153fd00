// SPDX-License-Identifier: BSD-3-Clause
// Determinants by all methods: bits over all ways to them, and errors against exact ones.
#include <algorithm>
#include <carroll/determinant.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hostile/determinant/line_ranges.hpp"
#include "hostile/determinant/ways.hpp"
#include "hostile/members.hpp"
#include "support/determinant/condition.hpp"
#include "support/determinant/flint_oracle.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {

std::string_view const hostile_name = "determinant";
std::string_view const hostile_about =
    "Determinants of random matrices of many kinds by every method: the same bits alone, in "
    "batches, among other "
    "orders, in every layout, and with rows multiplied by powers of two; errors and zeros against "
    "exact arithmetic.";
std::string_view const hostile_kinds = "single,double,complex_single,complex_double";

namespace {

template <class Real>
HostMatrix<double> widened(HostMatrix<Real> const& A) {
  HostMatrix<double> wide(A.rows, A.cols);
  std::copy(A.data.begin(), A.data.end(), wide.data.begin());
  return wide;
}

template <class T>
class DeterminantRound {
 public:
  using Real = RealOf<T>;
  static constexpr bool is_complex = detail::is_complex<T>;

  explicit DeterminantRound(Round& round) : round_(round), random_(round.random) { draw(); }

  void run() {
    DeterminantWays<T> ways(round_, problem_);
    infos_ = ways.reference();
    for (std::size_t b = 0; b < infos_.size(); ++b) check_status(b);
    ways.all();
    check_scaled_rows();
    check_errors();
    round_.checked(static_cast<std::int64_t>(infos_.size()));
  }

 private:
  void draw() {
    // A batch of one order, most of them by the method that people use.
    bool const blocked = random_.chance(0.6);
    problem_.method =
        blocked ? DeterminantMethod::blocked : all_determinant_methods[random_.index(8)];
    problem_.n = hostile_order(random_, blocked ? 400 : 70);
    // Teams of a device share larger matrices.
    if (blocked && on_device && random_.chance(0.01)) problem_.n = 401 + random_.index(900);
    int const n = problem_.n;
    int const few = n <= 4 ? 300 : n <= 12 ? 80 : n <= 36 ? 33 : n <= 130 ? 8 : 2;
    int const most = on_device && n <= 36 ? 4 * few : few;
    int count = 1 + random_.index(most);
    if (n > 36 && n <= 160 && random_.chance(0.03)) count = 66;  // beyond what is one at a time
    bool const alike = random_.chance(0.4);
    int const kinds = static_cast<int>(square_kinds.size());
    int const kind = random_.index(kinds);
    SquareMatrix<T> matrix(random_, n);
    for (int b = 0; b < count; ++b) {
      problem_.kinds.push_back(alike ? kind : random_.index(kinds));
      problem_.matrices.push_back(matrix.of_kind(problem_.kinds.back()));
    }
  }

  [[nodiscard]] bool is_closed() const {
    return problem_.method == DeterminantMethod::blocked && problem_.n <= 3;
  }
  [[nodiscard]] bool eliminates() const {
    return problem_.method != DeterminantMethod::salem_said &&
           problem_.method != DeterminantMethod::dodgson;
  }
  void expect(bool fine, std::size_t b, std::string const& what) {
    round_.expect(fine, problem_.name(b) + ": " + what + ": " + text_of(infos_[b]));
  }

  void check_status(std::size_t b) {
    auto const& A = problem_.matrices[b];
    auto const& info = infos_[b];
    bool const finite = is_finite(A);
    expect((info.status == Status::non_finite) == !finite, b,
           "non_finite if and only if A is not finite");
    switch (info.status) {
      case Status::success:
        expect(info.value.is_finite() && !info.value.is_zero() && info.growth >= 0, b,
               "success without a value");
        break;
      case Status::singular:
        expect(same_bits({info.status, ScaledNumber<T>(), info.growth}, info) && info.growth >= 0,
               b, "singular without a plain 0");
        break;
      case Status::breakdown:
        expect(problem_.method == DeterminantMethod::dodgson, b, "breakdown not of dodgson");
        [[fallthrough]];
      case Status::non_finite: expect(info.value.is_nan(), b, "value is not NaN"); break;
      default: expect(false, b, "impossible status");
    }
    if (finite && has_zero_line(A) && problem_.method != DeterminantMethod::dodgson)
      expect(info.status == Status::singular, b, "a row or column of zeros");
    if (is_closed() && info.status == Status::success)
      expect(info.growth == Real(1), b, "growth of a closed form is not 1");
  }

  /// Rows multiplied by powers of two: the same digits.
  void check_scaled_rows() {
    std::vector<HostMatrix<T>> scaled = problem_.matrices;
    std::vector<std::int64_t> shifts(scaled.size(), 0);
    std::vector<char> usable(scaled.size(), 1);
    constexpr int highest = std::numeric_limits<Real>::max_exponent;
    constexpr int lowest = std::numeric_limits<Real>::min_exponent;
    for (std::size_t b = 0; b < scaled.size(); ++b) {
      HostMatrix<T>& A = scaled[b];
      if (!is_finite(A)) {
        usable[b] = 0;
        continue;
      }
      for (int i = 0; i < A.rows; ++i) {
        LineRange<T> const range = range_of_row(A, i, true);
        if (range.is_zero()) continue;
        // Where columns are scaled, it matters how rows stand to each other.
        if (range.high - range.low > detail::widest_row<T>) usable[b] = 0;
        int const least = lowest - std::numeric_limits<Real>::digits - range.low;
        int const most = highest - range.high;
        int const reach = random_.chance(0.3) ? 3 : most - least;
        int e = std::clamp(random_.index(2 * reach + 1) - reach, least, most);
        if (random_.chance(0.1)) e = most;
        std::vector<T> row;
        bool exact = true;
        for (int j = 0; j < A.cols; ++j) {
          row.push_back(detail::scale_parts(A(i, j), e));
          exact = exact && detail::scale_parts(row.back(), -e) == A(i, j);
        }
        if (!exact) continue;
        for (int j = 0; j < A.cols; ++j) A(i, j) = row[static_cast<std::size_t>(j)];
        shifts[b] += e;
      }
    }
    auto A = guarded_batch<T, Kokkos::LayoutRight>(scaled, problem_.n);
    auto const infos = determinant(Exec(), A.view(), {problem_.method});
    for (std::size_t b = 0; b < scaled.size(); ++b) {
      if (usable[b] == 0) continue;
      DeterminantInfo<T> back = infos[b];
      if (back.status == Status::success)
        back.value = ScaledNumber<T>(back.value.mantissa(), back.value.exponent() - shifts[b]);
      round_.expect(same_bits(back, infos_[b]), problem_.name(b) +
                                                    ", rows times powers of two: " + text_of(back) +
                                                    ", before " + text_of(infos_[b]));
    }
  }

  /// Errors are those of relative errors n·growth·eps of scaled rows. Of some members: oracles take
  /// their time.
  void check_errors() {
    int const n = problem_.n;
    if (n > 130 || !eliminates()) return;
    double const work = std::pow(n, 3) * (is_complex ? 4 : 1);
    auto const most = static_cast<std::size_t>(std::clamp(4e5 / (work + 1), 1.0, 40.0));
    auto const count = problem_.matrices.size();
    for (std::size_t k = 0; k < std::min(most, count); ++k)
      check_error(most >= count ? k
                                : static_cast<std::size_t>(random_.index(static_cast<int>(count))));
  }
  void check_error(std::size_t b) {
    auto const& A = problem_.matrices[b];
    auto const& info = infos_[b];
    if (!is_finite(A)) return;
    std::vector<int> rows, columns;
    auto const re = widened(real_part(A));
    if constexpr (!is_complex) {
      if (is_closed() && have_flint()) {
        BinaryNumber const value{static_cast<double>(info.value.mantissa()), info.value.exponent()};
        double const error = flint_distances(re, {value}).front();
        expect(std::abs(error) <= 0.52 * epsilon<Real>, b,
               "closed form is wrong by " + std::to_string(error / epsilon<Real>) + " eps");
        return;
      }
    }
    if (!scaling_of(A, rows, columns)) return;
    HostMatrix<double> im;
    if constexpr (is_complex) im = widened(imaginary_part(A));
    auto const exact = quad_conditioned_determinant(re, im, rows, columns);
    double const sensitivity = std::exp2(std::max(exact.log2_sensitivity, 0.0));
    double const growth = std::max(1.0, static_cast<double>(info.growth));
    double const unit =
        is_closed() ? epsilon<Real> / 4 : problem_.n * growth * epsilon<Real> * sensitivity;
    if (!(4 * unit < 0.5) || sensitivity > 0x1p50) return;
    double const error = relative_error(info, exact.determinant);
    expect(info.status == Status::success && error <= 4 * unit, b,
           "wrong by " + to_string(ScaledNumber<double>(error), 3) + ", allowed " +
               to_string(ScaledNumber<double>(4 * unit), 3));
  }

  Round& round_;
  Random& random_;
  DeterminantProblem<T> problem_;
  std::vector<DeterminantInfo<T>> infos_;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  int const which = kind == "single"           ? 0
                    : kind == "double"         ? 1
                    : kind == "complex_single" ? 2
                    : kind == "complex_double" ? 3
                                               : round.random.index(4);
  switch (which) {
    case 0: return DeterminantRound<float>(round).run();
    case 1: return DeterminantRound<double>(round).run();
    case 2: return DeterminantRound<Kokkos::complex<float>>(round).run();
    default: return DeterminantRound<Kokkos::complex<double>>(round).run();
  }
}

}  // namespace carroll::test
