// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/arrow_rows.hpp>
#include <carroll/detail/pseudoinverse/host_vector.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

/// Sums over rows with one motion column: a GPU's lanes take a row each, a host eight at a time.
namespace carroll::detail {

/// Rows side by side; zeros where there are less than eight.
struct RowBlock {
  Eight u, a, r;

  template <class Real, bool Plain>
  void load(ArrowRows<Real, Plain> const& rows, int begin) {
    if constexpr (Plain) {
      u.load(rows.depths() + begin);
      a.load(rows.motions() + begin);
      r.load(rows.residuals() + begin);
    } else {
      gather(rows, begin, 8);
    }
  }

  template <class Real, bool Plain>
  void load(ArrowRows<Real, Plain> const& rows, int begin, int count) {
    if (!Plain || begin + 8 > rows.size()) {
      gather(rows, begin, count);
      return;
    }
    load(rows, begin);
    u.keep(count);
    a.keep(count);
    r.keep(count);
  }

 private:
  template <class Rows>
  void gather(Rows const& rows, int begin, int count) {
    u = a = r = Eight{};
    for (int w = 0; w < count; ++w) {
      SingleRow const row = rows.single(begin + w);
      u.set(w, row.u);
      a.set(w, row.a);
      r.set(w, row.r);
    }
  }
};

/// f(block) for the rows begin <= p < end, eight at a time.
template <class Rows, class F>
inline void for_blocks(Rows const& rows, int begin, int end, F const& f) {
  RowBlock block;
  int p = begin;
  for (; p + 8 <= end; p += 8) {
    block.load(rows, p);
    f(block);
  }
  if (p < end) {
    block.load(rows, p, end - p);
    f(block);
  }
}

/// Σu², Σua, Σur, and where wanted Σa², Σar, of a piece of a segment.
struct PieceSums {
  double uu, ua, ur, aa, ar;
};

template <bool Products, class Member, class Rows>
KOKKOS_INLINE_FUNCTION PieceSums piece_sums([[maybe_unused]] Member const& team, Rows const& rows,
                                            int begin, int end) {
  PieceSums sums{};
  KOKKOS_IF_ON_HOST(
      (Eight uu; Eight ua; Eight ur; Eight aa; Eight ar; for_blocks(rows, begin, end,
                                                                    [&](RowBlock const& b) {
                                                                      uu.add_product(b.u, b.u);
                                                                      ua.add_product(b.u, b.a);
                                                                      ur.add_product(b.u, b.r);
                                                                      if constexpr (Products) {
                                                                        aa.add_product(b.a, b.a);
                                                                        ar.add_product(b.a, b.r);
                                                                      }
                                                                    });
       sums.uu = uu.sum(); sums.ua = ua.sum(); sums.ur = ur.sum(); if constexpr (Products) {
         sums.aa = aa.sum();
         sums.ar = ar.sum();
       }))
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
/// stay apart until the end of the window: on a GPU a lane's own, on a host eight.
template <bool OnHost>
class RemainderSums {
  struct OfHost {
    Eight ee;
    Eight ef;
  };
  struct OfLane {
    double ee = 0;
    double ef = 0;
  };
  std::conditional_t<OnHost, OfHost, OfLane> sums_;

 public:
  template <class Member, class Rows>
  KOKKOS_FUNCTION void add([[maybe_unused]] Member const& team, Rows const& rows, int begin,
                           int end, double beta, double gamma) {
    KOKKOS_IF_ON_HOST((if constexpr (OnHost) {
      Eight square = sums_.ee;
      Eight product = sums_.ef;
      for_blocks(rows, begin, end, [&](RowBlock const& b) {
        Eight e;
        Eight f;
        e.set_difference(b.a, b.u, beta);
        f.set_difference(b.r, b.u, gamma);
        square.add_product(e, e);
        product.add_product(e, f);
      });
      sums_.ee = square;
      sums_.ef = product;
    }))
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
