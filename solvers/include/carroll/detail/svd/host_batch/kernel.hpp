// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/host_batch/factor.hpp>
#include <carroll/detail/svd/host_batch/jacobi.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

/// Small matrices on a host, as many at once as a vector register holds numbers.
namespace carroll::detail {

/// The decomposition of matrices with at most 32 columns, all of it in one kernel:
///
///   A·P = Q·R,  Rᵀ·P₂ = Q₂·R₂,  R₂ᵀ·J = W·Σ   so that   A = (Q·P₂·W)·Σ·(P·Q₂·J)ᵀ
///
/// `width` matrices stand side by side in the lanes of the vector registers; a group of them is the
/// work of one thread and stays in its cache. Numbers are double whatever Real is: a host computes
/// in double at half the rate, and single-precision input then needs neither double words nor
/// scaling of intermediate results, and converges to its tolerance sooner.
///
/// In double precision a matrix whose R tells that rounding in the QR would be felt waits, until
/// there are enough of these for a group, for a factorisation in double words. What is
/// rank-deficient beyond repair, not finite or not converged is left to the team kernels.
///
/// Cost for s sweeps, m >= n: 3mn² + 2n³ + 4·s·n³ flops at most to find S, 4mn·(columns of U) + 5n³
/// more for U and V. A is read once, U, S and V are written once; the working set of a group is
/// 8·width·(2mn + 3n²) bytes.
template <class ExecSpace, class Real>
class SimdKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Pack = simd::Pack;
  using DoublePack = simd::DoublePack;
  using Ints = simd::Ints;
  using Mask = simd::Mask;
  static constexpr int width = simd::width;

  /// Team k works on members [k·share, (k + 1)·share).
  SimdKernel(SvdBatch<Real> const& batch, SvdBounds const& bounds, int share, Real tolerance,
             int max_sweeps)
      : batch_(batch),
        members_(bounds.members),
        share_(share),
        rows_(std::min(bounds.rows, 1024)),
        cols_(std::min(bounds.cols, 32)),
        tolerance_(tolerance),
        max_sweeps_(max_sweeps) {}

  std::size_t bytes_per_team() const {
    return static_cast<std::size_t>(packs_per_team()) * sizeof(Pack) + 2 * alignof(Pack);
  }

  void operator()(Member const& team) const {
    auto const bytes = static_cast<std::size_t>(packs_per_team()) * sizeof(Pack);
    auto* const room =
        static_cast<Pack*>(team.team_scratch(1).get_shmem_aligned(bytes, alignof(Pack)));
    int const end = std::min(members_, (team.league_rank() + 1) * share_);
    Queue poor;
    for (int b = team.league_rank() * share_; b < end;) {
      Group group;
      // Ragged members differ in their extents: each is a group of its own.
      do group.add(b++);
      while (!batch_.slots && group.count < width && b < end);
      solve<Pack>(group, room, poor);
      if (poor.count >= width) solve<DoublePack>(poor.take(), room, poor);
      if (batch_.slots && poor.count > 0) solve<DoublePack>(poor.take(), room, poor);
    }
    if (poor.count > 0) solve<DoublePack>(poor.take(), room, poor);
  }

 private:
  /// Members that are worked on together.
  struct Group {
    int members[width] = {};
    int count = 0;
    void add(int b) { members[count++] = b; }
    /// The member in a lane; lanes without one repeat the first.
    int operator[](int lane) const { return members[lane < count ? lane : 0]; }
  };

  /// Members that wait for double words.
  struct Queue {
    int members[2 * width] = {};
    int count = 0;
    void add(int b) { members[count++] = b; }
    Group take() {
      Group group;
      while (group.count < width && count > 0) group.add(members[--count]);
      return group;
    }
  };

  /// A group's problems and its working set.
  struct Work {
    int m, n;
    /// Vectors of the most demanding lane. Turned lanes have left and right exchanged, so that
    /// lanes want different ones; each computes them all and writes its own.
    int left_cols, right_cols;
    SvdProblem<Real> problem[width];
    Pack* factor;
    simd::PackColumns<Pack> basis;  ///< A itself, later U
    simd::PackColumns<Pack> inner, X, J;
    Ints *exponents, *inner_exponents, *x_exponents, *permutation, *inner_permutation, *places;
    Pack *norms, *tau, *inner_tau, *sigma;

    template <class T>
    simd::Factor<T> as() const {
      return {{reinterpret_cast<T*>(factor), m}, n,          exponents, reinterpret_cast<T*>(norms),
              reinterpret_cast<T*>(tau),         permutation};
    }
    simd::Factor<Pack> inner_factor() const {
      return {inner, n, inner_exponents, norms, inner_tau, inner_permutation};
    }
  };

