// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/host_batch/factor.hpp>
#include <carroll/detail/svd/host_batch/finish.hpp>
#include <carroll/detail/svd/host_batch/jacobi.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <carroll/detail/svd/host_batch/work.hpp>
#include <carroll/detail/svd/plan.hpp>
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
class SvdHostBatchKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Pack = simd::Pack;
  using DoublePack = simd::DoublePack;
  using Ints = simd::Ints;
  using Mask = simd::Mask;
  static constexpr int width = simd::width;

  /// Team k works on members [k·share, (k + 1)·share) of the selection.
  SvdHostBatchKernel(SvdBatch<Real> const& batch, SvdBounds const& bounds, int share,
                     Real tolerance, int max_sweeps)
      : batch_(batch),
        members_(bounds.members),
        share_(share),
        rows_(bounds.rows),
        cols_(bounds.cols),
        tolerance_(tolerance),
        max_sweeps_(max_sweeps) {}

  std::size_t bytes_per_team() const {
    return static_cast<std::size_t>(Work::packs(rows_, cols_)) * sizeof(Pack) + 2 * alignof(Pack);
  }

  void operator()(Member const& team) const {
    auto const bytes = static_cast<std::size_t>(Work::packs(rows_, cols_)) * sizeof(Pack);
    auto* const room =
        static_cast<Pack*>(team.team_scratch(1).get_shmem_aligned(bytes, alignof(Pack)));
    int const end = std::min(members_, (team.league_rank() + 1) * share_);
    Queue poor;
    for (int b = team.league_rank() * share_; b < end;) {
      Group group;
      // Ragged members differ in their extents: each is a group of its own.
      do group.add(batch_.index(b++));
      while (!batch_.slots && group.count < width && b < end);
      solve<Pack>(group, room, poor);
      if (poor.count >= width) solve<DoublePack>(poor.take(), room, poor);
      if (batch_.slots && poor.count > 0) solve<DoublePack>(poor.take(), room, poor);
    }
    if (poor.count > 0) solve<DoublePack>(poor.take(), room, poor);
  }

 private:
  using Group = simd::Group;
  using Queue = simd::Queue;
  using Work = simd::Work<Real>;

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

  /// The decomposition of a group whose first factorisation is made with numbers of type T.
  template <class T>
  void solve(Group const& group, Pack* room, Queue& poor) const {
    Work w = start(group);
    w.arrange(room);
    Mask failed = load(group, w);
    failed = failed | factorise<T>(w);
    simd::Factor<Pack> const A = w.template as<Pack>();
    Mask waits = 0;
    if constexpr (std::is_same_v<Real, double> && std::is_same_v<T, Pack>)
      waits = simd::poorly_separated(A) & ~failed;
    simd::Factor<Pack> const G = w.inner_factor();
    failed = failed | factorise_again(A, G);
    simd::SweepResult const result = diagonalise(w, G, failed | waits);
    simd::finish(w, A, G);
    for (int l = 0; l < group.count; ++l) {
      if (waits[l])
        poor.add(group[l]);
      else if (result.failed[l])
        batch_.fallback.add(group[l]);
      else
        simd::write(w, l, result);
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
        top = select(present, max(top, e), top);
        bottom = select(present, min(bottom, e), bottom);
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
      A.norms[j] = simd::square_root(simd::dot(x, x, 0, w.m));
    }
    Mask const failed = simd::pivoted_qr(A);
    if constexpr (!std::is_same_v<T, Pack>) {
      // Downwards in place: a rounded entry is never written over one still to be read.
      simd::Factor<Pack> const rounded = w.template as<Pack>();
      for (int k = 0; k < w.m * w.n; ++k) rounded.F.data[k] = simd::leading(A.F.data[k]);
      for (int k = 0; k < w.n; ++k) rounded.tau[k] = simd::leading(A.tau[k]);
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
          for (int i = 0; i < w.m; ++i)
            w.problem[l].left(i, begin + j) = simd::entry<Real>(w.basis(i, j), l);
      }
    }
  }

  SvdBatch<Real> batch_;
  int members_, share_, rows_, cols_;
  Real tolerance_;
  int max_sweeps_;
};

template <class ExecSpace, class Real>
void enqueue_host_batch(ExecSpace const& exec, SvdBatch<Real> batch, SvdPlan const& plan,
                        SvdOptions const& options) {
  SvdBounds const& bounds = plan.bounds(SvdPlan::host_batch);
  if (bounds.members == 0) return;
  batch.selection = plan.members(SvdPlan::host_batch);
  using Kernel = SvdHostBatchKernel<ExecSpace, Real>;
  // Enough teams for the threads to share the work evenly, few enough for groups in double words to
  // fill up.
  int const groups = (bounds.members + simd::width - 1) / simd::width;
  int const per_team = std::clamp(groups / (8 * exec.concurrency()), 1, 64);
  int const share = simd::width * per_team;
  Kernel const kernel(batch, bounds, share, static_cast<Real>(options.tolerance),
                      options.max_sweeps);
  launch_teams("carroll::svd::simd", exec, kernel,
               {.count = (bounds.members + share - 1) / share,
                .scratch = static_cast<std::size_t>(kernel.bytes_per_team()),
                .level = 1});
}

}  // namespace carroll::detail
