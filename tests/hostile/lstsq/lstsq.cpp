// SPDX-License-Identifier: BSD-3-Clause
// Least squares and pseudoinverses under fire: problems of any kind, shape and rank, in batches,
// alone, in other company, other layouts, cut into single right-hand sides, scaled.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/lstsq/checks.hpp"
#include "support/lstsq/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_lstsq";
std::string_view const hostile_about =
    "Solves random batches of least-squares problems that hurt, and pseudoinverts their matrices; "
    "compares each member with itself alone, with other neighbours, layouts, numbers of right-hand "
    "sides and scales, and with the shortest solution in extended precision.";
std::string_view const hostile_kinds = "lstsq,pinv";

namespace {

struct LstsqShape {
  int m, n, p;
};

/// Mostly small, of every shape about those at which kernels of the decomposition change.
LstsqShape draw_lstsq_shape(Random& random) {
  int const drawn = random.index(100);
  int const p = random.chance(0.7) ? 1 + random.index(4) : random.index(70);
  if (drawn < 2) return {33 + random.index(60), 33 + random.index(40), p};
  if (drawn < 5) return {60 + random.index(300), 1 + random.index(16), p};
  if (drawn < 8) return {1 + random.index(16), 60 + random.index(80), p};
  int const most = drawn < 25 ? 4 : drawn < 75 ? 10 : drawn < 95 ? 24 : 40;
  int const m = random.index(most + 1);
  return {m, random.chance(0.3) ? m : random.index(most + 1), p};
}

template <class Real>
struct DrawnLstsq {
  LstsqProblem<Real> problem;
  std::string kind;
  bool finite = true;
};

/// All of a matrix, or a column of it, near an end of the range.
template <class Real>
void move_to_an_end(Random& random, HostMatrix<Real>& M, int first, int count) {
  using Limits = std::numeric_limits<Real>;
  Real largest = 0;
  for (int j = first; j < first + count; ++j)
    for (int i = 0; i < M.rows; ++i) largest = std::max(largest, std::abs(M(i, j)));
  if (!(largest > 0) || !std::isfinite(largest)) return;
  int const to = random.chance(0.5) ? Limits::max_exponent - random.index(3)
                                    : Limits::min_exponent - random.index(Limits::digits);
  int const shift = to - 1 - std::ilogb(largest);
  for (int j = first; j < first + count; ++j)
    for (int i = 0; i < M.rows; ++i) M(i, j) = std::ldexp(M(i, j), shift);
}

/// A right-hand side of noise, in the range of A, of both, or nothing.
template <class Real>
void draw_right_side(Random& random, LstsqProblem<Real>& problem, int j) {
  auto const& [A, B] = problem;
  bool const in_range = random.chance(0.4);
  double const noise = random.chance(0.1) ? 0 : in_range ? 1e-3 * random.uniform() : 1;
  for (int i = 0; i < A.rows; ++i) problem.B(i, j) = static_cast<Real>(noise * random.normal());
  for (int k = 0; in_range && k < A.cols; ++k) {
    auto const x = static_cast<Real>(random.symmetric());
    for (int i = 0; i < A.rows; ++i) {
      Real const sum = problem.B(i, j) + A(i, k) * x;
      if (std::isfinite(sum)) problem.B(i, j) = sum;
    }
  }
}

template <class Real>
DrawnLstsq<Real> draw_lstsq(Random& random, LstsqShape const& shape) {
  DrawnLstsq<Real> drawn;
  auto& [A, B] = drawn.problem;
  auto const& types = all_matrix_types();
  auto const type = types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
  A = make_matrix<Real>(type, shape.m, shape.n, static_cast<std::uint64_t>(random.index(1 << 30)));
  drawn.kind = to_string(type);
  for (int repeats = random.chance(0.2) ? 1 + random.index(3) : 0; repeats > 0 && shape.n > 0;
       --repeats) {
    int const from = random.index(shape.n), to = random.index(shape.n);
    for (int i = 0; i < shape.m; ++i) A(i, to) = random.chance(0.01) ? 0 : A(i, from);
    drawn.kind += ", a column again";
  }
  if (random.chance(0.1)) {
    move_to_an_end(random, A, 0, shape.n);
    drawn.kind += ", scaled";
  }
  B = HostMatrix<Real>(shape.m, shape.p);
  for (int j = 0; j < shape.p; ++j) {
    draw_right_side(random, drawn.problem, j);
    if (random.chance(0.1)) move_to_an_end(random, B, j, 1);
  }
  auto const spoil = [&](HostMatrix<Real>& M, char const* what) {
    if (M.data.empty() || !random.chance(0.02)) return;
    using Limits = std::numeric_limits<Real>;
    M(random.index(M.rows), random.index(M.cols)) =
        random.chance(0.5) ? Limits::quiet_NaN()
                           : Limits::infinity() * static_cast<Real>(random.sign());
    drawn.kind += what;
    drawn.finite = false;
  };
  spoil(A, ", A not finite");
  spoil(B, ", B not finite");
  return drawn;
}

template <class Real>
class LstsqRound {
 public:
  LstsqRound(Round& round, std::string_view kind) : round_(round), random_(round.random) {
    inverse_ = kind == "pinv" || (kind.empty() && random_.chance(0.4));
    // Above rounding errors, among which there is no rank to be right about.
    double const digits = std::numeric_limits<Real>::digits > 24 ? 12 : 4;
    if (random_.chance(0.2)) options_.rcond = std::pow(10, -digits * random_.uniform());
    SvdPath const paths[] = {SvdPath::team, SvdPath::registers, SvdPath::tiles};
    if (random_.chance(0.2)) options_.path = paths[random_.index(3)];
  }

