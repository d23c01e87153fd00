// SPDX-License-Identifier: BSD-3-Clause
// Steps on meshes that nobody has chosen: problems alone and in batches, layouts, windows of
// frames, rows without weight, offsets that do not fit.
#include <algorithm>
#include <carroll/mesh_jacobian.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/members.hpp"
#include "hostile/pseudoinverse/mesh_runs.hpp"
#include "hostile/round.hpp"
#include "support/pseudoinverse/least_squares_oracle.hpp"

namespace carroll::test {

std::string_view const hostile_name = "mesh_jacobian";
std::string_view const hostile_about =
    "Steps of mesh Jacobians that nobody has chosen, in every way that promises the same bits, and "
    "against singular value decompositions in long double.";
std::string_view const hostile_kinds = "full,graded,nonfinite,offsets";

namespace {

bool usable(int const* offsets, int T, int n) {
  return offsets[0] == 0 && offsets[T] <= n && std::is_sorted(offsets, offsets + T + 1);
}

template <class Real>
class MeshRound {
 public:
  MeshRound(Round& round, std::string_view kind)
      : round_(round), random_(round.random), kind_(kind) {
    draw();
  }

  void play() {
    auto const reference = run<Kokkos::LayoutRight>(all_, all_.problems);
    expect(reference.guarded, "memory that is no output's has been written");
    compare(reference, run<Kokkos::LayoutLeft>(all_, all_.problems), "LayoutLeft");
    compare(reference, run<Kokkos::LayoutStride>(all_, all_.problems), "LayoutStride");
    compare(reference, run<Kokkos::LayoutRight>(all_, 1), "each alone");
    int const lonely = random_.index(all_.problems);
    auto const one = run<Kokkos::LayoutLeft>(alone(lonely), 1);
    auto const text = difference(reference, lonely, one, 0);
    expect(text.empty(), "problem " + std::to_string(lonely) + " alone: other bits of" + text);
    // The oracle takes longer than Carroll: of large problems it sees some.
    double const columns = all_.motions() + all_.m;
    double const work = (all_.frames * all_.n + columns + 3 * all_.T) * columns * columns;
    int const seen = std::max(1, static_cast<int>((on_device ? 3e6 : 3e5) / work));
    int const first = random_.index(all_.problems);
    auto const texts = complaints_of(at(all_.problems), [&](std::size_t q) {
      return check(reference, (first + static_cast<int>(q)) % all_.problems,
                   static_cast<int>(q) < seen);
    });
    for (int q = 0; q < all_.problems; ++q)
      expect(texts[at(q)].empty(),
             "problem " + std::to_string((first + q) % all_.problems) + ":" + texts[at(q)]);
    round_.checked(all_.problems);
  }

 private:
  void expect(bool fine, std::string const& what) {
    if (fine) return;
    std::ostringstream text;
    text << kind_ << (sizeof(Real) == 4 ? " float" : " double") << " problems " << all_.problems
         << " frames " << all_.frames << " n " << all_.n << " k " << all_.k << " m " << all_.m
         << " T " << all_.T << " damping " << all_.options.damping << " smoothness "
         << all_.options.smoothness << ": " << what;
    round_.wrong(text.str());
  }

  void draw() {
    int const width = 1 + random_.index(5), height = 1 + random_.index(4);
    all_.problems = 1 + random_.index(on_device ? 300 : random_.chance(0.3) ? 40 : 8);
    all_.frames = random_.chance(0.7) ? 1 : 1 + random_.index(3);
    all_.k = 1 + random_.index(random_.chance(0.7) ? 3 : 8);
    all_.m = width * height;
    all_.T = 1 + random_.index(2 * all_.m);
    all_.n = random_.index(random_.chance(0.8) ? 6 * all_.T : 60 * all_.T) + (kind_ == "nonfinite");
    all_.options.tolerance = 1e-14;
    all_.options.max_iterations = 4000;
    all_.options.damping = 1e-2 + random_.uniform();
    if (random_.chance(0.5)) all_.options.smoothness = random_.uniform();
    for (int c = 0; c < 3 * all_.T; ++c) all_.triangles.push_back(random_.index(all_.m));
    bool const weighs = random_.chance(0.5);
    double const scale = kind_ == "graded" ? std::exp2(random_.index(41) - 20) : 1;
    all_.options.damping *= scale * scale;
    all_.options.smoothness *= scale * scale;
    for (int p = 0; p < all_.problems; ++p) {
      all_.expected.push_back(Status::success);
      for (int f = 0; f < all_.frames; ++f) draw_frame(p, weighs, scale);
    }
  }

