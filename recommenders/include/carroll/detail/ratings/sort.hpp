// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>
#include <utility>

/// A stable sort of triples by passes over digits of 8 bits, the least first (Knuth, TAOCP 3,
/// 5.2.5): where a triple goes depends on the keys and the order alone, never on who moves it.
///
/// The triples are cut into chunks, of which one thread each counts its digits and, after a scan of
/// all counts, moves its triples in their order. On a device there are many short chunks, so that
/// each of some 10^5 threads waits for memory while others go on; on a host one for each thread.
namespace carroll::detail {

template <class ExecSpace, class Real>
struct SortPass {
  using Memory = typename ExecSpace::memory_space;
  using Counts = Kokkos::View<std::int64_t*, Kokkos::LayoutRight, Memory>;
  static constexpr int digits = 256;

  Triples<Real, Memory> from, to;
  Counts counts;  ///< of digit d in chunk c: at d·chunks + c; then where the next one goes
  std::int64_t chunks = 0, chunk = 0;
  bool by_row = false;
  int shift = 0;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t digit(std::int64_t e) const {
    return ((by_row ? from.rows(e) : from.cols(e)) >> shift) & (digits - 1);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t end(std::int64_t c) const {
    return Kokkos::min((c + 1) * chunk, from.count());
  }
};

template <class ExecSpace, class Real>
struct CountDigits {
  SortPass<ExecSpace, Real> pass;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    for (int d = 0; d < pass.digits; ++d) pass.counts(d * pass.chunks + c) = 0;
    for (std::int64_t e = c * pass.chunk; e < pass.end(c); ++e)
      ++pass.counts(pass.digit(e) * pass.chunks + c);
  }
};

/// Counts := sums of those before.
template <class Counts>
struct ExclusiveScan {
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool final) const {
    std::int64_t const own = counts(i);
    if (final) counts(i) = sum;
    sum += own;
  }
};

template <class ExecSpace, class Real>
struct MoveTriples {
  SortPass<ExecSpace, Real> pass;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    for (std::int64_t e = c * pass.chunk; e < pass.end(c); ++e)
      pass.to.take(pass.counts(pass.digit(e) * pass.chunks + c)++, pass.from, e);
  }
};

/// Sorts by row where `by_row`, else by column, indices below `extent`. `triples` and `other` may
/// change places; what is in `other` is lost.
template <class ExecSpace, class Real>
void sort_triples(ExecSpace const& exec, Triples<Real, typename ExecSpace::memory_space>& triples,
                  Triples<Real, typename ExecSpace::memory_space>& other, bool by_row,
                  std::int64_t extent) {
  using Pass = SortPass<ExecSpace, Real>;
  std::int64_t const count = triples.count();
  if (count < 2 || extent < 2) return;
  bool const on_host = lanes<ExecSpace> == 1;
  std::int64_t const wanted = on_host ? exec.concurrency() : (count + 511) / 512;
  std::int64_t const chunk = std::max<std::int64_t>((count + wanted - 1) / wanted, 512);
  std::int64_t const chunks = (count + chunk - 1) / chunk;
  auto const counts = allocate<typename Pass::Counts>(exec, "carroll::ratings::digit counts",
                                                      Pass::digits * chunks);
  for (int shift = 0; (extent - 1) >> shift > 0; shift += 8) {
    Pass const pass{triples, other, counts, chunks, chunk, by_row, shift};
    Kokkos::parallel_for("carroll::ratings::count", Range<ExecSpace>(exec, 0, chunks),
                         CountDigits<ExecSpace, Real>{pass});
    Kokkos::parallel_scan("carroll::ratings::scan",
                          Range<ExecSpace>(exec, 0, Pass::digits * chunks),
                          ExclusiveScan<typename Pass::Counts>{counts});
    Kokkos::parallel_for("carroll::ratings::move", Range<ExecSpace>(exec, 0, chunks),
                         MoveTriples<ExecSpace, Real>{pass});
    std::swap(triples, other);
  }
}

}  // namespace carroll::detail
