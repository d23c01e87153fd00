// SPDX-License-Identifier: BSD-3-Clause
#include "compress/code/tokens.hpp"

#include <algorithm>
#include <cstdlib>

namespace carroll::tool {

namespace {

constexpr int components = 64;
constexpr int small_means = 240;  ///< differences below it are one byte
constexpr int most_bits = 23;     ///< of others
constexpr int factor_bound = 32767;
constexpr int basis_bound = 16;
constexpr std::uint8_t sixteen_zeros = 0xF0;
constexpr int longest_end = 14;  ///< an end of 2^14 patches and more bits

/// What a patch's mean is expected to be: the median of left, upper and their plane.
std::int32_t expected_mean(PlaneFactors const& plane, std::int64_t patch) {
  auto const mean = [&](std::int64_t p) {
    return plane.factors[static_cast<std::size_t>(components * p)];
  };
  bool const first = patch % plane.across == 0;
  if (patch < plane.across) return first ? 0 : mean(patch - 1);
  std::int32_t const up = mean(patch - plane.across);
  if (first) return up;
  std::int32_t const left = mean(patch - 1), corner = mean(patch - plane.across - 1);
  if (corner >= std::max(left, up)) return std::min(left, up);
  if (corner <= std::min(left, up)) return std::max(left, up);
  return left + up - corner;
}

class TokenWriter {
 public:
  void plane(PlaneFactors const& plane) {
    for (auto const entry : plane.basis)
      tokens_.basis.push_back(static_cast<std::uint8_t>(entry + basis_bound));
    for (std::int64_t patch = 0; patch < plane.patches(); ++patch) {
      auto const place = static_cast<std::size_t>(components * patch);
      mean(plane.factors[place] - expected_mean(plane, patch));
    }
    for (std::int64_t patch = 0; patch < plane.patches(); ++patch) {
      auto const* const u = plane.factors.data() + components * patch;
      int last = components - 1;
      while (last > 0 && u[last] == 0) --last;
      if (last > 0) {
        end_patches();
        runs(u, last);
      }
      ++ended_;
    }
    end_patches();
  }
  Tokens finish() {
    tokens_.bits = bits_.finish();
    return std::move(tokens_);
  }

 private:
  void mean(std::int32_t difference) {
    auto const size = static_cast<std::uint32_t>(std::abs(difference));
    std::uint32_t const folded = difference < 0 ? 2 * size - 1 : 2 * size;
    if (folded < small_means) {
      tokens_.means.push_back(static_cast<std::uint8_t>(folded));
      return;
    }
    int const count = bits_of(folded);
    tokens_.means.push_back(static_cast<std::uint8_t>(small_means + count - 8));
    bits_.put(folded & ((1U << (count - 1)) - 1), count - 1);
  }

  /// Factors from 1 to the last that is not 0.
  void runs(std::int32_t const* u, int last) {
    int zeros = 0;
    for (int r = 1; r <= last; ++r) {
      if (u[r] == 0) {
        ++zeros;
        continue;
      }
      for (; zeros >= 16; zeros -= 16) tokens_.runs.push_back(sixteen_zeros);
      auto const size = static_cast<std::uint32_t>(std::abs(u[r]));
      int const count = bits_of(size);
      tokens_.runs.push_back(static_cast<std::uint8_t>(zeros << 4 | count));
      bits_.put((size & ((1U << (count - 1)) - 1)) << 1 | (u[r] < 0 ? 1U : 0U), count);
      zeros = 0;
    }
  }

  /// Tells of the patches that have ended since the last factor.
  void end_patches() {
    while (ended_ > 0) {
      int const count = std::min(longest_end, bits_of(static_cast<std::uint32_t>(ended_)) - 1);
      auto const length = std::min<std::int64_t>(ended_, (std::int64_t{2} << count) - 1);
      tokens_.runs.push_back(static_cast<std::uint8_t>(count << 4));
      bits_.put(static_cast<std::uint32_t>(length - (std::int64_t{1} << count)), count);
      ended_ -= length;
    }
  }

