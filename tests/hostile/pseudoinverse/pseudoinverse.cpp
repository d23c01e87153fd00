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
#include "hostile/pseudoinverse/arrow_judge.hpp"
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
      return judge_.frame(static_cast<int>(f), static_cast<int>(p % r), run.infos[p],
                          run.y.data() + p * k, run.xi.data() + p * m,
                          run.covariance.empty() ? nullptr : run.covariance.data() + f * k * k,
                          run.variances.empty() ? nullptr : run.variances.data() + f * m);
    });
    for (std::size_t p = 0; p < texts.size(); ++p)
      if (!texts[p].empty()) wrong("frame " + std::to_string(p / r) + ", " + what + ":" + texts[p]);
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
      return judge_.inverse(static_cast<int>(g), first, reference.infos[g],
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

  Round& round_;
  std::string kind_;
  ArrowFrames<Real> all_;
  std::vector<Status> expected_;
  ArrowJudge<Real> judge_{all_, kind_, expected_};
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
