// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/portable/launch.hpp>
#include <carroll/detail/device/stream_fork.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/determinant/message.hpp>
#include <carroll/distributed/detail/determinant/panel/warp_factors.hpp>
#include <carroll/distributed/detail/determinant/panel/wide_panel.hpp>
#include <carroll/distributed/detail/determinant/rank_update.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The steps over ranks on any device: a step is a panel, with the formulas of
/// carroll/detail/determinant/portable/panels.hpp, and its owner sends U. On hosts they are that
/// file's, with its bits.
///
/// The product's sums are of a panel's rows, in an order that these alone fix: so is every entry
/// the same bits however many rows a rank has.
namespace carroll::distributed::detail {

using carroll::detail::Arena;
using carroll::detail::lanes;

/// Rows of a panel. On a device the product of so many terms is bound by arithmetic, and a row of
/// float can grow so much within a panel and stay in range. Factors by warps are cheap enough for
/// twice as many terms, with which entries are read and written half as often.
template <class ExecSpace, class T>
inline constexpr int rank_panel_rows =
    lanes<ExecSpace> == 1 ? carroll::detail::panel_rows<T>
    : std::is_same_v<T, double>&& carroll::detail::has_warps<ExecSpace> ? 256
    : sizeof(RealOf<T>) == 8                                            ? 128
    : carroll::detail::is_complex<T>                                    ? 32
                                                                        : 64;

template <class ExecSpace, class T>
class PanelSteps {
 public:
  static constexpr int rows = rank_panel_rows<ExecSpace, T>;
  static constexpr int unit(std::int64_t) { return rows; }
  static constexpr std::int64_t least_block = rows;
  /// As the plain solver does, whose bits hosts have; a device's product wants to go forward.
  static constexpr bool turns_columns = lanes<ExecSpace> == 1;

  void lay_out(Arena& arena, RankProblem<T> const& problem) {
    for (auto& message : messages_) message.lay_out(arena, bytes(problem, 0));
    factors_ = arena.take<T>(std::int64_t{problem.count} * rows);
    if constexpr (by_warps) sources_ = arena.take<int>(2 * rows);
    if constexpr (!on_host) wide_.lay_out(arena, problem.n);
  }
  /// `side`: for what all others wait for.
  void begin(Communicator<ExecSpace> const& comm,
             carroll::detail::StreamFork<ExecSpace> const& side, RankProblem<T> const& problem) {
    exec_ = comm.exec();
    side_ = side;
    problem_ = problem;
  }
  [[nodiscard]] int steps() const { return problem_.steps(); }
  [[nodiscard]] int owner(int step) const { return problem_.owner(step); }
  [[nodiscard]] Message message(int step) const {
    return {messages_[step % 2].data, bytes(problem_, step)};
  }

  void start(DeterminantState<T> const& state) {
    if (!problem_.is_mine(0)) return;
    set_state(exec_, 0, state);
    condense(exec_, 0);
  }

  LocalRange advance(int step) {
    if (!problem_.is_mine(step + 1)) return problem_.from_step(step + 1);
    LocalRange const own = problem_.of_step(step + 1);
    take_off(step, own, [] {});
    ExecSpace const urgent = side_.fork(exec_);
    copy_state(urgent, step + 1, step);
    condense(urgent, step + 1);
    return {own.end, problem_.count};
  }

  template <class Poll>
  void take_off(int step, LocalRange range, Poll const& poll) {
    RankPanel<T> const panel = this->panel(step);
    // Between pieces a host sees to the messages.
    int const piece = on_host ? 256 : std::max(range.count(), 1);
    for (int begin = range.begin; begin < range.end; begin += piece) {
      take_off(panel, {begin, std::min(begin + piece, range.end)});
      if constexpr (on_host) exec_.fence("carroll::distributed::determinant::update");
      poll();
    }
  }

  /// A device does not ask: its kernels find nothing to do any more.
  [[nodiscard]] bool done(int step) const { return on_host && panel(step).state->done != 0; }
  [[nodiscard]] DeterminantState<T> finish(int step) const {
    DeterminantState<T> result;
    Kokkos::deep_copy(exec_, HostState(&result), DeviceState(panel(step).state));
    exec_.fence("carroll::distributed::determinant::info");
    return result;
  }

 private:
  static constexpr bool on_host = lanes<ExecSpace> == 1;
  static constexpr bool by_warps = carroll::detail::has_warps<ExecSpace>;
  static constexpr std::int64_t header = 128;
  static_assert(sizeof(DeterminantState<T>) <= header);
  static_assert(rows % carroll::detail::row_tile<T> == 0);
  static constexpr std::int64_t exchange_bytes = rows * int{sizeof(int)};
  static_assert(exchange_bytes % header == 0);
  using HostState = Kokkos::View<DeterminantState<T>, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using DeviceState =
      Kokkos::View<DeterminantState<T>, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;

