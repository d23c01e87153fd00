// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues under fire: batches of symmetric and Hermitian matrices of any kind, alone, in other
// company, other layouts, the other triangle, ragged, scaled, without vectors.
#include <algorithm>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/eigh/dispatch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/batch_round.hpp"
#include "hostile/eigh/draws.hpp"
#include "support/eigh/checks.hpp"
#include "support/eigh/drivers.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_eigh";
std::string_view const hostile_about =
    "Decomposes random batches of symmetric and Hermitian matrices that hurt, by every method and "
    "path, and "
    "compares each member with itself alone, with other neighbours, layouts, triangles and scales, "
    "and with 113-bit arithmetic.";
std::string_view const hostile_kinds =
    "backward_stable,team,warp,divided,shifted,vendor,cholesky_jacobi,complex,complex_ragged";

template <class T, class Function>
void outputs_of(HostEigh<T>& result, Function const& f) {
  f(result.W);
  f(result.V.data);
}

namespace {

template <class T>
class EighRound : public BatchRound<RealOf<T>, HostMatrix<T>, HostEigh<T>, EighCall> {
  using Real = RealOf<T>;
  using Base = BatchRound<Real, HostMatrix<T>, HostEigh<T>, EighCall>;
  using Base::all_, Base::members_, Base::random_;

 public:
  EighRound(Round& round, std::string_view asked)
      : Base(round), only_ragged_(asked == "complex_ragged") {
    std::string_view const kind = only_ragged_ ? "" : asked;
    options_.method = kind == "cholesky_jacobi"              ? EighMethod::cholesky_jacobi
                      : !kind.empty() || random_.chance(0.8) ? EighMethod::backward_stable
                                                             : EighMethod::cholesky_jacobi;
    // On hosts `warp` and `vendor` give way to `team`.
    if (kind == "team" || (kind.empty() && random_.chance(0.2))) options_.path = EighPath::team;
    if (kind == "shifted" || (kind.empty() && random_.chance(0.2)))
      options_.path = EighPath::shifted;
    if (kind == "divided" || (kind.empty() && random_.chance(0.2)))
      options_.path = EighPath::divided;
    if (kind == "vendor" || (kind.empty() && has_library && random_.chance(0.2)))
      options_.path = EighPath::vendor;
    if (kind == "warp" || (kind.empty() && has_warps && random_.chance(0.2)))
      options_.path = EighPath::warp;
    definite_ = options_.method == EighMethod::cholesky_jacobi;
  }

 private:
  int draw_count() override {
    bool const slow = definite_ || options_.path != EighPath::automatic;
    bool const in_warps = has_warps && options_.path == EighPath::warp;
    // Of complex matrices devices divide those of more than 32 rows unasked.
    bool const may_divide = options_.path == EighPath::divided ||
                            (is_complex<T> && options_.path == EighPath::automatic && !definite_);
    bool const divides = may_divide && random_.chance(0.3);
    n_ = in_warps  ? random_.index(33)
         : divides ? draw_divided_order(random_)
                   : draw_order(random_, slow);
    return this->count_within(60000, n_ * n_ * n_);
  }

  HostMatrix<T> draw_member() override {
    drawn_.push_back(definite_ ? draw_definite<T>(random_, n_) : draw_matrix<T>(random_, n_));
    HostMatrix<T> A = drawn_.back().A;
    if constexpr (is_complex<T>)
      if (random_.chance(0.1)) spoil_diagonal(random_, A);
    return A;
  }

  EighCall draw_call() override {
    EighCall call;
    call.options = options_;
    call.options.triangle = random_.chance(0.5) ? Triangle::lower : Triangle::upper;
    call.vectors = random_.chance(0.7);
    call.layout = draw_layout(random_);
    call.workspace = random_.chance(0.3);
    return call;
  }

  EighCall draw_first_call() override {
    EighCall call = draw_call();
    call.vectors = true;
    return call;
  }

  std::vector<HostEigh<T>> run_batch(std::vector<HostMatrix<T>> const& matrices,
                                     EighCall const& call) override {
    return run_eigh_batch(matrices, call);
  }
  HostEigh<T> run_alone(HostMatrix<T> const& A, EighCall const& call) override {
    return run_eigh(A, call);
  }

  [[nodiscard]] std::string describe(EighCall const& call, std::size_t b) const override {
    std::ostringstream text;
    text << (is_complex<T> ? "complex " : "") << members_[b].rows << ' ' << drawn_[b].kind
         << (definite_ ? ", cholesky_jacobi" : "") << ", path " << to_string(options_.path)
         << (call.vectors ? "" : ", values");
    return text.str();
  }

  [[nodiscard]] std::string wrong(std::size_t b) const override {
    auto const& result = all_[b];
    auto const& drawn = drawn_[b];
    if (!drawn.finite) {
      bool const refused = result.info.status == Status::non_finite && all_nan(result.W) &&
                           all_nan(parts_of(result.V.data)) && result.guarded;
      return refused ? "" : "is not refused";
    }
    if (definite_ && !drawn.definite) return wrong_where_refusable(b);
    // A definite matrix's range may be all that there is: no absolute accuracy to look at.
    // The oracle's matrix is twice as large if it is complex.
    std::string complaint =
        what_is_wrong(drawn.A, result, is_complex<T> ? b % 2 == 0 && n_ <= 20 : b < 8 || n_ <= 20);
    if (complaint.empty() && drawn.condition > 0 && b % 4 == 0) {
      double const error = eigenvalue_error(extended_eigenvalues(drawn.A), result.W, true);
      double const bar = relative_eigenvalue_bar * relative_condition(drawn);
      if (!(error <= bar))
        complaint =
            "relative error of " + std::to_string(error) + " n eps, bar " + std::to_string(bar);
    }
    return complaint;
  }

