// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/patch_factors/basis.hpp>
#include <carroll/detail/patch_factors/products.hpp>
#include <carroll/detail/patch_factors/rates.hpp>
#include <carroll/patch_factors/types.hpp>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace carroll {

namespace detail {
struct PatchFactorsAccess;
}  // namespace detail

/// A plane's patches and their factors, made by `patch_factors` for the plane's extents: 516 bytes
/// a patch. Copies share the memory. Calls that are given one allocate nothing on the device.
template <class ExecSpace>
class PatchFactors {
 public:
  using execution_space = ExecSpace;
  using Table = Kokkos::View<std::int32_t**, typename ExecSpace::memory_space>;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  /// Patches, row by row.
  [[nodiscard]] std::int64_t patches() const {
    return patches_across(rows_) * patches_across(columns_);
  }
  /// patches × 64: the factors, by component, the patches' means first.
  [[nodiscard]] Table const& factors() const { return factors_; }
  /// Singular vectors of the basis, 0 where it is that of the cosines.
  [[nodiscard]] int vectors() const { return basis_.vectors; }
  /// Entry s of vector r, from 1 to vectors() and 63.
  [[nodiscard]] int basis(int r, int s) const { return basis_.at(r, s); }

 private:
  friend struct detail::PatchFactorsAccess;
  std::int64_t rows_ = 0, columns_ = 0;
  Table coefficients_, factors_, vectors_, gram_;
  Kokkos::View<detail::FactorRates, typename ExecSpace::memory_space> rates_;
  Kokkos::View<std::int32_t*, typename ExecSpace::memory_space> counts_;
  Kokkos::View<double*, typename ExecSpace::memory_space> products_;
  detail::HostBasis basis_;
};

namespace detail {

struct PatchFactorsAccess {
  template <class ExecSpace>
  static auto& coefficients(PatchFactors<ExecSpace> const& patches) {
    return patches.coefficients_;
  }
  template <class ExecSpace>
  static auto& vectors(PatchFactors<ExecSpace> const& patches) {
    return patches.vectors_;
  }
  template <class ExecSpace>
  static auto& gram(PatchFactors<ExecSpace> const& patches) {
    return patches.gram_;
  }
  template <class ExecSpace>
  static auto& rates(PatchFactors<ExecSpace> const& patches) {
    return patches.rates_;
  }
  template <class ExecSpace>
  static auto& counts(PatchFactors<ExecSpace> const& patches) {
    return patches.counts_;
  }
  template <class ExecSpace>
  static auto& products(PatchFactors<ExecSpace> const& patches) {
    return patches.products_;
  }

  template <class ExecSpace>
  static PatchFactors<ExecSpace> make(ExecSpace const& exec, std::int64_t rows,
                                      std::int64_t columns) {
    PatchFactors<ExecSpace> made;
    made.rows_ = rows;
    made.columns_ = columns;
    auto const table = [&](char const* label, std::int64_t count) {
      using Table = typename PatchFactors<ExecSpace>::Table;
      try {
        return Table(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                     static_cast<std::size_t>(count), 64);
      } catch (std::exception const& cause) {
        throw AllocationError(label, static_cast<std::size_t>(count) * 64 * 4, cause.what());
      }
    };
    made.coefficients_ = table("carroll::patch_factors::coefficients", made.patches());
    made.factors_ = table("carroll::patch_factors::factors", made.patches());
    made.vectors_ = table("carroll::patch_factors::basis", 64);
    made.gram_ = table("carroll::patch_factors::gram", 64);
    auto const named = [&](char const* label) {
      return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label));
    };
    made.rates_ = decltype(made.rates_)(named("carroll::patch_factors::rates"));
    made.counts_ = decltype(made.counts_)(named("carroll::patch_factors::counts"), 64);
    made.products_ =
        decltype(made.products_)(named("carroll::patch_factors::products"), patch_products);
    return made;
  }

  /// Takes a basis, and moves it and its products to the device. Fences `exec`.
  template <class ExecSpace>
  static void set_basis(ExecSpace const& exec, PatchFactors<ExecSpace>& patches, HostBasis basis) {
    patches.basis_ = std::move(basis);
    int const vectors = patches.vectors();
    if (vectors == 0) return;
    auto const entries = Kokkos::create_mirror(Kokkos::HostSpace(), patches.vectors_);
    auto const gram = Kokkos::create_mirror(Kokkos::HostSpace(), patches.gram_);
    for (int r = 1; r <= vectors; ++r) {
      for (int s = 1; s < 64; ++s) entries(r, s) = patches.basis(r, s);
      for (int t = 1; t <= vectors; ++t) {
        int sum = 0;
        for (int s = 1; s < 64; ++s) sum += patches.basis(r, s) * patches.basis(t, s);
        gram(r, t) = sum;
      }
    }
    copy_view(exec, patches.vectors_, entries);
    copy_view(exec, patches.gram_, gram);
    exec.fence("carroll::patch_factors: basis");
  }
};

}  // namespace detail
}  // namespace carroll
