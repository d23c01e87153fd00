// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/patch_factors/assemble.hpp>
#include <carroll/detail/patch_factors/basis.hpp>
#include <carroll/detail/patch_factors/products.hpp>
#include <carroll/detail/patch_factors/rates.hpp>
#include <carroll/detail/patch_factors/sweep.hpp>
#include <carroll/detail/patch_factors/transform.hpp>
#include <carroll/error.hpp>
#include <carroll/patch_factors/types.hpp>
#include <carroll/patch_factors/workspace.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A plane of a picture as a product of integers: its 8×8 patches X, one a row, as
/// X·D ≈ step·U·W/16, D the cosine transform, U the patches' factors and W the bounded-integer
/// basis.
///
///   auto patches = carroll::patch_factors(exec, rows, columns);
///   carroll::load_patches(exec, plane, patches);
///   auto info = carroll::factorise_patches(exec, step, patches);   // with any steps, one by one
///   carroll::assemble_patches(exec, step, patches, plane);         // what a reader will see
///
///   plane    rows×columns  levels of 16 bits, from 0 to 65535, in a View of std::int32_t
///   step     from 4: the distance of levels of a factor, in units of two levels of 16 bits; a
///            picture of 8 bits has 128 units to the level
///
/// Method: the truncated SVD of X·D or, where that pays more, D's own vectors give W; a sweep of
/// block coordinate descent at a time then takes each factor to the integer with the least squared
/// error plus weighted bits (`detail/patch_factors/choose.hpp`, where the source is). A plane of
/// noise or of one texture takes fewer bits with its singular vectors; photographs of less than
/// some millions of pixels do not pay for them, and the rule says so.
///
/// All kernels compute with integers (`detail/patch_factors/cosine.hpp`): the same bits for every
/// number of threads, on every host and device. The SVD, of 63×63, is `svd` of the same instance:
/// the bits of a basis of singular vectors are those of one build and backend; how it is read are
/// not. factorise_patches fences `exec` once, to return the info; once more where singular vectors
/// may pay, which the host decides of 16 KB; and, where they seem to, a few times for their SVD,
/// for which it allocates three small Views. factorise_patches_async does not fence, nor allocate.
///
/// Misuse throws std::invalid_argument before anything is written.
namespace carroll {

template <ExecutionSpace ExecSpace>
[[nodiscard]] PatchFactors<ExecSpace> patch_factors(ExecSpace const& exec, std::int64_t rows,
                                                    std::int64_t columns) {
  detail::require(rows >= 1 && columns >= 1, "carroll::patch_factors", [&] {
    return "the plane is " + detail::extents_text({rows, columns}) + ", must be 1×1 or more";
  });
  return detail::PatchFactorsAccess::make(exec, rows, columns);
}

namespace detail {

template <class Plane, class ExecSpace>
void require_plane(char const* function, Plane const& plane,
                   PatchFactors<ExecSpace> const& patches) {
  static_assert(StridedView<Plane> && Plane::rank == 2 && AccessibleView<Plane, ExecSpace> &&
                    std::same_as<typename Plane::non_const_value_type, std::int32_t>,
                "carroll: a plane of patches must be a strided View of std::int32_t, of rank 2, in "
                "memory that the execution space can access");
  require_extents(
      function, "plane",
      {static_cast<long long>(plane.extent(0)), static_cast<long long>(plane.extent(1))},
      {patches.rows(), patches.columns()});
}

inline void require_step(char const* function, int step) {
  require(step >= patch_least_step && step <= patch_most_step, function, [&] {
    return "the step is " + std::to_string(step) + ", must be from " +
           std::to_string(patch_least_step) + " to " + std::to_string(patch_most_step);
  });
}

template <class ExecSpace>
inline constexpr bool patches_on_host = lanes<ExecSpace> == 1;

inline void require_usable(char const* function, PatchFactorOptions const& options) {
  require(options.passes >= 0 && options.rate_weight >= 0 && options.rate_weight <= 16, function,
          [] {
            return std::string(
                "passes and rate_weight must be 0 or more, rate_weight 16 "
                "at most");
          });
}

/// `OnHost`: by the kernels of hosts; else by those of devices, on hosts, too.
template <bool OnHost, class ExecSpace>
void take_singular_vectors(ExecSpace const& exec, int step, PatchFactors<ExecSpace>& patches,
                           bool only_if_they_pay) {
  auto const sums = PatchFactorsAccess::products(patches);
  sum_patch_products<OnHost>(exec, PatchFactorsAccess::coefficients(patches), sums,
                             patches.patches());
  std::vector<double> products(patch_products);
  copy_to_host(exec, products.data(), sums.data(), products.size());
  exec.fence("carroll::factorise_patches: gram");
  PatchFactorsAccess::set_basis(
      exec, patches, singular_basis(exec, products, patches.patches(), step, only_if_they_pay));
}

/// All sweeps, in the basis that there is, without a fence; counts are left on the device.
template <bool OnHost, class ExecSpace>
void enqueue_sweeps(ExecSpace const& exec, int step, PatchFactors<ExecSpace> const& patches,
                    PatchFactorOptions const& options) {
  using Access = PatchFactorsAccess;
  auto const rates = Access::rates(patches);
  auto const counts = Access::counts(patches);
  using Choose =
      ChooseFactors<typename PatchFactors<ExecSpace>::Table, std::remove_cvref_t<decltype(rates)>>;
  Choose choose{Access::coefficients(patches),
                Access::vectors(patches),
                Access::gram(patches),
                patches.factors(),
                rates,
                patches.vectors(),
                static_cast<double>(step),
                std::round(256 * options.rate_weight),
                true};
  for (int pass = 0; pass <= options.passes; ++pass) {
    sweep_factors<OnHost>(exec, choose, counts, patches.patches());
    if (pass == options.passes) break;
    choose.first = false;
    using Find = FindFactorRates<std::remove_cvref_t<decltype(counts)>,
                                 std::remove_cvref_t<decltype(rates)>>;
    Kokkos::parallel_for("carroll::factorise_patches::rates",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, 64),
                         Find{counts, rates, patches.patches()});
  }
}

template <bool OnHost, class ExecSpace>
PatchFactorInfo factorise_by(ExecSpace const& exec, int step, PatchFactors<ExecSpace>& patches,
                             PatchFactorOptions const& options) {
  bool const small = patches.patches() < fewest_patches_for_vectors;
  if (options.basis == PatchBasis::cosines || (options.basis == PatchBasis::automatic && small))
    PatchFactorsAccess::set_basis(exec, patches, {});
  else
    take_singular_vectors<OnHost>(exec, step, patches, options.basis == PatchBasis::automatic);
  enqueue_sweeps<OnHost>(exec, step, patches, options);
  Kokkos::View<std::int32_t[64], Kokkos::HostSpace> const counts(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "carroll::factorise_patches::counts"));
  copy_view(exec, counts, PatchFactorsAccess::counts(patches));
  exec.fence("carroll::factorise_patches: info");
  return factor_info(counts,
                     patches.vectors() > 0 ? PatchBasis::singular_vectors : PatchBasis::cosines);
}

}  // namespace detail

