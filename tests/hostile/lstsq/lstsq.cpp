// SPDX-License-Identifier: BSD-3-Clause
// Least squares and pseudoinverses under fire: problems of any kind, shape and rank, real and
// complex, in batches, alone, in other company, other layouts, cut into single right-hand sides,
// scaled.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hostile/batch_round.hpp"
#include "hostile/lstsq/draws.hpp"
#include "support/lstsq/checks.hpp"
#include "support/lstsq/drivers.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_lstsq";
std::string_view const hostile_about =
    "Solves random batches of least-squares problems that hurt, and pseudoinverts their matrices; "
    "compares each member with itself alone, with other neighbours, layouts, numbers of right-hand "
    "sides and scales, and with the shortest solution in extended precision.";
std::string_view const hostile_kinds = "lstsq,pinv,complex";

template <class T, class Function>
void outputs_of(HostLstsq<T>& result, Function const& f) {
  f(result.X.data);
}

namespace {

template <class T>
class LstsqRound : public BatchRound<RealOf<T>, LstsqProblem<T>, HostLstsq<T>, LstsqCall> {
  using Real = RealOf<T>;
  using Base = BatchRound<Real, LstsqProblem<T>, HostLstsq<T>, LstsqCall>;
  using Base::all_, Base::members_, Base::random_;

 public:
  LstsqRound(Round& round, std::string_view kind) : Base(round) {
    inverse_ = kind == "pinv" || (kind.empty() && random_.chance(0.4));
    // Above rounding errors, among which there is no rank to be right about.
    double const digits = std::numeric_limits<Real>::digits > 24 ? 12 : 4;
    if (random_.chance(0.2)) options_.rcond = std::pow(10, -digits * random_.uniform());
    SvdPath const paths[] = {SvdPath::team, SvdPath::registers, SvdPath::tiles};
    if (random_.chance(0.2)) options_.path = paths[random_.index(3)];
  }

 private:
  int draw_count() override {
    shape_ = draw_lstsq_shape(random_);
    int const side = std::max({shape_.m, shape_.n, 1});
    return this->count_within(40000 / (is_complex<T> ? 8 : 1),
                              side * side * std::min(shape_.m, shape_.n));
  }

  LstsqProblem<T> draw_member() override {
    drawn_.push_back(draw_lstsq<T>(random_, shape_));
    if (inverse_) drawn_.back().finite = all_finite(parts_of(drawn_.back().problem.A.data));
    return drawn_.back().problem;
  }

  LstsqCall draw_call() override {
    LstsqCall call;
    call.options = options_;
    call.layout = draw_layout(random_);
    call.workspace = random_.chance(0.3);
    call.vectors = !inverse_ && shape_.p == 1 && random_.chance(0.5);
    return call;
  }

  std::vector<HostLstsq<T>> run_batch(std::vector<LstsqProblem<T>> const& problems,
                                      LstsqCall const& call) override {
    return run_lstsq_batch(problems, inverse_, call);
  }
  HostLstsq<T> run_alone(LstsqProblem<T> const& problem, LstsqCall const& call) override {
    return inverse_ ? run_pinv(problem.A, call) : run_lstsq(problem.A, problem.B, call);
  }

  [[nodiscard]] std::string describe(LstsqCall const&, std::size_t b) const override {
    std::ostringstream text;
    text << (is_complex<T> ? "complex " : "") << (inverse_ ? "pinv " : "lstsq ") << shape_.m << 'x'
         << shape_.n << 'x' << shape_.p << ' ' << drawn_[b].kind << ", rcond " << options_.rcond
         << ", path " << to_string(options_.path);
    return text.str();
  }

  [[nodiscard]] std::string wrong(std::size_t b) const override {
    auto const& result = all_[b];
    if (drawn_[b].finite) return what_is_wrong(members_[b], inverse_, options_, result);
    bool const refused = result.info.status == Status::non_finite && result.info.rank == 0 &&
                         all_nan(parts_of(result.X.data)) && result.guarded;
    return refused ? "" : "is not refused";
  }

  void play_variants() override {
    one_column();
    scaled();
  }

  /// A column of X without the others.
  void one_column() {
    if (inverse_ || shape_.p < 2) return;
    std::vector<typename Base::Changed> changed;
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (!drawn_[b].finite) continue;
      int const j = random_.index(shape_.p);
      LstsqProblem<T> problem{members_[b].A, HostMatrix<T>(shape_.m, 1)};
      HostLstsq<T> expected = all_[b];
      expected.X = HostMatrix<T>(shape_.n, 1);
      std::copy_n(members_[b].B.column(j), shape_.m, problem.B.data.begin());
      std::copy_n(all_[b].X.column(j), shape_.n, expected.X.data.begin());
      changed.push_back({b, std::move(problem), std::move(expected)});
    }
    LstsqCall call = draw_call();
    call.vectors = random_.chance(0.5);
    this->compare_changed("a column without the others", call, changed,
                          [](std::size_t, HostLstsq<T>& expected, HostLstsq<T> const& result) {
                            expected.info = result.info;  // its status is about this column alone
                          });
  }

  /// Powers of two that A and B are multiplied by go through, bit by bit, where no entry, and none
  /// of the products that are added up to it, comes near the end of the normal numbers.
  void scaled() {
    using Limits = std::numeric_limits<Real>;
    std::vector<typename Base::Changed> changed;
    std::vector<int> shifts;  // of X
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (!drawn_[b].finite) continue;
      int const most = Limits::max_exponent / 4;
      int const of_a = random_.index(2 * most) - most, of_b = random_.index(2 * most) - most;
      LstsqProblem<T> moved = members_[b];
      HostLstsq<T> expected = all_[b];
      bool usable = true;
      auto const move = [&](std::span<Real> values, int shift) {
        Real const least = std::ldexp(Limits::min(), Limits::digits);
        for (Real& x : values) usable = move_exactly(x, shift, least) && usable;
      };
      move(parts_in(moved.A.data), of_a);
      if (!inverse_) move(parts_in(moved.B.data), of_b);
      int const of_x = (inverse_ ? 0 : of_b) - of_a;
      move(parts_in(expected.X.data), of_x);
      std::vector<Real> sigma{expected.info.sigma_max, expected.info.sigma_min};
      move(sigma, of_a);
      if (!usable) continue;
      expected.info.sigma_max = sigma[0];
      expected.info.sigma_min = sigma[1];
      changed.push_back({b, std::move(moved), std::move(expected)});
      shifts.push_back(of_x);
    }
    this->compare_changed("scaled", draw_call(), changed,
                          [&](std::size_t c, HostLstsq<T>& expected, HostLstsq<T> const& result) {
                            auto const parts = parts_of(result.X.data);
                            auto const expected_parts = parts_in(expected.X.data);
                            for (std::size_t k = 0; k < parts.size(); ++k)
                              allow_vanished(expected_parts[k], parts[k], shifts[c]);
                          });
  }

  LstsqOptions options_;
  LstsqShape shape_{};
  bool inverse_ = false;
  std::vector<DrawnLstsq<T>> drawn_;
};

template <class Real>
using ComplexLstsqRound = LstsqRound<Kokkos::complex<Real>>;

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (kind == "complex" || (kind.empty() && round.random.chance(0.3)))
    play_single_or_double<ComplexLstsqRound>(round, "");
  else
    play_single_or_double<LstsqRound>(round, kind);
}

}  // namespace carroll::test
