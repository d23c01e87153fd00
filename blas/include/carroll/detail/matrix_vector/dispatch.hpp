// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/gemv/types.hpp>
#include <cstdint>

/// Which kernel, and how a problem is cut for it. No choice leaves a trace in the bits. First
/// choices hold for all devices; measured on an H100.
///
/// | A, as it is read                | terms                | kernel        |
/// | ------------------------------- | -------------------- | ------------- |
/// | rows side by side               | up to 64, 32 (16, 8) | short_columns |
/// | rows side by side               | more                 | columns       |
/// | terms side by side              | up to two tree rows  | short_rows    |
/// | terms side by side              | more                 | rows          |
/// | on hosts, rows side by side     | any                  | host_columns  |
/// | on hosts, terms side by side    | less than a tree row | host_columns  |
/// | on hosts, terms side by side    | more                 | host_rows     |
/// | on devices without warps        | any                  | threads       |
///
/// 64, 32: single, double; (16, 8): of complex numbers. A tree row is row_terms<T>: 256 bytes of
/// real numbers.
namespace carroll::detail {

/// A scalar's, as far as the table asks.
struct MatrixVectorScalar {
  int bytes;
  bool is_complex;
  constexpr int row_terms() const { return bytes == 4 ? 64 : 32; }
  constexpr int sum_bytes() const { return is_complex ? 2 * bytes : bytes; }
  /// Entries of a load of 16 bytes.
  constexpr int wide() const { return 16 / bytes; }
};

/// How A lies, as it is read.
struct MatrixVectorOrder {
  bool along_terms = false;  ///< the next entry in memory is the next term of a row
  bool wide = false;         ///< and loads of 16 bytes are possible, of x, too
};

/// A problem cut into blocks of rows and groups of chunks, a power of two of them, one after the
/// other. A team has a block and a group.
struct MatrixVectorPlan {
  GemvKernel kernel = GemvKernel::scale;
  bool wide = false;     ///< loads of 16 bytes
  int width = 0;         ///< of short kernels: terms of a row that threads have room for
  int threads = 256;     ///< of a team
  int block_rows = 1;    ///< a power of two
  int blocks = 1;        ///< of a member
  int group_chunks = 1;  ///< a power of two
  int groups = 1;        ///< of a row
};

/// Sums of a group's chunks that fit scratch.
constexpr int most_chunks(MatrixVectorScalar const& scalar, int block_rows) {
  return std::clamp(16 * 1024 / (block_rows * scalar.sum_bytes()), 1, 64);
}

/// `least` chunks a group, and as many as leave more than half of a device's `places` with a team:
/// that is enough to keep its memory busy, while each team has to begin and to end.
constexpr void cut_chunks(MatrixVectorPlan& plan, MatrixVectorScalar const& scalar, int rows,
                          int chunks, int members, int least, int places) {
  plan.blocks = static_cast<int>(quotient_up(rows, plan.block_rows));
  std::int64_t const most =
      std::min<std::int64_t>(most_chunks(scalar, plan.block_rows), power_of_two_from(chunks));
  std::int64_t const enough = std::int64_t{places} * 11 / 20;
  std::int64_t group = std::min<std::int64_t>(least, most);
  auto const teams = [&](std::int64_t each) {
    return std::int64_t{plan.blocks} * members * quotient_up(chunks, each);
  };
  while (group < most && teams(2 * group) >= enough) group *= 2;
  plan.group_chunks = static_cast<int>(group);
  plan.groups = static_cast<int>(quotient_up(chunks, group));
}

/// That a thread has registers for.
constexpr int short_columns_terms(MatrixVectorScalar const& scalar) {
  if (scalar.is_complex) return 128 / scalar.bytes;
  return scalar.bytes == 4 ? 64 : 32;
}

constexpr MatrixVectorPlan columns_plan(MatrixVectorScalar const& scalar, int rows, int terms,
                                        int members, int processors) {
  MatrixVectorPlan plan;
  if (terms <= short_columns_terms(scalar)) {
    plan.kernel = GemvKernel::short_columns;
    plan.width = static_cast<int>(std::max<std::int64_t>(power_of_two_from(terms), 8));
    return plan;
  }
  int const chunks = static_cast<int>(quotient_up(terms, chunk_terms));
  plan.kernel = GemvKernel::columns;
  // Narrow blocks, where they are enough without cutting rows.
  bool const narrow =
      rows <= 16 ||
      (quotient_up(rows, 32) * members <= 2 * std::int64_t{processors} && chunks <= 16);
  if (scalar.bytes == 16)  // class sums fill scratch
    plan.block_rows = 8;
  else
    plan.block_rows = !narrow ? 32 : rows > 8 ? 16 : 8;
  plan.width = plan.block_rows == 32 ? 16 : 32;
  plan.threads = plan.block_rows * plan.width;
  cut_chunks(plan, scalar, rows, chunks, members, 1, 1024 / plan.threads * processors);
  return plan;
}

constexpr MatrixVectorPlan rows_plan(MatrixVectorScalar const& scalar, bool wide, int rows,
                                     int terms, int members, int processors) {
  MatrixVectorPlan plan;
  plan.wide = wide;
  int const entries = wide ? scalar.wide() : 1;
  bool const whole = terms % entries == 0;
  if (wide && whole && terms <= 2 * scalar.row_terms() && terms <= 32 * entries) {
    plan.kernel = GemvKernel::short_rows;
    plan.width = static_cast<int>(std::max<std::int64_t>(power_of_two_from(terms), 2 * entries));
    return plan;
  }
  if (!wide && terms <= 32) {
    plan.kernel = GemvKernel::short_rows;
    plan.width = terms <= 8 ? 8 : 32;
    return plan;
  }
  int const chunks = static_cast<int>(quotient_up(terms, chunk_terms));
  plan.kernel = GemvKernel::rows;
  int const slots = wide ? 16 : 8;  // of a team, each for a chunk of a row
  std::int64_t const side_by_side =
      std::min<std::int64_t>(power_of_two_from(rows), chunks == 1 ? slots : 8);
  plan.block_rows = static_cast<int>(side_by_side);
  cut_chunks(plan, scalar, rows, chunks, members, static_cast<int>(slots / side_by_side),
             3 * processors);
  return plan;
}

constexpr MatrixVectorPlan device_plan(MatrixVectorScalar const& scalar,
                                       MatrixVectorOrder const& order, int rows, int terms,
                                       int members, int processors) {
  return order.along_terms ? rows_plan(scalar, order.wide, rows, terms, members, processors)
                           : columns_plan(scalar, rows, terms, members, processors);
}

/// Of sums of a block of columns on a host.
inline constexpr int host_block_bytes = 2048;

/// A thread has a block and a group.
constexpr MatrixVectorPlan host_plan(MatrixVectorScalar const& scalar,
                                     MatrixVectorOrder const& order, int rows, int terms,
                                     int members, int threads) {
  MatrixVectorPlan plan;
  int const chunks = static_cast<int>(quotient_up(terms, chunk_terms));
  bool const columns = !order.along_terms || terms < scalar.row_terms();
  plan.kernel = columns ? GemvKernel::host_columns : GemvKernel::host_rows;
  plan.threads = 1;
  plan.block_rows = columns ? host_block_bytes / scalar.sum_bytes() : 16;
  plan.blocks = static_cast<int>(quotient_up(rows, plan.block_rows));
  std::int64_t const tasks = std::int64_t{plan.blocks} * members;
  std::int64_t const wanted = threads == 1 ? 1 : quotient_up(4 * threads, tasks);
  plan.group_chunks = static_cast<int>(power_of_two_from(quotient_up(chunks, wanted)));
  plan.groups = static_cast<int>(quotient_up(chunks, plan.group_chunks));
  return plan;
}

}  // namespace carroll::detail
