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

/// Products of a launch; some are two of a member.
enum class BasisStep {
  gram,      ///< XᵀX
  columns,   ///< Y = X·V
  products,  ///< YᵀY and VᵀV
  squares,   ///< T + T²/2
  turn,      ///< Y + Y·T and V + V·T
};

/// Of one matrix with itself, of which a triangle of tiles does.
KOKKOS_INLINE_FUNCTION constexpr bool is_gram(BasisStep step) {
  return step == BasisStep::gram || step == BasisStep::products;
}
KOKKOS_INLINE_FUNCTION constexpr bool is_twofold(BasisStep step) {
  return step == BasisStep::products || step == BasisStep::turn;
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

/// A step as TensorProductKernel asks for it, which counts the second products as members behind
/// all others. A member that a step is not for costs a look. `turns` have been made before.
template <class Real>
class BasisProduct {
 public:
  BasisProduct(BasisMembers<Real> const& members, int count, BasisStep step, int turns)
      : members_(members), count_(count), step_(step), turns_(turns) {}

  KOKKOS_FORCEINLINE_FUNCTION int rows(int k) const {
    return is_gram(step_) ? order(k) : length(k);
  }
  KOKKOS_FORCEINLINE_FUNCTION int cols(int k) const { return order(k); }
  KOKKOS_FORCEINLINE_FUNCTION int terms(int k) const {
    return is_gram(step_) ? length(k) : order(k);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool conjugate_factor() { return false; }

  KOKKOS_FORCEINLINE_FUNCTION StridedMatrix<double const> left(int k) const {
    StridedMatrix<double const> const A{first(k), 1, length(k)};
    return is_gram(step_) ? A.transposed() : A;
  }
  KOKKOS_FORCEINLINE_FUNCTION StridedMatrix<double const> right(int k) const {
    return {second(k), 1, is_gram(step_) ? length(k) : order(k)};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION BasisSums sums(int k) const {
    bool const added = step_ == BasisStep::squares || step_ == BasisStep::turn;
    return {{result(k), rows(k)},
            added ? first(k) : nullptr,
            step_ == BasisStep::squares ? 0.5 : 1.0,
            is_gram(step_)};
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION bool wants(Place const& place, int tile_rows, int tile_cols) const {
    bool const inside =
        place.row * tile_rows < rows(place.member) && place.col * tile_cols < cols(place.member);
    return inside && (!is_gram(step_) || place.row <= place.col) && is_for(place.member);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int index(int k) const { return k < count_ ? k : k - count_; }
  /// Is it V's product?
  KOKKOS_FORCEINLINE_FUNCTION bool of_basis(int k) const { return k >= count_; }
  KOKKOS_FORCEINLINE_FUNCTION int order(int k) const {
    return static_cast<int>(members_.slots[index(k)].member.n);
  }
  /// Rows of the first factor, or of what is multiplied with itself: X or Y, else a square.
  KOKKOS_FORCEINLINE_FUNCTION int length(int k) const {
    bool const is_long = step_ != BasisStep::squares && !of_basis(k);
    return is_long ? members_.states[k].rows : order(k);
  }
  KOKKOS_FUNCTION bool is_for(int k) const {
    BasisMember<Real> const member = members_(index(k));
    switch (step_) {
      case BasisStep::gram:
      case BasisStep::columns: return member.is_ready();
      case BasisStep::products:
        if (turns_ == 0) return member.is_ready();
        return member.is_turned(turns_ - 1) && (!of_basis(k) || member.measures_basis(turns_));
      case BasisStep::squares: return member.is_squared(turns_);
      case BasisStep::turn: return member.is_turned(turns_) && is_wanted(k, member);
    }
    return false;
  }
  /// V is not turned where nobody asks for it nor for how orthonormal it is.
  KOKKOS_FUNCTION bool is_wanted(int k, BasisMember<Real> const& member) const {
    return !of_basis(k) || member.state->vectors != 0 || member.measures_basis(turns_ + 1);
  }
  KOKKOS_FUNCTION double* first(int k) const {
    BasisMember<Real> const member = members_(index(k));
    BasisPlaces const at = member.places(turns_);
    switch (step_) {
      case BasisStep::gram:
      case BasisStep::columns: return member.x;
      case BasisStep::squares: return at.turn;
      case BasisStep::products:
      case BasisStep::turn: break;
    }
    return of_basis(k) ? at.v : at.y;
  }
  KOKKOS_FUNCTION double* second(int k) const {
    BasisMember<Real> const member = members_(index(k));
    BasisPlaces const at = member.places(turns_);
    switch (step_) {
      case BasisStep::columns: return at.v;
      case BasisStep::turn: return member.is_squared(turns_) ? at.second : at.turn;
      default: return first(k);
    }
  }
  KOKKOS_FUNCTION double* result(int k) const {
    BasisMember<Real> const member = members_(index(k));
    BasisPlaces const at = member.places(turns_);
    switch (step_) {
      case BasisStep::gram: return member.g;
      case BasisStep::columns: return at.y;
      case BasisStep::squares: return at.second;
      case BasisStep::products:
      case BasisStep::turn: break;
    }
    return of_basis(k) ? at.overlap : at.products;
  }

  BasisMembers<Real> members_;
  int count_;
  BasisStep step_;
  int turns_;
};

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION BasisSums result_columns(BasisProduct<Real> const& product,
                                                     TermParts<double> const& /*parts*/,
                                                     int /*part*/, int member) {
  return product.sums(member);
}

/// Of members of up to `most` rows and columns, all even if `wide`.
///
/// Cost per product: 2mn² flops and three matrices, or mn² and two of a Gram matrix; in tiles of
/// 64×64 each entry of a factor is read n/64 times from the device's cache.
template <class ExecSpace, class Real>
void enqueue_basis_step(ExecSpace const& exec, BasisMembers<Real> const& members, int count,
                        BasisExtents const& most, bool wide, BasisStep step, int turns) {
  using Tile = TensorTile<64, 64, 16, 2, 32, 32, 3>;
  auto const launch = [&]<OperandOrder left, OperandOrder right>() {
    using Kernel = TensorProductKernel<ExecSpace, double, Tile, left, right, BasisProduct<Real>>;
    int const rows = static_cast<int>(most.rows), n = static_cast<int>(most.cols);
    bool const is_long = step == BasisStep::columns || step == BasisStep::turn;
    TileGrid const grid{quotient_up(is_long ? rows : n, Tile::rows), quotient_up(n, Tile::cols), 1,
                        is_twofold(step) ? 2 * count : count};
    launch_teams(
        "carroll::svd::basis_product", exec,
        Kernel(BasisProduct<Real>(members, count, step, turns), grid, {1, rows, nullptr}),
        {.count = grid.items(), .threads = Kernel::threads, .scratch = Kernel::scratch_bytes});
  };
  constexpr auto rows = OperandOrder::along_rows, terms = OperandOrder::along_terms;
  if (!wide) return launch.template operator()<OperandOrder::any, OperandOrder::any>();
  if (is_gram(step)) return launch.template operator()<terms, terms>();
  launch.template operator()<rows, terms>();
}

}  // namespace carroll::detail
