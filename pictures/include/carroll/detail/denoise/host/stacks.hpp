// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/denoise/host/estimates.hpp>
#include <carroll/detail/denoise/host/symmetric.hpp>
#include <carroll/detail/denoise/host/tridiagonalise.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/denoise/tridiagonal.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::detail {

/// What a host's thread does for some stacks: gathers each and forms YᵀY; makes these tridiagonal,
/// as many at a time as a register has lanes; counts the eigenvalues that stay; finds them and
/// their vectors, stacks that keep about as many side by side, as lanes wait for the one that keeps
/// most; and applies what the weights leave, each for itself.
///
/// For a stack of m patches of n pixels of which r singular values stay: m·n² + 4/3·n³ + 4·m·n·r
/// + 2·n²·r flops, and 24·n·r divisions.
template <int Bytes>
class HostStacks {
  using P = Pack<float, Bytes>;
  using Estimates = HostEstimates<Bytes>;

 public:
  static constexpr int width = P::width;
  /// Stacks whose triangles are kept at the same time, in the second cache.
  static constexpr int groups = 4, at_once = groups * width;

  /// `memory`: aligned to a pack.
  HostStacks(StackProblem const& problem, float* memory)
      : problem_(problem), n_(problem.order()), estimates_(problem, memory) {
    lay_out(memory);
  }

  /// Numbers of the memory.
  static std::int64_t numbers(int patch, int members) {
    StackProblem problem;
    problem.patch = patch;
    problem.members = members;
    return HostStacks(problem, nullptr).numbers_;
  }

  /// Stacks `first` up to `end`, at most `at_once` of them.
  void run(std::int64_t first, std::int64_t end) const {
    int const count = static_cast<int>(end - first);
    Shrinkage shrinkage[at_once];
    int kept[at_once], order[at_once];
    for (int group = 0; group * width < count; ++group) {
      int const some = std::min(count - group * width, int{width});
      P threshold(1.0F);
      for (int lane = 0; lane < some; ++lane) {
        Shrinkage& mine = shrinkage[group * width + lane];
        mine = begin(first + group * width + lane, lane);
        threshold.set(lane, mine.threshold);
      }
      reduce(group, some, threshold, kept);
    }
    sort_by_most(kept, count, order);
    for (int begin = 0; begin < count; begin += width)
      finish(first, order + begin, std::min(count - begin, int{width}), shrinkage, kept);
  }

 private:
  static constexpr int values_at_once = 4;  // as divisions take long

  void lay_out(float* memory) {
    numbers_ = estimates_.numbers();
    auto const take = [&](std::int64_t numbers) {
      float* const here = memory ? memory + numbers_ : nullptr;
      numbers_ += (numbers + 15) / 16 * 16;
      return here;
    };
    std::int64_t const n = n_;
    square_ = take((n + 3) / 4 * 4 * estimates_.pitch());
    lanes_ = take(std::max(triangle(n_) * width, n * n));
    rows_ = take(triangle(n_) * at_once);
    factors_ = take(n * at_once);
    diagonal_ = take(n * at_once);
    coupling_ = take(n * at_once);
    sorted_ = take(2 * n * width);
    work_ = take(2 * n * width);
    values_ = take((n + values_at_once) * width);
    shifted_ = take(ShiftedFactors<float>::numbers(n_) * width);
    vectors_ = take(n * n * width);
  }

  static P* packs(float* memory) { return reinterpret_cast<P*>(memory); }
  static P const* packs(float const* memory) { return reinterpret_cast<P const*>(memory); }
  float* rows_of(int stack) const { return rows_ + triangle(n_) * stack; }