  /// Packs per number of the first factorisation.
  static constexpr int words = std::is_same_v<Real, double> ? 2 : 1;
  int packs_per_team() const {
    return (words + 1) * rows_ * cols_ + 3 * cols_ * cols_ + (8 + 2 * words) * cols_;
  }

  Work start(Group const& group) const {
    Work w{};
    for (int l = 0; l < width; ++l) {
      if (l < group.count) batch_.states[group[l]] = {};
      w.problem[l] = batch_(group[l]);
    }
    w.m = w.problem[0].rows;
    w.n = w.problem[0].cols;
    return w;
  }

  static void arrange(Work& w, Pack* room) {
    int const m = w.m, n = w.n;
    auto const take = [&room](int count) {
      Pack* const taken = room;
      room += count;
      return taken;
    };
    auto const take_ints = [&] { return reinterpret_cast<Ints*>(take(n)); };
    w.factor = take(words * m * n);
    w.basis = {take(m * n), m};
    w.X = {take(n * n), n};
    w.J = {take(n * n), n};
    w.inner = {take(n * n), n};
    w.exponents = take_ints();
    w.inner_exponents = take_ints();
    w.x_exponents = take_ints();
    w.permutation = take_ints();
    w.inner_permutation = take_ints();
    w.places = take_ints();
    w.norms = take(words * n);
    w.tau = take(words * n);
    w.inner_tau = take(n);
    w.sigma = take(n);
  }

  /// The decomposition of a group whose first factorisation is made with numbers of type T.
  template <class T>
  void solve(Group const& group, Pack* room, Queue& poor) const {
    Work w = start(group);
    if (!simd_path_fits<ExecSpace>(w.m, w.n)) return;
    arrange(w, room);
    Mask failed = load(group, w);
    failed = failed | factorise<T>(w);
    simd::Factor<Pack> const A = w.template as<Pack>();
    Mask waits = 0;
    if constexpr (std::is_same_v<Real, double> && std::is_same_v<T, Pack>)
      waits = simd::poorly_separated(A) & ~failed;
    simd::Factor<Pack> const G = w.inner_factor();
    failed = failed | factorise_again(A, G);
    simd::SweepResult const result = diagonalise(w, G, failed | waits);
    finish(w, A, G);
    for (int l = 0; l < group.count; ++l) {
      if (waits[l])
        poor.add(group[l]);
      else if (result.failed[l])
        batch_.fallback.add(group[l]);
      else
        write(w, l, result);
    }
    if (w.left_cols > w.n) complete(group, w, A, waits | result.failed);
  }

  /// basis := A as it is, in every lane the member's own or, where `should_transpose` says so, its
  /// transpose. Returns the lanes with an entry that is not finite, or with a zero column.
  Mask load(Group const& group, Work& w) const {
    for (int l = 0; l < width; ++l) load_lane(w, l);
    Pack const infinity = Kokkos::Experimental::infinity_v<double>;
    Mask const turned = w.m == w.n ? should_transpose(w) : Mask(0);
    for (int l = 0; l < width; ++l) {
      if (!turned[l]) continue;
      batch_.states[group[l]].turned = 1;
      w.problem[l] = batch_(group[l]);
      load_lane(w, l);
    }
    for (SvdProblem<Real> const& problem : w.problem) {
      w.left_cols = std::max(w.left_cols, problem.left_cols);
      w.right_cols = std::max(w.right_cols, problem.right_cols);
    }
    Mask fine = -1;
    for (int j = 0; j < w.n; ++j) {
      Pack const largest = largest_entry(w.basis.col(j), 1, w.m);
      fine = fine & (largest > Pack(0.0)) & (largest < infinity);
      w.exponents[j] = exponent_of(largest);
    }
    return ~fine;
  }

  void load_lane(Work const& w, int l) const {
    auto* const to = reinterpret_cast<double*>(w.basis.data) + l;
    StridedMatrix<Real const> const& a = w.problem[l].a;
    for (int j = 0; j < w.n; ++j)
      for (int i = 0; i < w.m; ++i) to[(j * w.m + i) * width] = static_cast<double>(a(i, j));
  }

  /// Infinite if an entry is not finite.
  static Pack largest_entry(Pack const* x, int stride, int count) {
    Pack const infinity = Kokkos::Experimental::infinity_v<double>;
    Pack largest = 0.0;
    for (int i = 0; i < count; ++i) {
      Pack const size = abs(x[i * stride]);
      largest = max(largest, select(size < infinity, size, infinity));
    }
    return largest;
  }

