// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/store_infos.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/determinant/warp/rest.hpp>
#include <carroll/detail/determinant/warp/stage.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/memory.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace carroll::detail {

/// Condensation of matrices in registers, one call per warp, in stages: when half of the columns
/// or so have held pivots, what is left of several matrices is gathered in scratch, for groups of
/// fewer lanes and in the end for one lane each. So lanes seldom hold columns that are done, and
/// what a step costs apart from its arithmetic is shared by more matrices.
///
/// 2n³/3 flops, of which a group with all its columns does n³; n² entries read; per matrix n²/2
/// entries through scratch at most.
template <class Warp, class... Shapes>
class RegisterSolver {
  struct End {
    static constexpr int order = 0;
  };
  template <int K>
  using Shape = std::tuple_element_t<K, std::tuple<Shapes..., End>>;
  static constexpr int stages = sizeof...(Shapes);
  template <int K>
  using Stage = RegisterStage<Warp, Shape<K>, Shape<K + 1>::order>;
  /// From which stage K goes on.
  template <int K>
  using Rests = RegisterRests<typename Shape<0>::Scalar, Shape<K>::order,
                              Shape<K - 1>::scratch * sizeof(typename Shape<0>::Scalar)>;

 public:
  using T = typename Shape<0>::Scalar;
  static constexpr int matrices = Shape<stages - 1>::matrices;  ///< of a call, at most
  static constexpr int least_matrices = Shape<0>::matrices;     ///< of one round of all stages

  /// Bytes of scratch, aligned as RegisterChunk.
  static constexpr std::size_t scratch_bytes() { return rests_at<stages>(); }

  /// `ahead`: members from a team's first one to that of the team which likely follows it, negative
  /// if that comes before, where members lie one after the other and are to be asked for in time;
  /// else 0.
  KOKKOS_FUNCTION RegisterSolver(Warp const& warp, DeterminantBatch<T> const& batch,
                                 EntryAccess access, void* scratch, int ahead = 0)
      : warp_(warp),
        batch_(batch),
        access_(access),
        scratch_(static_cast<char*>(scratch)),
        ahead_(ahead) {}

  /// Members first … end-1, at most `matrices`.
  KOKKOS_FUNCTION void solve(int first, int end) const {
    if constexpr (stages > 1) prepare<stages - 1>(first, end, first, end);
    using Last = Stage<stages - 1>;
    int const slot = Last::slot_of(warp_);
    Last const stage(warp_, last_scratch(slot));
    int const member = first + slot;
    bool const exists = member < end;
    auto const outcome =
        run<stages - 1>(stage, exists ? member : end - 1, exists ? slot : end - 1 - first, nullptr,
                        [&] { fetch(first, first, end); });
    if (exists && stage.leads())
      store_info(batch_.info_of(member),
                 outcome.product.info(0, false, RowScale<T>::is_finite(outcome.highest)));
  }

 private:
  /// Where the rests are from which stage K goes on. A single stage has its groups' scratch
  /// instead.
  template <int K>
  KOKKOS_FUNCTION static constexpr std::size_t rests_at() {
    if constexpr (stages == 1)
      return Shape<0>::matrices * Shape<0>::scratch * sizeof(T);
    else if constexpr (K <= 1)
      return 0;
    else
      return rests_at<K - 1>() + Shape<K - 1>::matrices * Rests<K - 1>::stride;
  }
  template <int K>
  KOKKOS_FUNCTION Rests<K> rests() const {
    return Rests<K>(scratch_ + rests_at<K>());
  }
  /// Of a group of the last stage.
  KOKKOS_FUNCTION T* last_scratch(int slot) const {
    if constexpr (stages == 1)
      return reinterpret_cast<T*>(scratch_) + slot * Shape<0>::scratch;
    else
      return reinterpret_cast<T*>(&rests<stages - 1>()[slot]);
  }

  /// Stage K's matrices from `first` on, from where the stages before it leave them.
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void prepare(int first, int end, int team_first, int team_end) const {
    constexpr int step = Shape<K - 1>::matrices;
    auto to = rests<K>();
    end = Kokkos::min(end, first + Shape<K>::matrices);
    CARROLL_NO_UNROLL
    for (; first < end; first += step) {
      if constexpr (K > 1) prepare<K - 1>(first, end, team_first, team_end);
      int const slot = Stage<K - 1>::slot_of(warp_);
      auto* const mine = &to[slot];
      run<K - 1>(Stage<K - 1>(warp_, reinterpret_cast<T*>(mine)),
                 Kokkos::min(first + slot, end - 1), Kokkos::min(slot, end - 1 - first), mine,
                 [&] { fetch(first, team_first, team_end); });
      to = to.from(step);
      warp_.sync();
    }
  }

  /// Asks for the members of the round after the one that begins with `first`, whose own are here:
  /// before, it would be in their way.
  KOKKOS_FUNCTION void fetch(int first, int begin, int end) const {
    if (ahead_ == 0 || warp_.lane != 0) return;
    int next = first + least_matrices;
    if (next >= end) next = begin + ahead_;
    if (next < 0 || next + least_matrices > batch_.members) return;
    auto const size = batch_.source.strides[0];
    static_assert(least_matrices * sizeof(T) % 16 == 0, "for fetch_ahead");
    prefetch(batch_.source.data + next * size,
             static_cast<std::uint32_t>(least_matrices * size * sizeof(T)));
  }

  /// `when_here()`: once stage 0 has read its members.
  template <int K, class WhenHere>
  KOKKOS_FORCEINLINE_FUNCTION auto run(Stage<K> const& stage, int member, int slot,
                                       RegisterRest<T, Shape<K + 1>::order>* to,
                                       WhenHere const& when_here) const {
    if constexpr (K == 0) {
      // Not computed once for all rounds and held in registers.
      auto A = batch_.source_of(member);
      A.row_stride = opaque_register(A.row_stride);
      A.col_stride = opaque_register(A.col_stride);
      return stage.begin(A, access_, opaque_register(batch_.n), to, when_here);
    } else {
      return stage.go_on(rests<K>()[slot], to);
    }
  }

  Warp const& warp_;
  DeterminantBatch<T> const& batch_;
  EntryAccess access_;
  char* scratch_;
  int ahead_;
};

}  // namespace carroll::detail
