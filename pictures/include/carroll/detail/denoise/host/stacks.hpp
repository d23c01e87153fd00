// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/denoise/host/symmetric.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/denoise/tridiagonal.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <cmath>
#include <cstdint>

namespace carroll::detail {

/// What a host's thread does for stacks, as many at a time as its registers have lanes: gathers,
/// forms YᵀY, makes it tridiagonal, each for itself; finds eigenvalues and vectors of all of them,
/// one in each lane; and applies what the weights leave, each for itself.
///
/// For a stack of m patches of n pixels of which r singular values stay: m·n² + 4/3·n³ + 4·m·n·r
/// + 2·n²·r flops, and 24·n·r divisions.
template <int Bytes>
class HostStacks {
  using P = Pack<float, Bytes>;
  using D = Pack<double, Bytes>;

 public:
  static constexpr int width = P::width;

  /// `memory`: aligned to a pack.
  HostStacks(StackProblem const& problem, float* memory)
      : problem_(problem), n_(problem.order()), pitch_(pitch(problem.patch)) {
    lay_out(memory);
  }

  /// Numbers of the memory.
  static std::int64_t numbers(int patch, int members) {
    StackProblem problem;
    problem.patch = patch;
    problem.members = members;
    return HostStacks(problem, nullptr).numbers_;
  }

  /// Stacks `first` up to `end`, at most `width` of them.
  void run(std::int64_t first, std::int64_t end) const {
    int const count = static_cast<int>(end - first);
    P threshold(1.0F);
    Shrinkage shrinkage[width];
    for (int lane = 0; lane < width; ++lane) {
      if (lane >= count) {
        clear_lane(lane);
        continue;
      }
      gather(first + lane, lane);
      std::int64_t const at = problem_.reference(first + lane);
      shrinkage[lane] =
          problem_.shrinkage(problem_.local_noise(problem_.residual == 0 ? 0 : squares_at(at)));
      threshold.set(lane, shrinkage[lane].threshold);
      float* const A = matrices_ + lane * square_;
      host_gram<Bytes>(patches_of(lane), problem_.members, n_, pitch_, A);
      HostTridiagonalisation<Bytes>(A, n_, pitch_, work_)
          .run(diagonal_ + lane, coupling_ + lane, width, reflections_ + lane * n_);
    }
    P counts;
    spectrum(threshold, counts);
    for (int lane = 0; lane < count; ++lane)
      estimate(first + lane, lane, static_cast<int>(counts[lane]), shrinkage[lane]);
  }

 private:
  static constexpr int group = 4;  // eigenvalues at a time, as divisions take long
  static int pitch(int patch) {
    int const row = (patch + width - 1) / width * width;
    return ((patch - 1) * patch + row + width - 1) / width * width;
  }
  static int matrix_rows(int n) { return (n + 3) / 4 * 4; }

  void lay_out(float* memory) {
    auto const take = [&](std::int64_t numbers) {
      float* const here = memory ? memory + numbers_ : nullptr;
      numbers_ += (numbers + 15) / 16 * 16;
      return here;
    };
    int const members = problem_.members;
    square_ = std::int64_t{matrix_rows(n_)} * pitch_;
    patches_ = take(std::int64_t{width} * members * pitch_);
    means_ = take(std::int64_t{width} * pitch_);
    matrices_ = take(width * square_);
    reflections_ = take(std::int64_t{width} * n_);
    work_ = take(2 * pitch_);
    diagonal_ = take(std::int64_t{n_} * width);
    coupling_ = take(std::int64_t{n_} * width);
    values_ = take(std::int64_t{n_ + group} * width);
    factors_ = take(ShiftedFactors<float>::numbers(n_) * width);
    vectors_ = take(std::int64_t{n_} * n_ * width);
    across_ = take(std::int64_t{most_kept()} * n_);
    along_ = take(std::int64_t{most_kept()} * pitch_);
    parts_ = take(block * most_kept());
    rows_ = take(block * pitch_);
  }

  float* patches_of(int lane) const {
    return patches_ + std::int64_t{lane} * problem_.members * pitch_;
  }
  std::int32_t const* places_of(std::int64_t stack) const {
    return problem_.places + stack * problem_.stride;
  }

  void clear_lane(int lane) const {
    for (int i = 0; i < n_; ++i) diagonal_[i * width + lane] = coupling_[i * width + lane] = 0;
  }

