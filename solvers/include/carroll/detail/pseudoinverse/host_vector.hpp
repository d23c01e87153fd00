// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Vectors of eight numbers for sums on hosts, made of the registers of the compilation at hand:
/// every eighth term goes to the same lane, and the eight are added in pairs, so that sums do not
/// depend on the width of a register.
namespace carroll::detail {

#if defined(__CUDACC__) || defined(__HIPCC__)
inline constexpr int register_width = 1;  // device compilers know no vectors
#elif defined(__AVX512F__)
inline constexpr int register_width = 8;
#elif defined(__AVX__)
inline constexpr int register_width = 4;
#else
inline constexpr int register_width = 2;
#endif

struct Eight {
  static constexpr int width = register_width;
  static constexpr int parts = 8 / width;
#if defined(__CUDACC__) || defined(__HIPCC__)
  typedef double Register[1];
#else
  typedef double Register __attribute__((vector_size(8 * width)));
#endif
  Register part[parts] = {};

  double operator[](int lane) const {
    return part[lane / width][lane % width];
  }
  void set(int lane, double x) {
    part[lane / width][lane % width] = x;
  }

  /// Eight consecutive numbers in memory.
  template <class Real>
  void load(Real const* source) {
#if defined(__CUDACC__) || defined(__HIPCC__)
    for (int p = 0; p < parts; ++p) part[p][0] = static_cast<double>(source[p]);
#else
    typedef Real Stored
        __attribute__((vector_size(width * sizeof(Real)), aligned(sizeof(Real)), may_alias));
    for (int p = 0; p < parts; ++p)
      part[p] =
          __builtin_convertvector(*reinterpret_cast<Stored const*>(source + p * width), Register);
#endif
  }
  /// Lanes from `count` on become 0.
  void keep(int count) {
#if defined(__CUDACC__) || defined(__HIPCC__)
    for (int lane = count; lane < 8; ++lane) set(lane, 0);
#else
    for (int p = 0; p < parts; ++p) {
      Register lane;
      for (int w = 0; w < width; ++w) lane[w] = p * width + w;
      part[p] = lane < static_cast<double>(count) ? part[p] : Register{};
    }
#endif
  }
  /// Adds x·y.
  void add_product(Eight const& x, Eight const& y) {
    for (int p = 0; p < parts; ++p) lanes_of(part[p]) += lanes_of(x.part[p]) * lanes_of(y.part[p]);
  }
  /// x - y·factor.
  void set_difference(Eight const& x, Eight const& y, double factor) {
    for (int p = 0; p < parts; ++p)
      lanes_of(part[p]) = lanes_of(x.part[p]) - lanes_of(y.part[p]) * factor;
  }
  [[nodiscard]] double sum() const {
    Eight const& x = *this;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
  }

 private:
#if defined(__CUDACC__) || defined(__HIPCC__)
  static double& lanes_of(Register& x) {
    return x[0];
  }
  static double const& lanes_of(Register const& x) {
    return x[0];
  }
#else
  static Register& lanes_of(Register& x) {
    return x;
  }
  static Register const& lanes_of(Register const& x) {
    return x;
  }
#endif
};

/// Σ x·y of n terms, side by side in memory.
inline double host_dot(double const* x, double const* y, int n) {
  Eight sum, left, right;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    left.load(x + i);
    right.load(y + i);
    sum.add_product(left, right);
  }
  for (int w = 0; i + w < n; ++w) sum.set(w, sum[w] + x[i + w] * y[i + w]);
  return sum.sum();
}

}  // namespace carroll::detail
