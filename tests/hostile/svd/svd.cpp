// SPDX-License-Identifier: BSD-3-Clause
// The singular value decomposition under fire: batches of matrices of any kind, whole, in part, in
// other company, alone, ragged and scaled.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/faults.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "hostile/svd/calls.hpp"
#include "hostile/svd/checks.hpp"
#include "hostile/svd/matrices.hpp"
#include "hostile/svd/truncated.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_svd";
std::string_view const hostile_about =
    "Decomposes random batches of matrices that hurt, by every method and path, and compares each "
    "member with itself alone, with other outputs, neighbours, layouts and scales, and with LAPACK "
    "and 113-bit arithmetic.";
std::string_view const hostile_kinds = "preconditioned,cyclic,round_robin,truncated";

template <class Real, class Function>
void outputs_of(HostSvd<Real>& result, Function const& f) {
  f(result.S);
  f(result.U.data);
  f(result.V.data);
}

namespace {

struct Shape {
  int rows, cols, members;
};

/// Mostly small, of every class that the paths make; as many members as a moment is enough for.
Shape draw_shape(Random& random, bool preconditioned) {
  int const drawn = random.index(100);
  int const most = drawn < 15                      ? 3
                   : drawn < 60                    ? 8
                   : drawn < 85                    ? 20
                   : drawn < 97 || !preconditioned ? 40
                                                   : 90;
  int rows = random.index(most + 1);
  int cols = random.chance(0.5) ? rows : random.index(most + 1);
  if (random.chance(0.02)) rows = 200 + random.index(most < 20 ? 1000 : 100);
  if (random.chance(0.1)) {  // longer than wide, few columns
    cols = 1 + random.index(17);
    rows = 30 + random.index(random.chance(0.7) ? 40 : 500 / cols);
  }
  if (random.chance(rows > 2 * cols ? 0.2 : 0.02)) std::swap(rows, cols);
  int const work = std::max(rows * cols * std::min(rows, cols), 1);
  int const room = std::max(1, (on_device ? 4000000 : 40000) / work);
  return {rows, cols, 1 + random.index(std::min(room, on_device ? 800 : 24))};
}

/// More often larger where a family of devices is asked for that has no use for 64 columns.
Shape draw_shape(Random& random, SvdOptions const& options) {
  bool const preconditioned = options.method == SvdMethod::preconditioned;
  bool const wants_many = options.path == SvdPath::gram || options.path == SvdPath::eigenbasis ||
                          options.path == SvdPath::spectral;
  if (!on_device || !preconditioned || !wants_many || !random.chance(0.3))
    return draw_shape(random, preconditioned);
  int const cols = 65 + random.index(135);
  return {cols + (random.chance(0.5) ? 0 : random.index(60)), cols, 1 + random.index(6)};
}

SvdOptions draw_options(Random& random, std::string_view kind) {
  SvdOptions options;
  int const drawn = random.index(10);
  options.method = kind == "cyclic" || (kind.empty() && drawn == 0) ? SvdMethod::cyclic
                   : kind == "round_robin" || (kind.empty() && drawn == 1)
                       ? SvdMethod::round_robin
                       : SvdMethod::preconditioned;
  Placement const placements[] = {Placement::global, Placement::semi_shared, Placement::shared};
  options.placement = placements[random.index(3)];
  SvdPath const paths[] = {SvdPath::automatic, SvdPath::automatic, SvdPath::registers,
                           SvdPath::tiles, SvdPath::team};
  SvdPath const families[] = {SvdPath::slim, SvdPath::fused,      SvdPath::tiled,
                              SvdPath::gram, SvdPath::eigenbasis, SvdPath::spectral};
  options.path = paths[random.index(5)];
  if (on_device && random.chance(0.4)) options.path = families[random.index(6)];
  if (random.chance(0.04)) options.max_sweeps = 1 + random.index(4);
  if (random.chance(0.04)) options.tolerance = std::pow(10.0, -1 - 12 * random.uniform());
  return options;
}

SvdVectors draw_vectors(Random& random, bool all) {
  SvdVectors const choice[] = {SvdVectors::none, SvdVectors::thin, SvdVectors::full};
  return choice[random.index(all ? 3 : 2)];
}

template <class Real>
class SvdRound {
 public:
  SvdRound(Round& round, std::string_view kind)
      : round_(round), random_(round.random), options_(draw_options(random_, kind)) {}

