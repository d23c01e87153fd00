// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/classes.hpp>
#include <carroll/detail/eigh/divided/launch.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <cstdint>

/// Eigenvectors of a batch, in double precision, as `eigenbasis` asks for them: by the family
/// `divided` of `eigh`.
namespace carroll::detail {

/// Workspace of an n×n member.
constexpr std::int64_t eigenvector_doubles(std::int64_t n) {
  return DividedStorage<double>::reals_of(n);
}

/// Members of one class are decomposed by the same kernels, whatever the largest of them is.
constexpr int eigenvector_class(int n) {
  return DividedShapes::class_of(n);
}

/// The first half, after which the matrices are tridiagonal, of a ragged batch of members of one
/// class, of orders up to n.
template <class ExecSpace>
void enqueue_eigen_reduction(ExecSpace const& exec, EighBatch<double> const& batch, int members,
                             int n) {
  enqueue_divided_reduce(exec, batch, members, n);
}

/// The second: W ascending, V and infos.
template <class ExecSpace>
void enqueue_eigenvectors(ExecSpace const& exec, EighBatch<double> const& batch, int members,
                          int n) {
  enqueue_divided_reduced(exec, batch, members, n);
}

}  // namespace carroll::detail