  /// The triangle of a stack's YᵀY, where the lane's reflections will be, and what is done to it.
  Shrinkage begin(std::int64_t stack, int lane) const {
    float const* const Y = estimates_.gather(stack);
    int const pitch = estimates_.pitch();
    host_gram<Bytes>(Y, problem_.members, n_, pitch, square_);
    float* to = rows_of(lane + at_once - width);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j <= i; ++j) *to++ = square_[i * pitch + j];
    float squares = 0;
    if (problem_.residual != 0) {
      std::int64_t const at = problem_.reference(stack);
      for (int row = 0; row < problem_.patch; ++row)
        for (int c = 0; c < problem_.patch; ++c)
          squares += problem_.squared_difference(at + row * problem_.layout.pitch + c);
    }
    return problem_.shrinkage(problem_.local_noise(squares));
  }

  /// Makes a group's triangles, which the last ones' room has, tridiagonal: reflections to the
  /// group's own. Counts eigenvalues above the thresholds.
  void reduce(int group, int some, P const& threshold, int* kept) const {
    std::int64_t const entries = triangle(n_);
    float const* const from = rows_of(at_once - width);
    for (std::int64_t e = 0; e < entries; ++e)
      for (int lane = 0; lane < width; ++lane)
        lanes_[e * width + lane] = lane < some ? from[lane * entries + e] : 0.0F;
    std::int64_t const first = std::int64_t{group} * width * n_;
    LaneTridiagonalisation<Bytes>(packs(lanes_), n_, packs(work_))
        .run(packs(diagonal_ + first), packs(coupling_ + first), packs(values_));
    for (int lane = 0; lane < some; ++lane)
      for (int i = 0; i < n_; ++i)
        factors_[(group * width + lane) * n_ + i] = values_[i * width + lane];
    float* const to = rows_of(group * width);
    for (std::int64_t e = 0; e < entries; ++e)
      for (int lane = 0; lane < width; ++lane) to[lane * entries + e] = lanes_[e * width + lane];
    count_kept(group * width, some, threshold, kept);
  }

  /// kept[first + lane]: eigenvalues above the lane's threshold.
  void count_kept(int first, int some, P const& threshold, int* kept) const {
    float const* const diagonal = diagonal_ + std::int64_t{first} * n_;
    float const* const coupling = coupling_ + std::int64_t{first} * n_;
#ifdef CARROLL_DEVICE_COMPILER  // which takes no vectors in what devices may call, too
    for (int lane = 0; lane < some; ++lane) {
      Tridiagonal<float> const T = of_lane(diagonal, coupling, lane);
      float const bound = T.bound(), below[1] = {threshold[lane]};
      float count[1];
      T.counts_above(below, bound * bound * 1e-15F, count);
      kept[first + lane] = static_cast<int>(count[0]);
    }
#else
    Tridiagonal<P> const T{packs(diagonal), packs(coupling), n_};
    P const bound = T.bound(), below[1] = {threshold};
    P count[1];
    T.counts_above(below, bound * bound * P(1e-15F), count);
    for (int lane = 0; lane < some; ++lane) kept[first + lane] = static_cast<int>(count[0][lane]);
#endif
  }

  /// order := stacks, those first that keep most; of equal ones the first.
  void sort_by_most(int const* kept, int count, int* order) const {
    int* end = order;
    for (int most = n_; most >= 0; --most)
      for (int stack = 0; stack < count; ++stack)
        if (kept[stack] == most) *end++ = stack;
  }

  /// Eigenvalues, vectors and estimates of the stacks that `order` names, a lane each.
  void finish(std::int64_t first, int const* order, int some, Shrinkage const* shrinkage,
              int const* kept) const {
    int const most = kept[order[0]];
    P threshold(1.0F);
    float *const diagonal = sorted_, *const coupling = sorted_ + std::int64_t{n_} * width;
    for (int lane = 0; lane < width; ++lane) {
      int const stack = order[std::min(lane, some - 1)];
      threshold.set(lane, shrinkage[stack].threshold);
      std::int64_t const from = std::int64_t{stack / width} * width * n_ + stack % width;
      for (int i = 0; i < n_; ++i) {
        diagonal[i * width + lane] = diagonal_[from + i * width];
        coupling[i * width + lane] = coupling_[from + i * width];
      }
    }
    if (most > 0) spectrum(most, threshold);
    for (int lane = 0; lane < some; ++lane) {
      int const stack = order[lane];
      typename Estimates::Spectrum const found{kept[stack], values_ + lane, vectors_ + lane,
                                               rows_of(stack), factors_ + stack * n_};
      estimates_.add(first + stack, found, shrinkage[stack]);
    }
  }

  /// The `most` largest eigenvalues above the lanes' thresholds, and vectors.
  void spectrum(int most, P const& threshold) const {
    float const *const diagonal = sorted_, *const coupling = sorted_ + std::int64_t{n_} * width;
#ifdef CARROLL_DEVICE_COMPILER
    for (int lane = 0; lane < width; ++lane) {
      Tridiagonal<float> const T = of_lane(diagonal, coupling, lane);
      float const bound = T.bound();
      float *const values = shifted_, *const memory = values + n_ + values_at_once,
                   *const vectors = lanes_;
      find_values(T, most, threshold[lane], bound, values);
      tridiagonal_vectors(T, most, values, bound, memory, vectors);
      for (int k = 0; k < most; ++k) {
        values_[k * width + lane] = values[k];
        for (int i = 0; i < n_; ++i) vectors_[(k * n_ + i) * width + lane] = vectors[k * n_ + i];
      }
    }
#else
    Tridiagonal<P> const T{packs(diagonal), packs(coupling), n_};
    P const bound = T.bound();
    find_values(T, most, threshold, bound, packs(values_));
    tridiagonal_vectors(T, most, packs(values_), bound, packs(shifted_), packs(vectors_));
#endif
  }
  template <class Number>
  static void find_values(Tridiagonal<Number> const& T, int count, Number const& threshold,
                          Number const& bound, Number* values) {
    for (int k = 0; k < count; k += values_at_once) {
      Number value[values_at_once];
      T.eigenvalues(k, threshold, bound, value);
      for (int l = 0; l < values_at_once; ++l) values[k + l] = value[l];
    }
  }
#ifdef CARROLL_DEVICE_COMPILER
  Tridiagonal<float> of_lane(float const* diagonal, float const* coupling, int lane) const {
    for (int i = 0; i < n_; ++i) {
      work_[i] = diagonal[i * width + lane];
      work_[n_ + i] = coupling[i * width + lane];
    }
    return {work_, work_ + n_, n_};
  }
#endif

  StackProblem problem_;
  int n_;
  Estimates estimates_;
  std::int64_t numbers_ = 0;
  float *square_, *lanes_, *rows_, *factors_, *diagonal_, *coupling_, *sorted_, *work_, *values_,
      *shifted_, *vectors_;
};

}  // namespace carroll::detail
