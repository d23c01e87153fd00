// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/truncated_svd/load.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/alone.hpp>
#include <carroll/distributed/detail/randomized_svd/kernels.hpp>
#include <carroll/distributed/detail/randomized_svd/problem.hpp>
#include <carroll/distributed/detail/randomized_svd/rows.hpp>
#include <carroll/distributed/detail/randomized_svd/terms.hpp>
#include <carroll/distributed/randomized_svd/types.hpp>
#include <carroll/distributed/tall_svd.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// The steps of a randomised SVD over ranks.
namespace carroll::distributed::detail {

/// One call: `Rows` is DenseRows or SparseRows.
template <class ExecSpace, class Real, class Rows>
class RandomizedSvd {
  using Matrix = StridedMatrix<Real>;
  using Workspace = TallWorkspace<ExecSpace, Real>;
  using Access = TallAccess<Workspace>;
  using Memory = typename ExecSpace::memory_space;
  using View = Kokkos::View<Real**, Kokkos::LayoutStride, Memory, Kokkos::MemoryUnmanaged>;
  using Column = Kokkos::View<Real*, Memory, Kokkos::MemoryUnmanaged>;

 public:
  /// Throws what can be thrown; no messages.
  RandomizedSvd(Communicator<ExecSpace> const& comm, char const* function,
                BlockLayout const& layout, RandomizedProblem<Real> const& problem, Rows const& rows,
                RandomizedSvdOptions const& options)
      : comm_(comm), alone_(comm.exec()), p_(problem), a_(rows), options_(options) {
    int const l = p_.width;
    stretch_ = stretch_rows<Real>(p_.cols, l);
    auto const stretches_before = [&](std::int64_t row) { return (row + stretch_ - 1) / stretch_; };
    terms_.first = stretches_before(layout.begin(comm.rank()));
    terms_.last = stretches_before(layout.end(comm.rank()));
    terms_.all = stretches_before(layout.length());
    std::vector<std::int64_t> all;
    for (int rank = 0; rank < comm.size(); ++rank) {
      std::int64_t const begin = stretches_before(layout.begin(rank));
      std::int64_t const end = stretches_before(layout.end(rank));
      auto const part = subtrees(begin, end, terms_.all);
      all.insert(all.end(), part.begin(), part.end());
      sent_.push_back(static_cast<std::int64_t>(part.size()) * p_.cols * l);
      residuals_sent_.push_back((end - begin) * (p_.rank + 1));
    }
    nodes_ = top_nodes(all, terms_.all);

    long_qr_ = Access::make(comm, function, layout, l, {true, false}, false);
    BlockLayout const whole{{0, p_.cols}};
    short_qr_ = Access::make(alone_, function, whole, l, {true, false}, false);
    short_svd_ = Access::make(alone_, function, whole, l, {true, true}, true);

    std::int64_t const m = p_.rows, n = p_.cols;
    int const stretch = static_cast<int>(std::min<std::int64_t>(stretch_, layout.length()));
    int const rest = static_cast<int>(layout.length() % stretch_);
    memory_ = carroll::detail::allocate_arena(
        comm.exec(), "carroll::randomized_svd::workspace", [&](carroll::detail::Arena& arena) {
          y_ = Rows::block(arena.template take<Real>(m * l), m, l);
          q_ = Rows::block(arena.template take<Real>(m * l), m, l);
          basis_ = Rows::block(arena.template take<Real>(n * l), n, l);
          left_ = Rows::block(arena.template take<Real>(n * l), n, l);
          sums_ = arena.template take<Real>(terms_.most_open() * n * l);
          all_sums_ = arena.template take<Real>(static_cast<std::int64_t>(all.size()) * n * l);
          core_ = arena.template take<Real>(std::int64_t{l} * l);
          values_ = arena.template take<Real>(l);
          lines_ = arena.template take<Real>(Rows::most_lines(stretch, p_.cols));
          residuals_ = arena.template take<Real>((terms_.last - terms_.first) * (p_.rank + 1));
          all_residuals_ = arena.template take<Real>(terms_.all * (p_.rank + 1));
          partial_ = arena.template take<Real>(std::max(partial_size(stretch), partial_size(rest)));
        });
    host_residuals_.resize(static_cast<std::size_t>(terms_.all * (p_.rank + 1)));
    host_values_.resize(static_cast<std::size_t>(l));
  }