  void play() {
    Shape const shape = draw_shape(random_, options_);
    // All left vectors of a tall matrix are work for the oracle above all.
    all_vectors_ = std::max(shape.rows, shape.cols) <= 180;
    for (int b = 0; b < shape.members; ++b) {
      matrices_.push_back(hostile_matrix<Real>(random_, shape.rows, shape.cols));
      members_.push_back(matrices_.back().A);
    }
    SvdCall call = draw_call();
    call.wanted = all_vectors_ ? full_vectors : thin_vectors;
    auto const outcome = called_uniform(members_, call);
    all_ = outcome.members;
    if (!outcome.damage.empty()) round_.wrong(name(call, 0) + ": wrote into" + outcome.damage);
    check_results(call);
    for (int times = on_device ? 3 : 2; times > 0; --times) in_other_company();
    alone();
    ragged();
    scaled();
    round_.checked(shape.members);
  }

 private:
  SvdCall draw_call() {
    SvdCall call;
    call.options = options_;
    call.wanted = {draw_vectors(random_, all_vectors_), draw_vectors(random_, all_vectors_)};
    Arrangement const all[] = {Arrangement::left, Arrangement::right, Arrangement::stride};
    call.arrangement = all[random_.index(3)];
    call.used_workspace = random_.chance(0.3);
    return call;
  }

  /// call_uniform, and what --fault does to it.
  SvdOutcome<Real> called_uniform(std::vector<HostMatrix<Real>> const& matrices,
                                  SvdCall const& call) {
    auto outcome = call_uniform(matrices, call);
    spoil(round_, ++passes_, outcome.members);
    return outcome;
  }

  [[nodiscard]] std::string name(SvdCall const& call, std::size_t b) const {
    auto const& A = matrices_[b].A;
    return std::string(sizeof(Real) == 4 ? "float " : "double ") + std::to_string(A.rows) + "x" +
           std::to_string(A.cols) + " " + matrices_[b].kind + ", " + to_string(options_) + ", " +
           to_string(call.wanted) + ", " + to_string(call.arrangement) +
           (call.used_workspace ? ", used workspace" : "") +
           (call.one_by_one ? ", one by one" : "") + ", member " + std::to_string(b) + " of " +
           std::to_string(matrices_.size());
  }

  void check_results(SvdCall const& call) {
    auto const texts = complaints_of(all_.size(), [&](std::size_t b) {
      // The oracle's time is for some of a large batch.
      return what_is_wrong(matrices_[b], all_[b], options_, b < 100);
    });
    for (std::size_t b = 0; b < all_.size(); ++b)
      if (!texts[b].empty()) round_.wrong(name(call, b) + ": " + texts[b] + entries(members_[b]));
  }

  void compare(SvdCall const& call, std::string const& how, std::size_t b,
               HostSvd<Real> const& result) {
    auto const differs = difference(all_[b], result);
    if (!differs.empty())
      round_.wrong(name(call, b) + ", " + how + ": other bits in" + differs + entries(members_[b]));
  }

  /// The same members in another order, some left out and some twice, other outputs and layout.
  void in_other_company() {
    SvdCall const call = draw_call();
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < members_.size(); ++k)
      chosen.push_back(random_.chance(0.9)
                           ? k
                           : static_cast<std::size_t>(random_.index(static_cast<int>(k) + 1)));
    random_.shuffle(chosen);
    std::vector<HostMatrix<Real>> company;
    for (std::size_t const b : chosen) company.push_back(members_[b]);
    auto const outcome = called_uniform(company, call);
    if (!outcome.damage.empty()) round_.wrong(name(call, 0) + ": wrote into" + outcome.damage);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      compare(call, "in other company", chosen[k], outcome.members[k]);
  }

