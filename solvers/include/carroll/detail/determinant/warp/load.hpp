// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// How the entries of a batch can be read: one by one, or in chunks that lie in rows or in columns.
enum class EntryAccess { single, rows, cols };

/// The same for all members, from strides and alignment. Chunks begin at every multiple of their
/// size in a line of n entries.
template <class T>
EntryAccess entry_access(DeterminantBatch<T> const& batch) {
  auto const& source = batch.source;
  constexpr std::int64_t size = RegisterChunk<T>::size;
  bool const aligned =
      reinterpret_cast<std::uintptr_t>(source.data) % alignof(RegisterChunk<T>) == 0 &&
      batch.n % size == 0 && source.strides[0] % size == 0;
  if (aligned && source.strides[2] == 1 && source.strides[1] % size == 0) return EntryAccess::rows;
  if (aligned && source.strides[1] == 1 && source.strides[2] % size == 0) return EntryAccess::cols;
  return EntryAccess::single;
}

/// Is the whole batch one array without gaps, each member in its turn? Then `rows` or `cols` says
/// what its members' lines are.
template <class T>
EntryAccess packed_access(DeterminantBatch<T> const& batch) {
  auto const& strides = batch.source.strides;
  std::ptrdiff_t const n = batch.n;
  bool const aligned =
      reinterpret_cast<std::uintptr_t>(batch.source.data) % alignof(RegisterChunk<T>) == 0;
  if (!aligned || strides[0] != n * n || batch.slots != nullptr) return EntryAccess::single;
  if (strides[2] == 1 && strides[1] == n) return EntryAccess::rows;
  if (strides[1] == 1 && strides[2] == n) return EntryAccess::cols;
  return EntryAccess::single;
}

/// Entries entry[size-1] … entry[0] of a chunk are &last[0] on, for matrices seen from their last
/// entry.
template <class T>
KOKKOS_INLINE_FUNCTION RegisterChunk<T> chunk_at(T const* last) {
  return *reinterpret_cast<RegisterChunk<T> const*>(last);
}

}  // namespace carroll::detail