/// Transforms the plane. Does not fence.
template <ExecutionSpace ExecSpace, class Plane>
void load_patches(ExecSpace const& exec, Plane const& plane, PatchFactors<ExecSpace>& patches) {
  detail::require_plane("carroll::load_patches", plane, patches);
  auto const coefficients = detail::PatchFactorsAccess::coefficients(patches);
  using Transform = detail::TransformPatches<typename Plane::const_type,
                                             std::remove_cvref_t<decltype(coefficients)>>;
  detail::for_patches("carroll::load_patches", exec, patches.patches(),
                      Transform{plane, coefficients});
}

/// Chooses basis and factors of the plane that was loaded.
template <ExecutionSpace ExecSpace>
PatchFactorInfo factorise_patches(ExecSpace const& exec, int step, PatchFactors<ExecSpace>& patches,
                                  PatchFactorOptions const& options = {}) {
  constexpr char const* function = "carroll::factorise_patches";
  detail::require_step(function, step);
  detail::require_usable(function, options);
  return detail::factorise_by<detail::patches_on_host<ExecSpace>>(exec, step, patches, options);
}

/// The same in the basis of the cosines, which options.basis must ask for, as it is a host that
/// chooses any other: neither fences nor allocates. `info`: a View of PatchFactorInfo of rank 0
/// that kernels can write.
template <ExecutionSpace ExecSpace, class InfoView>
void factorise_patches_async(ExecSpace const& exec, int step, InfoView const& info,
                             PatchFactors<ExecSpace>& patches, PatchFactorOptions const& options) {
  static_assert(detail::is_info_view<InfoView, ExecSpace, PatchFactorInfo, 0>,
                "carroll::factorise_patches_async: info must be a View of PatchFactorInfo of rank "
                "0 in memory that the execution space can access, writable");
  constexpr char const* function = "carroll::factorise_patches_async";
  detail::require_step(function, step);
  detail::require_usable(function, options);
  detail::require(options.basis == PatchBasis::cosines, function,
                  [] { return std::string("options.basis must be PatchBasis::cosines"); });
  using Access = detail::PatchFactorsAccess;
  Access::set_basis(exec, patches, {});
  detail::enqueue_sweeps<detail::patches_on_host<ExecSpace>>(exec, step, patches, options);
  auto const counts = Access::counts(patches);
  Kokkos::parallel_for("carroll::factorise_patches::info",
                       Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       detail::WriteFactorInfo<std::remove_cvref_t<decltype(counts)>, InfoView>{
                           counts, info, PatchBasis::cosines});
}

