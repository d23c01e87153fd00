// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/host_batch/factor.hpp>
#include <carroll/detail/complex_svd/host_batch/sweeps.hpp>
#include <carroll/detail/complex_svd/host_batch/work.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/host_batch/work.hpp>
#include <limits>

namespace carroll::detail::simd {

/// What one thread does with some members: groups of as many as a register has lanes.
template <class Real, class Pack>
class ComplexSvdGroups {
 public:
  static constexpr int width = Pack::width;

  ComplexSvdGroups(ComplexSvdBatch<Real> const& batch, Real tolerance, int max_sweeps)
      : batch_(batch), tolerance_(tolerance), max_sweeps_(max_sweeps) {}

  /// Members begin <= b < end. `room`: complex_svd_room.
  void run(int begin, int end, Pack* room) const {
    for (int b = begin; b < end; b += width) {
      Group<width> group;
      while (group.count < width && b + group.count < end) group.add(b + group.count);
      solve(group, room);
    }
  }

 private:
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  using Work = ComplexSvdWork<Pack>;
  using Problem = ComplexSvdProblem<Real>;
  static constexpr int no_exponent = -(1 << 20);

  void solve(Group<width> const& group, Pack* room) const {
    bool const wide = batch_.rows() < batch_.cols();
    Problem problems[width];
    for (int l = 0; l < width; ++l) problems[l] = batch_(group[l], wide);
    Work const at(problems[0].rows, problems[0].cols, room);
    for (int l = 0; l < width; ++l) load(at, problems[l], l);
    Mask turns, works;
    Ints top;
    by_itself<Pack::bytes>([&] { works = look(at, top, turns); });
    if (any(turns)) {
      for (int l = 0; l < width; ++l)
        if (turns[l]) {
          problems[l] = batch_(group[l], !wide);
          load(at, problems[l], l);
        }
      Mask still;
      by_itself<Pack::bytes>([&] { works = look(at, top, still); });
    }
    bool accumulates = false;
    for (Problem const& problem : problems) accumulates = accumulates || problem.left_cols > 0;
    ComplexSweeps<Pack> swept;
    by_itself<Pack::bytes>([&] {
      scale_down(at, works & top, works);
      works = works & ~factorise_complex(at);
      start(at);
    });
    Pack const tolerance = PairRule<Real>::of(tolerance_, 2 * at.n).tolerance;
    by_itself<Pack::bytes>(
        [&] { swept = sweep_complex(at, tolerance, max_sweeps_, works, accumulates); });
    by_itself<Pack::bytes>([&] { works = works & swept.converged & finish(at); });
    for (int l = 0; l < group.count; ++l) {
      if (works[l])
        write_values(at, problems[l], swept, static_cast<int>(top[l]), l);
      else
        batch_.fallback.add(group[l]);
    }
    write_left(at, group, problems, works);
    for (int l = 0; l < group.count; ++l)
      if (works[l] && problems[l].right_cols > 0) write_right(at, problems[l], l);
  }

  static void load(Work const& at, Problem const& problem, int l) {
    auto* const F = reinterpret_cast<Real*>(at.F) + l;
    for (int j = 0; j < at.n; ++j)
      for (int i = 0; i < at.m; ++i) {
        auto const z = problem.entry(i, j);
        Real* const entry = F + (static_cast<std::ptrdiff_t>(j) * at.m + i) * 2 * width;
        entry[0] = z.real();
        entry[width] = z.imag();
      }
  }

  static Pack largest_part_of(ComplexPack<Pack> const& z) {
    Pack const infinity = std::numeric_limits<Real>::infinity();
    auto const size = [&](Pack const& x) {
      Pack const a = abs(x);
      return select(a < infinity, a, infinity);  // NaN too
    };
    return max(size(z.re), size(z.im));
  }
  /// Of a size; no_exponent for 0 and what is not finite.
  static Ints exponent_or_none(Pack const& size) {
    Mask const usable = (size > Pack(0)) & (size < Pack(std::numeric_limits<Real>::infinity()));
    return select(usable, Ints(exponent_of(size)), Ints(no_exponent));
  }

  /// The lanes that this kernel suits: see ComplexWarpFactor::look. `top` is the exponent of the
  /// largest part, `turns` lanes that are square and scaled by rows.
  static Mask look(Work const& at, Ints& top, Mask& turns) {
    Ints least = Ints(-no_exponent);
    top = Ints(no_exponent);
    for (int j = 0; j < at.n; ++j) {
      Pack largest = Pack(0);
      for (int i = 0; i < at.m; ++i) largest = max(largest, largest_part_of(at.f(j)[i]));
      Ints const e = exponent_or_none(largest);
      top = max(top, e);
      least = min(least, e);  // no_exponent for a column of zeros, or one that is not finite
    }
    turns = Mask(0);
    if (at.m == at.n) {
      Ints row_top = Ints(no_exponent), row_least = Ints(-no_exponent);
      for (int i = 0; i < at.n; ++i) {
        Pack largest = Pack(0);
        for (int j = 0; j < at.n; ++j) largest = max(largest, largest_part_of(at.f(j)[i]));
        Ints const e = exponent_or_none(largest);
        row_top = max(row_top, e);
        row_least = min(row_least, select(e > Ints(no_exponent), e, Ints(-no_exponent)));
      }
      turns = (row_top - row_least) > (top - least + Ints(8));
    }
    return ~((top - least) > Ints(complex_svd_range<Real>)) & (least > Ints(no_exponent));
  }