  RandomizedSvdInfo<Real> run() {
    using Sketch = SketchKernel<ExecSpace, Real>;
    ExecSpace const& exec = comm_.exec();
    Sketch const sketch{basis_, p_.cols, options_.seed, carroll::detail::sketch_stream};
    Kokkos::parallel_for("carroll::randomized_svd::sketch",
                         typename Sketch::Policy(exec, 0, std::int64_t{p_.cols} * p_.width),
                         sketch);
    Status status = Status::success;
    for (int step = 0; step <= options_.power_steps && status == Status::success; ++step) {
      multiply(basis_, y_, p_.width);
      status = factorise(comm_, *long_qr_, y_, q_);
      if (status != Status::success) break;
      multiply_transposed();
      if (step < options_.power_steps) status = factorise(alone_, *short_qr_, sum(), basis_);
    }
    if (status == Status::success) status = decompose();
    return finish(status);
  }

 private:
  /// For the largest of all products with so many rows.
  std::int64_t partial_size(int rows) const {
    return std::max({Rows::partial_size(rows, p_.cols, p_.width),
                     Rows::partial_size(rows, p_.cols, p_.rank),
                     carroll::detail::gemm_partial_size<ExecSpace, Real>(rows, p_.rank, p_.width)});
  }

  /// f(row, count, stretch) for this rank's stretches.
  template <class F>
  void for_stretches(F const& f) const {
    for (std::int64_t t = terms_.first; t < terms_.last; ++t) {
      std::int64_t const row = (t - terms_.first) * stretch_;
      f(row, static_cast<int>(std::min(stretch_, p_.rows - row)), t);
    }
  }

  View view(Matrix const& x, std::int64_t rows, std::int64_t cols) const {
    auto const number = [](auto k) { return static_cast<std::size_t>(k); };
    return View(x.data, Kokkos::LayoutStride(number(rows), number(x.row_stride), number(cols),
                                             number(x.col_stride)));
  }

  /// QᵀA is kept as AᵀQ: the sum of all terms.
  Matrix sum() const { return Rows::block(all_sums_, p_.cols, p_.width); }

  void multiply(Matrix const& x, Matrix const& y, int width) const {
    for_stretches([&](std::int64_t row, int count, std::int64_t) {
      a_.multiply(comm_.exec(), row, count, width, x, rows_from(y, row), partial_);
    });
  }

  void multiply_transposed() const {
    ExecSpace const& exec = comm_.exec();
    std::int64_t const size = std::int64_t{p_.cols} * p_.width;
    auto const term = [&](std::int64_t depth) { return sums_ + (depth - 1) * size; };
    terms_.go_through(
        [&](std::int64_t t, std::int64_t depth) {
          std::int64_t const row = (t - terms_.first) * stretch_;
          a_.multiply_transposed(exec, row, static_cast<int>(std::min(stretch_, p_.rows - row)),
                                 p_.width, rows_from(q_, row),
                                 Rows::block(term(depth), p_.cols, p_.width), partial_);
        },
        [&](std::int64_t depth) { add(term(depth - 1), term(depth)); });
    comm_.all_gather_v(sums_, all_sums_, std::span<std::int64_t const>(sent_));
    for (TopNode const& node : nodes_)
      add(all_sums_ + node.left * size, all_sums_ + node.right * size);
  }
  void add(Real* to, Real const* from) const {
    using Kernel = AddToKernel<ExecSpace, Real>;
    Kokkos::parallel_for("carroll::randomized_svd::add",
                         typename Kernel::Policy(comm_.exec(), 0, std::int64_t{p_.cols} * p_.width),
                         Kernel{to, from});
  }

  /// q := an orthonormal basis of x's columns.
  template <class Ranks>
  Status factorise(Ranks const& ranks, Workspace& workspace, Matrix const& x,
                   Matrix const& q) const {
    auto p = Access::problem(workspace);
    p.a = as_const(x);
    p.q = q;
    Status const status =
        run_tall_qr(ranks, p, {core_, 1, std::ptrdiff_t{p_.width}}, workspace).status;
    return status == Status::overflow ? Status::success : status;  // R is not looked at
  }

  /// AᵀQ = L·S·Cᵀ, so that A ≈ (Q·C)·S·Lᵀ.
  Status decompose() {
    ExecSpace const& exec = comm_.exec();
    int const l = p_.width, k = p_.rank;
    auto p = Access::problem(*short_svd_);
    p.a = as_const(sum());
    p.q = left_;
    auto const width = static_cast<std::size_t>(l);
    Matrix const core{core_, 1, l};
    auto const info =
        run_tall_svd(alone_, p, Column(values_, width), view(core, l, l), *short_svd_);
    copy(Matrix{values_, 1, 1}, Matrix{p_.s.data, p_.s.stride, 1}, k, 1, true);
    copy(left_, p_.v, p_.cols, k, true);
    for_stretches([&](std::int64_t row, int count, std::int64_t) {
      carroll::detail::enqueue_gemm(
          "carroll::randomized_svd::left_vectors", exec,
          carroll::detail::Gemm<Real>{count, k, l, 1, as_const(rows_from(q_, row)), as_const(core),
                                      0, rows_from(p_.u, row)},
          partial_);
    });
    return info.status;
  }