  /// Each where it lies, and some in memory of their own.
  void alone() {
    SvdCall each = draw_call();
    each.arrangement = random_.chance(0.5) ? Arrangement::right : Arrangement::stride;
    each.one_by_one = true;
    auto const outcome = called_uniform(members_, each);
    if (!outcome.damage.empty()) round_.wrong(name(each, 0) + ": wrote into" + outcome.damage);
    for (std::size_t b = 0; b < members_.size(); ++b) compare(each, "alone", b, outcome.members[b]);
    for (int k = 0; k < 2; ++k) {
      auto const b = static_cast<std::size_t>(random_.index(static_cast<int>(members_.size())));
      SvdCall const call = draw_call();
      compare(call, "alone", b, called_uniform({members_[b]}, call).members.front());
    }
  }

  void ragged() {
    SvdCall const call = draw_call();
    std::vector<HostMatrix<Real>> company;
    std::vector<std::size_t> chosen;  // members_.size() for a stranger
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (random_.chance(0.3)) {
        Shape const shape = draw_shape(random_, false);
        company.push_back(
            hostile_matrix<Real>(random_, std::min(shape.rows, 60), std::min(shape.cols, 60)).A);
        chosen.push_back(members_.size());
      }
      if (random_.chance(0.7)) {
        company.push_back(members_[k]);
        chosen.push_back(k);
      }
    }
    if (company.empty()) return;
    auto outcome = call_ragged(company, call, random_);
    std::size_t last = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k] < members_.size()) last = k;
    spoil(round_, ++passes_, outcome.members, last);
    if (!outcome.damage.empty())
      round_.wrong(name(call, 0) + ", ragged: wrote into" + outcome.damage);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k] < members_.size()) compare(call, "ragged", chosen[k], outcome.members[k]);
  }

  /// 2^k·A has 2^k·S, bit by bit, barring underflow.
  void scaled() {
    using Limits = std::numeric_limits<Real>;
    SvdCall call = draw_call();
    call.wanted = only_values;
    int const shift = random_.index(Limits::max_exponent) - Limits::max_exponent / 2;
    // Rounding may have carried the smallest normal number up from below.
    auto const in_range = [&](Real x) {
      Real const y = std::ldexp(x, shift);
      return x == 0 ||
             (std::abs(x) > Limits::min() && std::abs(y) > Limits::min() && std::isfinite(y));
    };
    std::vector<HostMatrix<Real>> moved;
    std::vector<std::size_t> chosen;
    for (std::size_t b = 0; b < members_.size(); ++b) {
      auto const& data = members_[b].data;
      if (!std::all_of(data.begin(), data.end(), in_range)) continue;
      moved.push_back(scaled_by_power_of_two(members_[b], shift));
      chosen.push_back(b);
    }
    if (moved.empty()) return;
    auto const outcome = called_uniform(moved, call);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      auto const &S = all_[chosen[k]].S, &T = outcome.members[k].S;
      for (std::size_t i = 0; i < S.size(); ++i) {
        if (!in_range(S[i]) || std::isinf(S[i]) || T[i] == std::ldexp(S[i], shift)) continue;
        if (S[i] == 0 && T[i] <= std::ldexp(Limits::denorm_min(), shift)) continue;  // underflow
        std::ostringstream text;
        text << ", times 2^" << shift << ": S(" << i << ") of " << S[i] << " becomes " << T[i];
        round_.wrong(name(call, chosen[k]) + text.str() + entries(members_[chosen[k]]));
        break;
      }
    }
  }

  Round& round_;
  Random& random_;
  SvdOptions options_;
  bool all_vectors_ = true;
  std::vector<HostileMatrix<Real>> matrices_;
  std::vector<HostMatrix<Real>> members_;
  std::vector<HostSvd<Real>> all_;
  int passes_ = 0;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (kind == "truncated" || (kind.empty() && round.random.chance(0.25)))
    truncated_round(round);
  else if (round.random.chance(0.5))
    SvdRound<float>(round, kind).play();
  else
    SvdRound<double>(round, kind).play();
}

}  // namespace carroll::test