  /// Lanes that do not work become 0.
  static void scale_down(Work const& at, Ints const& exponent, Mask const& works) {
    Ints const half = -exponent >> 1;
    Pack const first = Pack::power_of_two(half), second = Pack::power_of_two(-exponent - half);
    for (int k = 0; k < at.m * at.n; ++k) {
      ComplexPack<Pack>& z = at.F[k];
      z.re = select(works, z.re * first * second, Pack(0));
      z.im = select(works, z.im * first * second, Pack(0));
    }
  }

  /// X := Rᴴ, J := I
  static void start(Work const& at) {
    for (int j = 0; j < at.n; ++j)
      for (int i = 0; i < at.n; ++i) {
        ComplexPack<Pack> const z = at.f(i)[j];
        at.x(j)[i] = i < j ? ComplexPack<Pack>{Pack(0), Pack(0)} : ComplexPack<Pack>{z.re, -z.im};
        at.j(j)[i] = {Pack(i == j ? Real(1) : Real(0)), Pack(0)};
      }
  }

  /// σ, places, X := W. Returns the lanes in which no σ is out of range.
  static Mask finish(Work const& at) {
    Pack const least = carroll::detail::power_of_two<Real>(-complex_svd_range<Real>);
    Mask fine = ~Mask(0);
    for (int j = 0; j < at.n; ++j) {
      at.sigma[j] = sqrt(sum_of_squares(at.x(j), 0, at.n));
      fine = fine & (at.sigma[j] > least);
      for (int i = 0; i < at.n; ++i) {
        at.x(j)[i].re = at.x(j)[i].re / at.sigma[j];
        at.x(j)[i].im = at.x(j)[i].im / at.sigma[j];
      }
    }
    for (int j = 0; j < at.n; ++j) {
      Ints place = Ints(0);
      for (int k = 0; k < at.n; ++k) {
        Mask const before = k < j ? at.sigma[k] >= at.sigma[j] : at.sigma[k] > at.sigma[j];
        if (k != j) place -= before;
      }
      at.places[j] = place;
    }
    return fine;
  }

  /// A lane's number, +0 for -0: the sign of a zero says whether other lanes have turned.
  static Kokkos::complex<Real> unsigned_zeros(ComplexPack<Pack> const& z, int l) {
    return {z.re[l] + Real(0), z.im[l] + Real(0)};
  }

  static void write_values(Work const& at, Problem const& problem, ComplexSweeps<Pack> const& swept,
                           int top, int l) {
    Real largest = 0;
    for (int j = 0; j < at.n; ++j) largest = std::max(largest, at.sigma[j][l]);
    SvdInfo<Real> info;
    for (int j = 0; j < at.n; ++j) {
      Real const sigma = at.sigma[j][l];
      problem.s(static_cast<int>(at.places[j][l])) = carroll::detail::scale(sigma, top);
      if (sigma > largest * at.m * std::numeric_limits<Real>::epsilon()) ++info.rank;
    }
    if (Kokkos::isinf(carroll::detail::scale(largest, top))) info.status = Status::overflow;
    info.sweeps = static_cast<int>(swept.sweeps[l]);
    info.rotations = static_cast<std::int64_t>(swept.rotations[l]);
    info.max_cosine = swept.max_cosine[l];
    *problem.info = info;
  }

  /// Q·[J 0; 0 I], column by column.
  void write_left(Work const& at, Group<width> const& group, Problem const (&problems)[width],
                  Mask const& works) const {
    int cols = 0;
    for (int l = 0; l < group.count; ++l)
      if (works[l]) cols = std::max(cols, problems[l].left_cols);
    for (int k = 0; k < cols; ++k) {
      by_itself<Pack::bytes>([&] {
        for (int i = 0; i < at.m; ++i)
          at.left[i] = k < at.n && i < at.n
                           ? at.j(k)[i]
                           : ComplexPack<Pack>{Pack(i == k ? Real(1) : Real(0)), Pack(0)};
        for (int r = at.n - 1; r >= 0; --r) reflect_complex(at, r, at.left);
      });
      for (int l = 0; l < group.count; ++l) {
        if (!works[l] || k >= problems[l].left_cols) continue;
        int const place = k < at.n ? static_cast<int>(at.places[k][l]) : k;
        for (int i = 0; i < at.m; ++i) problems[l].left(i, place) = unsigned_zeros(at.left[i], l);
      }
    }
  }

  static void write_right(Work const& at, Problem const& problem, int l) {
    for (int j = 0; j < at.n; ++j) {
      auto const place = static_cast<int>(at.places[j][l]);
      for (int i = 0; i < at.n; ++i) {
        ComplexPack<Pack> const& z = at.x(j)[i];
        problem.right(static_cast<int>(at.columns[i][l]), place) = unsigned_zeros(z, l);
      }
    }
  }

  ComplexSvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
};

}  // namespace carroll::detail::simd
