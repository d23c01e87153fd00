// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/integer_determinant/mixed_radix.hpp>
#include <carroll/detail/integer_determinant/primes.hpp>
#include <carroll/detail/integer_determinant/residues.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/error.hpp>
#include <carroll/integer_determinant/types.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// The determinant of a matrix of integers, exactly, however many digits it has.
///
///   auto const det = carroll::integer_determinant(exec, A);
///   std::puts(det.to_string().c_str());
///
///   A   n×n   read only; entries of 32 or 64 bits with a sign, any strided layout
///
/// Method: det A is computed modulo primes of 29 bits, each by a team of its own, and put together
/// from its residues on the host (Cabay and Lam, "Congruence techniques for the exact solution of
/// integer systems of linear equations", ACM TOMS 3, 1977). Hadamard's bound, the smaller of the
/// products of the rows' and of the columns' norms, says how many primes prove the result: about
/// n·(log₂|entries| + log₂(n)/2)/29. Options may have it stop earlier, unless the value is 0 until
/// then: `Status::singular` is always proven.
///
/// Cost: n³/3 products of 32-bit numbers for each prime, and 3/2 for each pair of primes.
namespace carroll {

namespace detail {

template <class T>
concept IntegerEntry = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

/// The result when the residues of all primes, or enough of them, are known.
template <class ExecSpace, class Entry>
IntegerDeterminant integer_determinant(IntegerMatrix<ExecSpace, Entry>& matrix,
                                       IntegerDeterminantOptions const& options) {
  auto const line_norms = matrix.line_norms();
  std::span<double const> const squares(line_norms.data(), line_norms.extent(0));
  double const bits = hadamard_bits(squares);
  if (bits == -std::numeric_limits<double>::infinity())
    return {.status = Status::singular, .limbs = {}};  // a row or column is 0
  bool const early = options.early_termination > 0;
  // They follow from the matrix, too: no prime is drawn for all of them, and so none is bound to
  // meet a determinant that it divides.
  std::uint64_t const seed = early ? fingerprint(squares, options.seed) : 0;
  PrimeSource source;
  auto const primes = primes_beyond(bits, [&](std::vector<std::uint32_t> const& used) {
    return early ? source.next_random(seed, used) : source.next_lower();
  });
  auto const all = static_cast<int>(primes.size());
  // One prime to find a value, the others to confirm it.
  int const confirmed = std::min(options.early_termination, all - 1) + 1;
  int const batch = early ? std::min(all, std::max(confirmed, matrix.primes_at_once())) : all;
  matrix.reserve(batch, options.workspace_bytes);

  MixedRadix value;
  // 0 is a claim of its own, that there is no inverse, and is made with a proof only.
  auto const settled = [&] {
    return early && value.sign() != 0 && value.unchanged() >= options.early_termination;
  };
  std::span<std::uint32_t const> remaining = primes;
  while (!remaining.empty() && !settled()) {
    auto const some = remaining.first(std::min(static_cast<std::size_t>(batch), remaining.size()));
    auto const residues = matrix.residues(some);
    for (std::size_t k = 0; k < some.size() && !settled(); ++k) value.append(some[k], residues[k]);
    remaining = remaining.subspan(some.size());
  }
  return {.status = value.sign() == 0 ? Status::singular : Status::success,
          .sign = value.sign(),
          .limbs = to_limbs(value.magnitude()),
          .primes = value.size(),
          .proven = value.size() == all};
}

}  // namespace detail

/// Computes det A. Allocates a workspace and frees it, for which Kokkos waits for the whole device
/// on CUDA; fences `exec` once to learn the bound and once for the residues, with early termination
/// once for every batch of primes that run at a time. The result is the same for every layout,
/// instance and number of threads. Throws std::invalid_argument for a matrix that is not square and
/// for unusable options, AllocationError for want of memory.
template <ExecutionSpace ExecSpace, class AView>
[[nodiscard]] IntegerDeterminant integer_determinant(
    ExecSpace const& exec, AView const& A, IntegerDeterminantOptions const& options = {}) {
  constexpr char const* function = "carroll::integer_determinant";
  if constexpr (!StridedView<AView>) {
    static_assert(StridedView<AView>,
                  "carroll::integer_determinant: A must be a strided View of rank 2");
  } else {
    using Entry = typename AView::non_const_value_type;
    static_assert(int(AView::rank) == 2,
                  "carroll::integer_determinant: A must be a strided View of rank 2");
    static_assert(detail::IntegerEntry<Entry>,
                  "carroll::integer_determinant: A must be of std::int32_t or std::int64_t");
    static_assert(AccessibleView<AView, ExecSpace>,
                  "carroll::integer_determinant: A must be in memory that the execution space can "
                  "access");
    auto const rows = static_cast<long long>(A.extent(0));
    auto const cols = static_cast<long long>(A.extent(1));
    detail::require(rows == cols, function, [&] {
      return "A is " + detail::extents_text({rows, cols}) + ", must be square";
    });
    constexpr int largest = std::numeric_limits<int>::max() / 2;
    detail::require(rows <= largest, function, [&] {
      return "A is " + detail::extents_text({rows, cols}) + ", must have at most " +
             std::to_string(largest) + " rows";
    });
    detail::require(options.early_termination >= 0, function, [&] {
      return "options.early_termination is " + std::to_string(options.early_termination) +
             ", must be at least 0";
    });
    if (rows == 0) return {.sign = 1, .limbs = {1}};
    detail::StridedMatrix<Entry const> const a{A.data(), static_cast<std::ptrdiff_t>(A.stride(0)),
                                               static_cast<std::ptrdiff_t>(A.stride(1))};
    detail::IntegerMatrix<ExecSpace, Entry> matrix(exec, a, static_cast<int>(rows));
    return detail::integer_determinant(matrix, options);
  }
}

}  // namespace carroll
