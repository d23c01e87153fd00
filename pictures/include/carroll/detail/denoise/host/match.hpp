// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstdint>
#include <limits>

namespace carroll::detail {

/// What a host's thread does to find similar patches: for some references beside one another the
/// squared distances to all patches of their windows, each column of a pair of patches summed once
/// for all references that it is part of; then, for each, the nearest, by threshold.
///
/// For each reference and each of w² places: (3·patch·min(step, patch) + patch) operations.
template <int Bytes>
class HostMatches {
  using P = Pack<float, Bytes>;
  using Ints = typename P::Ints;
  static constexpr int width = P::width;

 public:
  static constexpr int at_once = 16;  ///< references, so that distances stay in the second cache

  HostMatches(StackProblem const& problem, float* memory) : problem_(problem) {
    side_ = 2 * problem.window + 1;
    pitch_ = (side_ + width - 1) / width * width;
    columns_ = memory;
    distances_ = memory + std::int64_t{problem.patch} * pitch_;
  }
  static std::int64_t numbers(int patch, int window) {
    std::int64_t const side = 2 * window + 1, pitch = (side + width - 1) / width * width;
    return patch * pitch + at_once * side * pitch;
  }
  /// The members of references `first` up to `end`, at most `at_once`, of row `row` of references:
  /// the `members` nearest (of equal ones the first), in ascending order of their place.
  void run(int row, int first, int end, std::int32_t* places) const {
    int const y = problem_.down.at(row);
    int const top = std::max(y - problem_.window, 0);
    int const bottom = std::min(y + problem_.window, problem_.down.places - 1);
    int const rows = bottom - top + 1;
    for (int r = 0; r < rows; ++r) row_of_distances(y, top + r, first, end, r);
    std::int64_t const stack = std::int64_t{row} * problem_.across.count();
    for (int i = first; i < end; ++i)
      select_nearest(distances_ + std::int64_t{i - first} * side_ * pitch_, rows, top,
                     problem_.across.at(i), places + (stack + i) * problem_.stride);
  }

 private:
  /// Row r of the distances, to patches that begin in row `other`.
  void row_of_distances(int y, int other, int first, int end, int r) const {
    int const patch = problem_.patch, window = problem_.window;
    int next = problem_.across.at(first);
    for (int i = first; i < end; ++i) {
      int const x = problem_.across.at(i);
      next = std::max(next, x);
      for (; next < x + patch; ++next) column(y, other, next);
      float* const out = distances_ + (std::int64_t{i - first} * side_ + r) * pitch_;
      float const* columns[StackProblem::most_patch];
      for (int c = 0; c < patch; ++c) columns[c] = columns_ + (x + c) % patch * pitch_;
      for (int j = 0; j < pitch_; j += width) {
        P sum = P::load(columns[0] + j);
        for (int c = 1; c < patch; ++c) sum += P::load(columns[c] + j);
        store(out + j, sum);
      }
      float const none = std::numeric_limits<float>::infinity();
      for (int j = 0; j < window - x; ++j) out[j] = none;
      for (int j = std::max(problem_.across.places - x + window, 0); j < pitch_; ++j) out[j] = none;
      for (int j = side_; j < pitch_; ++j) out[j] = none;
    }
  }

  /// Squared differences of column x of the reference and columns x − window … x + window.
  void column(int y, int other, int x) const {
    PictureLayout const& layout = problem_.layout;
    float* const out = columns_ + (x % problem_.patch) * pitch_;
    float const* const reference = problem_.current + layout.at(y, x);
    float const* const others = problem_.current + layout.at(other, x - problem_.window);
    P mine[StackProblem::most_patch];
    for (int i = 0; i < problem_.patch; ++i) mine[i] = P(reference[i * layout.pitch]);
    for (int j = 0; j < pitch_; j += width) {
      P sum(0.0F);
      for (int i = 0; i < problem_.patch; ++i) {
        P const d = mine[i] - P::load(others + i * layout.pitch + j);
        sum.add_product(d, d);
      }
      store(out + j, sum);
    }
  }

