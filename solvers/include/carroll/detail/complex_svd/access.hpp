// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/complex_svd/workspace.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/complex_svd/launch.hpp>
#include <carroll/detail/svd/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <string>

/// What AccessTo<SvdWorkspace<ExecSpace, Kokkos::complex<Real>>> declares.
namespace carroll::detail {

template <class ExecSpace, class Real>
auto AccessTo<SvdWorkspace<ExecSpace, Kokkos::complex<Real>>>::uniform(ExecSpace const& exec,
                                                                       char const* function,
                                                                       SvdExtents const& extents,
                                                                       SvdOptions const& options)
    -> Workspace {
  require_usable(function, options);
  require(options.method == SvdMethod::preconditioned, function,
          [] { return std::string("options.method must be preconditioned for complex matrices"); });
  auto const& [members, m, n, u, v] = extents;
  require_size(function, "the batch", members);
  require_size(function, "the number of rows", m);
  require_size(function, "the number of columns", n);
  auto const [least, most] = std::minmax(m, n);
  require_addressable(function, {members, m, n},
                      double(members) * (2 * double(most) + 6 * double(least) + 100) *
                          (double(least) + 1) * sizeof(Real));
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  w.path_ = complex_svd_path(complex_svd_backend<ExecSpace>, options, most, least);
  bool const vectors = u != SvdVectors::none || v != SvdVectors::none;
  constexpr std::int64_t line = 128 / int{sizeof(Real)};
  std::int64_t const reals = ComplexSvdProblem<Real>::reals_of(most, least, vectors);
  ComplexSvdBatch<Real>& batch = w.batch_;
  batch.u_wanted = u;
  batch.v_wanted = v;
  batch.info_stride = 1;
  batch.distance = (reals + line - 1) / line * line;
  w.bytes_ = allocate_arena(exec, "carroll::svd::workspace", [&](Arena& arena) {
    batch.reals = arena.take<Real>(members * batch.distance);
    batch.fallback = {arena.take<int>(1), arena.take<int>(members)};
    w.infos_.lay_out(arena, members);
  });
  batch.infos = w.infos_.data();
  w.infos_.allocate_host("carroll::svd::host_infos", members);
  return w;
}

template <class ExecSpace, class Real>
ComplexSvdBatch<Real> AccessTo<SvdWorkspace<ExecSpace, Kokkos::complex<Real>>>::batch(
    Workspace const& w, ComplexSvdViews<Real> const& views) {
  ComplexSvdBatch<Real> batch = w.batch_;
  static_cast<ComplexSvdViews<Real>&>(batch) = views;
  return batch;
}

template <class ExecSpace, class Real>
void AccessTo<SvdWorkspace<ExecSpace, Kokkos::complex<Real>>>::enqueue(
    ExecSpace const& exec, ComplexSvdBatch<Real> const& batch, Workspace const& w) {
  if (batch.members() > 0) enqueue_complex_svd(exec, batch, w.path_, w.options_);
}

}  // namespace carroll::detail