  void play() {
    shape_ = draw_lstsq_shape(random_);
    int const side = std::max({shape_.m, shape_.n, 1});
    int const work = side * side * std::max(std::min(shape_.m, shape_.n), 1);
    int const count = 1 + random_.index(std::clamp((on_device ? 400000 : 40000) / work, 1, 40));
    for (int b = 0; b < count; ++b) {
      drawn_.push_back(draw_lstsq<Real>(random_, shape_));
      if (inverse_) drawn_.back().finite = all_finite(drawn_.back().problem.A.data);
      problems_.push_back(drawn_.back().problem);
    }
    LstsqCall const call = draw_call();
    all_ = run_lstsq_batch(problems_, inverse_, call);
    auto const complaints = complaints_of(all_.size(), [&](std::size_t b) { return wrong(b); });
    for (std::size_t b = 0; b < complaints.size(); ++b)
      round_.expect(complaints[b].empty(), name(call, b) + complaints[b]);
    in_other_company();
    alone();
    one_column();
    scaled();
    round_.checked(count);
  }

 private:
  LstsqCall draw_call() {
    LstsqCall call;
    call.options = options_;
    ViewLayout const layouts[] = {ViewLayout::left, ViewLayout::right, ViewLayout::stride};
    call.layout = layouts[random_.index(3)];
    call.workspace = random_.chance(0.3);
    call.vectors = !inverse_ && shape_.p == 1 && random_.chance(0.5);
    return call;
  }

  [[nodiscard]] std::string name(LstsqCall const& call, std::size_t b) const {
    std::ostringstream text;
    text << (sizeof(Real) == 4 ? "float " : "double ") << (inverse_ ? "pinv " : "lstsq ")
         << shape_.m << 'x' << shape_.n << 'x' << shape_.p << ' ' << drawn_[b].kind << ", rcond "
         << options_.rcond << ", path " << to_string(options_.path) << ", layout "
         << static_cast<int>(call.layout) << ", member " << b << " of " << problems_.size() << ": ";
    return text.str();
  }

  [[nodiscard]] std::string wrong(std::size_t b) const {
    auto const& result = all_[b];
    if (drawn_[b].finite) return what_is_wrong(problems_[b], inverse_, options_, result);
    bool const refused = result.info.status == Status::non_finite && result.info.rank == 0 &&
                         all_nan(result.X.data) && result.guarded;
    return refused ? "" : "is not refused";
  }

  void compare(LstsqCall const& call, std::string const& how, std::size_t b,
               HostLstsq<Real> const& expected, HostLstsq<Real> const& result) {
    round_.expect(same_result(expected, result) && result.guarded,
                  name(call, b) + how + ": other bits");
  }

