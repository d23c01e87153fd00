// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/narrow/matrices.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

/// What the solvers share that take 16-bit matrices: a workspace for floats with room beside it,
/// and calls that go through that room.
namespace carroll::detail {

/// Room for the floats of Count Views, the first of which is A.
template <class ExecSpace, int Count>
struct NarrowRoom {
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes;
  std::array<float*, Count> floats{};
  std::array<NarrowPieces, Count> pieces;

  /// For uniform batches; `sizes` in entries.
  static NarrowRoom uniform(ExecSpace const& exec, std::array<std::int64_t, Count> const& sizes) {
    NarrowRoom room = ragged(exec, sizes, {});
    room.pieces = {};
    return room;
  }

  /// For packed ones, of which members own these entries. Fences `exec` if there are any.
  static NarrowRoom ragged(ExecSpace const& exec, std::array<std::int64_t, Count> const& sizes,
                           std::array<std::vector<NarrowPiece>, Count> owned) {
    for (auto& one : owned) one = narrow_pieces(std::move(one));
    NarrowRoom room;
    std::array<NarrowPiece*, Count> lists{};
    room.bytes = allocate_arena(exec, "carroll::narrow::workspace", [&](Arena& arena) {
      for (std::size_t k = 0; k < Count; ++k) {
        auto const count = static_cast<std::int64_t>(owned[k].size());
        room.floats[k] = arena.take<float>(sizes[k]);
        lists[k] = arena.take<NarrowPiece>(count);
        room.pieces[k] = {lists[k], count};
      }
    });
    bool any = false;
    for (std::size_t k = 0; k < Count; ++k)
      if (!owned[k].empty()) {
        copy_from_host<NarrowPiece>(exec, lists[k], owned[k]);
        any = true;
      }
    if (any) exec.fence("carroll::narrow::workspace");  // the host's copies end with this scope
    return room;
  }
};

template <class Workspace>
struct NarrowAccess;

/// `Wide` is the workspace of the solver for floats.
template <class Wide, int Count>
class NarrowWorkspace {
 public:
  using execution_space = typename Wide::execution_space;
  using memory_space = typename Wide::memory_space;
  using Info = typename Wide::Info;

  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return wide_.bytes() + room_.bytes.span(); }

 protected:
  template <class Workspace>
  friend struct NarrowAccess;

  Wide wide_;
  NarrowRoom<execution_space, Count> room_;
};

/// The same of solvers whose workspaces tell what they were made for.
template <class Wide, int Count>
class NarrowSolverWorkspace : public NarrowWorkspace<Wide, Count> {
 public:
  [[nodiscard]] auto const& options() const { return this->wide_.options(); }
  [[nodiscard]] auto const& extents() const { return this->wide_.extents(); }
  /// The kernels that calls with this workspace take, as that for floats names them.
  [[nodiscard]] auto path() const { return this->wide_.path(); }
};

/// A call whose Views are bound: what the solver for floats is given, and what becomes of the
/// caller's matrices before and behind it.
template <class Batch, int Outputs>
struct NarrowCall {
  Batch batch;
  NarrowInput a;
  std::array<NarrowOutput, Outputs> outputs;
};

/// The inside of such a workspace.
template <class Workspace>
struct NarrowAccess {
  template <class Wide, int Count>
  static Wide const& wide_of(NarrowWorkspace<Wide, Count> const& w) {
    return w.wide_;
  }
  static auto const& wide(Workspace const& w) { return wide_of(w); }
  static auto const& room(Workspace const& w) { return w.room_; }

  template <class Wide, class Room>
  static Workspace made_of(Wide const& wide, Room const& room) {
    Workspace w;
    w.wide_ = wide;
    w.room_ = room;
    return w;
  }

  template <class ExecSpace, class Call>
  static void enqueue(ExecSpace const& exec, Call const& call, Workspace const& w) {
    enqueue_widening(exec, call.a);
    WideAccess::enqueue(exec, call.batch, w.wide_);
    for (NarrowOutput const& output : call.outputs) enqueue_rounding(exec, output);
  }

  /// The infos of the call before, on the host. Fences the instance once.
  template <class ExecSpace>
  static auto fetch_infos(ExecSpace const& exec, Workspace const& w) {
    return WideAccess::fetch_infos(exec, w.wide_);
  }

 private:
  using WideAccess = AccessTo<std::remove_cvref_t<decltype(wide_of(std::declval<Workspace>()))>>;
};

}  // namespace carroll::detail
