// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/strided.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <cstddef>
#include <cstdint>

/// How a panel of op(A) or op(B), some terms for the rows or columns of C that a rank has, comes
/// there. Of op(B) all is said of its transpose, with rows and columns of the grid exchanged: so
/// `indices` are rows of C for op(A), columns for op(B), and a rank's `home` are the ranks that
/// have the same of them, its row of the grid or its column; `across` are the others.
///
/// Where op is the identity, `home` shares the terms: who has some broadcasts them there. Where it
/// transposes, `across` shares the terms, and the home of those who have some shares the indices:
/// it gathers them, and each of it deals them out across, to every rank those that it needs.
namespace carroll::distributed::detail {

/// to(i·stride_i + t·stride_t) := from(i, t), 0 <= i < count, 0 <= t < terms.
template <class ExecSpace, class T>
void copy_panel(ExecSpace const& exec, carroll::detail::StridedMatrix<T const> const& from, T* to,
                std::int64_t stride_i, std::int64_t stride_t, std::int64_t count,
                std::int64_t terms) {
  // Neighbours along what lies side by side where it is written.
  bool const along_i = stride_i == 1;
  std::int64_t const inner = along_i ? count : terms;
  if (count == 0 || terms == 0) return;
  Kokkos::parallel_for(
      "carroll::distributed::gemm::copy",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count * terms),
      KOKKOS_LAMBDA(std::int64_t e) {
        std::int64_t const fast = e % inner, slow = e / inner;
        std::int64_t const i = along_i ? fast : slow, t = along_i ? slow : fast;
        to[i * stride_i + t * stride_t] = from.data[i * from.row_stride + t * from.col_stride];
      });
}

template <class ExecSpace, class T>
struct GemmSide {
  carroll::detail::StridedMatrix<T const> block;  ///< (index, term) of this rank's block
  bool transposed;
  BlockLayout const& terms;    ///< over `home`, or, transposed, over `across`
  BlockLayout const& stored;   ///< transposed: of the indices over `home`
  BlockLayout const& indices;  ///< of C, over `across`
  Communicator<ExecSpace> const& home;
  Communicator<ExecSpace> const& across;

  [[nodiscard]] std::int64_t count() const { return indices.count(across.rank()); }
  /// Is a rank's block all that it needs?
  [[nodiscard]] bool is_local() const {
    return home.size() == 1 && (!transposed || across.size() == 1);
  }
  /// Entries of Panel::sent and Panel::gathered for panels of `width` terms.
  [[nodiscard]] std::int64_t sent_size(std::int64_t width) const {
    return transposed && !is_local() ? width * std::max(stored.count(home.rank()), count()) : 0;
  }
  [[nodiscard]] std::int64_t gathered_size(std::int64_t width) const {
    return transposed && !is_local() ? width * stored.length() : 0;
  }

  /// Terms begin, …, end - 1 into `panel.data`, count() entries of each side by side. What is local
  /// is where it was: returns the panel.
  template <class Panel>
  carroll::detail::StridedMatrix<T const> bring(ExecSpace const& exec, std::int64_t begin,
                                                std::int64_t end, Panel const& panel) const {
    if (is_local()) {
      auto there = block;
      there.data += begin * there.col_stride;
      return there;
    }
    auto const& owners = transposed ? across : home;
    for (int owner = 0; owner < owners.size(); ++owner) {
      std::int64_t const first = std::max(begin, terms.begin(owner));
      std::int64_t const last = std::min(end, terms.end(owner));
      if (first >= last) continue;
      auto own = block;
      own.data += (first - terms.begin(owner)) * own.col_stride;
      T* const to = panel.data + (first - begin) * count();
      if (transposed)
        deal_out(exec, own, last - first, owner, to, panel);
      else
        broadcast(exec, own, last - first, owner, to);
    }
    return {panel.data, 1, static_cast<std::ptrdiff_t>(count())};
  }

 private:
  void broadcast(ExecSpace const& exec, carroll::detail::StridedMatrix<T const> const& own,
                 std::int64_t some, int owner, T* to) const {
    if (home.rank() == owner) copy_panel(exec, own, to, 1, count(), count(), some);
    home.broadcast(to, count() * some, owner);
  }

  /// Index by index, the terms of one side by side.
  template <class Panel>
  void deal_out(ExecSpace const& exec, carroll::detail::StridedMatrix<T const> const& own,
                std::int64_t some, int owner, T* to, Panel const& panel) const {
    auto const scaled = [&](BlockLayout const& layout) {
      auto counts = layout.counts();
      for (auto& each : counts) each *= some;
      return counts;
    };
    if (across.rank() == owner) {
      copy_panel(exec, own, panel.sent, some, 1, stored.count(home.rank()), some);
      home.all_gather_v(panel.sent, panel.gathered, scaled(stored));
    }
    across.scatter_v(panel.gathered, panel.sent, scaled(indices), owner);
    copy_panel<ExecSpace, T>(exec, {panel.sent, static_cast<std::ptrdiff_t>(some), 1}, to, 1,
                             count(), count(), some);
  }
};

}  // namespace carroll::distributed::detail
