// SPDX-License-Identifier: BSD-3-Clause
// Certified determinants: the interval against exact ones, how narrow it is, and bits over all ways
// to it.
#include <algorithm>
#include <carroll/certified_determinant.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "hostile/determinant/square_matrices.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/determinant/certified_drivers.hpp"
#include "support/determinant/condition.hpp"
#include "support/determinant/flint_oracle.hpp"

namespace carroll::test {

std::string_view const hostile_name = "certified_determinant";
std::string_view const hostile_about =
    "Certified determinants of random matrices of many kinds: the interval contains the exact "
    "determinant, up to 3x3 "
    "it is the narrowest there is, statuses say what they promise, and all ways to it give the "
    "same bits.";
std::string_view const hostile_kinds = "single,double";

namespace {

template <class Real>
class CertifiedRound {
 public:
  using Info = CertifiedDeterminantInfo<Real>;
  using Infos = std::vector<Info>;

  explicit CertifiedRound(Round& round) : round_(round), random_(round.random) { draw(); }

  void run() {
    infos_ = batch<Kokkos::LayoutRight>(matrices_, "LayoutRight");
    for (std::size_t b = 0; b < infos_.size(); ++b) check(b);
    compare(batch<Kokkos::LayoutLeft>(matrices_, "LayoutLeft"), "LayoutLeft");
    compare(batch<Kokkos::LayoutStride>(matrices_, "LayoutStride"), "LayoutStride");
    workspace();
    alone();
    others();
    if (n_ <= 3) scaled();
    round_.checked(static_cast<std::int64_t>(infos_.size()));
  }

 private:
  void draw() {
    n_ = random_.chance(0.5) ? random_.index(4) : hostile_order(random_, 200);
    int const few = n_ <= 3 ? 300 : n_ <= 12 ? 60 : n_ <= 36 ? 12 : 2;
    int const most = on_device && n_ <= 36 ? 3 * few : few;
    int const count = 1 + random_.index(most);
    int const kinds = static_cast<int>(square_kinds.size());
    bool const alike = random_.chance(0.4);
    int const kind = random_.index(kinds);
    SquareMatrix<Real> matrix(random_, n_);
    for (int b = 0; b < count; ++b) {
      kinds_.push_back(alike ? kind : random_.index(kinds));
      matrices_.push_back(matrix.of_kind(kinds_.back()));
    }
  }

  /// All that is needed to have a small one again.
  [[nodiscard]] std::string entries(std::size_t b) const {
    std::string text;
    for (int i = 0; i < n_ && n_ <= 3; ++i)
      for (int j = 0; j < n_; ++j) {
        char entry[40];
        std::snprintf(entry, sizeof entry, "%a", static_cast<double>(matrices_[b](i, j)));
        text += (i + j == 0 ? " = " : j == 0 ? "; " : " ") + std::string(entry);
      }
    return text;
  }
  [[nodiscard]] std::string name(std::size_t b) const {
    return std::string(sizeof(Real) == 4 ? "float" : "double") + ", n " + std::to_string(n_) +
           ", member " + std::to_string(b) + " of " + std::to_string(matrices_.size()) + " (" +
           std::string(square_kinds[static_cast<std::size_t>(kinds_[b])]) + ")" + entries(b);
  }
  static std::string text_of(Info const& info) {
    return std::string(to_string(info.status)) + " [" + to_string(info.lower) + ", " +
           to_string(info.upper) + "], " + to_string(info.value);
  }
  bool expect(bool fine, std::size_t b, std::string const& what) {
    return round_.expect(fine, name(b) + ": " + what + ": " + text_of(infos_[b]));
  }
  void compare(Info const& info, std::size_t b, std::string const& way) {
    round_.expect(same_bits(info, infos_[b]), name(b) + ", " + way + ": " + text_of(info) +
                                                  ", in a batch " + text_of(infos_[b]));
  }
  void compare(Infos const& infos, std::string const& way) {
    if (!round_.expect(infos.size() == infos_.size(), way + ": wrong number of infos")) return;
    for (std::size_t b = 0; b < infos.size(); ++b) compare(infos[b], b, way);
  }

