// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/determinant/launch.hpp>
#include <carroll/determinant/types.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <span>
#include <string>

namespace carroll {

namespace detail {
template <class ExecSpace, class T>
struct DeterminantAccess;
}

/// Everything that `determinant` needs besides the caller's matrices, made by
/// `determinant_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class DeterminantWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using Info = DeterminantInfo<T>;

  [[nodiscard]] DeterminantOptions const& options() const { return options_; }
  [[nodiscard]] DeterminantExtents const& extents() const { return extents_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    return scalars_.span() * sizeof(T) + row_tops_.span() * sizeof(detail::RealOf<T>) +
           ints_.span() * sizeof(int) + states_.span() * sizeof(detail::DeterminantState<T>) +
           progress_.span() * sizeof(detail::RowPanelProgress<Real>) +
           records_.span() * sizeof(detail::RowPanelRecord) +
           words_.span() * sizeof(std::uint64_t) + infos_.span() * sizeof(Info);
  }

 private:
  friend struct detail::DeterminantAccess<ExecSpace, T>;
  using Real = detail::RealOf<T>;

  DeterminantOptions options_;
  DeterminantExtents extents_{.batch = 0};  ///< a workspace that nobody made fits no call
  detail::DeterminantPath path_ = detail::DeterminantPath::nothing;
  T* copies_ = nullptr;  ///< with extents_.keep
  T* second_ = nullptr;  ///< Dodgson's or condensation's other array
  T* column_ = nullptr;  ///< condensation's pivot column
  T* outer_block_scalars_ = nullptr;
  detail::DeterminantPanels<T> panels_;
  detail::RowPanelWorkspace<Real> row_panels_;
  detail::DeterminantOuterBlocks<ExecSpace, Real> outer_blocks_;
  Kokkos::View<T*, memory_space> scalars_;
  Kokkos::View<detail::RealOf<T>*, memory_space> row_tops_;
  Kokkos::View<int*, memory_space> ints_;
  Kokkos::View<detail::DeterminantState<T>*, memory_space> states_;
  Kokkos::View<detail::RowPanelProgress<Real>*, memory_space> progress_;
  Kokkos::View<detail::RowPanelRecord*, memory_space> records_;
  Kokkos::View<std::uint64_t*, memory_space> words_;
  Kokkos::View<Info*, memory_space> infos_;
  Kokkos::View<Info*, Kokkos::SharedHostPinnedSpace> host_infos_;
};

namespace detail {

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class T>
struct DeterminantAccess {
  using Workspace = DeterminantWorkspace<ExecSpace, T>;

