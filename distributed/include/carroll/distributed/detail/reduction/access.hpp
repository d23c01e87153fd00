// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/reduction/calls.hpp>
#include <carroll/detail/reduction/exact/terms.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/reduction/pair_tree.hpp>
#include <carroll/distributed/blas/reduction/workspace.hpp>
#include <carroll/distributed/detail/reduction/pieces.hpp>
#include <carroll/none.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace carroll::distributed {

namespace detail {

/// Entries at a stride, side by side. (A device's lambda must stand in a function that is public.)
template <class T, class ExecSpace>
void pack_entries(ExecSpace const& exec, T* into, T const* from, std::ptrdiff_t stride,
                  std::int64_t count) {
  Kokkos::parallel_for(
      "carroll::distributed::pack", Kokkos::RangePolicy<ExecSpace>(exec, 0, count),
      KOKKOS_LAMBDA(std::int64_t i) { into[i] = from[i * stride]; });
}

}  // namespace detail

/// The inside of a workspace, for the entry points: a call's own pieces, and how those of all ranks
/// become one sum.
template <class ExecSpace, class T>
struct ReductionAccess {
  using Workspace = ReductionWorkspace<ExecSpace, T>;
  using Reduction = carroll::detail::Reduction;
  using Local = carroll::detail::AccessTo<carroll::ReductionWorkspace<ExecSpace, T>>;

  static Workspace make(char const* function, Communicator<ExecSpace> const& comm,
                        BlockLayout const& layout, ReductionOptions const& options) {
    Workspace w;
    w.layout_ = layout;
    w.signature_ =
        detail::Signature().with(layout).with(options.summation).with(int{sizeof(T)}).value();
    comm.agree(function, w.signature_, [&] {
      carroll::detail::require(layout.ranks() == comm.size(), function, [&] {
        return "the layout is of " + std::to_string(layout.ranks()) + " ranks, must be of " +
               std::to_string(comm.size());
      });
      bool const exact = options.summation == Summation::exact;
      std::int64_t longest = 0;
      for (int rank = 0; rank < comm.size(); ++rank) {
        auto pieces = pieces_of(layout, rank, exact);
        w.counts_.push_back(static_cast<std::int64_t>(pieces.pieces.size()));
        if (rank != comm.rank()) continue;
        for (auto const& piece : pieces.pieces)
          longest = std::max(longest, exact ? layout.count(rank)
                                            : detail::piece_end(piece, layout.length()) -
                                                  detail::piece_begin(piece));
        w.pieces_ = std::move(pieces);
      }
      w.local_ = carroll::reduction_workspace<T>(
          comm.exec(), {.length = comm.size() == 1 ? layout.length() : longest}, options);
      if (!w.pieces_.shares.empty() || w.pieces_.owner >= 0)
        w.entries_ = carroll::detail::allocate<decltype(w.entries_)>(
            comm.exec(), "carroll::distributed::reduction::entries", 2 * detail::chunk_terms);
      std::int64_t const bytes =
          exact ? carroll::detail::exact_words<T> * std::int64_t{sizeof(std::int64_t)}
                : most_partial_bytes * static_cast<std::int64_t>(w.pieces_.pieces.size());
      w.sums_ = carroll::detail::allocate<decltype(w.sums_)>(
          Kokkos::DefaultHostExecutionSpace(), "carroll::distributed::reduction::sums", bytes);
    });
    return w;
  }

