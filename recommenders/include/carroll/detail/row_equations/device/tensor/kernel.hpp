// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/row_equations/device/stage.hpp>
#include <carroll/detail/row_equations/device/tensor/system.hpp>
#include <carroll/detail/row_equations/device/tensor/triangle.hpp>
#include <carroll/detail/row_equations/plan.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Rows of a device with tensor cores, in single precision: sums over ratings and the factorisation
/// are products of small matrices. Teams take items, or sums of long rows' segments, as they come
/// to them. Eight ratings at a time are summed up by tensor cores; these sums are one chain of
/// additions for a row, or a segment.
template <class ExecSpace, class Shape, class Work>
class TensorRowKernel {
 public:
  using Triangle = typename Shape::Triangle;
  using Shared = TensorShared<Shape::blocks>;
  using Stage = RowStage<float, TeamMember<ExecSpace>, Shape::ratings, Shape::buffers>;
  using System = TensorSystem<Shape::blocks, TeamMember<ExecSpace>>;
  static constexpr int order = Triangle::order, pitch = Triangle::pitch;
  static constexpr std::size_t factor_bytes = Stage::factor_bytes(pitch);
  static constexpr std::size_t bytes =
      Stage::name_bytes + Shared::other_bytes +
      (factor_bytes > Shared::column_bytes ? factor_bytes : Shared::column_bytes);
  static_assert(Stage::name_bytes % 16 == 0 && Shared::other_bytes % 16 == 0);
  using Policy = BoundedTeams<ExecSpace, Shape::threads, Shape::at_once, bytes + 16>;

  /// `slots`: Shape::image() numbers each.
  TensorRowKernel(RowEquations<float> const& problem, Work const* work, std::int64_t count,
                  float* slots, float* /*own*/, bool by_words)
      : problem_(problem), work_(work), count_(count), slots_(slots), by_words_(by_words) {}

  static int threads(int /*unknowns*/) { return Shape::threads; }
  static std::size_t scratch_bytes(int /*unknowns*/) { return bytes + 16; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto* const scratch = static_cast<unsigned char*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), 16));
    auto* const factors = scratch + Stage::name_bytes + Shared::other_bytes;
    Stage const stage(problem_, team, factors, scratch, order, pitch, by_words_);
    Shared const shared(scratch + Stage::name_bytes, factors);
    System const system{problem_, team, shared};
    Triangle triangle(team.team_rank());
    for (;;) {
      if (team.team_rank() == 0)
        *shared.ticket = static_cast<std::int64_t>(
            Kokkos::atomic_fetch_add(&problem_.findings->ticket, std::uint64_t{1}));
      meet(team);
      std::int64_t const next = *shared.ticket;
      if (next >= count_) return;
      deal_with(work_[next], team, stage, triangle, system);
      meet(team);
    }
  }

 private:
  KOKKOS_FUNCTION float* slot(std::int32_t number) const {
    return slots_ + number * Shape::image(0);
  }
  KOKKOS_FUNCTION static float* right_of(float* image, int r) {
    return image + Triangle::image + r;
  }

  KOKKOS_FORCEINLINE_FUNCTION void deal_with(RowItem const& item, TeamMember<ExecSpace> const& team,
                                             Stage const& stage, Triangle& triangle,
                                             System const& system) const {
    std::int64_t begin = problem_.offsets[item.row], end = problem_.offsets[item.row + 1];
    bool const whole = item.segment < 0;
    if (!whole) {
      begin += item.segment * row_segment;
      end = end - begin < row_segment ? end : begin + row_segment;
    }
    int const r = team.team_rank();
    bool const weighted = problem_.is_weighted();
    float const regularization = problem_.row_regularization(item.row);
    float right = 0;
    triangle.clear();
    stage.stream(item.row, begin, end,
                 [&](float const* y, float const* g, float const* h, int terms) {
                   int const steps = (terms + 7) / 8;
                   if (weighted)
                     triangle.template add_rows<true>(y, g, steps);
                   else
                     triangle.template add_rows<false>(y, g, steps);
                   if (r < order) right += sum_of(y + r, h, steps);
                 });
    meet(team);
    if (whole) return system.finish(item.row, regularization, triangle, right);
    triangle.store(slot(item.slot));
    if (r < order) *right_of(slot(item.slot), r) = right;
  }
  KOKKOS_FORCEINLINE_FUNCTION static float sum_of(float const* y, float const* h, int steps) {
    float sum = 0;
    CARROLL_NO_UNROLL
    for (int s = 0; s < steps; ++s) {
      EightFloats const weight = EightFloats::read(h + 8 * s);
      CARROLL_UNROLL
      for (int n = 0; n < 8; ++n) sum = Kokkos::fma(y[(8 * s + n) * pitch], weight.entry[n], sum);
    }
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION void deal_with(RowSum const& sum, TeamMember<ExecSpace> const& team,
                                             Stage const&, Triangle& triangle,
                                             System const& system) const {
    bool const carried = sum.carry_from >= 0;
    std::int32_t const first = carried ? sum.carry_from : sum.first;
    int const r = team.team_rank();
    float const regularization = problem_.row_regularization(sum.row);
    triangle.load(slot(first));
    float right = r < order ? *right_of(slot(first), r) : 0.0F;
    for (int s = carried ? 0 : 1; s < sum.count; ++s) {
      triangle.add(slot(sum.first + s));
      if (r < order) right += *right_of(slot(sum.first + s), r);
    }
    if (sum.carry_to < 0) return system.finish(sum.row, regularization, triangle, right);
    triangle.store(slot(sum.carry_to));
    if (r < order) *right_of(slot(sum.carry_to), r) = right;
  }

  RowEquations<float> problem_;
  Work const* work_;
  std::int64_t count_;
  float* slots_;
  bool by_words_;
};

}  // namespace carroll::detail
