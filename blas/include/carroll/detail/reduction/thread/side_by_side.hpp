// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/field.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Up to a chunk of a vector's entries, one beside the other: where they stand, or copied.
template <class T>
class EntriesSideBySide {
 public:
  EntriesSideBySide(T const* x, std::ptrdiff_t stride, std::int64_t begin, int terms)
      : entries_(x + begin * stride) {
    if (stride == 1) return;
    T* const copies = reinterpret_cast<T*>(copies_);
    for (int i = 0; i < terms; ++i) copies[i] = entries_[i * stride];
    entries_ = copies;
  }
  T const* data() const { return entries_; }

 private:
  T const* entries_;
  // Numbers, as a constructor of complex ones would write zeros.
  alignas(64) RealOf<T> copies_[chunk_terms * (is_complex<T> ? 2 : 1)];
};

}  // namespace carroll::detail