  int count_up_to(float const* d, int numbers, std::int32_t bits) const {
    Ints sum(0);
    Ints const most(bits);
    for (int j = 0; j < numbers; j += width) sum -= ~(bits_of(P::load(d + j)) > most);
    int count = 0;
    for (int l = 0; l < width; ++l) count += sum[l];
    return count;
  }

  /// Numbers of one sign are ordered as their bits are. Bounds of the last of the nearest are
  /// searched, first around those of the reference before, until few more are below the upper one.
  void select_nearest(float const* d, int rows, int top, int x, std::int32_t* places) const {
    int const members = problem_.members, numbers = rows * pitch_;
    std::int32_t low = -1, high = 0x7f7fffff;  // the largest finite number
    std::int32_t middle = hint_;
    int above = numbers;
    for (std::int32_t reach = 1 << 20; high - low > 1 && above > members + spare;) {
      int const count = count_up_to(d, numbers, middle);
      bool const enough = count >= members;
      if (enough) {
        high = middle;
        above = count;
      } else {
        low = middle;
      }
      // Where only one side is known, some way to the other: an eighth of a binade and doubling.
      bool const known = low >= 0 && high < 0x7f7fffff;
      std::int64_t const beyond = std::int64_t{middle} + (enough ? -reach : reach);
      middle = known || beyond <= low || beyond >= high ? low + (high - low) / 2
                                                        : static_cast<std::int32_t>(beyond);
      if (reach < 1 << 29) reach *= 2;
    }
    hint_ = high;
    if (above <= members + spare)
      take_least(d, rows, top, x, high, places);
    else
      take_equal(d, rows, top, x, high, places);
  }

  /// The nearest among the few with bits up to `high`.
  void take_least(float const* d, int rows, int top, int x, std::int32_t high,
                  std::int32_t* places) const {
    std::uint64_t keys[most_members + spare], sorted[most_members + spare];
    std::int32_t at[most_members + spare];
    int count = 0;
    each_up_to(d, rows, top, x, high, [&](std::int32_t bits, std::int32_t place) {
      keys[count] = std::uint64_t(std::uint32_t(bits)) << 32U | std::uint32_t(count);
      at[count++] = place;
    });
    int const members = problem_.members;
    std::copy_n(keys, count, sorted);
    std::nth_element(sorted, sorted + members - 1, sorted + count);
    std::uint64_t const last = sorted[members - 1];
    for (int i = 0; i < count; ++i)
      if (keys[i] <= last) *places++ = at[i];
  }

  /// All with fewer bits than `high`, and of those that have just these the first.
  void take_equal(float const* d, int rows, int top, int x, std::int32_t high,
                  std::int32_t* places) const {
    int equal = problem_.members - count_up_to(d, rows * pitch_, high - 1);
    each_up_to(d, rows, top, x, high, [&](std::int32_t bits, std::int32_t place) {
      if (bits < high || equal-- > 0) *places++ = place;
    });
  }

  template <class F>
  void each_up_to(float const* d, int rows, int top, int x, std::int32_t high, F const& f) const {
    Ints const most(high);
    for (int r = 0; r < rows; ++r) {
      auto const place =
          static_cast<std::int32_t>(problem_.layout.at(top + r, x - problem_.window));
      for (int j = 0; j < pitch_; j += width) {
        Ints const bits = bits_of(P::load(d + r * pitch_ + j));
        unsigned lanes = lanes_in(~(bits > most));
        for (; lanes; lanes &= lanes - 1) {
          int const l = std::countr_zero(lanes);
          f(bits[l], place + j + l);
        }
      }
    }
  }

  static constexpr int spare = 32, most_members = StackProblem::most_members;

  StackProblem problem_;
  int side_, pitch_;
  float *columns_, *distances_;
  mutable std::int32_t hint_ = 0x48000000;
};

}  // namespace carroll::detail