  /// The lanes whose square A is scaled by rows rather than by columns, by more than 2^8: see
  /// PrepareKernel.
  static Mask should_transpose(Work const& w) {
    auto const spread = [&](int stride, int next) {
      Ints top = -(1 << 30), bottom = 1 << 30;
      for (int j = 0; j < w.n; ++j) {
        Pack const largest = largest_entry(w.basis.data + j * next, stride, w.n);
        Mask const present = largest > Pack(0.0);
        Ints const e = exponent_of(largest);
        top = select(present, simd::max(top, e), top);
        bottom = select(present, simd::min(bottom, e), bottom);
      }
      return top - bottom;
    };
    return spread(w.m, 1) > spread(1, w.m) + Ints(8);
  }

  /// A·P = Q·R of the columns scaled to largest entries in [1/2, 1). With T of double words the
  /// result is rounded: of R's entries that disturbs each by its own last digit only.
  template <class T>
  Mask factorise(Work const& w) const {
    simd::Factor<T> const A = w.template as<T>();
    for (int j = 0; j < w.n; ++j) {
      simd::Scaling const down(-w.exponents[j]);
      T* const x = A.F.col(j);
      for (int i = 0; i < w.m; ++i) x[i] = down(w.basis(i, j));
      A.norms[j] = square_root(simd::dot(x, x, 0, w.m));
    }
    Mask const failed = simd::pivoted_qr(A);
    if constexpr (!std::is_same_v<T, Pack>) {
      // Downwards in place: a rounded entry is never written over one still to be read.
      simd::Factor<Pack> const rounded = w.template as<Pack>();
      for (int k = 0; k < w.m * w.n; ++k) rounded.F.data[k] = leading(A.F.data[k]);
      for (int k = 0; k < w.n; ++k) rounded.tau[k] = leading(A.tau[k]);
    }
    return failed;
  }

  /// Rᵀ·P₂ = Q₂·R₂.
  static Mask factorise_again(simd::Factor<Pack> const& A, simd::Factor<Pack> const& G) {
    simd::transpose_triangle(A, G.F, G.exponents);
    for (int j = 0; j < G.cols; ++j)
      G.norms[j] = sqrt(simd::dot(G.F.col(j), G.F.col(j), j, G.cols));
    return simd::pivoted_qr(G);
  }

  /// X := W·Σ and J. J is solved for; in lanes where it does not come out orthogonal the sweeps are
  /// run once more to accumulate it.
  simd::SweepResult diagonalise(Work const& w, simd::Factor<Pack> const& G, Mask excluded) const {
    auto const rule = PairRule<Real>::of(tolerance_, w.n);
    PairRule<double> const wide{rule.tolerance, rule.rotate_above};
    simd::transpose_triangle(G, w.X, w.x_exponents);
    simd::Sweeping at{w.X, w.n, w.x_exponents, w.sigma, {nullptr, 0}};
    auto const result = simd::sweep_all(wide, max_sweeps_, at, excluded);
    if (w.right_cols == 0) return result;
    simd::solve_rotations(G, w.X, w.x_exponents, w.J);
    double const limit = 6 * w.n * double(Kokkos::Experimental::epsilon_v<Real>);
    Mask wanted = 0;
    for (int l = 0; l < width; ++l) wanted.set(l, w.problem[l].right_cols > 0 ? -1 : 0);
    Mask const poor = simd::not_orthonormal(w.J, w.n, limit, w.sigma) & wanted & ~result.failed;
    if (any(poor)) {
      simd::PackColumns<Pack> const accumulated = w.basis;
      for (int j = 0; j < w.n; ++j)
        for (int i = 0; i < w.n; ++i) accumulated(i, j) = i == j ? 1.0 : 0.0;
      simd::transpose_triangle(G, w.X, w.x_exponents);
      at.J = accumulated;
      simd::sweep_all(wide, max_sweeps_, at, excluded);
      for (int j = 0; j < w.n; ++j)
        for (int i = 0; i < w.n; ++i) w.J(i, j) = select(poor, accumulated(i, j), w.J(i, j));
    }
    return result;
  }

