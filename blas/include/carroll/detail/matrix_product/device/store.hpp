// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Entries that are read or written by one instruction.
template <class T, int Count>
struct alignas(Count * sizeof(T)) EntryGroup {
  T entry[Count];
};

/// Where the sums of a member and of a part of the terms go: to C, or as they are to the place of
/// that part.
template <class T>
class ResultColumns {
 public:
  KOKKOS_FUNCTION ResultColumns(MatrixProduct<T> const& product, TermParts<T> const& parts,
                                int part, int member)
      : product_(product), to_(product.c[member]), in_parts_(parts.partial != nullptr) {
    if (in_parts_)
      to_ = {parts.partial + (static_cast<std::ptrdiff_t>(part) * product.batch + member) *
                                 product.m * product.n,
             1, product.m};
  }

  /// Sums of rows i on of column j. `wide`: groups are aligned.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void store(int i, int j, EntryGroup<T, Count> const& sums,
                                         bool wide) const {
    using Group = EntryGroup<T, Count>;
    if (wide && i + Count <= product_.m) {
      auto* const at = reinterpret_cast<Group*>(&to_(i, j));
      if (in_parts_) {
        *at = sums;
        return;
      }
      Group group{};
      if (!(product_.beta == T(0))) group = *at;
      CARROLL_UNROLL
      for (int w = 0; w < Count; ++w)
        group.entry[w] = product_.result(sums.entry[w], group.entry[w]);
      *at = group;
      return;
    }
    CARROLL_UNROLL
    for (int w = 0; w < Count; ++w) store(i + w, j, sums.entry[w]);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(int i, int j, T const& sum) const {
    if (i >= product_.m) return;
    if (in_parts_)
      to_(i, j) = sum;
    else
      product_.store(to_, i, j, sum);
  }

 private:
  MatrixProduct<T> const& product_;
  StridedMatrix<T> to_;
  bool in_parts_;
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION ResultColumns<T> result_columns(MatrixProduct<T> const& product,
                                                            TermParts<T> const& parts, int part,
                                                            int member) {
  return {product, parts, part, member};
}

template <class T>
bool has_wide_results(MatrixProduct<T> const& product, TermParts<T> const& parts) {
  if (!parts.partial) return product.c.has_wide_columns();
  return product.m % (16 / int(sizeof(T))) == 0;  // `partial` itself is aligned
}

}  // namespace carroll::detail
