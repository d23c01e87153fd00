// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/ratings/check.hpp>
#include <carroll/detail/ratings_svd/product.hpp>
#include <carroll/detail/truncated_svd/access.hpp>
#include <carroll/detail/truncated_svd/dispatch.hpp>
#include <carroll/detail/truncated_svd/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/svd/workspace.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <cstdint>
#include <span>

namespace carroll::detail {

/// Sets what loading a dense matrix would have found.
template <class ExecSpace, class Real>
struct SetStateKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  TruncatedState<Real>* state;
  Real largest;
  KOKKOS_FUNCTION void operator()(int) const {
    *state = {Kokkos::bit_cast<BitsOf<Real>>(largest), 0};
  }
};

/// The decomposition of one matrix of ratings: memory, and the steps of the solvers' truncated_svd
/// on the randomized path, with products of its own.
template <class ExecSpace, class Real>
class RatingsSvd {
  using Problem = TruncatedProblem<Real>;
  using Rows = RatingRows<Real, typename ExecSpace::memory_space>;

 public:
  /// `rows` by `columns` with no fewer rows than columns.
  RatingsSvd(ExecSpace const& exec, Rows const& rows, Rows const& columns, int rank,
             TruncatedSvdOptions const& options)
      : exec_(exec), options_(options) {
    TruncatedSvdExtents const extents{rows.row_count, rows.column_count, rank};
    p_.rows = rows.row_count;
    p_.cols = rows.column_count;
    p_.rank = rank;
    p_.width = subspace_width(extents, options);
    p_.path = TruncatedSvdPath::randomized;
    p_.seed = options.seed;
    p_.tolerance = usable_tolerance<Real>(extents, options);
    product_.rows = rows;
    product_.columns = columns;
    core_ = AccessTo<SvdWorkspace<ExecSpace, Real>>::uniform(
        exec, "carroll::truncated_svd", {.rows = p_.width, .cols = p_.width}, {});
    infos_.allocate_host("carroll::truncated_svd::host_outcome", 1);
    memory_ = allocate_arena(exec, "carroll::truncated_svd::workspace",
                             [&](Arena& arena) { lay_out(arena); });
    p_.outcome = infos_.data();
    p_.info = &p_.outcome->info;
  }

  TruncatedSvdInfo<Real> run(StridedMatrix<Real> const& left, StridedVector<Real> const& s,
                             StridedMatrix<Real> const& right) {
    p_.left = left;
    p_.right = right;
    p_.s = s;
    if (!load()) {
      enqueue_nan();
      return fetch().info;
    }
    int steps = options_.power_steps;
    enqueue_from_random(exec_, p_, product_, core_info_, core_, steps);
    auto outcome = fetch();
    while (outcome.info.status == Status::not_converged && outcome.info.residual > p_.tolerance) {
      int const most = options_.max_power_steps - steps;
      if (most <= 0) break;
      int more = wanted_power_steps(outcome, p_.tolerance, most);
      if (more == 0) more = most;
      steps += more;
      enqueue_from_subspace(exec_, p_, product_, core_info_, core_, more, steps);
      outcome = fetch();
    }
    return outcome.info;
  }