  static std::int64_t bytes(RankProblem<T> const& problem, int step) {
    auto const m = carroll::detail::padded_row<T>(problem.n - problem.first(step));
    return header + exchange_bytes +
           std::int64_t{problem.rows_of(step)} * m * std::int64_t{sizeof(T)};
  }
  [[nodiscard]] RankPanel<T> panel(int step) const {
    std::byte* const data = messages_[step % 2].data;
    return {reinterpret_cast<DeterminantState<T>*>(data),
            reinterpret_cast<int*>(data + header),
            reinterpret_cast<T*>(data + header + exchange_bytes),
            problem_.first(step),
            problem_.rows_of(step),
            carroll::detail::padded_row<T>(problem_.n - problem_.first(step))};
  }
  void set_state(ExecSpace const& exec, int step, DeterminantState<T> state) const {
    Kokkos::deep_copy(exec, DeviceState(panel(step).state), HostState(&state));
    exec.fence("carroll::distributed::determinant::start");  // it is read from here
  }
  void copy_state(ExecSpace const& exec, int to, int from) const {
    Kokkos::deep_copy(exec, DeviceState(panel(to).state), DeviceState(panel(from).state));
  }

  void condense(ExecSpace const& exec, int step) const {
    RankPanel<T> const panel = this->panel(step);
    int const begin = problem_.of_step(step).begin;
    if constexpr (on_host) {
      using Kernel = carroll::detail::DeterminantPanelKernel<ExecSpace, T>;
      DeterminantBatch<T> batch = problem_.batch(begin);
      batch.states = panel.state;
      carroll::detail::launch_fitting_teams(
          "carroll::distributed::determinant::panel", exec,
          Kernel{batch, {panel.rows, nullptr, panel.exchanges}, panel.first, panel.count},
          {1, carroll::detail::determinant_team(exec, 1, problem_.n - panel.first)});
    } else {
      enqueue_wide_panel(exec, problem_, panel, wide_, begin);
    }
    using Exponents = RankExponentsKernel<ExecSpace, T>;
    Kokkos::parallel_for("carroll::distributed::determinant::exponents",
                         typename Exponents::Policy(exec, 0, 1), Exponents{problem_, panel});
    if constexpr (on_host) exec.fence("carroll::distributed::determinant::panel");
  }

  void take_off(RankPanel<T> const& panel, LocalRange range) const {
    int const first = panel.first + panel.count;
    if (range.count() == 0 || first == problem_.n) return;
    find_factors(panel, range);
    multiply(
        {factors_ + static_cast<std::ptrdiff_t>(range.begin) * rows, rows, 1},
        {panel.rows + panel.count, panel.pitch, 1},
        {&problem_.rows(range.begin, first), problem_.rows.row_stride, problem_.rows.col_stride},
        range.count(), problem_.n - first, panel);
    using Rescale = RankRescaleKernel<ExecSpace, T, rows>;
    carroll::detail::launch_fitting_teams("carroll::distributed::determinant::rescale", exec_,
                                          Rescale{problem_, panel, range.begin},
                                          {range.count(), on_host ? 1 : 8});
  }

  void find_factors(RankPanel<T> const& panel, LocalRange range) const {
    if constexpr (by_warps) {
      // There are rows below: the panel is whole.
      using Sources = RankSourcesKernel<ExecSpace, T, rows>;
      carroll::detail::launch_teams("carroll::distributed::determinant::sources", exec_,
                                    Sources{panel, sources_}, Sources::teams());
      StridedMatrix<T> A = problem_.rows;
      A.data += panel.first * A.col_stride;
      RankWarpFactorsKernel<ExecSpace, T, rows> const factors(panel, sources_, A, range, factors_,
                                                              problem_);
      carroll::detail::launch_teams("carroll::distributed::determinant::factors", exec_, factors,
                                    factors.teams());
    } else {
      using Factors = RankFactorsKernel<ExecSpace, T, rows>;
      Factors const factors(problem_, panel, range, factors_);
      Kokkos::parallel_for("carroll::distributed::determinant::factors",
                           typename Factors::Policy(exec_, 0, factors.items()), factors);
    }
  }

  /// C := C - A·B, each sum in the order of its terms.
  void multiply(StridedMatrix<T const> const& a, StridedMatrix<T const> const& b,
                StridedMatrix<T> const& c, int m, int n, RankPanel<T> const& panel) const {
    int const k = panel.count;
    if constexpr (on_host) {
      using Tile = typename carroll::detail::GemmHostKernel<ExecSpace, T>::Tile;
      carroll::detail::GemmCut const cut{carroll::detail::pieces_of(m, Tile::rows),
                                         carroll::detail::pieces_of(n, Tile::cols), 1, k};
      carroll::detail::Gemm<T> const gemm{m, n, k, T(-1), a, b, T(1), c, &panel.state->done};
      carroll::detail::launch_gemm_tiles<Tile, ExecSpace, T>(
          "carroll::distributed::determinant::update", exec_, gemm, cut, nullptr);
    } else {
      enqueue_rank_update(exec_, a, b, c, m, n, k);
    }
  }

  ExecSpace exec_;
  carroll::detail::StreamFork<ExecSpace> side_;
  RankProblem<T> problem_;
  MessageBuffer messages_[2];
  T* factors_ = nullptr;
  int* sources_ = nullptr;
  WidePanelMemory<ExecSpace, T, rows> wide_;
};

}  // namespace carroll::distributed::detail
