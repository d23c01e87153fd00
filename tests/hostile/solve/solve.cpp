// SPDX-License-Identifier: BSD-3-Clause
// Systems and inverses under fire: batches of matrices of any kind and order, real and complex,
// with singular ones and some that are not finite among them, alone, in other company, other
// layouts, with fewer right-hand sides, and scaled.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hostile/batch_round.hpp"
#include "hostile/determinant/square_matrices.hpp"
#include "support/complex_entries.hpp"
#include "support/field_matrix.hpp"
#include "support/solve/checks.hpp"
#include "support/solve/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_solve";
std::string_view const hostile_about =
    "Solves random batches of systems that hurt and inverts their matrices, on every path, and "
    "compares each member with itself alone, with other neighbours, layouts, right-hand sides and "
    "scales, and its solution with one in 113 bits.";
std::string_view const hostile_kinds = "automatic,team,warp,tiled,inverse,complex";

template <class T, class Function>
void outputs_of(HostSolve<T>& result, Function const& f) {
  f(result.X.data);
}

namespace {

template <class T>
struct DrawnSystem {
  HostSystem<T> system;
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
template <class T>
HostMatrix<T> draw_sides(Random& random, int n, int columns) {
  using Limits = std::numeric_limits<RealOf<T>>;
  HostMatrix<T> B(n, columns);
  for (int j = 0; j < columns; ++j) {
    int const shift =
        random.chance(0.8) ? 0 : random.index(Limits::max_exponent) - Limits::max_exponent / 2;
    bool const zero = random.chance(0.05);
    for (int i = 0; i < n; ++i)
      if (!zero && random.chance(0.9))
        B(i, j) = detail::scale_parts(normal_entry<T>(random), shift);
  }
  return B;
}

/// Of any kind, which is told.
template <class Real>
HostMatrix<Real> draw_square(Random& random, int n, std::string& kind) {
  kind += kind.empty() ? "" : " + i ";
  if (random.chance(0.5)) {
    int const drawn = random.index(static_cast<int>(square_kinds.size()));
    kind += square_kinds[static_cast<std::size_t>(drawn)];
    return SquareMatrix<Real>(random, n).of_kind(drawn);
  }
  auto const& types = all_matrix_types();
  auto const type = types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
  kind += to_string(type);
  return make_matrix<Real>(type, n, n, static_cast<std::uint64_t>(random.index(1 << 30)));
}

template <class T>
DrawnSystem<T> draw_system(Random& random, int n, int columns) {
  using Real = RealOf<T>;
  DrawnSystem<T> drawn;
  auto& [A, B] = drawn.system;
  auto const re = draw_square<Real>(random, n, drawn.kind);
  if constexpr (is_complex<T>) {
    auto const im =
        random.chance(0.6) ? draw_square<Real>(random, n, drawn.kind) : HostMatrix<Real>(n, n);
    A = random.chance(0.5) ? field::combined<T>(re, im) : field::combined<T>(im, re);
  } else {
    A = re;
  }
  B = draw_sides<T>(random, n, columns);
  if (n > 0 && columns > 0 && random.chance(0.03)) {
    auto const parts = parts_in(B.data);
    parts[static_cast<std::size_t>(random.index(static_cast<int>(parts.size())))] =
        std::numeric_limits<Real>::quiet_NaN();
    drawn.kind += ", B not finite";
  }
  drawn.finite = all_finite(parts_of(A.data)) && all_finite(parts_of(B.data));
  return drawn;
}

template <class T>
class SolveRound : public BatchRound<RealOf<T>, HostSystem<T>, HostSolve<T>, SolveCall> {
  using Base = BatchRound<RealOf<T>, HostSystem<T>, HostSolve<T>, SolveCall>;
  using Base::all_, Base::members_, Base::random_;

 public:
  SolveRound(Round& round, std::string_view kind) : Base(round) {
    inverts_ = kind == "inverse" || (kind.empty() && random_.chance(0.4));
    int const path = random_.index(10);
    if (kind == "team" || (kind.empty() && path < 3)) options_.path = SolvePath::team;
    if (kind == "warp" || (kind.empty() && path == 3)) options_.path = SolvePath::warp;
    if (kind == "tiled" || (kind.empty() && path == 4)) options_.path = SolvePath::tiled;
  }

 private:
  int draw_count() override {
    n_ = draw_order(random_);
    columns_ = random_.index(random_.chance(0.7) ? 4 : 12);
    return this->count_within(is_complex<T> ? 10000 : 60000, n_ * n_ * n_);
  }

  HostSystem<T> draw_member() override {
    drawn_.push_back(draw_system<T>(random_, n_, columns_));
    auto& [A, B] = drawn_.back().system;
    if (inverts_) {
      B = identity_matrix<T>(n_);
      drawn_.back().finite = all_finite(parts_of(A.data));
    }
    return drawn_.back().system;
  }