  void in_other_company() {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < problems_.size(); ++k)
      if (random_.chance(0.8)) chosen.push_back(k);
    random_.shuffle(chosen);
    std::vector<LstsqProblem<Real>> company;
    for (std::size_t const b : chosen) company.push_back(problems_[b]);
    LstsqCall const call = draw_call();
    auto const results = run_lstsq_batch(company, inverse_, call);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      compare(call, "in other company", chosen[k], all_[chosen[k]], results[k]);
  }

  void alone() {
    for (std::size_t b = 0; b < problems_.size(); ++b) {
      LstsqCall const call = draw_call();
      auto const& [A, B] = problems_[b];
      compare(call, "alone", b, all_[b], inverse_ ? run_pinv(A, call) : run_lstsq(A, B, call));
    }
  }

  /// A column of X without the others.
  void one_column() {
    if (inverse_ || shape_.p < 2) return;
    for (std::size_t b = 0; b < problems_.size(); ++b) {
      if (!drawn_[b].finite) continue;
      int const j = random_.index(shape_.p);
      HostMatrix<Real> side(shape_.m, 1), expected(shape_.n, 1);
      std::copy_n(problems_[b].B.column(j), shape_.m, side.data.begin());
      std::copy_n(all_[b].X.column(j), shape_.n, expected.data.begin());
      LstsqCall call = draw_call();
      call.vectors = random_.chance(0.5);
      auto const result = run_lstsq(problems_[b].A, side, call);
      round_.expect(same_bits(expected, result.X) && result.guarded,
                    name(call, b) + "a column alone: other bits");
    }
  }

  /// Powers of two that A and B are multiplied by go through, bit by bit, where no entry, and none
  /// of the products that are added up to it, comes near the end of the normal numbers.
  void scaled() {
    using Limits = std::numeric_limits<Real>;
    for (std::size_t b = 0; b < problems_.size(); ++b) {
      if (!drawn_[b].finite) continue;
      int const most = Limits::max_exponent / 4;
      int const of_a = random_.index(2 * most) - most, of_b = random_.index(2 * most) - most;
      LstsqProblem<Real> moved = problems_[b];
      HostLstsq<Real> expected = all_[b];
      bool usable = true;
      auto const move = [&](std::vector<Real>& values, int shift) {
        for (Real& x : values) {
          Real const y = std::ldexp(x, shift);
          usable = usable && (x == 0 || (is_well_inside(x) && is_well_inside(y)));
          x = y;
        }
      };
      move(moved.A.data, of_a);
      if (!inverse_) move(moved.B.data, of_b);
      int const of_x = (inverse_ ? 0 : of_b) - of_a;
      move(expected.X.data, of_x);
      std::vector<Real> sigma{expected.info.sigma_max, expected.info.sigma_min};
      move(sigma, of_a);
      if (!usable) continue;
      expected.info.sigma_max = sigma[0];
      expected.info.sigma_min = sigma[1];
      LstsqCall const call = draw_call();
      auto const& [A, B] = moved;
      auto const result = inverse_ ? run_pinv(A, call) : run_lstsq(A, B, call);
      // What had vanished may be there again.
      Real const vanished = std::ldexp(Limits::denorm_min(), of_x);
      for (std::size_t k = 0; k < expected.X.data.size(); ++k)
        if (expected.X.data[k] == 0 && std::abs(result.X.data[k]) <= vanished)
          expected.X.data[k] = result.X.data[k];
      compare(call, "scaled", b, expected, result);
    }
  }

  static bool is_well_inside(Real x) {
    using Limits = std::numeric_limits<Real>;
    return std::isfinite(x) && std::abs(x) >= std::ldexp(Limits::min(), Limits::digits);
  }

  Round& round_;
  Random& random_;
  LstsqOptions options_;
  LstsqShape shape_{};
  bool inverse_ = false;
  std::vector<DrawnLstsq<Real>> drawn_;
  std::vector<LstsqProblem<Real>> problems_;
  std::vector<HostLstsq<Real>> all_;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (round.random.chance(0.5))
    LstsqRound<float>(round, kind).play();
  else
    LstsqRound<double>(round, kind).play();
}

}  // namespace carroll::test
