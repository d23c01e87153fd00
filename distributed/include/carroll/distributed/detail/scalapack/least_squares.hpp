// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/dense/types.hpp>
#include <carroll/distributed/detail/scalapack/row_blocks.hpp>
#include <cstdint>

namespace carroll::distributed::detail::scalapack {

/// p?gels for rows of ranks.
template <class ExecSpace, class AView, class BView, class XView>
Status least_squares(Communicator<ExecSpace> const& comm, char const* function,
                     BlockLayout const& layout, AView const& A, BView const& B, XView const& X,
                     std::int64_t block) {
  using T = typename AView::non_const_value_type;
  std::int64_t const m = layout.length(), n = static_cast<std::int64_t>(A.extent(1));
  auto const k = static_cast<std::int64_t>(B.extent(1));
  if (n == 0 || k == 0) return Status::success;
  if (m == 0) {
    fill(X, T(0));
    return Status::success;
  }
  RankGrids const grids(comm.raw(), (std::min(m, n) + block - 1) / block);
  Share<T> a, b;
  a.matrix = Matrix(grids.work(), m, n, block, block);
  b.matrix = Matrix(grids.work(), std::max(m, n), k, block, block);
  std::int64_t const mine = layout.count(comm.rank());
  Buffer<T> packed, packed_b, x;
  bool finite = true;
  comm.agree(function, 0, [&] {
    require_countable(function, a.matrix);
    require_countable(function, b.matrix);
    a.allocate();
    b.allocate();
    packed = buffer<T>(mine * n);
    packed_b = buffer<T>(mine * k);
    x = buffer<T>(n * k);
    finite = pack(A, packed);
    finite = pack(B, packed_b) && finite;
  });
  for (int const there : comm.all_gather_value(int{finite})) finite = finite && there != 0;
  if (!finite) {
    fill(X, carroll::detail::quiet_nan<T>());
    return Status::non_finite;
  }
  grids.scatter(layout, packed.data(), n, a);
  grids.scatter(layout, packed_b.data(), k, b);
  int info = 0;
  auto const call = [&](T* work, int length) {
    gels(static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), a.scalars(),
         a.matrix.descriptor(), b.scalars(), b.matrix.descriptor(), scalars(work), length, info);
  };
  T wanted[8] = {};
  if (grids.works()) call(wanted, -1);
  Buffer<T> work;
  std::int64_t length = 0;
  if constexpr (carroll::detail::is_complex<T>)
    length = static_cast<std::int64_t>(wanted[0].real());
  else
    length = static_cast<std::int64_t>(wanted[0]);
  comm.agree(function, 0, [&] { work = buffer<T>(std::max<std::int64_t>(length, 1)); });
  if (grids.works()) call(work.data(), static_cast<int>(length));
  // All of X to the first rank, which has it sent to all.
  BlockLayout all;
  all.offsets.assign(static_cast<std::size_t>(comm.size()) + 1, n);
  all.offsets.front() = 0;
  grids.gather(all, b, x.data(), k);
  broadcast_bytes(comm.raw(), reinterpret_cast<std::byte*>(x.data()),
                  n * k * std::int64_t{sizeof(T)}, 0);
  bool solved = comm.broadcast_value(info, 0) == 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < k; ++j) {
      X(i, j) = x(j * n + i);
      solved = solved && Kokkos::isfinite(carroll::detail::largest_part(x(j * n + i)));
    }
  // With full rank asked for, a triangle that has none divides by zero.
  return solved ? Status::success : Status::singular;
}

}  // namespace carroll::distributed::detail::scalapack
