// SPDX-License-Identifier: BSD-3-Clause
// Complex SVDs under fire: batches of matrices of any kind and shape, alone, in other company,
// layouts and with other vectors, scaled by powers of two.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hostile/faults.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/complex_svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_complex_svd";
std::string_view const hostile_about =
    "Decomposes random batches of complex matrices that hurt, on every path, and compares each "
    "member with itself alone, with other neighbours, layouts, vectors and scales, and with quad "
    "precision.";
std::string_view const hostile_kinds = "automatic,team,tiles";

template <class Real, class Function>
void outputs_of(HostComplexSvd<Real>& result, Function const& f) {
  f(result.S);
  f(result.U.data);
  f(result.V.data);
}

namespace {

template <class Real>
struct DrawnComplex {
  ComplexMatrix<Real> A;
  std::string kind;
  bool finite = true;
};

/// Real and imaginary parts are matrices that hurt, of one kind or two; or one of them, times a
/// phase for each row and column.
template <class Real>
DrawnComplex<Real> draw_complex(Random& random, int m, int n) {
  DrawnComplex<Real> drawn;
  auto const& types = all_matrix_types();
  auto const draw = [&](auto type) {
    drawn.kind += std::string(drawn.kind.empty() ? "" : " + i ") + to_string(type);
    return make_matrix<Real>(type, m, n, static_cast<std::uint64_t>(random.index(1 << 30)));
  };
  auto const any = [&] {
    return types[static_cast<std::size_t>(random.index(static_cast<int>(types.size())))];
  };
  auto const type = any();
  auto const re = draw(type);
  drawn.A = ComplexMatrix<Real>(m, n);
  if (random.chance(0.5)) {
    auto const im = draw(random.chance(0.5) ? type : any());
    for (std::size_t k = 0; k < re.data.size(); ++k) drawn.A.data[k] = {re.data[k], im.data[k]};
  } else {
    drawn.kind += ", phases";
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        int const quarter = random.chance(0.9) ? (3 * i + 5 * j) % 4 : random.index(4);
        Real const x = quarter < 2 ? re(i, j) : -re(i, j);
        drawn.A(i, j) = quarter % 2 == 0 ? std::complex<Real>(x, 0) : std::complex<Real>(0, x);
      }
  }
  if (random.chance(0.1) && n > 0) {
    int const j = random.index(n), from = random.index(n);
    bool const zero = random.chance(0.5);
    for (int i = 0; i < m; ++i)
      drawn.A(i, j) = zero ? std::complex<Real>() : std::complex<Real>(0, 1) * drawn.A(i, from);
    drawn.kind += zero ? ", a column gone" : ", a column twice";
  }
  if (m > 0 && n > 0 && random.chance(0.03)) {
    using Limits = std::numeric_limits<Real>;
    Real const bad = random.chance(0.5) ? Limits::quiet_NaN() : Limits::infinity();
    auto& z = drawn.A(random.index(m), random.index(n));
    random.chance(0.5) ? z.real(bad) : z.imag(bad);
    drawn.kind += ", not finite";
  }
  for (auto const& z : drawn.A.data)
    drawn.finite = drawn.finite && std::isfinite(z.real()) && std::isfinite(z.imag());
  return drawn;
}

template <class Real>
class ComplexSvdRound {
 public:
  ComplexSvdRound(Round& round, std::string_view kind) : round_(round), random_(round.random) {
    SvdPath const paths[] = {SvdPath::automatic, SvdPath::automatic, SvdPath::team, SvdPath::tiles};
    if (kind.empty()) options_.path = paths[random_.index(4)];
    if (kind == "team") options_.path = SvdPath::team;
    if (kind == "tiles") options_.path = SvdPath::tiles;
  }

  void play() {
    int const drawn = random_.index(100);
    int const most = drawn < 3 ? 70 : drawn < 30 ? 4 : drawn < 70 ? 10 : drawn < 90 ? 20 : 40;
    int const m = random_.index(most + 1), n = random_.chance(0.3) ? m : random_.index(most + 1);
    int const work = std::max(m * n * std::min(m, n), 1);
    // See BatchRound::count_within.
    int const room = (on_device ? 64000 : 8000) / work;
    int const count = 1 + random_.index(std::clamp(room, 1, on_device ? 240 : 24));
    for (int b = 0; b < count; ++b) {
      drawn_.push_back(draw_complex<Real>(random_, m, n));
      members_.push_back(drawn_.back().A);
    }
    ComplexCall call = draw_call();
    call.u = random_.chance(0.5) ? SvdVectors::thin : SvdVectors::full;
    call.v = random_.chance(0.5) ? SvdVectors::thin : SvdVectors::full;
    all_ = solved(members_, call);
    auto const complaints = complaints_of(all_.size(), [&](std::size_t b) { return wrong(b); });
    for (std::size_t b = 0; b < complaints.size(); ++b)
      expect(b, complaints[b].empty(), complaints[b]);
    in_other_company();
    alone();
    scaled();
    round_.checked(count);
  }