  /// cond(H), by the oracle.
  static double relative_condition(Hurting<T> const& drawn) {
    HostMatrix<T> H = drawn.A;
    std::vector<int> exponents;
    for (int k = 0; k < H.rows; ++k)
      exponents.push_back(std::ilogb(carroll::detail::largest_part(H(k, k))) / 2);
    for (int j = 0; j < H.cols; ++j)
      for (int i = 0; i < H.rows; ++i)
        H(i, j) = carroll::detail::scale_parts(H(i, j), -exponents[static_cast<std::size_t>(i)] -
                                                            exponents[static_cast<std::size_t>(j)]);
    auto const values = extended_eigenvalues(H);
    return values.empty() ? 1 : static_cast<double>(values.back() / values.front());
  }

  /// A matrix that need not be semidefinite: it is refused, or decomposed.
  [[nodiscard]] std::string wrong_where_refusable(std::size_t b) const {
    auto const& result = all_[b];
    if (result.info.status == Status::breakdown)
      return all_nan(result.W) && all_nan(parts_of(result.V.data)) ? "" : "is not NaN";
    if (result.info.status == Status::success &&
        !std::ranges::all_of(result.W, [](Real w) { return std::isfinite(w); }))
      return "has values that are no numbers";
    auto const exact = extended_eigenvalues(drawn_[b].A);
    if (exact.empty()) return "";
    long double const largest = std::max(exact.back(), -exact.front());
    bool const far =
        exact.front() < -50 * members_[b].rows * static_cast<long double>(epsilon<Real>) * largest;
    return far ? "is indefinite and not refused" : "";
  }

  void play_variants() override {
    // Strangers of any order: of those that are beside members, and of other families and classes.
    auto const draw_stranger = [&] {
      bool const near = random_.chance(0.3), small = random_.chance(0.9);
      return draw_matrix<T>(random_, near ? n_ : draw_order(random_, small)).A;
    };
    for (int more = only_ragged_ ? 4 : 1; more > 0; --more)
      this->ragged(draw_stranger, [](auto const& matrices, EighCall const& call) {
        return run_eigh_ragged(matrices, call);
      });
    if (!definite_ && !only_ragged_) scaled();
  }

  /// 2^k·A has 2^k·W, bit by bit, and the same vectors, barring under- and overflow.
  void scaled() {
    using Limits = std::numeric_limits<Real>;
    std::vector<typename Base::Changed> changed;
    int const shift = random_.index(Limits::max_exponent / 2) - Limits::max_exponent / 4;
    auto const in_range = [&](Real x) {
      Real const y = std::ldexp(x, shift);
      return x == 0 || (std::isnormal(x) && std::isnormal(y) && std::abs(y) < Limits::max() / 4 &&
                        std::abs(x) < Limits::max() / 4);
    };
    // Small eigenvalues of small matrices round to 0.
    Real const least = std::ldexp(Limits::min(), 3 * Limits::digits - std::min(shift, 0));
    for (std::size_t b = 0; b < members_.size(); ++b) {
      auto const A = parts_of(members_[b].data);
      auto const& W = all_[b].W;
      Real largest = 0;
      for (Real const x : A) largest = std::max(largest, std::abs(x));
      if (!(largest > least) || !std::all_of(A.begin(), A.end(), in_range) ||
          !std::all_of(W.begin(), W.end(), in_range))
        continue;
      changed.push_back({b, scaled_by_power_of_two(members_[b], shift), all_[b]});
      for (Real& x : changed.back().expected.W) x = std::ldexp(x, shift);
    }
    this->compare_changed("scaled by 2^" + std::to_string(shift), draw_call(), changed,
                          [](std::size_t, HostEigh<T>&, HostEigh<T> const&) {});
  }

  static constexpr bool has_warps = carroll::detail::has_warps<Kokkos::DefaultExecutionSpace>;
  static constexpr bool has_library =
      carroll::detail::eigh_backend<Kokkos::DefaultExecutionSpace> ==
      carroll::detail::EighBackend::library;

  /// Of relative errors, in units of n·ε·cond(H).
  static constexpr double relative_eigenvalue_bar = 50;

  EighOptions options_;
  bool only_ragged_, definite_ = false;
  int n_ = 0;
  std::vector<Hurting<T>> drawn_;
};

template <class Real>
using ComplexEighRound = EighRound<Kokkos::complex<Real>>;

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (kind == "complex" || kind == "complex_ragged" || (kind.empty() && round.random.chance(0.3)))
    play_single_or_double<ComplexEighRound>(round, kind == "complex" ? "" : kind);
  else
    play_single_or_double<EighRound>(round, kind);
}

}  // namespace carroll::test