  /// The stack's patches, a row each, less their mean.
  void gather(std::int64_t stack, int lane) const {
    std::int32_t const* const places = places_of(stack);
    float *const Y = patches_of(lane), *const mean = means_ + lane * pitch_;
    std::int64_t const pitch = problem_.layout.pitch;
    int const patch = problem_.patch;
    for (int j = 0; j < pitch_; j += width) store(mean + j, P(0.0F));
    for (int m = 0; m < problem_.members; ++m) {
      float* const y = Y + m * pitch_;
      float const* source = problem_.current + places[m];
      for (int row = 0; row < patch; ++row, source += pitch)
        for (int c = 0; c < patch; c += width) store(y + row * patch + c, P::load(source + c));
      for (int j = n_; j < pitch_; ++j) y[j] = 0;
      for (int j = 0; j < pitch_; j += width) store(mean + j, P::load(mean + j) + P::load(y + j));
    }
    P const part(1.0F / static_cast<float>(problem_.members));
    for (int j = 0; j < pitch_; j += width) store(mean + j, P::load(mean + j) * part);
    for (int m = 0; m < problem_.members; ++m) {
      float* const y = Y + m * pitch_;
      for (int j = 0; j < pitch_; j += width) store(y + j, P::load(y + j) - P::load(mean + j));
    }
  }

  float squares_at(std::int64_t at) const {
    float squares = 0;
    for (int row = 0; row < problem_.patch; ++row)
      for (int c = 0; c < problem_.patch; ++c)
        squares += problem_.squared_difference(at + row * problem_.layout.pitch + c);
    return squares;
  }

  /// Eigenvalues above the lanes' thresholds, how many they are, and vectors.
  void spectrum(P const& threshold, P& counts) const {
#ifdef CARROLL_DEVICE_COMPILER  // which takes no vectors in what devices may call, too
    for (int lane = 0; lane < width; ++lane)
      counts.set(lane, static_cast<float>(spectrum_of_lane(lane, threshold[lane])));
#else
    Tridiagonal<P> const T{packs(diagonal_), packs(coupling_), n_};
    P const bound = T.bound(), below[1] = {threshold};
    P count[1];
    T.counts_above(below, bound * bound * P(1e-15F), count);
    counts = count[0];
    int most = 0;
    for (int lane = 0; lane < width; ++lane) most = std::max(most, static_cast<int>(counts[lane]));
    find_values(T, most, threshold, bound, packs(values_));
    tridiagonal_vectors(T, most, packs(values_), bound, packs(factors_), packs(vectors_));
#endif
  }
  template <class Number>
  static void find_values(Tridiagonal<Number> const& T, int count, Number const& threshold,
                          Number const& bound, Number* values) {
    for (int k = 0; k < count; k += group) {
      Number value[group];
      T.eigenvalues(k, threshold, bound, value);
      for (int l = 0; l < group; ++l) values[k + l] = value[l];
    }
  }
#ifdef CARROLL_DEVICE_COMPILER
  int spectrum_of_lane(int lane, float threshold) const {
    float *const diagonal = factors_, *const coupling = diagonal + n_,
                 *const values = coupling + n_, *const memory = values + n_ + group;
    for (int i = 0; i < n_; ++i) {
      diagonal[i] = diagonal_[i * width + lane];
      coupling[i] = coupling_[i * width + lane];
    }
    Tridiagonal<float> const T{diagonal, coupling, n_};
    float const bound = T.bound(), below[1] = {threshold};
    float count[1];
    T.counts_above(below, bound * bound * 1e-15F, count);
    int const kept = static_cast<int>(count[0]);
    find_values(T, kept, threshold, bound, values);
    tridiagonal_vectors(T, kept, values, bound, memory, across_);
    for (int k = 0; k < kept; ++k) {
      values_[k * width + lane] = values[k];
      for (int i = 0; i < n_; ++i) vectors_[(k * n_ + i) * width + lane] = across_[k * n_ + i];
    }
    return kept;
  }
#endif
  static P* packs(float* memory) {
    return reinterpret_cast<P*>(memory);
  }

