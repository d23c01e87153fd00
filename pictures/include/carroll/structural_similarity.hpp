// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/structural_similarity/kernels.hpp>
#include <carroll/error.hpp>
#include <carroll/sum.hpp>
#include <cstdint>

/// Structural similarity of a picture to an original (Wang, Bovik, Sheikh and Simoncelli, IEEE
/// Trans. Image Process. 13(4), 2004): windows of 11×11, Gaussian with σ = 1.5, K₁ = .01, K₂ = .03,
/// the mean over those that lie within the picture.
///
///   auto similarity = carroll::structural_similarity(exec, picture, original, 255);   // .value
///
/// Strided Views of rank 2 and the same extents, 11×11 or more, over float or double each. The sum
/// over windows is the canonical one of `sum`: the same bits for any number of threads. Takes 48
/// bytes a sample. Fences `exec`. Misuse throws std::invalid_argument.
namespace carroll {

struct StructuralSimilarity {
  Status status = Status::success;  ///< non_finite where a sample of either is
  double value = 0;                 ///< 1 where both are the same
};

template <ExecutionSpace ExecSpace, class Picture, class Original>
[[nodiscard]] StructuralSimilarity structural_similarity(ExecSpace const& exec,
                                                         Picture const& picture,
                                                         Original const& original, double peak) {
  constexpr char const* function = "carroll::structural_similarity";
  static_assert(ReadableView<Picture, ExecSpace, 2> && ReadableView<Original, ExecSpace, 2>,
                "carroll::structural_similarity: picture and original must be strided Views of "
                "float or double, of rank 2, in memory that the execution space can access");
  auto const rows = static_cast<std::int64_t>(picture.extent(0));
  auto const columns = static_cast<std::int64_t>(picture.extent(1));
  constexpr std::int64_t beyond = detail::SimilarityWindow::width - 1;
  detail::require_extents(
      function, "original",
      {static_cast<long long>(original.extent(0)), static_cast<long long>(original.extent(1))},
      {rows, columns});
  detail::require(rows > beyond && columns > beyond, function, [&] {
    return "picture is " + detail::extents_text({rows, columns}) + ", must be 11×11 or more";
  });
  using Memory = typename Picture::memory_space;
  auto const all = detail::allocate<Kokkos::View<double*, Kokkos::LayoutRight, Memory>>(
      exec, "carroll::structural_similarity::sums", rows * (columns - beyond) * 5);
  auto const values = detail::allocate<Kokkos::View<double*, Kokkos::LayoutRight, Memory>>(
      exec, "carroll::structural_similarity::windows", (rows - beyond) * (columns - beyond));
  using Unmanaged =
      Kokkos::View<double** [5], Kokkos::LayoutRight, Memory, Kokkos::MemoryUnmanaged>;
  Unmanaged const sums(all.data(), static_cast<std::size_t>(rows),
                       static_cast<std::size_t>(columns - beyond));
  using Range = Kokkos::MDRangePolicy<ExecSpace, Kokkos::Rank<2, Kokkos::Iterate::Right>,
                                      Kokkos::IndexType<std::int64_t>>;
  using Rows = detail::SumSimilarityRows<typename Picture::const_type,
                                         typename Original::const_type, Unmanaged>;
  Kokkos::parallel_for("carroll::structural_similarity::rows",
                       Range(exec, {0, 0}, {rows, columns - beyond}),
                       Rows{picture, original, sums});
  double const c1 = .01 * peak * (.01 * peak), c2 = .03 * peak * (.03 * peak);
  Kokkos::parallel_for(
      "carroll::structural_similarity::windows",
      Range(exec, {0, 0}, {rows - beyond, columns - beyond}),
      detail::MeasureSimilarity<Unmanaged, decltype(values)>{sums, values, c1, c2});
  auto const found = sum(exec, values);
  return {found.status, found.value / static_cast<double>(values.extent(0))};
}

}  // namespace carroll
