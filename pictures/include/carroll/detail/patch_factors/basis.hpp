// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/none.hpp>
#include <carroll/patch_factors/types.hpp>
#include <carroll/svd.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace carroll::detail {

/// A basis of rounded singular vectors.
struct HostBasis {
  int vectors = 0;                    ///< 0: cosines
  std::vector<std::int32_t> entries;  ///< 64×64: (r, s) is entry s of vector r, both from 1
  [[nodiscard]] std::int32_t& at(int r, int s) {
    return entries[static_cast<std::size_t>(64 * r + s)];
  }
  [[nodiscard]] std::int32_t at(int r, int s) const {
    return entries[static_cast<std::size_t>(64 * r + s)];
  }
};

/// Vectors are kept as long as their variance, in squares of a step, is above this: a component
/// that is small on the whole still has the large factors of a few patches.
inline constexpr double least_variance = 1.0 / 1024;

/// What singular vectors save, Σ ½log₂ of variances' ratios, in bits a patch: Σ ½log₂(1 + 2σ²) is
/// ½log₂ det(1 + 2G), which Cholesky's factors have. What Gaussian components would save: those of
/// photographs, whose factors are large in few patches, save a twentieth less than that (a mosaic
/// of Kodak pictures, 2026-11), which is taken off. `scale` takes G to squares of a step.
inline double bits_saved(std::vector<double> const& products, double scale) {
  constexpr int n = patch_samples - 1;
  std::vector<double> L(static_cast<std::size_t>(n) * n);
  auto const at = [&](int r, int s) -> double& { return L[static_cast<std::size_t>(r * n + s)]; };
  double cosines = 0, vectors = 0;
  std::size_t e = 0;
  for (int r = 0; r < n; ++r)
    for (int s = 0; s <= r; ++s) {
      double const g = 2 * scale * products[e++];
      double sum = g;
      if (r == s) {
        cosines += .5 * std::log2(1 + g);
        sum += 1;
      }
      for (int k = 0; k < s; ++k) sum -= at(r, k) * at(s, k);
      at(r, s) = r == s ? std::sqrt(std::max(sum, 1.0)) : sum / at(s, s);
      if (r == s) vectors += std::log2(at(r, r));
    }
  return cosines - vectors - cosines / 20;
}

/// The right singular vectors of the coefficients, by `svd` of their Gram matrix, whose singular
/// values are the squares σ², rounded to integers; those are kept that the step leaves anything of.
/// Empty where singular vectors do not pay, if `only_if_they_pay`: what they save against an
/// order-0 code of their entries. Where they save nothing no SVD is taken.
template <class ExecSpace>
HostBasis singular_basis(ExecSpace const& exec, std::vector<double> const& products,
                         std::int64_t patches, int step, bool only_if_they_pay) {
  auto const scale = 256 / (static_cast<double>(patches) * step * step);  // to squares of a step
  double const saved =
      only_if_they_pay ? bits_saved(products, scale) * static_cast<double>(patches) : 0;
  if (only_if_they_pay && saved <= 0) return {};
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, typename ExecSpace::memory_space>;
  using Values = Kokkos::View<double*, typename ExecSpace::memory_space>;
  constexpr int n = patch_samples - 1;
  auto const made = [&](char const* label) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label));
  };
  Matrix const device_G(made("carroll::factorise_patches::G"), n, n),
      device_U(made("carroll::factorise_patches::U"), n, n);
  Values const device_S(made("carroll::factorise_patches::S"), n);
  auto const G = Kokkos::create_mirror(Kokkos::HostSpace(), device_G);
  std::size_t e = 0;
  for (int r = 0; r < n; ++r)
    for (int s = 0; s <= r; ++s) G(r, s) = G(s, r) = products[e++];
  copy_view(exec, device_G, G);
  HostBasis basis;
  if (svd(exec, device_G, device_U, device_S, none).status != Status::success) return basis;
  auto const U = Kokkos::create_mirror(Kokkos::HostSpace(), device_U);
  auto const S = Kokkos::create_mirror(Kokkos::HostSpace(), device_S);
  copy_view(exec, U, device_U);
  copy_view(exec, S, device_S);
  exec.fence("carroll::factorise_patches: singular vectors");

  int kept = 0;
  for (int r = 0; r < n; ++r)
    if (S(r) * scale > least_variance) kept = r + 1;
  basis.vectors = kept;
  basis.entries.assign(64 * 64, 0);
  std::vector<double> counts(2 * patch_basis_bound + 1, 0);
  for (int r = 1; r <= kept; ++r) {
    // The sign of a singular vector is anyone's: its largest entry is positive.
    int largest = 0;
    for (int s = 1; s < n; ++s)
      if (std::abs(U(s, r - 1)) > std::abs(U(largest, r - 1))) largest = s;
    double const size = U(largest, r - 1) < 0 ? -patch_basis_bound : patch_basis_bound;
    for (int s = 1; s <= n; ++s) {
      auto const entry = static_cast<int>(std::lround(size * U(s - 1, r - 1)));
      basis.at(r, s) = entry;
      ++counts[static_cast<std::size_t>(entry + patch_basis_bound)];
    }
  }
  double written = 0;
  for (double const count : counts)
    if (count > 0) written -= count * std::log2(count / (n * std::max(kept, 1)));
  if (only_if_they_pay && saved <= written) return {};
  return basis;
}

}  // namespace carroll::detail
