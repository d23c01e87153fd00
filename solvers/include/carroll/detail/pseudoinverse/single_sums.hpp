// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/host_vector.hpp>

/// Sums over rows with one motion column on a host, which takes a block of them at a time.
namespace carroll::detail {

/// f(p, u, a, r) for the rows begin <= i < end, a block at a time, of which registers hold part p;
/// zeros where it has less rows.
template <class Real, bool Plain, class F>
CARROLL_HOST_INLINE inline void for_blocks(ArrowRows<Real, Plain> const& rows, int begin, int end,
                                           F const& f) {
  int i = begin;
  if constexpr (Plain) {
    Real const* const u = rows.depths();
    Real const* const a = rows.motions();
    Real const* const r = rows.residuals();
    for (; i + block_lanes <= end; i += block_lanes)
      for_parts([&](auto p) CARROLL_HOST_INLINE {
        int const at = i + p * register_width;
        f(p, load_register(u + at), load_register(a + at), load_register(r + at));
      });
    if (i == end) return;
    if (masks_loads || i + block_lanes <= rows.size()) {
      for_parts([&](auto p) CARROLL_HOST_INLINE {
        int const count = end - i;
        f(p, load_register(u + i, p, count), load_register(a + i, p, count),
          load_register(r + i, p, count));
      });
      return;
    }
  }
  for (; i < end; i += block_lanes) {
    double u[block_lanes] = {}, a[block_lanes] = {}, r[block_lanes] = {};
    for (int w = 0; w < block_lanes && i + w < end; ++w) {
      SingleRow const row = rows.single(i + w);
      u[w] = row.u;
      a[w] = row.a;
      r[w] = row.r;
    }
    for_parts([&](auto p) CARROLL_HOST_INLINE {
      constexpr int at = p * register_width;
      f(p, load_register(u + at), load_register(a + at), load_register(r + at));
    });
  }
}

/// Σu², Σua, Σur, and where wanted Σa², Σar, of a piece of a segment.
struct PieceSums {
  double uu, ua, ur, aa, ar;
};

/// By itself, so that the compiler keeps the sums in registers.
template <bool Products, class Rows>
CARROLL_HOST_FUNCTION PieceSums host_piece_sums(Rows const& rows, int begin, int end) {
  BlockSums uu, ua, ur, aa, ar;
  for_blocks(rows, begin, end,
             [&](auto p, Register const& u, Register const& a, Register const& r)
                 CARROLL_HOST_INLINE {
                   uu.part[p] = fused(u, u, uu.part[p]);
                   ua.part[p] = fused(u, a, ua.part[p]);
                   ur.part[p] = fused(u, r, ur.part[p]);
                   if constexpr (Products) {
                     aa.part[p] = fused(a, a, aa.part[p]);
                     ar.part[p] = fused(a, r, ar.part[p]);
                   }
                 });
  PieceSums sums{uu.sum(), ua.sum(), ur.sum(), 0, 0};
  if constexpr (Products) {
    sums.aa = aa.sum();
    sums.ar = ar.sum();
  }
  return sums;
}

template <bool Products, class Rows>
KOKKOS_INLINE_FUNCTION PieceSums piece_sums(Rows const& rows, int begin, int end) {
  PieceSums sums{};
  KOKKOS_IF_ON_HOST((sums = host_piece_sums<Products>(rows, begin, end);))
  return sums;
}

/// Σe² and Σef of a window, e = a - uβ and f = r - uγ, with each piece's own β and γ. Partial sums
/// of a block stay apart until the end of the window.
class RemainderSums {
  BlockSums ee_;
  BlockSums ef_;

  template <class Rows>
  CARROLL_HOST_FUNCTION void add_on_host(Rows const& rows, int begin, int end, double beta,
                                         double gamma) {
    BlockSums square = ee_;  // copies, which the compiler keeps in registers
    BlockSums product = ef_;
    Register const minus_beta = Register{} - beta;
    Register const minus_gamma = Register{} - gamma;
    for_blocks(rows, begin, end,
               [&](auto p, Register const& u, Register const& a, Register const& r)
                   CARROLL_HOST_INLINE {
                     Register const e = fused(u, minus_beta, a);
                     Register const f = fused(u, minus_gamma, r);
                     square.part[p] = fused(e, e, square.part[p]);
                     product.part[p] = fused(e, f, product.part[p]);
                   });
    ee_ = square;
    ef_ = product;
  }

 public:
  template <class Rows>
  KOKKOS_FUNCTION void add(Rows const& rows, int begin, int end, double beta, double gamma) {
    KOKKOS_IF_ON_HOST((add_on_host(rows, begin, end, beta, gamma);))
  }
  KOKKOS_FUNCTION double square() const {
    double sum = 0;
    KOKKOS_IF_ON_HOST((sum = ee_.sum();))
    return sum;
  }
  KOKKOS_FUNCTION double product() const {
    double sum = 0;
    KOKKOS_IF_ON_HOST((sum = ef_.sum();))
    return sum;
  }
};

}  // namespace carroll::detail
