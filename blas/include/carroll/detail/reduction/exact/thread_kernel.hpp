// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/reduction/exact/host.hpp>
#include <carroll/detail/reduction/exact/terms.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// An exact reduction by threads with digits of their own, one for each group of chunks; they add
/// theirs in memory, and who comes last of a vector rounds. On hosts in vector registers, on
/// devices without warps term by term.
template <class ExecSpace, class Terms>
class ExactThreadKernel {
  using T = typename Terms::T;
  using Real = typename Terms::Real;
  using Range = typename Terms::Range;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  ExactThreadKernel(ReductionBatch<T, typename Terms::Value> const& batch,
                    ReductionPlan const& plan, std::int64_t* digits, int* arrived)
      : batch_(batch), plan_(plan), digits_(digits), arrived_(arrived) {}

  KOKKOS_FUNCTION void operator()(std::int64_t task) const {
    std::int64_t const member = task / plan_.groups, group = task % plan_.groups;
    std::int64_t digits[Terms::words] = {};
    std::int64_t const entries = plan_.group_chunks * std::int64_t{chunk_terms};
    std::int64_t const begin = group * entries, end = Kokkos::min(batch_.length, begin + entries);
    KOKKOS_IF_ON_HOST((choose_host_vectors(Body{*this, member, begin, end, digits});))
    KOKKOS_IF_ON_DEVICE((add_one_by_one(member, begin, end, digits);))
    if (plan_.groups > 1) {
      std::int64_t* const of_member = digits_ + member * Terms::words;
      for (int i = 0; i < Terms::words; ++i)
        if (digits[i] != 0) {
          if (i % Range::words == Range::count)
            Kokkos::atomic_or(of_member + i, digits[i]);
          else
            Kokkos::atomic_add(of_member + i, digits[i]);
        }
      if (!is_last_arriver(arrived_ + member, static_cast<int>(plan_.groups))) return;
      for (int i = 0; i < Terms::words; ++i) {
        digits[i] = of_member[i];
        of_member[i] = 0;
      }
    }
    Terms::store(batch_, member, digits);
  }

 private:
  struct Body {
    ExactThreadKernel const& kernel;
    std::int64_t member, begin, end;
    std::int64_t* digits;
    template <int Bytes>
    void run() const {
      by_itself<Bytes>([this] {
        for (std::int64_t i = begin; i < end; i += chunk_terms)
          kernel.template add_chunk<Bytes>(
              member, i, static_cast<int>(std::min<std::int64_t>(chunk_terms, end - i)), digits);
      });
    }
  };

  template <int Bytes>
  void add_chunk(std::int64_t member, std::int64_t begin, int terms, std::int64_t* digits) const {
    constexpr int padding = 64;
    alignas(64) Real x[chunk_terms + padding];
    alignas(64) Real y[Terms::two_vectors ? chunk_terms + padding : 1];
    for (int p = 0; p < Terms::passes; ++p) {
      auto const pass = Terms::pass(p, batch_.conjugate);
      copy(x, batch_.x + member * batch_.x_distance, batch_.x_stride, begin, terms, pass.x_part);
      if constexpr (Terms::two_vectors)
        copy(y, batch_.y + member * batch_.y_distance, batch_.y_stride, begin, terms, pass.y_part);
      ExactHostBlock<Terms, Bytes>::add(x, Terms::two_vectors ? y : x, terms, pass.negative,
                                        OwnDigits{digits + pass.sum * Range::words});
    }
  }
  static void copy(Real* into, T const* from, std::ptrdiff_t stride, std::int64_t begin, int terms,
                   int p) {
    constexpr int parts = Terms::parts;
    Real const* const first = reinterpret_cast<Real const*>(from + begin * stride) + p;
    if (stride == 1)
      for (int i = 0; i < terms; ++i) into[i] = first[i * parts];
    else
      for (int i = 0; i < terms; ++i) into[i] = first[i * stride * parts];
  }

  KOKKOS_FUNCTION void add_one_by_one(std::int64_t member, std::int64_t begin, std::int64_t end,
                                      std::int64_t* digits) const {
    Real const* const x = reinterpret_cast<Real const*>(batch_.x + member * batch_.x_distance);
    Real const* const y = reinterpret_cast<Real const*>(batch_.y + member * batch_.y_distance);
    for (int p = 0; p < Terms::passes; ++p) {
      auto const pass = Terms::pass(p, batch_.conjugate);
      OwnDigits const to{digits + pass.sum * Range::words};
      for (std::int64_t i = begin; i < end; ++i) {
        double const a = x[i * batch_.x_stride * Terms::parts + pass.x_part];
        if constexpr (Terms::two_vectors)
          add_product<Range>(to, a, y[i * batch_.y_stride * Terms::parts + pass.y_part],
                             pass.negative);
        else if constexpr (Terms::products)
          add_product<Range>(to, a, a, false);
        else
          add_any<Range>(to, Terms::reduction == Reduction::asum ? Kokkos::abs(a) : a);
      }
    }
  }

  ReductionBatch<T, typename Terms::Value> batch_;
  ReductionPlan plan_;
  std::int64_t* digits_;
  int* arrived_;
};

}  // namespace carroll::detail