  void draw_frame(int problem, bool weighs, double scale) {
    std::vector<int> offsets(at(all_.T + 1));
    for (int& o : offsets) o = random_.index(all_.n + 1);
    std::sort(offsets.begin(), offsets.end());
    offsets[0] = 0;
    if (random_.chance(0.5)) offsets.back() = all_.n;
    if (kind_ == "offsets" && random_.chance(0.4)) {
      constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
      for (int c = 1 + random_.index(3); c > 0; --c) {
        int const wild[] = {least,   most,      -1,       all_.n + 1, all_.n + 5000,
                            -all_.n, least + 1, most - 1, 0,          all_.n};
        offsets[at(random_.index(all_.T + 1))] = wild[random_.index(10)];
      }
      if (!usable(offsets.data(), all_.T, all_.n)) all_.expected[at(problem)] = Status::breakdown;
    }
    all_.offsets.insert(all_.offsets.end(), offsets.begin(), offsets.end());
    std::size_t const first = all_.rhs.size();
    auto const number = [&] { return static_cast<Real>(scale * random_.normal()); };
    for (int i = 0; i < all_.n; ++i) {
      Real const weight = !weighs               ? Real(1)
                          : random_.chance(0.2) ? Real(0)
                                                : Real(random_.uniform());
      // A row that does not count may hold anything.
      bool const wild = weight == Real(0) && random_.chance(0.3);
      Real const nan = std::numeric_limits<Real>::quiet_NaN();
      for (int j = 0; j < all_.k; ++j) all_.motion.push_back(wild ? nan : number());
      for (int c = 0; c < 3; ++c) all_.depth.push_back(wild ? nan : number());
      all_.rhs.push_back(wild ? nan : static_cast<Real>(random_.normal()));
      all_.weights.push_back(weight);
    }
    // Rows behind the last triangle are nobody's.
    if (kind_ != "nonfinite" || offsets.back() == 0 || random_.chance(0.5)) return;
    std::size_t const row = first + at(random_.index(offsets.back()));
    Real const bad[] = {std::numeric_limits<Real>::quiet_NaN(),
                        std::numeric_limits<Real>::infinity(),
                        -std::numeric_limits<Real>::infinity()};
    Real const value = bad[random_.index(3)];
    int const where = random_.index(4);
    if (where == 0) all_.motion[row * at(all_.k) + at(random_.index(all_.k))] = value;
    if (where == 1) all_.depth[row * 3 + at(random_.index(3))] = value;
    if (where == 2) all_.rhs[row] = value;
    if (where == 3)
      all_.weights[row] = value;
    else if (all_.weights[row] == Real(0))
      return;
    all_.expected[at(problem)] = Status::non_finite;
  }

  Meshes<Real> alone(int p) const {
    auto one = all_;
    one.problems = 1;
    auto const cut = [&](auto& values, int of_frame) {
      auto const begin = values.begin() + static_cast<std::ptrdiff_t>(p) * all_.frames * of_frame;
      values = {begin, begin + static_cast<std::ptrdiff_t>(all_.frames) * of_frame};
    };
    cut(one.offsets, all_.T + 1);
    cut(one.motion, all_.n * all_.k);
    cut(one.depth, all_.n * 3);
    cut(one.rhs, all_.n);
    cut(one.weights, all_.n);
    return one;
  }

  std::string difference(MeshRun<Real> const& a, int p, MeshRun<Real> const& b, int q) const {
    auto const K = at(all_.motions()), m = at(all_.m);
    auto const &one = a.infos[at(p)], &other = b.infos[at(q)];
    std::string text;
    if (std::memcmp(a.y.data() + at(p) * K, b.y.data() + at(q) * K, K * sizeof(Real)) != 0)
      text += " y";
    if (std::memcmp(a.xi.data() + at(p) * m, b.xi.data() + at(q) * m, m * sizeof(Real)) != 0)
      text += " xi";
    if (one.status != other.status || one.iterations != other.iterations ||
        one.rows != other.rows || one.motion_rank != other.motion_rank ||
        std::memcmp(&one.cost, &other.cost, sizeof(double)) != 0)
      text += " info";
    return text;
  }
  void compare(MeshRun<Real> const& a, MeshRun<Real> const& b, std::string const& what) {
    expect(b.guarded, what + ": memory that is no output's has been written");
    for (int p = 0; p < all_.problems; ++p) {
      auto const text = difference(a, p, b, p);
      expect(text.empty(), "problem " + std::to_string(p) + ", " + what + ": other bits of" + text);
      if (!text.empty()) return;
    }
  }