 private:
  void lay_out(Arena& arena) {
    auto const take = [&](std::int64_t size) { return arena.take<Real>(size); };
    std::int64_t const m = p_.rows, n = p_.cols, k = p_.rank, l = p_.width;
    std::int64_t const count = product_.rows.rating_count();
    p_.state = arena.take<TruncatedState<Real>>(1);
    infos_.lay_out(arena, 1);
    core_info_ = arena.take<SvdInfo<Real>>(1);
    p_.fresh = arena.take<int>(l);
    p_.sigma = take(l);
    p_.residuals = take(k);
    p_.long_tests = take(m * test_vectors);
    p_.short_tests = take(n * test_vectors);
    p_.inner_tests = take(k * test_vectors);
    p_.log_test_norms = take(test_vectors);
    p_.partial = take(partial_size());
    for (Real*& block : p_.long_blocks) block = take(m * l);
    for (Real*& block : p_.short_blocks) block = take(n * l);
    p_.gram = take(l * l);
    p_.elimination = take(l * l + 2 * l);
    p_.core = take(l * l);
    p_.core_left = take(l * l);
    p_.core_right = take(l * l);
    product_.row_values = row_values_ = take(count);
    product_.column_values = column_values_ = take(count);
    product_.packed_from = take(m * std::max<std::int64_t>(l, test_vectors));
    product_.packed_to = take(m * std::max<std::int64_t>(l, test_vectors));
  }
  [[nodiscard]] std::int64_t partial_size() const {
    std::int64_t size = 0;
    auto const grow = [&](int rows, int cols, int depth) {
      size = std::max(size, gemm_partial_size<ExecSpace, Real>(rows, cols, depth));
    };
    int const m = p_.rows, n = p_.cols, k = p_.rank, l = p_.width, t = test_vectors;
    for (int const side : {m, n}) {
      grow(side, t, k);
      grow(k, t, side);
      grow(side, l, l);
      grow(side, k, l);
      grow(l, l, side);
    }
    return size;
  }

  [[nodiscard]] bool all_finite(Rows const& side) const {
    using Find = FirstNonFinite<decltype(side.values)>;
    return first_found(exec_, 0, side.rating_count(), Find{side.values}) >= side.rating_count();
  }
  /// Values whose largest is in [1/2, 1), so that no step over- or underflows. Are all finite?
  bool load() {
    std::int64_t const count = product_.rows.rating_count();
    using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
    Real largest = 0;
    bool const finite = all_finite(product_.rows) && all_finite(product_.columns);
    if (finite && count > 0) {
      Kokkos::parallel_reduce("carroll::truncated_svd::largest_entry", Policy(exec_, 0, count),
                              LargestValue<Real>{product_.rows.values.data()},
                              Kokkos::Max<Real>(largest));
      exec_.fence("carroll::truncated_svd: largest entry");
    }
    if (!finite) largest = Kokkos::Experimental::infinity_v<Real>;
    Kokkos::parallel_for("carroll::truncated_svd::start",
                         typename SetStateKernel<ExecSpace, Real>::Policy(exec_, 0, 1),
                         SetStateKernel<ExecSpace, Real>{p_.state, largest});
    if (!finite) return false;
    int const exponent = largest > Real(0) ? exponent_of(largest) : 0;
    using Scale = ScaledValuesKernel<ExecSpace, Real>;
    auto const scaled = [&](Rows const& side, Real* to) {
      Kokkos::parallel_for("carroll::truncated_svd::scaled_copy", Policy(exec_, 0, count),
                           Scale{side.values.data(), to, exponent});
    };
    scaled(product_.rows, row_values_);
    scaled(product_.columns, column_values_);
    return true;
  }
  void enqueue_nan() {
    Kokkos::deep_copy(
        exec_,
        Kokkos::View<Real*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>(
            p_.residuals, static_cast<std::size_t>(p_.rank)),
        Kokkos::Experimental::quiet_NaN_v<Real>);
    launch_fitting_teams("carroll::truncated_svd::finish", exec_,
                         TruncatedFinishKernel<ExecSpace, Real>{p_, core_info_, 0}, {p_.rank, 1});
  }
  TruncatedOutcome<Real> fetch() const {
    return infos_.fetch(exec_, "carroll::truncated_svd::info").front();
  }

  ExecSpace exec_;
  TruncatedSvdOptions options_;
  Problem p_{};
  RatingsProduct<ExecSpace, Real> product_{};
  Real *row_values_ = nullptr, *column_values_ = nullptr;
  SvdInfo<Real>* core_info_ = nullptr;
  SvdWorkspace<ExecSpace, Real> core_;
  CallInfos<ExecSpace, TruncatedOutcome<Real>> infos_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> memory_;
};

}  // namespace carroll::detail
