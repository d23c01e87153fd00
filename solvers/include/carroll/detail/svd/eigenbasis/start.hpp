// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/svd/eigenbasis/columns.hpp>
#include <carroll/detail/svd/eigenbasis/eigenvectors.hpp>
#include <carroll/detail/svd/eigenbasis/products.hpp>
#include <carroll/detail/svd/eigenbasis/prospect.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Where the sweeps of many matrices begin: X := X·V, with V the eigenvectors of XᵀX, refined once
/// or twice until the columns are orthogonal, so that as a rule no sweep is left to do. As
/// SpectralStart does, all members at once, by our own eigenvectors and products: bits of a member
/// do not depend on the others, and the host waits for nothing.
namespace carroll::detail {

/// Members whose matrices are in the workspace together, of one class of eigenvectors.
struct BasisChunk {
  int begin, count;   ///< of the selection
  BasisExtents most;  ///< of any
  bool wide;          ///< all extents are even
};

/// Which members go together, and where their matrices are.
struct BasisPlan {
  std::vector<EighSlot> slots;
  std::vector<BasisChunk> chunks;
  std::int64_t doubles = 0;  ///< of the largest chunk
  int members = 0;           ///< of the longest one

  /// Of a chunk, unless it is of one member: 2 GiB, which keep a large device busy.
  static constexpr std::int64_t most_doubles = std::int64_t{1} << 28;

  /// `extents`: of the members, in their order.
  explicit BasisPlan(std::span<BasisExtents const> extents, std::int64_t most = most_doubles) {
    auto const class_of = [](BasisExtents const& of) {
      return eigenvector_class(static_cast<int>(of.cols));
    };
    std::int64_t used = 0;
    for (BasisExtents const& of : extents) {
      std::int64_t const each = basis_doubles(of);
      if (chunks.empty() || used + each > most || class_of(of) != class_of(chunks.back().most)) {
        chunks.push_back({static_cast<int>(slots.size()), 0, {0, 0}, true});
        used = 0;
      }
      BasisChunk& chunk = chunks.back();
      ++chunk.count;
      chunk.most = {std::max(chunk.most.rows, of.rows), std::max(chunk.most.cols, of.cols)};
      chunk.wide = chunk.wide && of.rows % 2 == 0 && of.cols % 2 == 0;
      slots.push_back(basis_slot(of, used));
      used += each;
      doubles = std::max(doubles, used);
      members = std::max(members, chunk.count);
    }
  }
};

/// Its memory on the device.
struct BasisMemory {
  EighSlot* slots;  ///< of all members
  double* doubles;  ///< the rest of a chunk's
  BasisState* states;
  EighInfo<double>* infos;  ///< of eigenvectors
};

/// Begins members of a chunk of the batch's selection: those that are begun with A, the scales of
/// whose columns are there, or those that are begun with a triangle, which is there.
///
/// Cost per member: mn² flops for each of XᵀX and YᵀY, n³ for VᵀV and 2mn² for X·V, then the
/// eigenvectors; for a turn 3mn², and 2n³ each for squares of angles and for V, if wanted. Some 20
/// launches and those of the eigenvectors.
template <class ExecSpace, class Real>
void enqueue_basis_chunk(ExecSpace const& exec, SvdBatch<Real> const& batch, BasisChunk const& at,
                         BasisMemory const& memory, Real tolerance, BasisFrom from) {
  EighSlot const* const slots = memory.slots + at.begin;
  BasisMembers<Real> const members{slots, memory.doubles, memory.states, tolerance};
  int const n = static_cast<int>(at.most.cols);
  int turns = 0;
  // Of many members a thread has several columns: blocks that begin only to look take time.
  bool const few = std::int64_t{32} * at.count * n <= exec.concurrency();
  auto const pass = [&]<BasisPass which>(char const* label) {
    using Kernel = BasisPassKernel<ExecSpace, Real, which>;
    Kernel const kernel(batch, members, memory.infos, at.begin, n, turns);
    launch_fitting_teams(label, exec, kernel,
                         {at.count * kernel.teams_per_matrix(),
                          few ? Kernel::columns_per_team : Kernel::columns_per_team / 4});
  };
  auto const step = [&](BasisStep which) {
    enqueue_basis_step(exec, members, at.count, at.most, at.wide, which, turns);
  };
  using enum BasisPass;
  launch_teams("carroll::svd::basis_ready", exec,
               BasisReadyKernel<ExecSpace, Real>{batch, members, at.begin, from},
               {.count = at.count, .threads = 8, .lanes = lanes<ExecSpace>});
  pass.template operator()<load>("carroll::svd::basis_load");
  step(BasisStep::gram);

  EighBatch<double> eigen{};
  eigen.a.data = eigen.w.data = eigen.v.data = eigen.reals = memory.doubles;
  eigen.triangle = Triangle::lower;
  eigen.slots = slots;
  eigen.infos = memory.infos;
  eigen.info_stride = 1;
  enqueue_eigen_reduction(exec, eigen, at.count, n);
  launch_fitting_teams("carroll::svd::basis_prospect", exec,
                       BasisProspectKernel<ExecSpace, Real>{members}, {.count = at.count});
  enqueue_eigenvectors(exec, eigen, at.count, n);

  step(BasisStep::columns);
  for (;; ++turns) {
    step(BasisStep::products);
    pass.template operator()<measure>("carroll::svd::basis_measure");
    if (turns == most_basis_turns<Real>) break;
    pass.template operator()<angles>("carroll::svd::basis_angles");
    step(BasisStep::squares);
    step(BasisStep::turn);
  }
  pass.template operator()<store>("carroll::svd::basis_store");
}

/// A part of a workspace.
template <class ExecSpace>
class BasisStart {
 public:
  /// `extents`: of what each of the members will be begun with, in their order. Throws
  /// AllocationError for want of memory.
  BasisStart(ExecSpace const& exec, std::span<BasisExtents const> extents) : plan_(extents) {
    bytes_ = allocate_arena(exec, "carroll::svd::basis_workspace", [&](Arena& arena) {
      memory_ = {arena.take<EighSlot>(static_cast<std::int64_t>(plan_.slots.size())),
                 arena.take<double>(plan_.doubles), arena.take<BasisState>(plan_.members),
                 arena.take<EighInfo<double>>(plan_.members)};
    });
    copy_from_host<EighSlot>(exec, memory_.slots, plan_.slots);
  }

  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

  /// Enqueues the start of a selection's first members, as many as the workspace was made for, of
  /// those that are begun with this.
  template <class Real>
  void enqueue(ExecSpace const& exec, SvdBatch<Real> const& batch, Real tolerance,
               BasisFrom from) const {
    for (BasisChunk const& chunk : plan_.chunks)
      enqueue_basis_chunk(exec, batch, chunk, memory_, tolerance, from);
  }

 private:
  BasisPlan plan_;  // outlives the memory, which is freed when all is done
  BasisMemory memory_{};
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
};

}  // namespace carroll::detail
