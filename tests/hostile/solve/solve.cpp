// SPDX-License-Identifier: BSD-3-Clause
// Systems and inverses under fire: batches of matrices of any kind and order, with singular ones
// and some that are not finite among them, alone, in other company, other layouts, with fewer
// right-hand sides, and scaled.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/determinant/square_matrices.hpp"
#include "hostile/round.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_solve";
std::string_view const hostile_about =
    "Solves random batches of systems that hurt and inverts their matrices, on every path, and "
    "compares each member with itself alone, with other neighbours, layouts, right-hand sides and "
    "scales, and its solution with one in 113 bits.";
std::string_view const hostile_kinds = "automatic,team,warp,inverse";

namespace {

template <class Real>
struct DrawnSystem {
  HostSystem<Real> system;
  std::string kind;
  bool finite = true;
};

/// Mostly small, all about those at which kernels change.
int draw_order(Random& random) {
  int const drawn = random.index(100);
  if (drawn < 2) return 60 + random.index(40);
  return random.index((drawn < 25 ? 4 : drawn < 70 ? 10 : drawn < 92 ? 24 : 60) + 1);
}

/// Right-hand sides of any size each, some of them zero.
template <class Real>
HostMatrix<Real> draw_sides(Random& random, int n, int columns) {
  using Limits = std::numeric_limits<Real>;
  HostMatrix<Real> B(n, columns);
  for (int j = 0; j < columns; ++j) {
    int const shift =
        random.chance(0.8) ? 0 : random.index(Limits::max_exponent) - Limits::max_exponent / 2;
    bool const zero = random.chance(0.05);
    for (int i = 0; i < n; ++i)
      if (!zero && random.chance(0.9))
        B(i, j) = std::ldexp(static_cast<Real>(random.normal()), shift);
  }
  return B;
}

template <class Real>
DrawnSystem<Real> draw_system(Random& random, int n, int columns) {
  DrawnSystem<Real> drawn;
  auto& [A, B] = drawn.system;
  if (random.chance(0.5)) {
    int const kind = random.index(static_cast<int>(square_kinds.size()));
    A = SquareMatrix<Real>(random, n).of_kind(kind);
    drawn.kind = square_kinds[static_cast<std::size_t>(kind)];
  } else {
    auto const& types = all_matrix_types();
    auto const type = types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
    A = make_matrix<Real>(type, n, n, static_cast<std::uint64_t>(random.index(1 << 30)));
    drawn.kind = to_string(type);
  }
  B = draw_sides<Real>(random, n, columns);
  if (n > 0 && columns > 0 && random.chance(0.03)) {
    B(random.index(n), random.index(columns)) = std::numeric_limits<Real>::quiet_NaN();
    drawn.kind += ", B not finite";
  }
  drawn.finite = all_finite(A.data) && all_finite(B.data);
  return drawn;
}

template <class Real>
class SolveRound {
 public:
  SolveRound(Round& round, std::string_view kind) : round_(round), random_(round.random) {
    inverts_ = kind == "inverse" || (kind.empty() && random_.chance(0.4));
    int const path = random_.index(10);
    if (kind == "team" || (kind.empty() && path < 3)) options_.path = SolvePath::team;
    if (kind == "warp" || (kind.empty() && path == 3)) options_.path = SolvePath::warp;
  }

  void play() {
    int const n = draw_order(random_), columns = random_.index(random_.chance(0.7) ? 4 : 12);
    int const work = std::max(n * n * n, 1);
    int const count = 1 + random_.index(std::clamp(60000 / work, 1, 40));
    for (int b = 0; b < count; ++b) {
      drawn_.push_back(draw_system<Real>(random_, n, columns));
      auto& [A, B] = drawn_.back().system;
      if (inverts_) {
        B = identity_matrix<Real>(n);
        drawn_.back().finite = all_finite(A.data);
      }
      members_.push_back(drawn_.back().system);
    }
    SolveCall call = draw_call();
    call.options.condition = true;
    all_ = run_solve_batch(members_, call);
    for (std::size_t b = 0; b < all_.size(); ++b) check(call, b);
    in_other_company();
    alone();
    scaled();
    round_.checked(count);
  }

 private:
  SolveCall draw_call() {
    SolveCall call;
    call.options = options_;
    call.options.condition = random_.chance(0.7);
    call.inverse = inverts_;
    ViewLayout const layouts[] = {ViewLayout::left, ViewLayout::right, ViewLayout::stride};
    call.layout = layouts[random_.index(3)];
    call.workspace = random_.chance(0.3);
    return call;
  }

