// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/determinant/outer_block/launch.hpp>
#include <carroll/distributed/detail/determinant/message.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <cstddef>
#include <cstdint>

/// What is sent of a group of outer blocks.
namespace carroll::distributed::detail {

/// One outer block, or two that are taken off together (outer_block/outer_block.hpp).
struct OuterBlockGroup {
  static constexpr int rows = carroll::detail::outer_block_rows;

  int first = 0, count = 0;  ///< outer blocks
  bool measures = false;     ///< rows are looked at when it is taken off

  [[nodiscard]] int end() const { return first + count; }
  [[nodiscard]] int first_row() const { return first * rows; }
  [[nodiscard]] int end_row() const { return end() * rows; }
  [[nodiscard]] int row_count() const { return count * rows; }

  /// That of the plain solver behind `before`, in a matrix of order n.
  template <class T>
  static OuterBlockGroup behind(OuterBlockGroup const& before, int n, int& unmeasured) {
    OuterBlockGroup group;
    group.first = before.end();
    int const left = carroll::detail::outer_blocks_of<T>(n) - group.first;
    bool const pairs = n - group.first_row() >= carroll::detail::least_pair_columns;
    group.count = std::min(left, pairs ? 2 : 1);
    unmeasured += group.count;
    group.measures = unmeasured >= carroll::detail::measured_outer_blocks<T>;
    if (group.measures) unmeasured = 0;
    return group;
  }
};

/// How far the determinant is, what rows have to know of each outer block, and the group's rows: at
/// first its own, then V, or W from last to first. Rows and columns of these lie as the plain
/// solver's do: the last entry of memory is the first one of all.
template <class T>
class OuterBlockMessage {
 public:
  using Block = carroll::detail::OuterBlock<T>;
  using Progress = carroll::detail::RowPanelProgress<T>;
  static constexpr int rows = carroll::detail::outer_block_rows;

  /// For the largest group of a matrix of order n.
  void lay_out(Arena& arena, int n) {
    buffer_.lay_out(arena, header_bytes + 2 * std::int64_t{rows} * pitch(n) * scalar_bytes);
  }

  [[nodiscard]] Message message(OuterBlockGroup const& group, int n) const {
    return {buffer_.data, header_bytes + entries(group, n) * scalar_bytes};
  }
  [[nodiscard]] Progress* progress() const { return reinterpret_cast<Progress*>(buffer_.data); }
  /// Outer block k of the group.
  [[nodiscard]] Block block(int k, T* row_bound) const {
    auto* const scalars = reinterpret_cast<T*>(buffer_.data + progress_bytes + k * block_bytes);
    return Block::in(scalars, reinterpret_cast<int*>(scalars + Block::scalars()), row_bound);
  }
  /// The group's rows, numbered as those of the matrix.
  [[nodiscard]] StridedMatrix<T> numbered(OuterBlockGroup const& group, int n) const {
    auto* const data = reinterpret_cast<T*>(buffer_.data + header_bytes);
    int const between = pitch(n - group.first_row());
    std::ptrdiff_t const last = entries(group, n) - 1;
    return {data + last + static_cast<std::ptrdiff_t>(group.first_row()) * between, -between, -1};
  }
  [[nodiscard]] static int pitch(int columns) { return carroll::detail::padded_row<T>(columns); }

 private:
  static constexpr std::int64_t scalar_bytes = sizeof(T);
  static constexpr std::int64_t progress_bytes = 256;
  static_assert(sizeof(Progress) <= progress_bytes);
  static constexpr std::int64_t block_bytes =
      (Block::scalars() * scalar_bytes + Block::ints() * std::int64_t{sizeof(int)} + 255) / 256 *
      256;
  static constexpr std::int64_t header_bytes = progress_bytes + 2 * block_bytes;
  [[nodiscard]] static std::int64_t entries(OuterBlockGroup const& group, int n) {
    return std::int64_t{group.row_count()} * pitch(n - group.first_row());
  }

  MessageBuffer buffer_;
};

}  // namespace carroll::distributed::detail