/// Takes the basis of a plane that another program has factorised: `vectors`×63 entries, or none
/// for cosines. The factors are the caller's to write. Fences `exec`.
template <ExecutionSpace ExecSpace>
void set_patch_basis(ExecSpace const& exec, std::vector<std::int32_t> const& entries,
                     PatchFactors<ExecSpace>& patches) {
  constexpr std::size_t most = 63 * 63;
  detail::require(entries.size() % 63 == 0 && entries.size() <= most, "carroll::set_patch_basis",
                  [&] {
                    return "there are " + std::to_string(entries.size()) +
                           " entries, must be 63 a vector, for 63 vectors at most";
                  });
  detail::HostBasis basis;
  basis.vectors = static_cast<int>(entries.size() / 63);
  basis.entries.assign(64 * 64, 0);
  for (int r = 1; r <= basis.vectors; ++r)
    for (int s = 1; s < 64; ++s) {
      auto const entry = entries[static_cast<std::size_t>(63 * (r - 1) + s - 1)];
      detail::require(std::abs(entry) <= patch_basis_bound, "carroll::set_patch_basis", [&] {
        return "an entry is " + std::to_string(entry) + ", must be from -" +
               std::to_string(patch_basis_bound) + " to " + std::to_string(patch_basis_bound);
      });
      basis.at(r, s) = entry;
    }
  detail::PatchFactorsAccess::set_basis(exec, patches, std::move(basis));
}

/// Writes the plane of the factors. Does not fence.
template <ExecutionSpace ExecSpace, class Plane>
void assemble_patches(ExecSpace const& exec, int step, PatchFactors<ExecSpace> const& patches,
                      Plane const& plane) {
  detail::require_plane("carroll::assemble_patches", plane, patches);
  detail::require_step("carroll::assemble_patches", step);
  using Table = typename PatchFactors<ExecSpace>::Table;
  detail::AssemblePatches<Table, Table, Plane> const assemble{
      patches.factors(), detail::PatchFactorsAccess::vectors(patches), plane, patches.vectors(),
      static_cast<double>(step)};
  detail::for_patches("carroll::assemble_patches", exec, patches.patches(), assemble);
}

}  // namespace carroll
