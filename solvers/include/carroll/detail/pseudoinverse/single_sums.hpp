// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/host_vector.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

/// Sums over rows with one motion column: a GPU's lanes take a row each, a host a block of them.
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

template <bool Products, class Member, class Rows>
KOKKOS_INLINE_FUNCTION PieceSums piece_sums([[maybe_unused]] Member const& team, Rows const& rows,
                                            int begin, int end) {
  PieceSums sums{};
  KOKKOS_IF_ON_HOST((sums = host_piece_sums<Products>(rows, begin, end);))
  KOKKOS_IF_ON_DEVICE(
      (constexpr int count = Products ? 5 : 3;
       auto const all = lane_sums<double, count>(team, end - begin,
                                                 [&](int i) {
                                                   SingleRow const row = rows.single(begin + i);
                                                   Sums<double, count> term;
                                                   term.value[0] = row.u * row.u;
                                                   term.value[1] = row.u * row.a;
                                                   term.value[2] = row.u * row.r;
                                                   if constexpr (Products) {
                                                     term.value[3] = row.a * row.a;
                                                     term.value[4] = row.a * row.r;
                                                   }
                                                   return term;
                                                 });
       sums.uu = all[0]; sums.ua = all[1]; sums.ur = all[2]; if constexpr (Products) {
         sums.aa = all[3];
         sums.ar = all[4];
       }))
  return sums;
}

/// Σe² and Σef of a window, e = a - uβ and f = r - uγ, with each piece's own β and γ. Partial sums
/// stay apart until the end of the window: on a GPU a lane's own, on a host those of a block.
template <bool OnHost>
class RemainderSums {
  struct OfHost {
    BlockSums ee;
    BlockSums ef;
  };
  struct OfLane {
    double ee = 0;
    double ef = 0;
  };
  std::conditional_t<OnHost, OfHost, OfLane> sums_;

  template <class Rows>
  CARROLL_HOST_FUNCTION static void add_on_host(Rows const& rows, int begin, int end, double beta,
                                                double gamma, OfHost& sums) {
    BlockSums square = sums.ee;
    BlockSums product = sums.ef;
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
    sums.ee = square;
    sums.ef = product;
  }

 public:
  template <class Member, class Rows>
  KOKKOS_FUNCTION void add([[maybe_unused]] Member const& team, Rows const& rows, int begin,
                           int end, double beta, double gamma) {
    KOKKOS_IF_ON_HOST((if constexpr (OnHost) add_on_host(rows, begin, end, beta, gamma, sums_);))
    KOKKOS_IF_ON_DEVICE((if constexpr (!OnHost) lane_for(team, end - begin, [&](int i) {
                           SingleRow const row = rows.single(begin + i);
                           double const e = multiply_add(-row.u, beta, row.a);
                           double const f = multiply_add(-row.u, gamma, row.r);
                           sums_.ee = multiply_add(e, e, sums_.ee);
                           sums_.ef = multiply_add(e, f, sums_.ef);
                         });))
  }

  /// Σe², Σef; every lane gets them.
  template <class Member>
  KOKKOS_FUNCTION Sums<double, 2> total([[maybe_unused]] Member const& team) const {
    Sums<double, 2> sums;
    KOKKOS_IF_ON_HOST((if constexpr (OnHost) {
      sums.value[0] = sums_.ee.sum();
      sums.value[1] = sums_.ef.sum();
    }))
    KOKKOS_IF_ON_DEVICE((if constexpr (!OnHost) sums = lane_sums<double, 2>(team, 32, [&](int) {
                           return Sums<double, 2>{{sums_.ee, sums_.ef}};
                         });))
    return sums;
  }
};

}  // namespace carroll::detail
