// SPDX-License-Identifier: BSD-3-Clause
// Steps and A⁺ of arrow Jacobians that nobody has chosen: frames alone and in batches, layouts,
// rows in place and gathered, several right-hand sides, functors, combinations of outputs.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "hostile/members.hpp"
#include "hostile/pseudoinverse/arrow_checks.hpp"
#include "hostile/pseudoinverse/arrow_draws.hpp"
#include "hostile/pseudoinverse/fused.hpp"

namespace carroll::test {

std::string_view const hostile_name = "pseudoinverse";
std::string_view const hostile_about =
    "Steps and dense pseudoinverses of arrow Jacobians that nobody has chosen, in every way that "
    "promises the same bits, and against singular value decompositions in long double.";
std::string_view const hostile_kinds = "full,graded,extreme,deficient,nonfinite,offsets,large";

namespace {

template <class Real>
class ArrowRound {
 public:
  ArrowRound(Round& round, std::string_view kind)
      : round_(round),
        kind_(kind),
        all_(draw_frames<Real>(round.random, kind)),
        expected_(at(all_.count()), Status::success) {
    spoil();
  }

  void play() {
    auto workspace = workspace_for(all_, false);
    auto const reference = run_frames<Kokkos::LayoutRight>(all_, ArrowOutputs::all, workspace);
    expect_guarded(reference.guarded, "LayoutRight");
    constexpr ArrowOutputs fewer[] = {ArrowOutputs::step, ArrowOutputs::covariance,
                                      ArrowOutputs::variances};
    auto const outputs = fewer[random().index(3)];
    if (all_.r == 1)
      compare(reference, run_frames<Kokkos::LayoutRight>(all_, outputs, workspace),
              "other outputs wanted", false);
    compare(reference, run_frames<Kokkos::LayoutLeft>(all_, ArrowOutputs::all, workspace),
            "LayoutLeft", true);
    compare(reference, run_frames<Kokkos::LayoutStride>(all_, ArrowOutputs::all, workspace),
            "LayoutStride", true);
    compare(reference,
            run_frames<Kokkos::LayoutLeft>(all_, ArrowOutputs::all, workspace, permutations()),
            "rows gathered", true);
    compare(reference, run_frames_alone<Kokkos::LayoutRight>(all_), "each alone", true);
    play_alone(reference);
    play_columns(reference);
    if (all_.r == 1 && has_fused_rows(all_.k)) {
      auto const fused = run_fused(all_, workspace);
      if (all_.k > 1)
        compare(reference, fused, "rows of a functor", true);
      else
        check_frames(fused, "rows of a functor");
    }
    check_frames(reference, "step");
    if (all_.options.weight == RobustWeight::uniform) play_inverses();
    if (kind_ == "offsets" && all_.n > 0) play_row_numbers(workspace);
    round_.checked(all_.count() * static_cast<std::int64_t>(all_.r));
  }

 private:
  Random& random() { return round_.random; }

  void wrong(std::string const& what) { round_.wrong(all_.text() + ": " + what); }
  void expect_guarded(bool guarded, std::string const& what) {
    if (!guarded) wrong(what + ": memory that is no output's has been written");
  }

  /// Numbers that are none, or offsets that do not fit, in some frames.
  void spoil() {
    for (int f = 0; f < all_.count(); ++f) {
      auto& frame = all_.frames[at(f)];
      if (kind_ == "offsets" && random().chance(0.4)) {
        frame.offsets = unusable_offsets(random(), all_.n, all_.m);
        expected_[at(f)] = Status::breakdown;
      }
      if (kind_ != "nonfinite" || all_.n == 0 || random().chance(0.4)) continue;
      degenerate(frame);
      Real const bad[] = {std::numeric_limits<Real>::quiet_NaN(),
                          std::numeric_limits<Real>::infinity(),
                          -std::numeric_limits<Real>::infinity()};
      Real const value = bad[random().index(3)];
      int const i = random().index(all_.n), where = random().index(3);
      if (where == 0) frame.motion[at(i * all_.k + random().index(all_.k))] = value;
      if (where == 1) frame.depth[at(i)] = value;
      if (where == 2)
        for (int c = 0; c < all_.r; ++c) frame.rhs[at(c * all_.n + i)] = value;
      expected_[at(f)] = Status::non_finite;
      has_inverse_ = has_inverse_ && where != 2;
    }
  }
  /// What may hide numbers that are none: zeros.
  void degenerate(ArrowFrame<Real>& frame) {
    if (random().chance(0.3)) std::fill(frame.motion.begin(), frame.motion.end(), Real(0));
    if (random().chance(0.3)) std::fill(frame.depth.begin(), frame.depth.end(), Real(0));
    if (random().chance(0.2)) std::fill(frame.rhs.begin(), frame.rhs.end(), Real(0));
    if (random().chance(0.2))  // E = 0
      for (int i = 0; i < all_.n * all_.k; ++i) frame.motion[at(i)] = frame.depth[at(i / all_.k)];
  }

