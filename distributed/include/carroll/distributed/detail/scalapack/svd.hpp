// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/dense/types.hpp>
#include <carroll/distributed/detail/scalapack/row_blocks.hpp>
#include <carroll/none.hpp>
#include <cstdint>
#include <type_traits>

namespace carroll::distributed::detail::scalapack {

/// p?gesvd for rows of ranks. U and V are Views, or carroll::none.
template <class ExecSpace, class AView, class UView, class SView, class VView>
Status svd(Communicator<ExecSpace> const& comm, char const* function, BlockLayout const& layout,
           AView const& A, UView const& U, SView const& S, VView const& V, std::int64_t block) {
  using T = typename AView::non_const_value_type;
  constexpr bool wants_u = !std::is_same_v<UView, None>, wants_v = !std::is_same_v<VView, None>;
  std::int64_t const m = layout.length(), n = static_cast<std::int64_t>(A.extent(1));
  std::int64_t const r = std::min(m, n);
  BlockLayout const v_layout = block_layout(comm.size(), n);
  if (r == 0) return Status::success;
  RankGrids const grids(comm.raw(), (r + block - 1) / block);
  Share<T> a, u, vt;
  a.matrix = Matrix(grids.work(), m, n, block, block);
  u.matrix = Matrix(grids.work(), m, r, block, block);
  vt.matrix = Matrix(grids.work(), r, n, block, block);
  Buffer<T> packed, s;
  std::int64_t const mine = layout.count(comm.rank()), v_mine = v_layout.count(comm.rank());
  bool finite = true;
  comm.agree(function, 0, [&] {
    for (auto const* matrix : {&a.matrix, &u.matrix, &vt.matrix})
      require_countable(function, *matrix);
    a.allocate();
    if (wants_u) u.allocate();
    if (wants_v) vt.allocate();
    packed = buffer<T>(std::max({mine * n, wants_u ? mine * r : 0, wants_v ? v_mine * r : 0}));
    s = buffer<T>(r);
    finite = pack(A, packed);
  });
  for (int const there : comm.all_gather_value(int{finite})) finite = finite && there != 0;
  int info = 0;
  Status status = finite ? Status::success : Status::non_finite;
  if (finite) {
    grids.scatter(layout, packed.data(), n, a);
    auto const call = [&](T* work, int length) {
      gesvd(wants_u, wants_v, static_cast<int>(m), static_cast<int>(n), a.scalars(),
            a.matrix.descriptor(), s.data(), u.scalars(), u.matrix.descriptor(), vt.scalars(),
            vt.matrix.descriptor(), work, length, info);
    };
    T wanted[8] = {};
    if (grids.works()) call(wanted, -1);
    Buffer<T> work;
    auto const length = static_cast<std::int64_t>(wanted[0]);
    comm.agree(function, 0, [&] { work = buffer<T>(std::max<std::int64_t>(length, 1)); });
    if (grids.works()) call(work.data(), static_cast<int>(length));
    if (comm.broadcast_value(info, 0) != 0) status = Status::not_converged;
    broadcast_bytes(comm.raw(), reinterpret_cast<std::byte*>(s.data()), r * std::int64_t{sizeof(T)},
                    0);
  }
  constexpr T nan = Kokkos::Experimental::quiet_NaN_v<T>;
  for (std::int64_t k = 0; k < r; ++k) S(k) = finite ? s(k) : nan;
  if constexpr (wants_u) {
    if (!finite)
      fill(U, nan);
    else
      grids.gather(layout, u, packed.data(), r);
    for (std::int64_t i = 0; finite && i < mine; ++i)
      for (std::int64_t k = 0; k < r; ++k) U(i, k) = packed(k * mine + i);
  }
  if constexpr (wants_v) {
    if (!finite)
      fill(V, nan);
    else
      grids.gather_transposed(v_layout, vt, packed.data(), r);
    for (std::int64_t i = 0; finite && i < v_mine; ++i)
      for (std::int64_t k = 0; k < r; ++k) V(i, k) = packed(i * r + k);
  }
  return status;
}

}  // namespace carroll::distributed::detail::scalapack
