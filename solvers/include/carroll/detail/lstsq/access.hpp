// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/lstsq/launch.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/lstsq/workspace.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// What AccessTo<LstsqWorkspace> declares.
namespace carroll::detail {

inline void require_usable(char const* function, LstsqOptions const& options) {
  require(options.rcond < 1, function, [&] {
    return "options.rcond is " + std::to_string(options.rcond) + ", must be below 1";
  });
}

/// The problems of a workspace, without its memory.
template <class T>
LstsqBatch<T> lstsq_batch(LstsqExtents const& extents, LstsqOptions const& options, bool inverse) {
  using Real = RealOf<T>;
  LstsqBatch<T> batch{};
  batch.members = static_cast<int>(extents.batch);
  batch.m = static_cast<int>(extents.rows);
  batch.n = static_cast<int>(extents.cols);
  batch.k = std::min(batch.m, batch.n);
  batch.p = static_cast<int>(extents.rhs);
  batch.inverse = inverse;
  constexpr Real eps = std::numeric_limits<Real>::epsilon();
  Real const wanted = options.rcond < 0 ? static_cast<Real>(std::max(batch.m, batch.n)) * eps
                                        : static_cast<Real>(options.rcond);
  batch.rcond = std::min(wanted, Real(1) - eps);  // the largest singular value counts
  batch.scales = LstsqScales<Real>(batch.m, batch.n);
  batch.distance = batch.entries_per_member();
  batch.info_stride = 1;
  return batch;
}

template <class ExecSpace, class T>
auto AccessTo<LstsqWorkspace<ExecSpace, T>>::make(ExecSpace const& exec, char const* function,
                                                  LstsqExtents const& extents,
                                                  LstsqOptions const& options, bool inverse)
    -> Workspace {
  require_usable(function, options);
  auto const& [members, m, n, p] = extents;
  require_size(function, "the batch", members);
  require_size(function, "the number of rows", m);
  require_size(function, "the number of columns", n);
  require_size(function, "the number of right-hand sides", p);
  double const sides = double(m) + double(n) + double(p) + 200;
  require_addressable(function, {members, m, n, p},
                      double(members) * 4 * sides * sides * sizeof(T));
  require(
      members * std::max<std::int64_t>(quotient_up(p, 32), 1) <= std::numeric_limits<int>::max(),
      function, [&] {
        return "a batch of " + extents_text({members, n, p}) +
               " solutions is too large for one launch";
      });
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  w.batch_ = lstsq_batch<T>(extents, options, inverse);
  auto& batch = w.batch_;
  w.bytes_ = allocate_arena(exec, "carroll::lstsq::workspace", [&](Arena& arena) {
    batch.entries = arena.take<T>(members * batch.distance);
    batch.ints = arena.take<int>(members * batch.ints_per_member());
    w.infos_.lay_out(arena, members);
  });
  batch.infos = w.infos_.data();
  w.infos_.allocate_host("carroll::lstsq::host_infos", members);
  SvdOptions svd;
  svd.path = options.path;
  svd.max_sweeps = options.max_sweeps;
  w.steps_.factors = AccessTo<SvdWorkspace<ExecSpace, T>>::uniform(
      exec, function, {members, m, n, SvdVectors::thin, SvdVectors::thin}, svd);
  // Sums in one part, and complex ones never by tensor cores, which add in another order and take
  // large products alone: a column of X does not depend on how many there are.
  using Product = AccessTo<GemmWorkspace<ExecSpace, T>>;
  GemmOptions products;
  if (is_complex<T> && lanes < ExecSpace >> 1) products.kernel = GemmKernel::registers;
  if (!inverse)
    w.steps_.coefficients =
        Product::make(exec, function, {batch.k, p, m, members}, products, false);
  w.steps_.solution = Product::make(exec, function, {n, p, batch.k, members}, products, false);
  return w;
}

template <class ExecSpace, class T>
LstsqBatch<T> AccessTo<LstsqWorkspace<ExecSpace, T>>::batch(Workspace const& w,
                                                            LstsqViews<T> const& views) {
  LstsqBatch<T> batch = w.batch_;
  static_cast<LstsqViews<T>&>(batch) = views;
  return batch;
}

template <class ExecSpace, class T>
void AccessTo<LstsqWorkspace<ExecSpace, T>>::enqueue(ExecSpace const& exec,
                                                     LstsqBatch<T> const& batch,
                                                     Workspace const& w) {
  enqueue_lstsq(exec, batch, w.steps_);
}

}  // namespace carroll::detail