  template <class Layout>
  [[nodiscard]] auto guarded(std::vector<HostMatrix<Real>> const& matrices) const {
    auto const order = static_cast<std::size_t>(n_);
    GuardedView<Real, 3, Layout> A({matrices.size(), order, order});
    A.for_each_index([&](std::array<std::size_t, 3> at) {
      A(at) = matrices[at[0]](static_cast<int>(at[1]), static_cast<int>(at[2]));
    });
    A.to_device();
    return A;
  }
  template <class Layout>
  Infos batch(std::vector<HostMatrix<Real>> const& matrices, std::string const& way) {
    auto A = guarded<Layout>(matrices);
    Infos infos = certified_determinant(Exec(), A.view());
    A.to_host();
    bool kept = A.guards_intact();
    A.for_each_index([&](std::array<std::size_t, 3> at) {
      Real const& was = matrices[at[0]](static_cast<int>(at[1]), static_cast<int>(at[2]));
      kept = kept && std::memcmp(&A(at), &was, sizeof was) == 0;
    });
    round_.expect(kept, name(0) + ", " + way + ": A, or what is beside it, has changed");
    return infos;
  }

  void workspace() {
    Exec const exec;
    auto const A = guarded<Kokkos::LayoutRight>(matrices_);
    auto workspace = certified_determinant_workspace<Real>(
        exec, CertifiedDeterminantExtents{static_cast<std::int64_t>(matrices_.size()), n_});
    for (int repeat = 0; repeat < 2; ++repeat) {
      auto const infos = certified_determinant(exec, A.view(), workspace);
      compare(Infos(infos.begin(), infos.end()), "with a workspace");
    }
  }
  void alone() {
    std::size_t const count = matrices_.size();
    auto const A = guarded<Kokkos::LayoutStride>(matrices_);
    auto own = certified_determinant_workspace<Real>(Exec(), CertifiedDeterminantExtents{1, n_});
    for (std::size_t b = 0; b < count; ++b)
      compare(certified_determinant(Exec(), A.part(b, 1), own)[0], b, "each alone");
    for (std::size_t k = 0; k < std::min<std::size_t>(count, n_ > 40 ? 1 : 2); ++k) {
      std::size_t const b = pick(count);
      compare(random_.chance(0.5) ? run_certified<Kokkos::LayoutLeft>(matrices_[b])
                                  : run_certified<Kokkos::LayoutStride>(matrices_[b]),
              b, "alone");
    }
  }
  void others() {
    int const size = n_ > 40 ? 2 : 1 + random_.index(20);
    std::vector<std::size_t> from;
    std::vector<HostMatrix<Real>> matrices;
    for (int k = 0; k < size; ++k) {
      from.push_back(pick(matrices_.size()));
      matrices.push_back(matrices_[from.back()]);
    }
    auto const infos = batch<Kokkos::LayoutRight>(matrices, "others");
    for (std::size_t k = 0; k < from.size(); ++k)
      compare(infos[k], from[k], "at " + std::to_string(k) + " of " + std::to_string(size));
  }
  /// The narrowest interval does not know how its matrix is scaled.
  void scaled() {
    std::vector<HostMatrix<Real>> scaled = matrices_;
    std::vector<std::int64_t> shifts(scaled.size(), 0);
    for (std::size_t b = 0; b < scaled.size(); ++b) {
      HostMatrix<Real>& A = scaled[b];
      for (int k = 0; k < 2 * n_; ++k) {
        int const e = random_.index(61) - 30;
        HostMatrix<Real> const before = A;
        bool exact = true;
        for (int l = 0; l < n_; ++l) {
          Real& x = k < n_ ? A(k, l) : A(l, k - n_);
          Real const was = x;
          x = std::ldexp(x, e);
          exact = exact && (!std::isfinite(was) || std::ldexp(x, -e) == was);
        }
        if (exact)
          shifts[b] += e;
        else
          A = before;
      }
    }
    auto const infos = batch<Kokkos::LayoutRight>(scaled, "scaled");
    for (std::size_t b = 0; b < scaled.size(); ++b) {
      Info back = infos[b];
      if (back.status == Status::non_finite) continue;
      auto const shift = [&](ScaledNumber<Real>& x) {
        if (!x.is_zero()) x = ScaledNumber<Real>(x.mantissa(), x.exponent() - shifts[b]);
      };
      shift(back.lower), shift(back.upper), shift(back.value);
      compare(back, b, "rows and columns times powers of two");
    }
  }