  std::vector<std::vector<int>> permutations() {
    std::vector<std::vector<int>> places;
    for (int f = 0; f < all_.count(); ++f) {
      std::vector<int> order(at(all_.n));
      std::iota(order.begin(), order.end(), 0);
      if (!random().chance(0.1)) random().shuffle(order);
      places.push_back(std::move(order));
    }
    return places;
  }

  void compare(ArrowRun<Real> const& a, ArrowRun<Real> const& b, std::string const& what,
               bool same_outputs) {
    expect_guarded(b.guarded, what);
    for (int f = 0; f < all_.count(); ++f)
      for (int c = 0; c < all_.r; ++c) {
        auto const text = difference(all_, a, f, c, all_.r, b, f, c, all_.r, same_outputs);
        if (text.empty()) continue;
        wrong("frame " + std::to_string(f) + ", " + what + ": other bits of" + text);
        return;
      }
  }

  ArrowFrames<Real> alone(int f) const {
    auto one = all_;
    one.frames = {all_.frames[at(f)]};
    return one;
  }

  /// A frame by itself, in memory and a workspace that have seen nothing.
  void play_alone(ArrowRun<Real> const& reference) {
    int const f = random().index(all_.count());
    auto const one = alone(f);
    auto workspace = workspace_for(one, false);
    auto const run = run_frames<Kokkos::LayoutStride>(one, ArrowOutputs::all, workspace);
    expect_guarded(run.guarded, "alone");
    for (int c = 0; c < all_.r; ++c) {
      auto const text = difference(all_, reference, f, c, all_.r, run, 0, c, all_.r, true);
      if (!text.empty()) wrong("frame " + std::to_string(f) + " alone: other bits of" + text);
    }
  }

  /// A right-hand side as if it were alone.
  void play_columns(ArrowRun<Real> const& reference) {
    if (all_.r == 1) return;
    int const c = random().index(all_.r);
    auto one = all_;
    one.r = 1;
    for (auto& frame : one.frames)
      frame.rhs = {frame.rhs.begin() + c * all_.n, frame.rhs.begin() + (c + 1) * all_.n};
    auto workspace = workspace_for(one, false);
    auto const run = run_frames<Kokkos::LayoutLeft>(one, ArrowOutputs::step, workspace);
    for (int f = 0; f < all_.count(); ++f) {
      auto const text = difference(all_, reference, f, c, all_.r, run, f, 0, 1, true);
      if (!text.empty())
        wrong("frame " + std::to_string(f) + ", one right-hand side of several: other bits of" +
              text);
    }
  }