  /// `teams_at_once`: fewer than there could be where a small device is to be tried on a large one.
  static Workspace make(ExecSpace const& exec, char const* function,
                        DeterminantExtents const& extents, DeterminantOptions const& options,
                        int teams_at_once = row_panel_teams_at_once(ExecSpace())) {
    require_size(function, "the batch", extents.batch);
    require_size(function, "the order", extents.n);
    auto const method = options.method;
    require(DeterminantMethod::blocked <= method &&
                method <= DeterminantMethod::condensation_read_only_column,
            function, [&] {
              return "options.method is " + std::to_string(static_cast<int>(method)) +
                     ", must be an enumerator of DeterminantMethod";
            });
    // In floating point first: the number of bytes may not fit 64 bits.
    double const bytes =
        double(extents.batch) * (2 * double(extents.n) + 200) * double(extents.n) * sizeof(T);
    require(bytes < 9e18, function, [&] {
      return "extents " + extents_text({extents.batch, extents.n, extents.n}) +
             " need more workspace than can be addressed";
    });

    Workspace w;
    w.options_ = options;
    w.extents_ = extents;
    w.row_panels_.teams_at_once = teams_at_once;
    w.path_ = determinant_path<ExecSpace, T>(options, extents.n, extents.batch, teams_at_once);
    bool const panels = w.path_ == DeterminantPath::panels;
    bool const in_place = w.path_ == DeterminantPath::in_place;
    std::int64_t const n = extents.n;
    // Panels, outer blocks and steps work on one matrix after the other, the methods in place on
    // all.
    bool const outer_blocks = w.path_ == DeterminantPath::outer_blocks;
    bool const rows_of_one = panels || w.path_ == DeterminantPath::steps;
    std::int64_t const matrices = in_place ? extents.batch : rows_of_one ? 1 : 0;
    std::int64_t const shared = row_panel_members(w);
    using Real = RealOf<T>;
    bool const front = shared != 0 && !outer_blocks && !takes_rounds(n, shared);
    if (shared != 0)
      w.row_panels_.extents = front ? leader_extents<Real>(n) : row_panel_extents<Real>(n);
    if (outer_blocks) w.outer_blocks_.prepare(exec);
    if constexpr (on_host) w.panels_.most = HostBlock<T>::panels_for(n, exec.concurrency());
    w.scalars_ = allocate<decltype(w.scalars_)>(exec, "carroll::determinant::workspace",
                                                lay_out(w, matrices, nullptr));
    lay_out(w, matrices, w.scalars_.data());
    w.row_tops_ = allocate<decltype(w.row_tops_)>(exec, "carroll::determinant::row_tops",
                                                  matrices * n * (on_host ? 2 : 1));
    std::int64_t const row_panel_ints = shared != 0 ? w.row_panels_.all_ints(shared) : 0;
    using OuterBlock = OuterBlockMemory<RealOf<T>>;
    w.ints_ =
        allocate<decltype(w.ints_)>(exec, "carroll::determinant::exponents",
                                    matrices * 2 * n + (panels ? panel_ints(w) : 0) +
                                        row_panel_ints + (outer_blocks ? OuterBlock::ints() : 0));
    w.panels_.exchanges = w.ints_.data() + matrices * 2 * n;
    w.states_ = allocate<decltype(w.states_)>(exec, "carroll::determinant::states",
                                              rows_of_one || outer_blocks ? extents.batch : 0);
    w.progress_ = allocate<decltype(w.progress_)>(exec, "carroll::determinant::progress", shared);
    w.records_ = allocate<decltype(w.records_)>(exec, "carroll::determinant::records",
                                                shared * w.row_panels_.extents.records);
    w.words_ = allocate<decltype(w.words_)>(exec, "carroll::determinant::exchange",
                                            shared * w.row_panels_.words_per_member());
    // No team has measured its rows, nothing is counted or told.
    if (shared != 0) set_to_zero(exec, w.progress_);
    if (front) {
      set_to_zero(exec, w.ints_);
      set_to_zero(exec, w.words_);
    }
    w.row_panels_.progress = w.progress_.data();
    w.row_panels_.records = w.records_.data();
    w.row_panels_.ints = w.ints_.data();
    w.row_panels_.words = w.words_.data();
    if constexpr (RealScalar<T>)
      if (outer_blocks)
        w.outer_blocks_.memory =
            OuterBlock(w.outer_block_scalars_, w.ints_.data() + row_panel_ints);
    w.infos_ = allocate<decltype(w.infos_)>(exec, "carroll::determinant::infos", extents.batch);
    // The pinned host copy needs an instance to be made on; nothing is launched or waited for.
    w.host_infos_ = allocate<decltype(w.host_infos_)>(
        Kokkos::DefaultHostExecutionSpace(), "carroll::determinant::host_infos", extents.batch);
    return w;
  }

  /// The batch of a call on A. Where A is not to be written the work is done on copies.
  static DeterminantBatch<T> batch(Workspace const& w, StridedBatch<T const> const& A,
                                   T* overwritten) {
    DeterminantBatch<T> batch;
    std::int64_t const n = w.extents_.n;
    batch.n = static_cast<int>(n);
    batch.members = static_cast<int>(w.extents_.batch);
    batch.source = A;
    if (overwritten)
      batch.work = {overwritten, A.extents, A.strides};
    else
      batch.work = {w.copies_, A.extents, {copies_all(w.path_) ? n * n : 0, n, 1}};
    batch.states = w.states_.data();
    batch.exponents = w.ints_.data();
    batch.row_tops = w.row_tops_.data();
    batch.second = w.second_;
    batch.column = w.column_;
    batch.infos = answers_on_host(w) ? w.host_infos_.data() : w.infos_.data();
    return batch;
  }

  static void enqueue(ExecSpace const& exec, DeterminantBatch<T> const& batch, Workspace const& w) {
    enqueue_determinant(exec, batch, w.panels_, w.row_panels_, w.outer_blocks_, w.options_.method,
                        w.path_);
  }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<DeterminantInfo<T> const> fetch_infos(ExecSpace const& exec,
                                                         Workspace const& w) {
    if (!answers_on_host(w)) Kokkos::deep_copy(exec, w.host_infos_, w.infos_);
    exec.fence("carroll::determinant::info");
    return {w.host_infos_.data(), w.host_infos_.extent(0)};
  }

 private:
  static constexpr bool on_host = has_host_kernels<ExecSpace, T>;