  /// The result, the same on all ranks.
  template <Reduction R, class XView, class YView>
  static auto call(char const* function, Communicator<ExecSpace> const& comm, XView const& x,
                   YView const& y, Workspace& w, bool conjugate) {
    carroll::detail::ReductionBatch<T, carroll::detail::ReductionValue<R, T>> batch;
    comm.agree(function, detail::Signature().with(w.signature_).with(R).with(conjugate).value(),
               [&] {
                 carroll::detail::require(w.layout_.ranks() == comm.size(), function,
                                          [] { return "the workspace is of other ranks"; });
                 bool const exact = w.options().summation == Summation::exact;
                 carroll::detail::require(R != Reduction::max_abs || !exact, function,
                                          [] { return "the workspace is for exact sums"; });
                 batch = carroll::detail::bind_reduction<R>(
                     function, {.length = w.layout_.count(comm.rank())}, x, y, conjugate);
               });
    if (comm.size() == 1)
      return carroll::ReductionInfo(Local::template call<R>(comm.exec(), batch, w.local_).front());
    if constexpr (R == Reduction::max_abs) {
      return tree<carroll::detail::Operation<R, T, carroll::detail::Largest>>(comm, batch, w);
    } else {
      if (w.options().summation == Summation::exact) return exact<R>(comm, batch, w);
      if (w.options().summation == Summation::compensated)
        return tree<carroll::detail::Operation<R, T, carroll::detail::CompensatedSum>>(comm, batch,
                                                                                       w);
      return tree<carroll::detail::Operation<R, T, carroll::detail::PlainSum>>(comm, batch, w);
    }
  }

 private:
  /// A partial of a complex product by compensated sums is the largest of all.
  static constexpr std::int64_t most_partial_bytes = 8 * sizeof(carroll::detail::RealOf<T>);

  /// Exact sums are of any entries: a rank's are one piece.
  static detail::RankPieces pieces_of(BlockLayout const& layout, int rank, bool exact) {
    if (!exact) return detail::rank_pieces(layout, rank);
    detail::RankPieces all;
    all.pieces.push_back({0, 0});
    return all;
  }

  template <class Op, class Batch>
  static auto tree(Communicator<ExecSpace> const& comm, Batch const& batch, Workspace& w) {
    using Partial = typename Op::Partial;
    static_assert(sizeof(Partial) <= most_partial_bytes);
    Batch shared = batch;
    collect<Op::two_vectors>(comm, batch, shared, w);
    auto* const sums = reinterpret_cast<Partial*>(w.sums_.data());
    std::int64_t const begin = w.layout_.begin(comm.rank()), length = w.layout_.length();
    auto const& pieces = w.pieces_.pieces;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      bool const is_shared = pieces[k].first == w.pieces_.shared_chunk;
      std::int64_t const first = detail::piece_begin(pieces[k]);
      Batch piece = is_shared ? shared : batch;
      if (!is_shared) {
        piece.x += (first - begin) * piece.x_stride;
        if (Op::two_vectors) piece.y += (first - begin) * piece.y_stride;
      }
      piece.length = detail::piece_end(pieces[k], length) - first;
      piece.sums = sums + k;
      Local::template enqueue_part<Op::reduction>(comm.exec(), piece, w.local_);
    }
    comm.exec().fence("carroll::distributed::reduction");
    auto const all =
        comm.all_gather_values(std::span<Partial const>(sums, pieces.size()), w.counts_);
    carroll::detail::PairTree<Partial, 62> total;
    auto next = all.begin();
    for (int rank = 0; rank < comm.size(); ++rank)
      for (auto const& piece : detail::rank_pieces(w.layout_, rank).pieces)
        total.add(*next++, piece.level);
    return Op::info(length == 0 ? Partial{} : total.total(), batch.conjugate);
  }

  /// This rank's part of another one's chunk goes there; of this one's comes here.
  template <bool Two, class Batch>
  static void collect(Communicator<ExecSpace> const& comm, Batch const& batch, Batch& shared,
                      Workspace& w) {
    auto const& pieces = w.pieces_;
    T* const x = w.entries_.data();
    T* const y = x + detail::chunk_terms;
    if (pieces.owner >= 0) {
      detail::pack_entries(comm.exec(), x, batch.x, batch.x_stride, pieces.given);
      comm.send(x, pieces.given, pieces.owner);
      if (Two) {
        detail::pack_entries(comm.exec(), y, batch.y, batch.y_stride, pieces.given);
        comm.send(y, pieces.given, pieces.owner);
      }
    }
    if (pieces.shares.empty()) return;
    std::int64_t const first = detail::chunk_begin(pieces.shared_chunk);
    std::int64_t const before = first - w.layout_.begin(comm.rank());
    std::int64_t const own = w.layout_.end(comm.rank()) - first;
    detail::pack_entries(comm.exec(), x, batch.x + before * batch.x_stride, batch.x_stride, own);
    if (Two)
      detail::pack_entries(comm.exec(), y, batch.y + before * batch.y_stride, batch.y_stride, own);
    for (auto const& share : pieces.shares) {
      comm.receive(x + (share.begin - first), share.end - share.begin, share.rank);
      if (Two) comm.receive(y + (share.begin - first), share.end - share.begin, share.rank);
    }
    shared.x = x;
    shared.y = Two ? y : nullptr;
    shared.x_stride = shared.y_stride = 1;
  }

  template <Reduction R, class Batch>
  static auto exact(Communicator<ExecSpace> const& comm, Batch batch, Workspace& w) {
    using Terms = carroll::detail::ExactTerms<R, T>;
    using Range = typename Terms::Range;
    auto* const mine = reinterpret_cast<std::int64_t*>(w.sums_.data());
    batch.sums = mine;
    std::fill_n(mine, Terms::words, 0);
    if (batch.length > 0) Local::template enqueue_part<R>(comm.exec(), batch, w.local_);
    comm.exec().fence("carroll::distributed::reduction");
    for (int s = 0; s < Terms::sums; ++s) hand_on<Range>(mine + s * Range::words);
    std::vector<std::int64_t> const counts(w.counts_.size(), Terms::words);
    auto const all =
        comm.all_gather_values(std::span<std::int64_t const>(mine, Terms::words), counts);
    std::int64_t total[Terms::words] = {};
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const word = i % Terms::words;
      if (word % Range::words == Range::count)
        total[word] |= all[i];
      else
        total[word] += all[i];
    }
    return Terms::info(total);
  }

  /// Every digit but the highest from 0 to 2^32 - 1, so that ranks' can be added.
  template <class Range>
  static void hand_on(std::int64_t* digits) {
    for (int i = 0; i + 1 < Range::count; ++i) {
      digits[i + 1] += digits[i] >> 32;
      digits[i] &= 0xffffffff;
    }
  }
};