  /// √w·A, the roots of damping and smoothness below it, and d.
  LongMatrix dense(int problem, std::vector<long double>& d) const {
    int const K = all_.motions(), columns = K + all_.m, rows = all_.frames * all_.n;
    LongMatrix A(rows + columns + 3 * all_.T, columns);
    d.assign(at(A.rows), 0);
    for (int f = 0; f < all_.frames; ++f) {
      int const frame = problem * all_.frames + f;
      int const* const offsets = all_.offsets.data() + at(frame) * at(all_.T + 1);
      for (int t = 0; t < all_.T; ++t)
        for (int i = offsets[t]; i < offsets[t + 1]; ++i) {
          std::size_t const from = at(frame) * at(all_.n) + at(i);
          if (all_.weights[from] == Real(0)) continue;
          long double const root = std::sqrt(static_cast<long double>(all_.weights[from]));
          int const row = f * all_.n + i;
          for (int j = 0; j < all_.k; ++j)
            A(row, f * all_.k + j) =
                root * static_cast<long double>(all_.motion[from * at(all_.k) + at(j)]);
          for (int c = 0; c < 3; ++c)
            A(row, K + all_.triangles[at(3 * t + c)]) +=
                root * static_cast<long double>(all_.depth[from * 3 + at(c)]);
          d[at(row)] = root * static_cast<long double>(all_.rhs[from]);
        }
    }
    for (int j = 0; j < columns; ++j)
      A(rows + j, j) = std::sqrt(static_cast<long double>(all_.options.damping));
    for (int e = 0; e < 3 * all_.T; ++e) {
      int const a = all_.triangles[at(e)], b = all_.triangles[at(e / 3 * 3 + (e + 1) % 3)];
      long double const root = std::sqrt(static_cast<long double>(all_.options.smoothness) / 2);
      A(rows + columns + e, K + a) += root;
      A(rows + columns + e, K + b) -= root;
    }
    return A;
  }

  std::string check(MeshRun<Real> const& run, int p, bool by_oracle) const {
    int const K = all_.motions(), m = all_.m;
    Real const* const y = run.y.data() + at(p) * at(K);
    Real const* const xi = run.xi.data() + at(p) * at(m);
    auto const& info = run.infos[at(p)];
    Status const wanted = all_.expected[at(p)];
    if (info.status != wanted)
      return " status " + std::to_string(static_cast<int>(info.status)) + ", must be " +
             std::to_string(static_cast<int>(wanted));
    auto const is_nan = [](Real x) { return std::isnan(x); };
    if (wanted != Status::success)
      return std::all_of(y, y + K, is_nan) && std::all_of(xi, xi + m, is_nan)
                 ? ""
                 : " outputs that are not NaN";
    if (!by_oracle) return {};
    std::vector<long double> d;
    LeastSquaresOracle const oracle(dense(p, d), true);
    auto const exact = oracle.solve(d);
    if (oracle.kappa() > 1e3L) return {};
    constexpr long double eps = std::numeric_limits<double>::epsilon();
    long double const kappa = oracle.kappa();
    long double const allowed =
        2 * std::numeric_limits<Real>::epsilon() * exact.size +
        (1000 * eps + 10 * 1e-14L) * kappa * kappa * (exact.size + exact.rhs);
    long double square = 0;
    for (int j = 0; j < K + m; ++j) {
      long double const error =
          oracle.norms()[at(j)] *
          (static_cast<long double>(j < K ? y[j] : xi[j - K]) - exact.x[at(j)]);
      square += error * error;
    }
    if (std::sqrt(square) <= allowed) return {};
    std::ostringstream text;
    text << " error " << std::sqrt(square) << " of " << exact.size << ", allowed " << allowed
         << ", kappa " << kappa << ", " << info.iterations << " iterations";
    return text.str();
  }

  Round& round_;
  Random& random_;
  std::string kind_;
  Meshes<Real> all_;
};

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  constexpr std::string_view kinds[] = {"full", "graded", "nonfinite", "offsets"};
  std::string_view const drawn = kinds[round.random.index(4)];
  std::string_view const chosen = kind.empty() ? drawn : kind;
  if (round.random.chance(0.5))
    MeshRound<float>(round, chosen).play();
  else
    MeshRound<double>(round, chosen).play();
}

}  // namespace carroll::test