  Tokens tokens_;
  BitWriter bits_;
  std::int64_t ended_ = 0;
};

class TokenReader {
 public:
  explicit TokenReader(Tokens const& tokens) : tokens_(tokens), bits_(tokens.bits) {}

  void plane(PlaneFactors& plane) {
    plane.basis.resize(static_cast<std::size_t>(63 * plane.vectors));
    for (auto& entry : plane.basis) {
      entry = next(tokens_.basis, basis_) - basis_bound;
      if (entry > basis_bound) throw BadPicture("has a basis beyond its bounds");
    }
    plane.factors.assign(static_cast<std::size_t>(components * plane.patches()), 0);
    int const most = plane.vectors > 0 ? plane.vectors : components - 1;
    for (std::int64_t patch = 0; patch < plane.patches(); ++patch) {
      auto const place = static_cast<std::size_t>(components * patch);
      plane.factors[place] = bounded(expected_mean(plane, patch) + mean());
    }
    for (std::int64_t patch = 0; patch < plane.patches(); ++patch) {
      if (ended_ > 0)
        --ended_;
      else
        runs(plane.factors.data() + components * patch, most);
    }
    if (ended_ > 0) throw BadPicture("ends more patches than there are");
  }

  void finish() const {
    if (basis_ != tokens_.basis.size() || means_ != tokens_.means.size() ||
        runs_ != tokens_.runs.size() || !bits_.finished())
      throw BadPicture("has more tokens than its planes need");
  }

 private:
  static int next(Bytes const& bytes, std::size_t& place) {
    if (place == bytes.size()) throw BadPicture("has fewer tokens than its planes need");
    return bytes[place++];
  }
  static std::int32_t bounded(std::int32_t factor) {
    if (std::abs(factor) > factor_bound) throw BadPicture("has a factor beyond its bounds");
    return factor;
  }

  std::int32_t mean() {
    auto folded = static_cast<std::uint32_t>(next(tokens_.means, means_));
    if (folded >= small_means) {
      int const count = static_cast<int>(folded) - small_means + 8;
      if (count > most_bits) throw BadPicture("has a mean beyond its bounds");
      folded = 1U << (count - 1) | bits_.take(count - 1);
    }
    auto const half = static_cast<std::int32_t>((folded + 1) / 2);
    return folded % 2 == 1 ? -half : half;
  }

  /// The factors of a patch, and with its end those of how many follow without any.
  void runs(std::int32_t* u, int most) {
    for (int r = 1;; ++r) {
      int const token = next(tokens_.runs, runs_);
      int const zeros = token >> 4, count = token & 15;
      if (token == sixteen_zeros) {
        r += 15;
        if (r > components) throw BadPicture("has more factors than a patch has components");
        continue;
      }
      if (count == 0) {
        ended_ = (std::int64_t{1} << zeros) + bits_.take(zeros) - 1;
        return;
      }
      r += zeros;
      if (r > most) throw BadPicture("has more factors than a patch has components");
      std::uint32_t const word = bits_.take(count);
      auto const size = static_cast<std::int32_t>(1U << (count - 1) | word >> 1);
      u[r] = word % 2 == 1 ? -size : size;
    }
  }

  Tokens const& tokens_;
  BitReader bits_;
  std::size_t basis_ = 0, means_ = 0, runs_ = 0;
  std::int64_t ended_ = 0;
};

}  // namespace

Tokens tokens_of(std::vector<PlaneFactors> const& planes) {
  TokenWriter writer;
  for (auto const& plane : planes) writer.plane(plane);
  return writer.finish();
}

void read_tokens(Tokens const& tokens, std::vector<PlaneFactors>& planes) {
  TokenReader reader(tokens);
  for (auto& plane : planes) reader.plane(plane);
  reader.finish();
}

std::size_t most_tokens(std::int64_t patches) {
  // 63 factors of 15 bits each, a mean of 22 and an end of 14 are 123 bytes; bases of two planes.
  return static_cast<std::size_t>(128 * patches) + std::size_t{2 * 63 * 63} + 8;
}

}  // namespace carroll::tool