  SolveCall draw_call() override {
    SolveCall call;
    call.options = options_;
    call.options.condition = random_.chance(0.7);
    call.inverse = inverts_;
    call.layout = draw_layout(random_);
    call.workspace = random_.chance(0.3);
    return call;
  }

  SolveCall draw_first_call() override {
    SolveCall call = draw_call();
    call.options.condition = true;
    return call;
  }

  std::vector<HostSolve<T>> run_batch(std::vector<HostSystem<T>> const& systems,
                                      SolveCall const& call) override {
    return run_solve_batch(systems, call);
  }
  HostSolve<T> run_alone(HostSystem<T> const& system, SolveCall const& call) override {
    return run_solve(system, call);
  }

  [[nodiscard]] std::string describe(SolveCall const&, std::size_t b) const override {
    std::ostringstream text;
    text << (is_complex<T> ? "complex " : "") << members_[b].A.rows << ", " << members_[b].B.cols
         << " right-hand sides, " << drawn_[b].kind << (inverts_ ? ", inverse" : "") << ", path "
         << to_string(options_.path);
    return text.str();
  }

  [[nodiscard]] std::string wrong(std::size_t b) const override {
    auto const& result = all_[b];
    if (drawn_[b].finite) return what_is_wrong(members_[b], result, inverts_);
    // Whoever is singular need not look at B.
    bool const refused =
        result.info.status == Status::non_finite ||
        (result.info.status == Status::singular && all_finite(parts_of(members_[b].A.data)));
    return refused && all_nan(parts_of(result.X.data)) && result.guarded ? "" : "is not refused";
  }

  void play_variants() override {
    if (!inverts_) fewer_sides();
    scaled();
  }

  /// The first right-hand sides without the others: as long as those that are left out are finite.
  void fewer_sides() {
    int const columns = random_.index(columns_ + 1);
    std::vector<typename Base::Changed> changed;
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (!drawn_[b].finite || all_[b].info.status != Status::success || random_.chance(0.7))
        continue;
      HostSystem<T> system = members_[b];
      HostSolve<T> expected = all_[b];
      auto const cut = [&](HostMatrix<T>& M) {
        M.cols = columns;
        M.data.resize(static_cast<std::size_t>(M.rows) * static_cast<std::size_t>(columns));
      };
      cut(system.B);
      cut(expected.X);
      changed.push_back({b, std::move(system), std::move(expected)});
    }
    this->compare_changed("with fewer sides", draw_call(), changed,
                          [](std::size_t, HostSolve<T>&, HostSolve<T> const&) {});
  }

  /// A power of two that A is multiplied by divides X, bit by bit, barring under- and overflow.
  void scaled() {
    std::vector<typename Base::Changed> changed;
    std::vector<int> shifts;
    for (std::size_t b = 0; b < members_.size(); ++b) {
      if (!drawn_[b].finite || all_[b].info.status != Status::success) continue;
      int const shift = random_.index(60) - 30;
      HostSystem<T> system = members_[b];
      HostSolve<T> expected = all_[b];
      bool usable = keeps_products(parts_of(system.A.data));
      for (auto& x : parts_in(system.A.data)) usable = move_exactly(x, shift) && usable;
      for (auto& x : parts_in(expected.X.data)) usable = move_exactly(x, -shift) && usable;
      if (!usable) continue;
      changed.push_back({b, std::move(system), std::move(expected)});
      shifts.push_back(shift);
    }
    this->compare_changed("scaled", draw_call(), changed,
                          [&](std::size_t c, HostSolve<T>& expected, HostSolve<T> const& result) {
                            auto const parts = parts_of(result.X.data);
                            auto const expected_parts = parts_in(expected.X.data);
                            for (std::size_t k = 0; k < parts.size(); ++k)
                              allow_vanished(expected_parts[k], parts[k], std::max(-shifts[c], 0));
                          });
  }

  /// Products of two parts of complex numbers must not vanish beside others, which scales decide.
  static bool keeps_products(std::vector<RealOf<T>> const& parts) {
    using Limits = std::numeric_limits<RealOf<T>>;
    if (!is_complex<T>) return true;
    RealOf<T> most = 0, least = Limits::max();
    for (auto const x : parts) {
      most = std::max(most, std::abs(x));
      if (x != 0) least = std::min(least, std::abs(x));
    }
    return most == 0 ||
           std::ilogb(most) - std::ilogb(least) < Limits::max_exponent / 2 - Limits::digits - 8;
  }

  SolveOptions options_;
  bool inverts_ = false;
  int n_ = 0, columns_ = 0;
  std::vector<DrawnSystem<T>> drawn_;
};

template <class Real>
using ComplexSolveRound = SolveRound<Kokkos::complex<Real>>;

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (kind == "complex" || (kind.empty() && round.random.chance(0.3)))
    play_single_or_double<ComplexSolveRound>(round, "");
  else
    play_single_or_double<SolveRound>(round, kind);
}

}  // namespace carroll::test
