// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/matrix_product/device/tensors.hpp>
#include <carroll/detail/matrix_product/device/tile.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/eigenbasis/storage.hpp>

/// The products of the family `eigenbasis`, of many members of any orders at once, by tensor cores.
namespace carroll::detail {

enum class BasisStep {
  gram,          ///< XᵀX
  overlap,       ///< VᵀV
  correct,       ///< V + V·(I - VᵀV)/2, where that is in the place of VᵀV
  columns,       ///< Y = X·V
  products,      ///< YᵀY
  squares,       ///< T = E + E²/2
  turn_columns,  ///< Y + Y·T
  turn_basis,    ///< V + V·T
  turned,        ///< YᵀY of that Y
};

/// Of one matrix with itself, of which a triangle of tiles does.
KOKKOS_INLINE_FUNCTION constexpr bool is_gram(BasisStep step) {
  return step == BasisStep::gram || step == BasisStep::overlap || step == BasisStep::products ||
         step == BasisStep::turned;
}

/// Where sums go: C := alpha·sum + D, D = 0 where there is none.
struct BasisSums {
  Columns<double> C;
  double const* D;
  double alpha;
  bool mirrored;  ///< the upper triangle counts, and goes to the other one, too

  KOKKOS_FORCEINLINE_FUNCTION void store(int i, int j, double sum) const {
    if (i >= C.rows || (mirrored && i > j)) return;
    std::ptrdiff_t const at = i + static_cast<std::ptrdiff_t>(j) * C.rows;
    C.data[at] = D ? Kokkos::fma(alpha, sum, D[at]) : sum;
    if (mirrored) C(j, i) = sum;
  }
};

/// A step as TensorProductKernel asks for it. A member that a step is not for costs a look.
template <class Real>
class BasisProduct {
 public:
  BasisProduct(BasisMembers<Real> const& members, BasisStep step)
      : members_(members), step_(step) {}

  KOKKOS_FORCEINLINE_FUNCTION int rows(int k) const { return order(k); }
  KOKKOS_FORCEINLINE_FUNCTION int cols(int k) const { return order(k); }
  KOKKOS_FORCEINLINE_FUNCTION int terms(int k) const { return order(k); }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool conjugate_factor() { return false; }

  KOKKOS_FORCEINLINE_FUNCTION StridedMatrix<double const> left(int k) const {
    BasisMember<Real> const member = members_(k);
    StridedMatrix<double const> const A{first(member), 1, member.n};
    return is_gram(step_) ? A.transposed() : A;
  }
  KOKKOS_FORCEINLINE_FUNCTION StridedMatrix<double const> right(int k) const {
    BasisMember<Real> const member = members_(k);
    return {second(member), 1, member.n};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BasisSums sums(int k) const {
    BasisMember<Real> const member = members_(k);
    bool const added = !is_gram(step_) && step_ != BasisStep::columns;
    return {member.columns(result(member)), added ? first(member) : nullptr,
            step_ == BasisStep::squares ? 0.5 : 1.0, is_gram(step_)};
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION bool wants(Place const& place, int tile_rows, int tile_cols) const {
    BasisMember<Real> const member = members_(place.member);
    bool const inside = place.row * tile_rows < member.n && place.col * tile_cols < member.n;
    return inside && (!is_gram(step_) || place.row <= place.col) && is_for(member);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int order(int k) const {
    return static_cast<int>(members_.slots[k].member.n);
  }
  KOKKOS_FUNCTION bool is_for(BasisMember<Real> const& member) const {
    switch (step_) {
      case BasisStep::gram:
      case BasisStep::overlap: return member.is_ready();
      case BasisStep::correct: return member.is_corrected();
      case BasisStep::columns:
      case BasisStep::products: return member.has_basis();
      case BasisStep::squares: return member.is_squared();
      case BasisStep::turn_columns:
      case BasisStep::turned: return member.is_turned();
      case BasisStep::turn_basis: return member.is_turned() && member.state->vectors != 0;
    }
    return false;
  }
  KOKKOS_FUNCTION double* first(BasisMember<Real> const& member) const {
    switch (step_) {
      case BasisStep::gram:
      case BasisStep::turned:
      case BasisStep::columns: return member.x;
      case BasisStep::products:
      case BasisStep::turn_columns: return member.y;
      case BasisStep::squares: return member.e;
      case BasisStep::overlap:
      case BasisStep::correct:
      case BasisStep::turn_basis: break;
    }
    return member.v;
  }
  KOKKOS_FUNCTION double* second(BasisMember<Real> const& member) const {
    switch (step_) {
      case BasisStep::correct: return member.g;
      case BasisStep::columns: return member.v;
      case BasisStep::turn_columns:
      case BasisStep::turn_basis: return member.is_squared() ? member.t : member.e;
      default: return first(member);
    }
  }
  KOKKOS_FUNCTION double* result(BasisMember<Real> const& member) const {
    switch (step_) {
      case BasisStep::correct: return member.e;
      case BasisStep::columns:
      case BasisStep::turned: return member.y;
      case BasisStep::squares: return member.t;
      case BasisStep::turn_columns: return member.x;
      default: return member.g;
    }
  }

  BasisMembers<Real> members_;
  BasisStep step_;
};

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION BasisSums result_columns(BasisProduct<Real> const& product,
                                                     TermParts<double> const& /*parts*/,
                                                     int /*part*/, int member) {
  return product.sums(member);
}

/// Of members of orders up to n, which are even if `wide`.
///
/// Cost per member: 2n³ flops and three matrices, or n³ and two of a Gram matrix; in tiles of 64×64
/// each entry of a factor is read n/64 times from the device's cache.
template <class ExecSpace, class Real>
void enqueue_basis_step(ExecSpace const& exec, BasisMembers<Real> const& members, int count, int n,
                        bool wide, BasisStep step) {
  using Tile = TensorTile<64, 64, 16, 2, 32, 32, 3>;
  auto const launch = [&]<OperandOrder left, OperandOrder right>() {
    using Kernel = TensorProductKernel<ExecSpace, double, Tile, left, right, BasisProduct<Real>>;
    int const tiles = quotient_up(n, Tile::rows);
    TileGrid const grid{tiles, tiles, 1, count};
    launch_teams(
        "carroll::svd::basis_product", exec,
        Kernel(BasisProduct<Real>(members, step), grid, {1, n, nullptr}),
        {.count = grid.items(), .threads = Kernel::threads, .scratch = Kernel::scratch_bytes});
  };
  constexpr auto rows = OperandOrder::along_rows, terms = OperandOrder::along_terms;
  if (!wide) return launch.template operator()<OperandOrder::any, OperandOrder::any>();
  if (is_gram(step)) return launch.template operator()<terms, terms>();
  launch.template operator()<rows, terms>();
}

}  // namespace carroll::detail