  void copy(Matrix const& from, Matrix const& to, std::int64_t rows, std::int64_t cols,
            bool finite) const {
    using Kernel = LeadingKernel<ExecSpace, Real>;
    if (rows * cols > 0)
      Kokkos::parallel_for("carroll::randomized_svd::copy",
                           typename Kernel::Policy(comm_.exec(), 0, rows * cols),
                           Kernel{from, to, rows, finite});
  }

  RandomizedSvdInfo<Real> finish(Status status) {
    RandomizedSvdInfo<Real> info;
    info.status = status;
    info.power_steps = options_.power_steps;
    if (status == Status::non_finite) {
      constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
      copy({}, Matrix{p_.s.data, p_.s.stride, 1}, p_.rank, 1, false);
      copy({}, p_.v, p_.cols, p_.rank, false);
      copy({}, p_.u, p_.rows, p_.rank, false);
      comm_.exec().fence("carroll::randomized_svd::info");
      info.residual = info.error = nan;
      return info;
    }
    measure(info);
    double const tolerance = options_.tolerance > 0
                                 ? options_.tolerance
                                 : std::sqrt(double(Kokkos::Experimental::epsilon_v<Real>));
    if (status == Status::success && !(info.residual <= tolerance))
      info.status = Status::not_converged;
    return info;
  }

  /// Squares of W = A·V − U·S and of A, stretch by stretch, added by every rank in their order.
  void measure(RandomizedSvdInfo<Real>& info) {
    using carroll::detail::launch_fitting_teams;
    ExecSpace const& exec = comm_.exec();
    int const k = p_.rank;
    multiply(left_, y_, k);
    for_stretches([&](std::int64_t row, int count, std::int64_t t) {
      Real* const squares = residuals_ + (t - terms_.first) * (k + 1);
      launch_fitting_teams("carroll::randomized_svd::residual", exec,
                           ResidualSquaresKernel<ExecSpace, Real>{
                               rows_from(y_, row), rows_from(p_.u, row), p_.s, count, squares},
                           {k, 1});
      int const lines = a_.enqueue_squares(exec, row, count, lines_);
      launch_fitting_teams("carroll::randomized_svd::squares", exec,
                           SumOfLinesKernel<ExecSpace, Real>{lines_, lines, squares + k}, {1, 1});
    });
    comm_.all_gather_v(residuals_, all_residuals_, std::span<std::int64_t const>(residuals_sent_));
    auto const fetch = [&](std::vector<Real>& to, Real const* from) {
      carroll::detail::copy_objects<Kokkos::HostSpace, Memory>(exec, to.data(), from, to.size());
    };
    fetch(host_residuals_, all_residuals_);
    fetch(host_values_, values_);
    exec.fence("carroll::randomized_svd::info");

    std::vector<double> squares(static_cast<std::size_t>(k) + 1);
    for (std::size_t e = 0; e < host_residuals_.size(); ++e)
      squares[e % squares.size()] += double(host_residuals_[e]);
    double const first = double(host_values_.front()), all = squares.back();
    double worst = 0, kept = 0;
    for (std::size_t j = 0; j + 1 < squares.size(); ++j) {
      worst = std::max(worst, squares[j]);
      kept += double(host_values_[j]) * double(host_values_[j]);
    }
    if (first > 0) info.residual = static_cast<Real>(std::sqrt(worst) / first);
    if (all > 0) info.error = static_cast<Real>(std::sqrt(std::max(0.0, 1 - kept / all)));
  }

  Communicator<ExecSpace> comm_;
  Alone<ExecSpace> alone_;
  RandomizedProblem<Real> p_;
  Rows a_;
  RandomizedSvdOptions options_;
  std::int64_t stretch_ = 0;
  StretchTerms terms_;
  std::vector<std::int64_t> sent_, residuals_sent_;
  std::vector<TopNode> nodes_;
  std::optional<Workspace> long_qr_, short_qr_, short_svd_;
  Kokkos::View<std::byte*, Memory> memory_;
  Matrix y_, q_, basis_, left_;
  Real *sums_ = nullptr, *all_sums_ = nullptr, *core_ = nullptr, *values_ = nullptr,
       *lines_ = nullptr, *residuals_ = nullptr, *all_residuals_ = nullptr, *partial_ = nullptr;
  std::vector<Real> host_residuals_, host_values_;
};

}  // namespace carroll::distributed::detail
