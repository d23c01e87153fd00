// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/workspace_sizes.hpp>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/host_matrix.hpp"

/// Decompositions by kernels of devices with warps, on the host.
namespace carroll::test {

using detail::SvdBatch;
using detail::SvdFamily;
using detail::SvdState;

template <class Real>
struct Member {
  HostMatrix<Real> U, V;
  std::vector<Real> S;
  SvdInfo<Real> info;
  bool left_over = false;
};

/// Matrices of one size, with thin vectors, by run(batch, count) in a workspace of that family.
template <class Real, class Run>
std::vector<Member<Real>> decompose(SvdFamily family, std::vector<HostMatrix<Real>> const& matrices,
                                    bool with_u, bool with_v, Run const& run) {
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  int const count = static_cast<int>(matrices.size());
  int const m = matrices.front().rows, n = matrices.front().cols, least = std::min(m, n);
  auto const room = [&](int size) { return static_cast<std::size_t>(count * size); };
  std::vector<Real> A, U(room(m * least)), S(room(least)), V(room(n * least));
  for (auto const& matrix : matrices) A.insert(A.end(), matrix.data.begin(), matrix.data.end());
  auto const sizes =
      detail::svd_workspace_sizes<Real>(family, std::max(m, n), least, with_u || with_v);
  std::vector<Real> reals(room(static_cast<int>(sizes.reals)), nan);
  std::vector<int> ints(room(static_cast<int>(sizes.ints))), fallback(room(1));
  std::vector<SvdState> states(room(1));
  std::vector<SvdInfo<Real>> infos(room(1));
  int left_over = 0;
  SvdBatch<Real> batch{};
  batch.a = {A.data(), {count, m, n}, {m * n, 1, m}};
  batch.u = {U.data(), {count, m, least}, {m * least, 1, m}};
  batch.s = {S.data(), {count, least, 1}, {least, 1, 1}};
  batch.v = {V.data(), {count, n, least}, {n * least, 1, n}};
  batch.u_wanted = with_u ? SvdVectors::thin : SvdVectors::none;
  batch.v_wanted = with_v ? SvdVectors::thin : SvdVectors::none;
  batch.method = SvdMethod::preconditioned;
  batch.reals = reals.data();
  batch.ints = ints.data();
  batch.distance = sizes;
  batch.states = states.data();
  batch.infos = infos.data();
  batch.info_stride = 1;
  batch.fallback = {&left_over, fallback.data()};

  run(batch, count);

  std::vector<Member<Real>> members(room(1));
  auto const cut = [](std::vector<Real> const& all, std::size_t b, int rows, int cols) {
    HostMatrix<Real> part(rows, cols);
    auto const size = static_cast<std::ptrdiff_t>(part.data.size());
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(b) * size, size, part.data.begin());
    return part;
  };
  for (std::size_t b = 0; b < members.size(); ++b)
    members[b] = {.U = cut(U, b, m, least),
                  .V = cut(V, b, n, least),
                  .S = cut(S, b, least, 1).data,
                  .info = infos[b]};
  for (int k = 0; k < left_over; ++k)
    members[static_cast<std::size_t>(fallback[static_cast<std::size_t>(k)])].left_over = true;
  return members;
}

template <class Real>
bool same_values(Member<Real> const& a, Member<Real> const& b) {
  return a.left_over == b.left_over && same_bits(a.S, b.S) && a.info.status == b.info.status &&
         a.info.sweeps == b.info.sweeps && a.info.rotations == b.info.rotations &&
         a.info.rank == b.info.rank && a.info.max_cosine == b.info.max_cosine;
}

}  // namespace carroll::test