  void check(std::size_t b) {
    auto const& A = matrices_[b];
    auto const& info = infos_[b];
    bool finite = true;
    for (Real const x : A.data) finite = finite && std::isfinite(x);
    if (!finite) {
      expect(info.status == Status::non_finite && info.lower.is_nan() && info.upper.is_nan() &&
                 info.value.is_nan(),
             b, "a NaN or an infinity");
      return;
    }
    if (!expect(info.lower <= info.value && info.value <= info.upper, b, "the value is not inside"))
      return;
    bool const contains_zero = info.lower.mantissa() <= 0 && info.upper.mantissa() >= 0;
    bool const is_zero = info.lower.is_zero() && info.upper.is_zero();
    expect(info.status == (is_zero         ? Status::singular
                           : contains_zero ? Status::not_certified
                                           : Status::success),
           b, "the status is not that of the interval");
    if (n_ <= 3) {
      expect(info.lower == info.upper || is_next(info.lower, info.upper), b, "not two neighbours");
      expect(info.status != Status::not_certified, b, "no proof up to 3x3");
    }
    check_exact(b);
  }
  static bool is_next(ScaledNumber<Real> const& lower, ScaledNumber<Real> const& upper) {
    // Above 0, an exponent below it where the mantissa is 1.
    if (lower.mantissa() < 0) return is_next(-upper, -lower);
    if (lower.mantissa() == 0) return false;
    Real const next = std::nextafter(lower.mantissa(), Real(2));
    return upper == ScaledNumber<Real>(next, lower.exponent());
  }

  void check_exact(std::size_t b) {
    if (!have_flint()) return check_quad(b);
    double const work = std::pow(n_, 4);
    if (n_ > 12 && !random_.chance(2e5 / work)) return check_quad(b);
    auto const& info = infos_[b];
    HostMatrix<double> wide(n_, n_);
    std::copy(matrices_[b].data.begin(), matrices_[b].data.end(), wide.data.begin());
    auto const distance =
        flint_distances(wide, {binary(info.lower), binary(info.upper), binary(info.value)});
    // (det - x)/|det|
    expect(distance[0] >= 0 && distance[1] <= 0, b,
           "the determinant is outside by " + std::to_string(std::max(-distance[0], distance[1])));
    if (n_ > 3) return;
    bool const exact = distance[0] == 0 || distance[1] == 0;
    expect(exact == (info.lower == info.upper), b, "not the narrowest interval");
  }
  /// Without FLINT, and where it would take too long: as far as 113 bits tell.
  void check_quad(std::size_t b) {
    if (n_ > 60) return;
    auto const& info = infos_[b];
    HostMatrix<double> wide(n_, n_);
    std::copy(matrices_[b].data.begin(), matrices_[b].data.end(), wide.data.begin());
    std::vector<int> rows(static_cast<std::size_t>(n_), 0);
    for (int i = 0; i < n_; ++i) {
      double high = 0;
      for (int j = 0; j < n_; ++j) high = std::max(high, std::abs(wide(i, j)));
      rows[static_cast<std::size_t>(i)] = high > 0 ? std::ilogb(high) + 1 : 0;
    }
    auto const exact = quad_conditioned_determinant(
        wide, {}, rows, std::vector<int>(static_cast<std::size_t>(n_), 0));
    double const error =
        n_ * (std::exp2(exact.log2_sensitivity - 110) + 0x1p-62);  // long doubles at the end
    if (!(error < 0.25)) return;
    auto const ratio = [&](ScaledNumber<Real> const& x) {  // x/det
      std::int64_t const e =
          std::clamp<std::int64_t>(x.exponent() - exact.determinant.exponent, -9000, 9000);
      return std::scalbn(static_cast<long double>(x.mantissa()), static_cast<int>(e)) /
             exact.determinant.re;
    };
    long double const one = ratio(info.lower), other = ratio(info.upper);
    expect(std::min(one, other) <= 1.0L + error && std::max(one, other) >= 1.0L - error, b,
           "the determinant is outside (113 bits)");
  }

  std::size_t pick(std::size_t count) {
    return static_cast<std::size_t>(random_.index(static_cast<int>(count)));
  }

  Round& round_;
  Random& random_;
  int n_ = 0;
  std::vector<int> kinds_;
  std::vector<HostMatrix<Real>> matrices_;
  Infos infos_;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  bool const single = kind.empty() ? round.random.chance(0.5) : kind == "single";
  if (single)
    CertifiedRound<float>(round).run();
  else
    CertifiedRound<double>(round).run();
}

}  // namespace carroll::test
