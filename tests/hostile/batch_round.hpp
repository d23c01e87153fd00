// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// A round of a solver that takes batches: draws members, solves them together, judges the results,
/// and expects the same bits of every member in other company and alone. What a solver adds is how
/// its members are drawn, described, solved and judged, and what else leaves their bits as they
/// are.
template <class Real, class Member, class Result, class Call>
class BatchRound {
 public:
  explicit BatchRound(Round& round) : random_(round.random), round_(round) {}
  BatchRound(BatchRound const&) = delete;
  BatchRound& operator=(BatchRound const&) = delete;
  virtual ~BatchRound() = default;

  void play() {
    for (int more = draw_count(); more > 0; --more) members_.push_back(draw_member());
    Call const call = draw_first_call();
    all_ = run_batch(members_, call);
    auto const complaints = complaints_of(all_.size(), [&](std::size_t b) { return wrong(b); });
    for (std::size_t b = 0; b < complaints.size(); ++b)
      round_.expect(complaints[b].empty(), name(call, b) + complaints[b]);
    in_other_company();
    alone();
    play_variants();
    round_.checked(static_cast<std::int64_t>(members_.size()));
  }

 protected:
  /// Of members that have the same shape, which this draws, too; see count_within.
  virtual int draw_count() = 0;
  virtual Member draw_member() = 0;
  virtual Call draw_call() = 0;
  /// That whose results are judged: it wants all outputs.
  virtual Call draw_first_call() { return draw_call(); }
  virtual std::vector<Result> run_batch(std::vector<Member> const& members, Call const& call) = 0;
  virtual Result run_alone(Member const& member, Call const& call) = 0;
  /// Shape, kind and options, for complaints.
  virtual std::string describe(Call const& call, std::size_t b) const = 0;
  /// What is wrong with all_[b]; may draw nothing, see complaints_of.
  virtual std::string wrong(std::size_t b) const = 0;
  /// Ragged, scaled and whatever else a solver has.
  virtual void play_variants() = 0;

  /// How many members of so many operations each make a round of about `all`.
  int count_within(int all, int operations) {
    return 1 + random_.index(std::clamp(all / std::max(operations, 1), 1, 40));
  }

  std::string name(Call const& call, std::size_t b) const {
    return (sizeof(Real) == 4 ? "float " : "double ") + describe(call, b) + ", layout " +
           std::to_string(static_cast<int>(call.layout)) + ", member " + std::to_string(b) +
           " of " + std::to_string(members_.size()) + ": ";
  }

  void compare(Call const& call, std::string const& how, std::size_t b, Result const& expected,
               Result const& result) {
    round_.expect(same_result(expected, result) && result.guarded,
                  name(call, b) + how + ": other bits");
  }

  /// All members in one call of `run`, and between them strangers that `draw_stranger` draws.
  template <class DrawStranger, class Run>
  void ragged(DrawStranger const& draw_stranger, Run const& run) {
    std::vector<Member> company;
    std::vector<std::size_t> chosen;  // members_.size() for a stranger
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (random_.chance(0.3)) {
        company.push_back(draw_stranger());
        chosen.push_back(members_.size());
      }
      company.push_back(members_[k]);
      chosen.push_back(k);
    }
    Call const call = draw_call();
    auto const results = run(company, call);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k] < members_.size())
        compare(call, "ragged", chosen[k], all_[chosen[k]], results[k]);
  }

  Random& random_;
  std::vector<Member> members_;
  std::vector<Result> all_;  ///< of members_, solved together

 private:
  void in_other_company() {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (random_.chance(0.8)) chosen.push_back(k);
    random_.shuffle(chosen);
    std::vector<Member> company;
    for (std::size_t const b : chosen) company.push_back(members_[b]);
    Call const call = draw_call();
    auto const results = run_batch(company, call);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      compare(call, "in other company", chosen[k], all_[chosen[k]], results[k]);
  }

  void alone() {
    for (std::size_t b = 0; b < members_.size(); ++b) {
      Call const call = draw_call();
      compare(call, "alone", b, all_[b], run_alone(members_[b], call));
    }
  }

  Round& round_;
};

inline ViewLayout draw_layout(Random& random) {
  ViewLayout const layouts[] = {ViewLayout::left, ViewLayout::right, ViewLayout::stride};
  return layouts[random.index(3)];
}

/// Multiplies x by 2^shift, and says whether that is exact and can be undone: x was 0, or is and
/// was finite and no less than `least`.
template <class Real>
bool move_exactly(Real& x, int shift, Real least = std::numeric_limits<Real>::min()) {
  auto const fine = [&](Real y) { return std::isfinite(y) && std::abs(y) >= least; };
  Real const before = std::exchange(x, std::ldexp(x, shift));
  return before == 0 || (fine(before) && fine(x));
}

/// Of a result that is expected to be scaled by 2^shift: where an entry had vanished it may be
/// there again, as small as what vanishes.
template <class Real>
void allow_vanished(Real& expected, Real result, int shift) {
  Real const most = std::ldexp(std::numeric_limits<Real>::denorm_min(), shift);
  if (expected == 0 && std::abs(result) <= most) expected = result;
}

/// Plays Tester<float> or Tester<double>.
template <template <class> class Tester>
void play_single_or_double(Round& round, std::string_view kind) {
  if (round.random.chance(0.5))
    Tester<float>(round, kind).play();
  else
    Tester<double>(round, kind).play();
}

}  // namespace carroll::test