  /// Few infos are written where the host reads them: a copy takes longer than a small determinant.
  static bool answers_on_host(Workspace const& w) {
    constexpr int few = 64;
    return Kokkos::SpaceAccessibility<ExecSpace, Kokkos::SharedHostPinnedSpace>::accessible &&
           w.extents_.batch <= few;
  }

  /// A View of bytes is filled without a kernel.
  template <class View>
  static void set_to_zero(ExecSpace const& exec, View const& view) {
    using Bytes = Kokkos::View<char*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec,
                      Bytes(reinterpret_cast<char*>(view.data()),
                            view.span() * sizeof(typename View::value_type)),
                      0);
  }

  static std::int64_t panel_ints(Workspace const& w) {
    return on_host ? w.extents_.n + 2 * w.panels_.most * HostPanel<T>::ints : panel_rows<T>;
  }

  /// Matrices that row panels work on at the same time.
  static std::int64_t row_panel_members(Workspace const& w) {
    return w.path_ == DeterminantPath::shared_row_panels ? w.extents_.batch
           : w.path_ == DeterminantPath::outer_blocks    ? 1
                                                         : 0;
  }
  /// Has every member a copy of its own, where copies are wanted?
  static bool copies_all(DeterminantPath path) {
    return path == DeterminantPath::in_place || path == DeterminantPath::row_panels ||
           path == DeterminantPath::shared_row_panels;
  }
  /// Sets the pointers into `data`, or, without it, only counts. Returns how many entries they
  /// need.
  static std::int64_t lay_out(Workspace& w, std::int64_t matrices, T* data) {
    std::int64_t const n = w.extents_.n;
    std::int64_t used = 0;
    auto const take = [&](bool wanted, std::int64_t size) {
      T* const begin = wanted && data ? data + used : nullptr;
      if (wanted) used += (size + 31) / 32 * 32;  // blocks begin at multiples of 128 bytes
      return begin;
    };
    bool const panels = w.path_ == DeterminantPath::panels;
    bool const outer_blocks = w.path_ == DeterminantPath::outer_blocks;
    std::int64_t const copies = copies_all(w.path_) ? w.extents_.batch
                                : outer_blocks      ? 1
                                                    : matrices;
    w.copies_ = take(w.extents_.keep && copies > 0, copies * n * n);
    if constexpr (RealScalar<T>) {
      w.row_panels_.scalars = take(row_panel_members(w) != 0,
                                   row_panel_members(w) * w.row_panels_.scalars_per_member());
      w.outer_block_scalars_ =
          take(outer_blocks, outer_blocks ? OuterBlockMemory<T>::scalars(static_cast<int>(n)) : 0);
    }
    auto const method = w.options_.method;
    w.second_ = take(matrices > 0 && (method == DeterminantMethod::dodgson ||
                                      method >= DeterminantMethod::condensation_ping_pong),
                     matrices * n * n);
    w.column_ = take(method == DeterminantMethod::condensation_read_only_column, n);
    if constexpr (on_host) {
      int const most = w.panels_.most;
      w.panels_.panel = take(panels, 2 * most * HostPanel<T>::scalars(n, most));
    } else {
      w.panels_.panel =
          take(panels, std::int64_t{panel_rows<T>} * padded_row<T>(static_cast<int>(n)));
      w.panels_.factors = take(panels, n * panel_rows<T>);
    }
    return used;
  }
};

}  // namespace detail

/// A workspace for `batch` matrices of order n. Allocates, for which Kokkos may wait for the
/// instance; freeing it waits for the whole device on CUDA. With OpenMP the first call that uses it
/// may still make Kokkos enlarge its own team scratch. Holds up to 512·(n + 384) entries, fewer
/// for an instance of many threads (on CUDA for every matrix of the batch; for few of them n² up to
/// order 512, then about 600·n) for `blocked` beyond scratch (see docs/determinant.md), n² per
/// matrix for `dodgson`, n² for the forms of `condensation` with a second array, and with `keep` n²
/// more. Throws std::invalid_argument for unusable extents or options, AllocationError for want of
/// memory.
///
///   auto workspace = carroll::determinant_workspace<double>(exec, {.batch = 100, .n = 8});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantWorkspace<ExecSpace, T> determinant_workspace(
    ExecSpace const& exec, DeterminantExtents const& extents,
    DeterminantOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::determinant_workspace: T must be float, double or Kokkos::complex of one "
                "of them");
  return detail::DeterminantAccess<ExecSpace, T>::make(exec, "carroll::determinant_workspace",
                                                       extents, options);
}

}  // namespace carroll
