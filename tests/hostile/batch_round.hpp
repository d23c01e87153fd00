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

#include "hostile/faults.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

/// A round of a solver that takes batches: draws members, solves them together, judges the results,
/// and expects the same bits of every member in other company and alone. What a solver adds is how
/// its members are drawn, described, solved and judged, and what else leaves their bits as they
/// are.
///
/// Each way is one pass over all members, with Views and a workspace of its own, so that they share
/// what it costs to allocate, copy and wait for these.
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
    all_ = solved(members_, call);
    auto const complaints = complaints_of(all_.size(), [&](std::size_t b) { return wrong(b); });
    for (std::size_t b = 0; b < complaints.size(); ++b)
      if (!complaints[b].empty()) round_.wrong(name(call, b) + complaints[b]);
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
  /// In memory of its own, by Views without a dimension for members.
  virtual Result run_alone(Member const& member, Call const& call) = 0;
  /// Shape, kind and options, for complaints.
  virtual std::string describe(Call const& call, std::size_t b) const = 0;
  /// What is wrong with all_[b]; may draw nothing, see complaints_of.
  virtual std::string wrong(std::size_t b) const = 0;
  /// Ragged, scaled and whatever else a solver has.
  virtual void play_variants() = 0;

  /// How many members of so many operations each make a round of about `all` on hosts; on devices
  /// a pass costs as much as many small ones before it begins, so there are more of them.
  int count_within(int all, int operations) {
    int const room = (on_device ? 8 : 1) * all / std::max(operations, 1);
    return 1 + random_.index(std::clamp(room, 1, on_device ? 240 : 40));
  }

  std::string name(Call const& call, std::size_t b) const {
    return (sizeof(Real) == 4 ? "float " : "double ") + describe(call, b) + ", layout " +
           std::to_string(static_cast<int>(call.layout)) + ", member " + std::to_string(b) +
           " of " + std::to_string(members_.size()) + ": ";
  }

  void compare(Call const& call, std::string const& how, std::size_t b, Result const& expected,
               Result const& result) {
    if (!same_result(expected, result) || !result.guarded)
      round_.wrong(name(call, b) + how + ": other bits");
  }

  /// A member that was changed so that its result follows from that of members_[of].
  struct Changed {
    std::size_t of;
    Member member;
    Result expected;
  };
  /// Solves such members, of equal shape, together. `allow(k, expected, result)` may set what is
  /// expected of the k-th right where that is not known to the bit.
  template <class Allow>
  void compare_changed(std::string const& how, Call const& call,
                       std::vector<Changed> const& changed, Allow const& allow) {
    std::vector<Member> company;
    for (Changed const& one : changed) company.push_back(one.member);
    auto const results = solved(company, call);
    for (std::size_t k = 0; k < changed.size(); ++k) {
      Result expected = changed[k].expected;
      allow(k, expected, results[k]);
      compare(call, how, changed[k].of, expected, results[k]);
    }
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
    auto const results = spoiled(run(company, call));
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k] < members_.size())
        compare(call, "ragged", chosen[k], all_[chosen[k]], results[k]);
  }

  /// run_batch, and what --fault does to it.
  std::vector<Result> solved(std::vector<Member> const& members, Call const& call) {
    return spoiled(run_batch(members, call));
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
    auto const results = solved(company, call);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      compare(call, "in other company", chosen[k], all_[chosen[k]], results[k]);
  }

  /// Each where it lies, and each in memory of its own, of which a device, where every one of these
  /// costs as much as a pass, gets some.
  void alone() {
    Call each = draw_call();
    each.layout = random_.chance(0.5) ? ViewLayout::right : ViewLayout::stride;
    each.one_by_one = true;
    auto const results = solved(members_, each);
    for (std::size_t b = 0; b < members_.size(); ++b)
      compare(each, "alone, where it lies", b, all_[b], results[b]);
    std::size_t const times = on_device ? 3 : members_.size();
    for (std::size_t k = 0; k < times; ++k) {
      std::size_t const b =
          on_device ? static_cast<std::size_t>(random_.index(static_cast<int>(members_.size())))
                    : k;
      Call const call = draw_call();
      compare(call, "alone", b, all_[b], spoiled({run_alone(members_[b], call)}).front());
    }
  }

  std::vector<Result> spoiled(std::vector<Result> results) {
    ++passes_;
    spoil(round_, passes_, results);
    return results;
  }

  Round& round_;
  int passes_ = 0;  ///< done
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