  /// Row numbers that are none: the frames that have them break down, alone.
  void play_row_numbers(ArrowWorkspace<Real>& workspace) {
    auto places = permutations();
    auto expected = expected_;
    constexpr int wild[] = {-1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
    for (int f = 0; f < all_.count(); ++f)
      if (random().chance(0.3)) {
        int const which = random().index(4);
        places[at(f)][at(random().index(all_.n))] = which == 3 ? all_.n : wild[which];
        expected[at(f)] = Status::breakdown;
      }
    auto const run = run_frames<Kokkos::LayoutRight>(all_, ArrowOutputs::all, workspace, places);
    expect_guarded(run.guarded, "row numbers");
    std::swap(expected, expected_);
    check_frames(run, "row numbers");
    std::swap(expected, expected_);
  }

  /// Status and, where all is well, numbers.
  void check_frames(ArrowRun<Real> const& run, std::string const& what) {
    auto const k = at(all_.k), m = at(all_.m), r = at(all_.r);
    auto const texts = complaints_of(at(all_.count()) * r, [&](std::size_t p) {
      auto const f = p / r;
      return check_frame(static_cast<int>(f), static_cast<int>(p % r), run.infos[p],
                         run.y.data() + p * k, run.xi.data() + p * m,
                         run.covariance.empty() ? nullptr : run.covariance.data() + f * k * k,
                         run.variances.empty() ? nullptr : run.variances.data() + f * m);
    });
    for (std::size_t p = 0; p < texts.size(); ++p)
      if (!texts[p].empty()) wrong("frame " + std::to_string(p / r) + ", " + what + ":" + texts[p]);
  }

  std::string check_frame(int f, int c, PseudoinverseInfo<Real> const& info, Real const* y,
                          Real const* xi, Real const* covariance, Real const* variances) const {
    if (expected_[at(f)] != Status::success) return check_failure(f, info.status, y, xi);
    if (info.status != Status::success && info.status != Status::overflow)
      return " status " + std::to_string(static_cast<int>(info.status));
    auto frame = all_.frames[at(f)];
    frame.rhs = {frame.rhs.begin() + c * all_.n, frame.rhs.begin() + (c + 1) * all_.n};
    if (kind_ == "large") return gradient_error(all_, frame, y, xi);
    auto const A = dense_jacobian(all_, frame);
    LeastSquaresOracle const first(A, true);
    if (!is_clear(first)) return {};
    if (info.rank != first.rank())
      return " rank " + std::to_string(info.rank) + ", must be " + std::to_string(first.rank());
    bool const full = is_full(first, A);
    if (!full && kind_ != "deficient") return {};
    LeastSquaresOracle const oracle(A, full);
    if (!full && !is_clear(oracle)) return {};
    ArrowBound<Real> const bound(all_, oracle, !full);
    auto const exact = oracle.solve(dense_rhs(all_, frame, A.rows));
    auto text = step_error(oracle, bound, exact, y, all_.k, xi, all_.m);
    if (text.empty() && covariance)
      text = spread_error(oracle, bound, covariance, all_.k, variances, all_.m);
    return text;
  }
  /// Whether all columns are independent but those that are zero: then only the zero ones have
  /// zeros in x, however columns are scaled.
  [[nodiscard]] bool is_full(LeastSquaresOracle const& oracle, LongMatrix const& A) const {
    int count = 0;
    for (int j = 0; j < A.cols; ++j)
      count += std::any_of(A.column(j), A.column(j) + A.rows, [](long double a) { return a != 0; });
    return oracle.rank() == count;
  }
  /// Whether nobody can be in doubt about the rank.
  [[nodiscard]] bool is_clear(LeastSquaresOracle const& oracle) const {
    bool const squares = all_.options.method == PseudoinverseMethod::normal_equations;
    long double const most = sizeof(Real) == sizeof(float) ? 1e3L : squares ? 1e4L : 1e6L;
    return oracle.has_clear_rank() && oracle.kappa() < most;
  }

  std::string check_failure(int f, Status status, Real const* y, Real const* xi) const {
    if (status != expected_[at(f)])
      return " status " + std::to_string(static_cast<int>(status)) + ", must be " +
             std::to_string(static_cast<int>(expected_[at(f)]));
    auto const is_nan = [](Real x) { return std::isnan(x); };
    if (!std::all_of(y, y + all_.k, is_nan) || !std::all_of(xi, xi + all_.m, is_nan))
      return " outputs that are not NaN";
    return {};
  }

  void play_inverses() {
    if (!has_inverse_ || static_cast<std::int64_t>(all_.n) * (all_.k + all_.m) > 200'000) return;
    auto one = all_;
    one.r = 1;
    auto workspace = workspace_for(one, true);
    using Left = Kokkos::LayoutLeft;
    using Right = Kokkos::LayoutRight;
    auto const reference = run_inverses<Right, Right>(one, workspace);
    expect_guarded(reference.guarded, "inverse");
    compare(reference, run_inverses<Right, Left>(one, workspace), "inverse in LayoutLeft");
    compare(reference, run_inverses<Left, Kokkos::LayoutStride>(one, workspace),
            "inverse in LayoutStride");
    compare(reference, run_inverses<Left, Right>(one, workspace, permutations()),
            "inverse, rows gathered");
    compare(reference, run_inverses_alone<Right>(one), "inverse, each alone");
    int const f = random().index(all_.count());
    auto lonely = alone(f);
    lonely.r = 1;
    auto own = workspace_for(lonely, true);
    auto const run = run_inverses<Kokkos::LayoutStride, Left>(lonely, own);
    auto const size = at(all_.k + all_.m) * at(all_.n);
    if (!same(run.infos[0], reference.infos[at(f)]) ||
        !same(run.inverse.data(), reference.inverse.data() + at(f) * size, size))
      wrong("frame " + std::to_string(f) + ", inverse alone: other bits");
    int const first = random().index(std::max(all_.n, 1));
    auto const texts = complaints_of(at(all_.count()), [&](std::size_t g) {
      return check_inverse(static_cast<int>(g), first, reference.infos[g],
                           reference.inverse.data() + g * size);
    });
    for (std::size_t g = 0; g < texts.size(); ++g)
      if (!texts[g].empty()) wrong("frame " + std::to_string(g) + ", inverse:" + texts[g]);
  }

  void compare(InverseRun<Real> const& a, InverseRun<Real> const& b, std::string const& what) {
    expect_guarded(b.guarded, what);
    auto const size = at(all_.k + all_.m) * at(all_.n);
    for (int f = 0; f < all_.count(); ++f)
      if (!same(a.infos[at(f)], b.infos[at(f)]) ||
          !same(a.inverse.data() + at(f) * size, b.inverse.data() + at(f) * size, size)) {
        wrong("frame " + std::to_string(f) + ", " + what + ": other bits");
        return;
      }
  }

  /// Of many columns some, from `first` on.
  std::string check_inverse(int f, int first, PseudoinverseInfo<Real> const& info,
                            Real const* inverse) const {
    std::size_t const rows = at(all_.k + all_.m);
    if (expected_[at(f)] != Status::success) {
      for (int p = 0; p < all_.n; ++p) {
        Real const* const column = inverse + at(p) * rows;
        auto const text = check_failure(f, info.status, column, column + all_.k);
        if (!text.empty()) return text;
      }
      return {};
    }
    if (info.status != Status::success && info.status != Status::overflow)
      return " status " + std::to_string(static_cast<int>(info.status));
    if (kind_ == "large" || all_.n > 60) return {};
    auto const A = dense_jacobian(all_, all_.frames[at(f)]);
    LeastSquaresOracle const scaled(A, true);
    if (!is_clear(scaled)) return {};
    bool const full = is_full(scaled, A);
    if (!full && kind_ != "deficient") return {};
    LeastSquaresOracle const oracle(A, full);
    if (!full && !is_clear(oracle)) return {};
    ArrowBound<Real> bound(all_, oracle, !full);
    bound.of_inverse(all_.k, !full, A.rows > all_.n);
    int const turns = std::min(all_.n, 4);
    for (int t = 0; t < turns; ++t) {
      int const p = (first + t * std::max(all_.n / turns, 1)) % all_.n;
      std::vector<long double> d(at(A.rows));
      d[at(p)] = 1;
      Real const* const column = inverse + at(p) * rows;
      if (full) bound.of_column(oracle, A, p);
      auto const text =
          step_error(oracle, bound, oracle.solve(d), column, all_.k, column + all_.k, all_.m);
      if (!text.empty()) return " column " + std::to_string(p) + text;
    }
    return {};
  }

  Round& round_;
  std::string kind_;
  ArrowFrames<Real> all_;
  std::vector<Status> expected_;
  bool has_inverse_ = true;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  constexpr std::string_view kinds[] = {"full",      "full",    "graded",  "graded", "deficient",
                                        "nonfinite", "offsets", "offsets", "large"};
  std::string_view const drawn = kinds[round.random.index(round.random.chance(0.1) ? 9 : 8)];
  std::string_view const chosen = kind.empty() ? drawn : kind;
  if (round.random.chance(0.5))
    ArrowRound<float>(round, chosen).play();
  else
    ArrowRound<double>(round, chosen).play();
}

}  // namespace carroll::test
