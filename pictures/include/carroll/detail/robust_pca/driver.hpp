// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/denoise/bind.hpp>
#include <carroll/detail/robust_pca/host.hpp>
#include <carroll/detail/robust_pca/kernels.hpp>
#include <carroll/dot.hpp>
#include <carroll/gemm.hpp>
#include <carroll/robust_pca/types.hpp>
#include <carroll/svd.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace carroll::detail {

/// One call of `robust_pca`, bound and checked: matrices turned so that they have no more columns
/// than rows. `OnHost`: by a host's own passes; else by those that run anywhere.
template <class ExecSpace, class From, class To, bool OnHost = lanes<ExecSpace> == 1>
class RobustPcaCall {
  using Memory = typename ExecSpace::memory_space;
  using Square = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;
  using Vector = Kokkos::View<double*, Kokkos::LayoutRight, Memory>;
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Memory, Kokkos::MemoryUnmanaged>;

 public:
  RobustPcaCall(ExecSpace const& exec, LongMatrix<From const> const& D, LongMatrix<To> const& L,
                LongMatrix<To> const& S, RobustPcaOptions const& options)
      : exec_(exec), D_(D), L_(L), R_(S), options_(options) {
    along_rows_ = D.row_stride <= D.column_stride;
    std::int64_t const numbers =
        options.block > 0 ? options.block : std::int64_t{1} << (lanes<ExecSpace> == 1 ? 18 : 24);
    block_ = std::clamp<std::int64_t>(numbers / std::max<std::int64_t>(D.columns, 1), 1,
                                      std::max<std::int64_t>(D.rows, 1));
    lambda_ = options.sparsity > 0
                  ? options.sparsity
                  : 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(D.rows, 1)));
  }

  template <class Progress>
  RobustPcaInfo run(SampleRange const& range, Progress const& progress) {
    RobustPcaInfo info;
    if (range.bad > 0 || range.largest == 0) {
      bool const refused = range.bad > 0;
      fill(refused ? std::numeric_limits<To>::quiet_NaN() : To(0));
      if (refused) info.status = Status::non_finite;
      return info;
    }
    allocate_all();
    state_.scale = picture_scale(range.largest);
    state_.first = 1;
    gram();  // of 2·D
    decompose();
    double const norm = std::sqrt(values_host_[0]) / 2;
    double const dual = std::max(norm, range.largest * state_.scale / lambda_);
    double const whole = frobenius() / 2;
    info.largest_value = norm / state_.scale;
    double penalty = 1.25 / norm;
    double const most = 1e7 * penalty;
    state_.first = 1 / (dual * penalty);
    info.status = Status::not_converged;
    while (info.iterations < options_.max_iterations && info.status == Status::not_converged) {
      double const next = std::min(penalty * options_.growth, most);
      info.rank = iterate(penalty, next);
      info.residual = residual_ / whole;
      ++info.iterations;
      penalty = next;
      if (info.residual <= options_.tolerance) info.status = Status::success;
      progress(info);
    }
    finish(info);
    return info;
  }

 private:
  void allocate_all() {
    auto const columns = static_cast<std::size_t>(D_.columns);
    auto const square = [&](char const* label) {
      return Square(Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, std::string(label)),
                    columns, columns);
    };
    gram_ = square("carroll::robust_pca::gram");
    vectors_ = square("carroll::robust_pca::vectors");
    scaled_ = square("carroll::robust_pca::scaled");
    values_ = allocate<Vector>(exec_, "carroll::robust_pca::values", D_.columns);
    if constexpr (OnHost) {
      plan_ = HostPcaPlan(D_.rows, D_.columns);
      block_memory_ =
          allocate<Vector>(exec_, "carroll::robust_pca::parts", plan_.parts * plan_.numbers());
      squares_.resize(static_cast<std::size_t>(plan_.parts));
    } else {
      block_memory_ = allocate<Vector>(exec_, "carroll::robust_pca::block", block_ * D_.columns);
      low_memory_ = allocate<Vector>(exec_, "carroll::robust_pca::low", block_ * D_.columns);
      parts_memory_ = allocate<Vector>(exec_, "carroll::robust_pca::parts", block_ * D_.columns);
    }
    values_host_.resize(columns);
    svd_ = svd_workspace<double>(
        exec_, {.batch = 1, .rows = D_.columns, .cols = D_.columns, .v = SvdVectors::none});
  }

  /// Memory for rows of a block, lying as D does.
  LongMatrix<double> block_of(Vector const& memory, std::int64_t rows) const {
    std::int64_t const columns = D_.columns;
    return along_rows_ ? LongMatrix<double>{memory.data(), rows, columns, 1, rows}
                       : LongMatrix<double>{memory.data(), rows, columns, columns, 1};
  }
  static Strided view(LongMatrix<double> const& m, std::int64_t first_column,
                      std::int64_t columns) {
    return Strided(m.data + first_column * m.column_stride,
                   Kokkos::LayoutStride(static_cast<std::size_t>(m.rows),
                                        static_cast<std::size_t>(m.row_stride),
                                        static_cast<std::size_t>(columns),
                                        static_cast<std::size_t>(m.column_stride)));
  }
  static LongMatrix<double> whole(Square const& square) {
    auto const n = static_cast<std::int64_t>(square.extent(0));
    return {square.data(), n, n, n, 1};
  }
  template <class Body>
  void pass(char const* label, std::int64_t begin, std::int64_t end, Body const& body) const {
    LongPass<ExecSpace, Body>(begin, end, D_.columns, along_rows_, body).run(label, exec_);
  }
  template <class F>
  void each_block(F const& f) const {
    for (std::int64_t begin = 0; begin < D_.rows; begin += block_)
      f(begin, std::min(begin + block_, D_.rows));
  }

  LongMatrix<double> form(std::int64_t begin, std::int64_t end) const {
    auto const Z = block_of(block_memory_, end - begin);
    pass("carroll::robust_pca::form", begin, end, FormShrinkable<From, To>{D_, R_, Z, state_});
    return Z;
  }

  /// Of the first Z; on hosts each update brings the products of the next with it.
  void gram() {
    if constexpr (OnHost) {
      if (state_.first != 0)
        Kokkos::parallel_for("carroll::robust_pca::gram", parts_on_host(),
                             HostPcaGram<From, To>{plan_, D_, R_, state_, block_memory_.data()});
      Kokkos::parallel_for("carroll::robust_pca::sum",
                           Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                               exec_, 0, D_.columns * D_.columns),
                           HostPcaSum{plan_, block_memory_.data(), whole(gram_)});
    } else {
      gram_by_blocks();
    }
  }
  auto parts_on_host() const {
    return Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec_, 0, plan_.parts,
                                                                  Kokkos::ChunkSize(1));
  }
  /// gram := ZᵀZ: tiles on and below the diagonal, and what is above by symmetry.
  void gram_by_blocks() {
    std::int64_t const columns = D_.columns, tiles = columns >= 64 ? 4 : 1;
    auto const cut = [&](std::int64_t t) { return columns * t / tiles; };
    auto const G = whole(gram_);
    each_block([&](std::int64_t begin, std::int64_t end) {
      auto const Z = form(begin, end);
      for (std::int64_t i = 0; i < tiles; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
          LongMatrix<double> tile = G;
          tile.data += cut(i) * G.row_stride;
          tile.rows = cut(i + 1) - cut(i);
          gemm(exec_, 1.0, view(Z, cut(i), tile.rows), view(Z, cut(j), cut(j + 1) - cut(j)),
               begin > 0 ? 1.0 : 0.0, view(tile, cut(j), cut(j + 1) - cut(j)),
               {.op_a = MatrixOp::transpose});
        }
    });
    pass_square("carroll::robust_pca::mirror", MirrorUp{G});
  }
  template <class Body>
  void pass_square(char const* label, Body const& body) const {
    LongPass<ExecSpace, Body>(0, D_.columns, D_.columns, false, body).run(label, exec_);
  }

  /// Eigenvalues and vectors of ZᵀZ, which are singular ones. The vectors of the last Z, V, make
  /// Vᵀ·ZᵀZ·V almost diagonal, which saves sweeps.
  void decompose() {
    if (has_vectors_) {
      gemm(exec_, 1.0, gram_, vectors_, 0.0, scaled_);
      gemm(exec_, 1.0, vectors_, scaled_, 0.0, gram_, {.op_a = MatrixOp::transpose});
      (void)svd(exec_, gram_, scaled_, values_, none, svd_);
      gemm(exec_, 1.0, vectors_, scaled_, 0.0, gram_);
      copy_view(exec_, vectors_, gram_);
    } else {
      (void)svd(exec_, gram_, vectors_, values_, none, svd_);
      has_vectors_ = true;
    }
    copy_to_host(exec_, values_host_.data(), values_.data(), values_host_.size());
    exec_.fence("carroll::robust_pca: singular values");
  }
  [[nodiscard]] double frobenius() const {
    double sum = 0;
    for (double value : values_host_) sum += value;
    return std::sqrt(sum);
  }

  /// One step; the rank of L. The first Z is a multiple of D, whose singular values are there.
  int iterate(double penalty, double next_penalty) {
    double factor = (1 + state_.first) * (1 + state_.first) / 4;  // of the squares for 2·D
    if (state_.first == 0) {
      gram();
      decompose();
      factor = 1;
    }
    int rank = 0;
    for (double value : values_host_) rank += std::sqrt(factor * value) > 1 / penalty ? 1 : 0;
    pass_square("carroll::robust_pca::scale",
                ScaleVectors{whole(vectors_), whole(scaled_), values_.data(), factor, 1 / penalty});
    AlmState next = state_;
    next.first = 0;
    next.threshold = lambda_ / penalty;
    next.carried = penalty / next_penalty;
    double squares = 0;
    if constexpr (OnHost)
      squares = update_on_host(rank, next);
    else
      squares = update_by_blocks(rank, next.threshold);
    residual_ = std::sqrt(squares);
    state_ = next;
    return rank;
  }

  /// R and L; ‖D − L − S‖².
  double update_on_host(int rank, AlmState const& next) {
    Kokkos::parallel_for(
        "carroll::robust_pca::update", parts_on_host(),
        HostPcaUpdate<From, To>{plan_, D_, R_, L_, state_, next, whole(vectors_), whole(scaled_),
                                rank, block_memory_.data(), squares_.data()});
    exec_.fence("carroll::robust_pca: residual");
    double sum = 0;
    for (double part : squares_) sum += part;
    return sum;
  }
  double update_by_blocks(int rank, double threshold) const {
    double squares = 0;
    each_block([&](std::int64_t begin, std::int64_t end) {
      auto const Z = form(begin, end);
      auto const low = block_of(low_memory_, end - begin);
      auto const parts = block_of(parts_memory_, end - begin);
      // L = (Z·V)·(V·kept)ᵀ; of no columns the product is 0.
      gemm(exec_, 1.0, view(Z, 0, D_.columns), view(whole(vectors_), 0, rank), 0.0,
           view(parts, 0, rank));
      gemm(exec_, 1.0, view(parts, 0, rank), view(whole(scaled_), 0, rank), 0.0,
           view(low, 0, D_.columns), {.op_b = MatrixOp::transpose});
      pass("carroll::robust_pca::update", begin, end,
           UpdateSparse<From, To>{D_, R_, L_, low, state_, threshold});
      Kokkos::View<double*, Memory, Kokkos::MemoryUnmanaged> const all(
          low.data, static_cast<std::size_t>((end - begin) * D_.columns));
      squares += dot(exec_, all, all).value;
    });
    return squares;
  }

  void finish(RobustPcaInfo& info) {
    if (info.iterations == 0) {
      fill(To(0));
      return;
    }
    each_block([&](std::int64_t begin, std::int64_t end) {
      pass("carroll::robust_pca::finish", begin, end, FinishSparse<To>{R_, state_});
    });
    CountNonzeros<To> const nonzeros{R_};
    Kokkos::parallel_reduce("carroll::robust_pca::count",
                            Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(
                                exec_, 0, R_.columns * nonzeros.pieces()),
                            nonzeros, info.nonzeros);
  }
  void fill(To value) {
    each_block([&](std::int64_t begin, std::int64_t end) {
      pass("carroll::robust_pca::fill", begin, end, FillBoth<To>{L_, R_, value});
    });
    exec_.fence("carroll::robust_pca: filled");
  }

  ExecSpace exec_;
  LongMatrix<From const> D_;
  LongMatrix<To> L_, R_;  ///< R is where S will be
  RobustPcaOptions options_;
  AlmState state_;
  bool along_rows_ = false, has_vectors_ = false;
  std::int64_t block_ = 1;
  double lambda_ = 1, residual_ = 0;
  Square gram_, vectors_, scaled_;
  Vector values_, block_memory_, low_memory_, parts_memory_;
  HostPcaPlan plan_;
  std::vector<double> values_host_, squares_;
  SvdWorkspace<ExecSpace, double> svd_;
};

}  // namespace carroll::detail