  /// From the orthogonal columns X: sigma, places[j], the place of σ_j in descending order, basis
  /// := Q·P₂·W, J := Q₂·J.
  static void finish(Work const& w, simd::Factor<Pack> const& A, simd::Factor<Pack> const& G) {
    int const n = w.n;
    for (int j = 0; j < n; ++j) {
      Pack* const x = w.X.col(j);
      w.sigma[j] = sqrt(simd::dot(x, x, 0, n));
      Pack const inverse = Pack(1.0) / w.sigma[j];
      for (int i = 0; i < n; ++i) x[i] = x[i] * inverse;
      Ints const e = exponent_of(w.sigma[j]);
      w.sigma[j] = w.sigma[j] * simd::power_of_two(-e);  // in [1/2, 1)
      w.x_exponents[j] = w.x_exponents[j] + e;
      w.places[j] = 0;
    }
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < j; ++i) {
        Mask const after = (w.x_exponents[j] > w.x_exponents[i]) |
                           ((w.x_exponents[j] == w.x_exponents[i]) & (w.sigma[j] > w.sigma[i]));
        w.places[i] = w.places[i] - after;
        w.places[j] = w.places[j] - ~after;
      }
    if (w.right_cols > 0) simd::apply_reflectors(G, w.J, n);
    if (w.left_cols == 0) return;
    auto* const to = reinterpret_cast<double*>(w.basis.data);
    auto const* const from = reinterpret_cast<double const*>(w.X.data);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        Ints const rows = G.permutation[i];
        for (int l = 0; l < width; ++l)
          to[(j * w.m + rows[l]) * width + l] = from[(j * n + i) * width + l];
      }
    for (int j = 0; j < n; ++j)
      for (int i = n; i < w.m; ++i) w.basis(i, j) = 0.0;
    simd::apply_reflectors(A, w.basis, n);
  }

  /// A lane's entry of U or V. Where the others of a group are rotated a lane that is not adds 0
  /// times one column to another, which takes the sign off a zero: without one zeros are the same
  /// bits beside all neighbours.
  static Real entry(Pack const& x, int l) { return unsigned_zero(static_cast<Real>(x[l])); }

  /// One lane's results to the caller.
  void write(Work const& w, int l, simd::SweepResult const& result) const {
    SvdProblem<Real> const& problem = w.problem[l];
    int const n = w.n;
    int first = 0;
    for (int j = 0; j < n; ++j) {
      auto const k = static_cast<int>(w.places[j][l]);
      if (k == 0) first = j;
      problem.s(k) = static_cast<Real>(
          carroll::detail::scale(w.sigma[j][l], static_cast<int>(w.x_exponents[j][l])));
      if (problem.left_cols > 0)
        for (int i = 0; i < w.m; ++i) problem.left(i, k) = entry(w.basis(i, j), l);
      if (problem.right_cols > 0)
        for (int i = 0; i < n; ++i)
          problem.right(static_cast<int>(w.permutation[i][l]), k) = entry(w.J(i, j), l);
    }
    double const least = w.sigma[first][l] * w.m * double(Kokkos::Experimental::epsilon_v<Real>);
    int rank = 0;
    for (int j = 0; j < n; ++j) {
      auto const down = static_cast<int>(w.x_exponents[j][l] - w.x_exponents[first][l]);
      rank += carroll::detail::scale(w.sigma[j][l], down) > least ? 1 : 0;
    }
    bool const converged = result.converged[l] != 0;
    *problem.info = {.status = !converged                    ? Status::not_converged
                               : Kokkos::isinf(problem.s(0)) ? Status::overflow
                                                             : Status::success,
                     .sweeps = static_cast<int>(result.sweeps[l]),
                     .rotations = result.rotations[l],
                     .max_cosine = static_cast<Real>(Kokkos::sqrt(result.max_square_cosine[l])),
                     .rank = rank};
  }

  /// The left vectors that belong to no singular value: Q's columns from n on, n at a time.
  void complete(Group const& group, Work const& w, simd::Factor<Pack> const& A,
                Mask excluded) const {
    for (int begin = w.n; begin < w.left_cols; begin += w.n) {
      int const count = std::min(w.n, w.left_cols - begin);
      for (int j = 0; j < count; ++j)
        for (int i = 0; i < w.m; ++i) w.basis(i, j) = i == begin + j ? 1.0 : 0.0;
      simd::apply_reflectors(A, w.basis, count);
      for (int l = 0; l < group.count; ++l) {
        if (excluded[l]) continue;
        for (int j = 0; j < count && begin + j < w.problem[l].left_cols; ++j)
          for (int i = 0; i < w.m; ++i) w.problem[l].left(i, begin + j) = entry(w.basis(i, j), l);
      }
    }
  }

  SvdBatch<Real> batch_;
  int members_, share_, rows_, cols_;
  Real tolerance_;
  int max_sweeps_;
};

/// Enqueues SimdKernel for the members that it fits; all others are left in `batch.fallback`, which
/// has to be empty before.
template <class ExecSpace, class Real>
void enqueue_simd(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds,
                  Real tolerance, int max_sweeps) {
  using Kernel = SimdKernel<ExecSpace, Real>;
  // Enough teams for the threads to share the work evenly, few enough for groups in double words to
  // fill up.
  int const groups = (bounds.members + simd::width - 1) / simd::width;
  int const per_team = std::clamp(groups / (8 * exec.concurrency()), 1, 64);
  int const share = simd::width * per_team;
  Kernel const kernel(batch, bounds, share, tolerance, max_sweeps);
  launch_teams("carroll::svd::simd", exec, kernel,
               {.count = (bounds.members + share - 1) / share,
                .scratch = static_cast<std::size_t>(kernel.bytes_per_team()),
                .level = 1});
}

}  // namespace carroll::detail