  /// Patches' estimates, mean + Y·Z·G·Zᵀ, added to sums.
  void estimate(std::int64_t stack, int lane, int kept, Shrinkage const& shrinkage) const {
    load_vectors(lane, kept, shrinkage);
    std::int32_t const* const places = places_of(stack);
    for (int m = 0; m < problem_.members; m += block) {
      int const some = std::min(problem_.members - m, int{block});
      project(patches_of(lane) + m * pitch_, some, kept);
      combine(means_ + lane * pitch_, kept);
      for (int b = 0; b < some; ++b) scatter(places[m + b], rows_ + b * pitch_);
    }
  }

  /// The lane's vectors, by packs of them and one by one, the latter times what stays of each.
  void load_vectors(int lane, int kept, Shrinkage const& shrinkage) const {
    float const* const A = matrices_ + lane * square_;
    for (int first = 0; first < kept; first += width) {
      float* const Z = across_ + std::int64_t{first} * n_;
      for (int i = 0; i < n_; ++i)
        for (int l = 0; l < width; ++l) {
          int const k = first + l;
          Z[i * width + l] = k < kept ? vectors_[(std::int64_t{k} * n_ + i) * width + lane] : 0.0F;
        }
      host_reflect_back<Bytes>(A, reflections_ + lane * n_, n_, pitch_, Z);
      for (int l = 0; l < width && first + l < kept; ++l) {
        float const part = shrinkage(values_[(first + l) * width + lane]);
        float* const z = along_ + (first + l) * pitch_;
        for (int i = 0; i < n_; ++i) z[i] = Z[i * width + l] * part;
        for (int i = n_; i < pitch_; ++i) z[i] = 0;
      }
    }
  }

  /// parts := Y·Z of a block of members.
  void project(float const* Y, int some, int kept) const {
    float const* y[block];
    for (int b = 0; b < block; ++b) y[b] = Y + std::min(b, some - 1) * pitch_;
    for (int first = 0; first < kept; first += width) {
      float const* const Z = across_ + std::int64_t{first} * n_;
      P sum[block];
      for (P& s : sum) s = P(0.0F);
      for (int i = 0; i < n_; ++i) {
        P const z = P::load(Z + i * width);
        for (int b = 0; b < block; ++b) sum[b].add_product(P(y[b][i]), z);
      }
      for (int b = 0; b < block; ++b) store(parts_ + b * most_kept() + first, sum[b]);
    }
  }
  /// rows := mean + parts·(Z·G)ᵀ.
  void combine(float const* mean, int kept) const {
    for (int j = 0; j < pitch_; j += width) {
      P sum[block];
      for (P& s : sum) s = P::load(mean + j);
      for (int k = 0; k < kept; ++k) {
        P const z = P::load(along_ + k * pitch_ + j);
        for (int b = 0; b < block; ++b) sum[b].add_product(P(parts_[b * most_kept() + k]), z);
      }
      for (int b = 0; b < block; ++b) store(rows_ + b * pitch_ + j, sum[b]);
    }
  }

  /// sums += the estimate x of the patch at `place`, in units.
  void scatter(std::int32_t place, float* x) const {
    // Adding and subtracting 1.5·2^23 rounds to whole numbers.
    P const scale(1 / StackProblem::unit), shift(0x1.8p23F), most(StackProblem::largest);
    for (int j = 0; j < pitch_; j += width) {
      P const cut = min(max(P::load(x + j), -most), most);
      store(x + j, (cut * scale + shift) - shift);
    }
    int const patch = problem_.patch;
    for (int row = 0; row < patch; ++row) {
      double* const sums = problem_.sums + (place - problem_.origin) + row * problem_.layout.pitch;
      float const* const from = x + row * patch;
      int c = 0;
      for (; c + D::width <= patch; c += D::width)
        store(sums + c, D::load(sums + c) + D::load(from + c));
      for (; c < patch; ++c) sums[c] += static_cast<double>(from[c]);
    }
    problem_.hits[place - problem_.origin] += 1;
  }

  int most_kept() const {
    return (n_ + width - 1) / width * width;
  }
  static constexpr int block = 4;  // members at a time

  StackProblem problem_;
  int n_, pitch_;
  std::int64_t square_ = 0, numbers_ = 0;
  float *patches_, *means_, *matrices_, *reflections_, *work_, *diagonal_, *coupling_, *values_,
      *factors_, *vectors_, *across_, *along_, *parts_, *rows_;
};

}  // namespace carroll::detail