template <class T, ExecutionSpace ExecSpace>
ReductionWorkspace<ExecSpace, T> reduction_workspace(Communicator<ExecSpace> const& comm,
                                                     BlockLayout const& layout,
                                                     ReductionOptions const& options) {
  static_assert(FieldScalar<T>,
                "carroll::distributed::reduction_workspace: T must be float, double or "
                "Kokkos::complex of one of them");
  return ReductionAccess<ExecSpace, T>::make("carroll::distributed::reduction_workspace", comm,
                                             layout, options);
}

namespace detail {

/// A call with a workspace of its own, for a layout that the ranks' lengths tell.
template <carroll::detail::Reduction R, class ExecSpace, class XView, class YView>
auto reduce(char const* function, Communicator<ExecSpace> const& comm, XView const& x,
            YView const& y, ReductionOptions const& options, bool conjugate = false) {
  using T = typename XView::non_const_value_type;
  using Access = ReductionAccess<ExecSpace, T>;
  BlockLayout layout;
  for (auto const length : comm.all_gather_value(static_cast<std::int64_t>(x.extent(0))))
    layout.offsets.push_back(layout.length() + length);
  auto workspace = Access::make(function, comm, layout, options);
  return Access::template call<R>(function, comm, x, y, workspace, conjugate);
}

template <carroll::detail::Reduction R, class ExecSpace, class XView, class YView, class T>
auto reduce(char const* function, Communicator<ExecSpace> const& comm, XView const& x,
            YView const& y, ReductionWorkspace<ExecSpace, T>& workspace, bool conjugate = false) {
  static_assert(std::is_same_v<typename XView::non_const_value_type, T>,
                "carroll::distributed: the workspace must have the scalar type of the vectors");
  return ReductionAccess<ExecSpace, T>::template call<R>(function, comm, x, y, workspace,
                                                         conjugate);
}

template <class View, class ExecSpace>
inline constexpr bool is_part =
    carroll::detail::is_vector<View, ExecSpace>&& carroll::detail::rank_of<View>() == 1;

}  // namespace detail
}  // namespace carroll::distributed