  [[nodiscard]] std::string name(SolveCall const& call, std::size_t b) const {
    std::ostringstream text;
    text << (sizeof(Real) == 4 ? "float " : "double ") << members_[b].A.rows << ", "
         << members_[b].B.cols << " right-hand sides, " << drawn_[b].kind
         << (inverts_ ? ", inverse" : "") << ", path " << to_string(options_.path) << ", layout "
         << static_cast<int>(call.layout) << ", member " << b << " of " << members_.size() << ": ";
    return text.str();
  }

  void check(SolveCall const& call, std::size_t b) {
    auto const& result = all_[b];
    if (!drawn_[b].finite) {
      // Whoever is singular need not look at B.
      bool const refused =
          result.info.status == Status::non_finite ||
          (result.info.status == Status::singular && all_finite(members_[b].A.data));
      round_.expect(refused && all_nan(result.X.data) && result.guarded,
                    name(call, b) + "is not refused");
      return;
    }
    std::string const complaint = what_is_wrong(members_[b], result, inverts_);
    round_.expect(complaint.empty(), name(call, b) + complaint);
  }

  void compare(SolveCall const& call, std::string const& how, std::size_t b,
               HostSolve<Real> const& expected, HostSolve<Real> const& result) {
    round_.expect(same_result(expected, result) && result.guarded,
                  name(call, b) + how + ": other bits");
  }

  void in_other_company() {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (random_.chance(0.8)) chosen.push_back(k);
    random_.shuffle(chosen);
    std::vector<HostSystem<Real>> company;
    for (std::size_t const b : chosen) company.push_back(members_[b]);
    SolveCall const call = draw_call();
    auto const results = run_solve_batch(company, call);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      compare(call, "in other company", chosen[k], all_[chosen[k]], results[k]);
  }

  /// With the first right-hand sides alone, too: as long as those that are left out are finite.
  void alone() {
    for (std::size_t b = 0; b < members_.size(); ++b) {
      SolveCall const call = draw_call();
      HostSystem<Real> system = members_[b];
      HostSolve<Real> expected = all_[b];
      bool const usable = !inverts_ && drawn_[b].finite && expected.info.status == Status::success;
      if (usable && random_.chance(0.3)) {
        auto const cut = [&](HostMatrix<Real>& M, int columns) {
          M.cols = columns;
          M.data.resize(static_cast<std::size_t>(M.rows) * static_cast<std::size_t>(columns));
        };
        int const columns = random_.index(system.B.cols + 1);
        cut(system.B, columns);
        cut(expected.X, columns);
      }
      compare(call, "alone", b, expected, run_solve(system, call));
    }
  }

  /// A power of two that A is multiplied by divides X, bit by bit, barring under- and overflow.
  void scaled() {
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (!drawn_[b].finite || all_[b].info.status != Status::success) continue;
      int const shift = random_.index(60) - 30;
      HostSystem<Real> system = members_[b];
      HostSolve<Real> expected = all_[b];
      bool usable = true;
      auto const move = [&](HostMatrix<Real>& M, int by) {
        for (Real& x : M.data) {
          Real const y = std::ldexp(x, by);
          usable = usable && (x == 0 || (std::isnormal(x) && std::isnormal(y)));
          x = y;
        }
      };
      move(system.A, shift);
      move(expected.X, -shift);
      if (!usable) continue;
      SolveCall const call = draw_call();
      auto const result = run_solve(system, call);
      // An entry of X that had vanished may be there again.
      Real const vanished =
          std::ldexp(std::numeric_limits<Real>::denorm_min(), std::max(-shift, 0));
      for (std::size_t k = 0; k < expected.X.data.size(); ++k)
        if (expected.X.data[k] == 0 && std::abs(result.X.data[k]) <= vanished)
          expected.X.data[k] = result.X.data[k];
      compare(call, "scaled", b, expected, result);
    }
  }

  Round& round_;
  Random& random_;
  SolveOptions options_;
  bool inverts_ = false;
  std::vector<DrawnSystem<Real>> drawn_;
  std::vector<HostSystem<Real>> members_;
  std::vector<HostSolve<Real>> all_;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (round.random.chance(0.5))
    SolveRound<float>(round, kind).play();
  else
    SolveRound<double>(round, kind).play();
}

}  // namespace carroll::test
