// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/denoise/host/symmetric.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstdint>

namespace carroll::detail {

/// Between the picture and a stack's matrix on a host: gathers patches, and adds their estimates
/// mean + Y·Z·G·Zᵀ, Z the vectors that stay, to sums.
template <int Bytes>
class HostEstimates {
  using P = Pack<float, Bytes>;
  using D = Pack<double, Bytes>;
  static constexpr int width = P::width;
  static constexpr int block = 8;  // members at a time, so that sums do not wait for one another

 public:
  /// Of one stack among those that lie side by side in lanes: λ_k at values[k·width], z_k's entry i
  /// at vectors[(k·n + i)·width], and the reflections that turn z_k.
  struct Spectrum {
    int kept;
    float const *values, *vectors, *rows, *factors;
  };

  HostEstimates(StackProblem const& problem, float* memory)
      : problem_(problem),
        n_(problem.order()),
        pitch_(pitch_of(problem.patch)),
        most_kept_((problem.order() + width - 1) / width * width) {
    auto const take = [&](std::int64_t numbers) {
      float* const here = memory ? memory + numbers_ : nullptr;
      numbers_ += (numbers + 15) / 16 * 16;
      return here;
    };
    patches_ = take(std::int64_t{problem.members} * pitch_);
    mean_ = take(pitch_);
    across_ = take(std::int64_t{most_kept_} * n_);
    along_ = take(std::int64_t{most_kept_} * pitch_);
    parts_ = take(block * most_kept_);
    estimates_ = take(block * pitch_);
  }

  [[nodiscard]] std::int64_t numbers() const { return numbers_; }
  /// Numbers from one patch to the next.
  [[nodiscard]] int pitch() const { return pitch_; }

  /// The stack's patches, a row each, less their mean.
  float const* gather(std::int64_t stack) const {
    std::int32_t const* const places = places_of(stack);
    std::int64_t const pitch = problem_.layout.pitch;
    int const patch = problem_.patch, members = problem_.members;
    for (int m = 0; m < members; ++m) {
      float* const y = patches_ + m * pitch_;
      float const* source = problem_.current + places[m];
      for (int row = 0; row < patch; ++row, source += pitch)
        for (int c = 0; c < patch; c += width) store(y + row * patch + c, P::load(source + c));
      for (int j = n_; j < pitch_; ++j) y[j] = 0;
    }
    P const part(1.0F / static_cast<float>(members));
    for (int j = 0; j < pitch_; j += width) {
      P sum(0.0F);
      for (int m = 0; m < members; ++m) sum += P::load(patches_ + m * pitch_ + j);
      P const mean = sum * part;
      store(mean_ + j, mean);
      for (int m = 0; m < members; ++m)
        store(patches_ + m * pitch_ + j, P::load(patches_ + m * pitch_ + j) - mean);
    }
    return patches_;
  }

  /// sums, hits += the stack's estimates. Members are taken some apart: those side by side overlap,
  /// and a load waits for the stores that it needs more than one of.
  void add(std::int64_t stack, Spectrum const& found, Shrinkage const& shrinkage) const {
    (void)gather(stack);
    load_vectors(found, shrinkage);
    std::int32_t const* const places = places_of(stack);
    int const members = problem_.members, apart = (members + block - 1) / block;
    for (int first = 0; first < apart; ++first) {
      int const some = (members - first + apart - 1) / apart;
      float const* y[block];
      for (int b = 0; b < block; ++b)
        y[b] = patches_ + (first + (b < some ? b * apart : 0)) * pitch_;
      project(y, found.kept);
      combine(found.kept);
      for (int b = 0; b < some; ++b) scatter(places[first + b * apart], estimates_ + b * pitch_);
    }
  }

 private:
  static int pitch_of(int patch) {
    int const row = (patch + width - 1) / width * width;
    return ((patch - 1) * patch + row + width - 1) / width * width;
  }
  std::int32_t const* places_of(std::int64_t stack) const {
    return problem_.places + stack * problem_.stride;
  }

  /// Vectors by packs of them and one by one, the latter times what stays of each.
  void load_vectors(Spectrum const& found, Shrinkage const& shrinkage) const {
    for (int first = 0; first < found.kept; first += width) {
      float* const Z = across_ + std::int64_t{first} * n_;
      int const some = std::min(found.kept - first, int{width});
      for (int i = 0; i < n_; ++i) store(Z + i * width, P(0.0F));
      for (int l = 0; l < some; ++l)
        for (int i = 0; i < n_; ++i)
          Z[i * width + l] = found.vectors[(std::int64_t{first + l} * n_ + i) * width];
      host_reflect_back<Bytes>(found.rows, found.factors, n_, Z);
      for (int l = 0; l < some; ++l) {
        float const part = shrinkage(found.values[(first + l) * width]);
        float* const z = along_ + (first + l) * pitch_;
        for (int i = 0; i < n_; ++i) z[i] = Z[i * width + l] * part;
        for (int i = n_; i < pitch_; ++i) z[i] = 0;
      }
    }
  }

  /// parts := Y·Z of a block of members.
  void project(float const* const (&y)[block], int kept) const {
    for (int first = 0; first < kept; first += width) {
      float const* const Z = across_ + std::int64_t{first} * n_;
      P sum[block];
      for (P& s : sum) s = P(0.0F);
      for (int i = 0; i < n_; ++i) {
        P const z = P::load(Z + i * width);
        for (int b = 0; b < block; ++b) sum[b].add_product(P(y[b][i]), z);
      }
      for (int b = 0; b < block; ++b) store(parts_ + b * most_kept_ + first, sum[b]);
    }
  }
  /// estimates := mean + parts·(Z·G)ᵀ.
  void combine(int kept) const {
    for (int j = 0; j < pitch_; j += width) {
      P sum[block];
      for (P& s : sum) s = P::load(mean_ + j);
      for (int k = 0; k < kept; ++k) {
        P const z = P::load(along_ + k * pitch_ + j);
        for (int b = 0; b < block; ++b) sum[b].add_product(P(parts_[b * most_kept_ + k]), z);
      }
      for (int b = 0; b < block; ++b) store(estimates_ + b * pitch_ + j, sum[b]);
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
    int const patch = problem_.patch, whole = patch / D::width * D::width;
    typename D::Mask rest(0);
    for (int lane = 0; lane < patch - whole; ++lane) rest.set(lane, -1);
    for (int row = 0; row < patch; ++row) {
      double* const sums = problem_.sums + (place - problem_.origin) + row * problem_.layout.pitch;
      float const* const from = x + row * patch;
      for (int c = 0; c < whole; c += D::width)
        store(sums + c, D::load(sums + c) + D::load(from + c));
      if (whole < patch)  // adds 0 to what is beside the patch
        store(sums + whole, D::load(sums + whole) + select(rest, D::load(from + whole), D(0.0)));
    }
    problem_.hits[place - problem_.origin] += 1;
  }

  StackProblem problem_;
  int n_, pitch_, most_kept_;
  std::int64_t numbers_ = 0;
  float *patches_, *mean_, *across_, *along_, *parts_, *estimates_;
};

}  // namespace carroll::detail