 private:
  ComplexCall draw_call() {
    ComplexCall call;
    call.options = options_;
    SvdVectors const wanted[] = {SvdVectors::none, SvdVectors::thin, SvdVectors::full};
    call.u = wanted[random_.index(3)];
    call.v = wanted[random_.index(3)];
    ViewLayout const layouts[] = {ViewLayout::left, ViewLayout::right, ViewLayout::stride};
    call.layout = layouts[random_.index(3)];
    call.workspace = random_.chance(0.3);
    return call;
  }

  void expect(std::size_t b, bool fine, std::string const& what) {
    if (fine) return;
    std::ostringstream text;
    text << (sizeof(Real) == 4 ? "float " : "double ") << members_[b].rows << 'x'
         << members_[b].cols << ' ' << drawn_[b].kind << ", path " << to_string(options_.path)
         << ", member " << b << " of " << members_.size() << ": " << what;
    round_.wrong(text.str());
  }

  /// run_complex_svd_batch, and what --fault does to it.
  std::vector<HostComplexSvd<Real>> solved(std::vector<ComplexMatrix<Real>> const& matrices,
                                           ComplexCall const& call) {
    auto results = run_complex_svd_batch(matrices, call);
    spoil(round_, ++passes_, results);
    return results;
  }

  [[nodiscard]] std::string wrong(std::size_t b) const {
    auto const& result = all_[b];
    if (!drawn_[b].finite) {
      bool const refused = result.info.status == Status::non_finite && all_nan(result.S);
      return refused ? "" : "is not refused";
    }
    // σ₁ beyond the range is told, and right apart from that.
    if (result.info.status == Status::overflow)
      return std::isinf(result.S[0]) ? "" : "tells of an overflow without one";
    return what_is_wrong(members_[b], result);
  }

  void compare(std::size_t b, HostComplexSvd<Real> const& expected,
               HostComplexSvd<Real> const& result, std::string const& how) {
    expect(b, same_result(expected, result) && result.guarded, how + ": other bits");
  }

  void in_other_company() {
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (random_.chance(0.8)) chosen.push_back(k);
    random_.shuffle(chosen);
    std::vector<ComplexMatrix<Real>> company;
    for (std::size_t const b : chosen) company.push_back(members_[b]);
    auto const results = solved(company, draw_call());
    for (std::size_t k = 0; k < chosen.size(); ++k)
      compare(chosen[k], all_[chosen[k]], results[k], "in other company");
  }

  /// As BatchRound's.
  void alone() {
    ComplexCall each = draw_call();
    each.layout = random_.chance(0.5) ? ViewLayout::right : ViewLayout::stride;
    each.one_by_one = true;
    auto const results = solved(members_, each);
    for (std::size_t b = 0; b < members_.size(); ++b)
      compare(b, all_[b], results[b], "alone, where it lies");
    std::size_t const times = on_device ? 3 : members_.size();
    for (std::size_t k = 0; k < times; ++k) {
      std::size_t const b =
          on_device ? static_cast<std::size_t>(random_.index(static_cast<int>(members_.size())))
                    : k;
      std::vector results_of_one{run_complex_svd(members_[b], draw_call())};
      spoil(round_, ++passes_, results_of_one);
      compare(b, all_[b], results_of_one.front(), "alone");
    }
  }

  void scaled() {
    std::vector<std::size_t> chosen;
    std::vector<ComplexMatrix<Real>> company;
    std::vector<HostComplexSvd<Real>> all_expected;
    for (std::size_t b = 0; b < members_.size(); ++b) {
      int const shift = random_.index(41) - 20;
      auto moved = scaled_columns(
          members_[b], std::vector<int>(static_cast<std::size_t>(members_[b].cols), shift));
      auto expected = all_[b];
      bool usable = drawn_[b].finite;
      auto const normal = [](Real x) { return x == 0 || std::isnormal(x); };
      for (ComplexMatrix<Real> const* const M :
           {&std::as_const(members_[b]), &std::as_const(moved)})
        for (auto const& z : M->data) usable = usable && normal(z.real()) && normal(z.imag());
      for (Real& s : expected.S) {
        usable = usable && normal(s);
        s = std::ldexp(s, shift);
        usable = usable && normal(s);
      }
      if (!usable) continue;
      chosen.push_back(b);
      company.push_back(std::move(moved));
      all_expected.push_back(std::move(expected));
    }
    auto const results = solved(company, draw_call());
    for (std::size_t k = 0; k < chosen.size(); ++k)
      compare(chosen[k], all_expected[k], results[k], "times a power of two");
  }

  Round& round_;
  Random& random_;
  SvdOptions options_;
  std::vector<DrawnComplex<Real>> drawn_;
  std::vector<ComplexMatrix<Real>> members_;
  std::vector<HostComplexSvd<Real>> all_;
  int passes_ = 0;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  if (round.random.chance(0.5))
    ComplexSvdRound<float>(round, kind).play();
  else
    ComplexSvdRound<double>(round, kind).play();
}

}  // namespace carroll::test
