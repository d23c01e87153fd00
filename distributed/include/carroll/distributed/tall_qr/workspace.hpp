// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>
#include <carroll/distributed/tall_qr/types.hpp>
#include <carroll/svd/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::distributed {

namespace detail {
template <class Workspace>
struct TallAccess;
}  // namespace detail

/// Everything that `tall_qr` or `tall_svd` needs besides the caller's Views, made by
/// `tall_qr_workspace` or `tall_svd_workspace` for one layout, a number of columns and what is
/// wanted. Calls that are given one allocate nothing. One call at a time may use it; copies share
/// the memory. Each rank holds its own: about cols/block_rows of what its part of A takes, and as
/// much again, for up to 32 columns, if Q or U is wanted.
template <class ExecSpace, class Real>
class TallWorkspace {
 public:
  using memory_space = typename ExecSpace::memory_space;

  [[nodiscard]] BlockLayout const& layout() const { return layout_; }
  [[nodiscard]] std::int64_t cols() const { return problem_.cols; }
  [[nodiscard]] TallOptions const& options() const { return options_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span() + svd_.bytes(); }

 private:
  friend struct detail::TallAccess<TallWorkspace>;

  BlockLayout layout_;
  TallOptions options_;
  bool decomposes_ = false;
  detail::TallProblem<Real> problem_{};  ///< without the caller's Views
  std::vector<detail::TopNode> nodes_;   ///< above the ranks
  std::vector<std::int64_t> numbers_;    ///< of what each rank sends: entries
  std::vector<std::int64_t> exponents_;  ///< and exponents
  Kokkos::View<std::byte*, memory_space> bytes_;
  SvdWorkspace<ExecSpace, Real> svd_;
  SvdInfo<Real>* svd_info_ = nullptr;
  carroll::detail::CallInfos<ExecSpace, TallSvdInfo<Real>> infos_;
};

}  // namespace carroll::distributed
