// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/mesh_jacobian/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// The conjugate gradients of MeshGradientsKernel on a GPU, for meshes of up to `most_vertices`, by
/// a team of `warps`: H and all vectors stay in registers, two rows of H a lane, u alone is in
/// scratch, where neighbours read it. Row v is always that of lane v%32 of warp (v/32)%warps, and
/// the two sums of an iteration are formed by exchanges in the warp and then between the warps, so
/// that the bits do not depend on the launch.
///
/// An iteration has two barriers, ten exchanges, and as many reads of u at places that the mesh
/// gives as H has entries: 0.9 µs on an H200 for 1000 vertices, mostly for those, a seventh less
/// with floats. H is read once.
///
/// U, the type of u, is float where the tolerance is so loose that it does not matter: half the
/// bytes, half the waits for banks of scratch. u is then D⁻¹r rounded, wherever it is used, which
/// is another preconditioner by 6e-8; x and r go together as before. So that floats can hold u, r
/// is multiplied by a power of two with which u begins below 2.
template <class Real, class U>
class RegisterGradients {
 public:
  static constexpr bool is_single = sizeof(U) < sizeof(double);
  /// Of the conjugate gradients: with less u is in double precision.
  static constexpr double loose = 1e-3;

  static constexpr int warps = 16;
  static constexpr int rows = 2;  ///< of a lane
  static constexpr int most_vertices = warps * rows * slice_rows;

  /// Of scratch, in doubles.
  static constexpr int size = most_vertices + 2 * warps;

  template <class Member>
  KOKKOS_FUNCTION RegisterGradients(MeshBatch<Real> const& batch, Member const& team, int problem,
                                    int q, double* scratch)
      : batch_(batch),
        problem_(problem),
        q_(q),
        first_slice_(team.team_rank()),
        u_(reinterpret_cast<U*>(scratch + 2 * warps)),
        warp_sums_(scratch) {
    lane_for(team, 32, [&](int lane) { warp_.lane = lane; });
  }

  /// HY = b or Hz = g: solution and residual go to memory.
  template <class Member>
  KOKKOS_FUNCTION void solve(Member const& team) {
    CARROLL_UNROLL
    for (int i = 0; i < rows; ++i) load(row_[i], first_slice_ + i * warps);
    double back = 1;
    if constexpr (is_single) back = scale(team);
    CARROLL_UNROLL
    for (int i = 0; i < rows; ++i) put(row_[i]);
    double const square_tolerance = batch_.options.tolerance * batch_.options.tolerance;
    // γ, and 1/γ and 1/α of the iteration before.
    double first = 0, gamma = 0, inverse_gamma = 0, inverse_alpha = 0;
    int iteration = 0;
    for (;; ++iteration) {
      team.team_barrier();
      double w[rows], own_gamma = 0, own_delta = 0;
      CARROLL_UNROLL
      for (int i = 0; i < rows; ++i) {
        w[i] = product(row_[i]);
        own_gamma = Kokkos::fma(row_[i].r, row_[i].u, own_gamma);
        own_delta = Kokkos::fma(w[i], row_[i].u, own_delta);
      }
      double delta;
      sum_up(team, own_gamma, own_delta, gamma, delta);
      if (iteration == 0) first = gamma;
      if (!(gamma > square_tolerance * first) || iteration == batch_.options.max_iterations) break;
      double const beta = gamma * inverse_gamma;
      double const curvature = Kokkos::fma(-beta * gamma, inverse_alpha, delta);
      if (!(curvature > 0)) {
        if (curvature != curvature) gamma = curvature;
        break;
      }
      double const alpha = gamma / curvature;
      CARROLL_UNROLL
      for (int i = 0; i < rows; ++i) update(row_[i], w[i], alpha, beta);
      inverse_gamma = 1 / gamma;
      inverse_alpha = curvature * inverse_gamma;
    }
    std::ptrdiff_t const at = batch_.vector_of(problem_, q_);
    CARROLL_UNROLL
    for (int i = 0; i < rows; ++i)
      if (row_[i].v < batch_.padded()) {
        batch_.solutions[at + row_[i].v] = row_[i].x * back;
        batch_.residuals[at + row_[i].v] = row_[i].r * back;
      }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int const system = batch_.system_of(problem_, q_);
      batch_.iterations[system] = iteration;
      batch_.errors[system] = first == 0 ? 0 : Kokkos::sqrt(gamma / first);
    });
  }

 private:
  /// Entries of a row that registers hold, two columns in a word; what a row has more, as few do,
  /// is read again.
  static constexpr int held = 8;

  struct Row {
    int v;
    int rest, end;  ///< entries beyond those, in the slice's rows
    double diagonal, inverse;
    double value[held];
    std::uint32_t columns[held / 2];
    double x, r, p, s, u;
  };

  /// Rows beyond the mesh are zeros.
  KOKKOS_FUNCTION void load(Row& row, int slice) const {
    bool const inside = slice < batch_.slices;
    int const* const slices = batch_.slice_offsets(problem_) + (inside ? slice : 0);
    int const v = slice * slice_rows + warp_.lane;
    int const begin = slices[0] + warp_.lane;
    int const end = inside ? slices[1] : 0;
    double const* const values = batch_.matrix_of(problem_);
    row.v = v;
    CARROLL_UNROLL
    for (int j = 0; j < held; j += 2) {
      std::uint32_t column[2];
      CARROLL_UNROLL
      for (int h = 0; h < 2; ++h) {
        int const e = begin + (j + h) * slice_rows;
        row.value[j + h] = e < end ? values[e] : 0.0;
        column[h] = static_cast<std::uint32_t>(e < end ? batch_.pattern.columns[e] : v);
      }
      row.columns[j / 2] = column[0] | column[1] << 16;
    }
    row.rest = begin + held * slice_rows;
    row.end = end;
    row.diagonal = inside ? batch_.diagonal_of(problem_)[v] : 0.0;
    row.r = inside ? batch_.rhs[batch_.vector_of(problem_, q_) + v] : 0.0;
    row.inverse = row.diagonal == 0 ? 0 : 1 / row.diagonal;
    row.x = row.p = row.s = 0;
  }

  /// u of a row, for its neighbours, too.
  KOKKOS_FUNCTION void put(Row& row) const {
    U const u = static_cast<U>(row.r * row.inverse);
    row.u = static_cast<double>(u);
    u_[row.v] = u;
  }

  /// Multiplies r by a power of two, and returns one over it.
  template <class Member>
  KOKKOS_FUNCTION double scale(Member const& team) {
    int largest = 0;
    CARROLL_UNROLL
    for (int i = 0; i < rows; ++i)
      largest = Kokkos::max(largest, magnitude(row_[i].r * row_[i].inverse));
    largest = warp_.max(largest);
    int* const of_warps = reinterpret_cast<int*>(warp_sums_);
    if (warp_.lane == 0) of_warps[first_slice_] = largest;
    team.team_barrier();
    int const exponent = warp_.max(of_warps[warp_.lane % warps]) >> 20;
    if (exponent < 1 || exponent > 2045) return 1;  // 0, or nothing that could be helped
    auto const power = [](int biased) {
      return Kokkos::bit_cast<double>(static_cast<std::uint64_t>(biased) << 52);
    };
    CARROLL_UNROLL
    for (int i = 0; i < rows; ++i) row_[i].r *= power(2046 - exponent);
    return power(exponent);
  }

  /// An entry of Hu.
  KOKKOS_FUNCTION double product(Row const& row) const {
    double sum = row.diagonal * row.u, other = 0;
    CARROLL_UNROLL
    for (int j = 0; j < held; j += 2) {
      std::uint32_t const columns = row.columns[j / 2];
      sum = Kokkos::fma(row.value[j], static_cast<double>(u_[columns & 0xffffU]), sum);
      other = Kokkos::fma(row.value[j + 1], static_cast<double>(u_[columns >> 16]), other);
    }
    CARROLL_NO_UNROLL
    for (int e = row.rest; e < row.end; e += slice_rows)
      sum = Kokkos::fma(batch_.matrix_of(problem_)[e],
                        static_cast<double>(u_[batch_.pattern.columns[e]]), sum);
    return sum + other;
  }

  /// The sums of x and y over all lanes of the team, on each of them.
  template <class Member>
  KOKKOS_FUNCTION void sum_up(Member const& team, double x, double y, double& sum_x,
                              double& sum_y) const {
    // The lower half of the lanes goes on with x, the upper one with y.
    bool const upper = warp_.lane >= 16;
    double const given = upper ? double{x} : double{y};
    double sum = (upper ? double{y} : double{x}) + warp_.from(given, warp_.lane ^ 16);
    sum = half_sum(sum);
    if (warp_.lane % 16 == 0) warp_sums_[warp_.lane + first_slice_] = sum;
    team.team_barrier();
    static_assert(warps == 16);
    sum = warp_sums_[warp_.lane];
    sum = half_sum(sum);
    sum_x = warp_.from(sum, 0);
    sum_y = warp_.from(sum, 16);
  }

  /// Over the lanes of half a warp.
  KOKKOS_FUNCTION double half_sum(double sum) const { return lanes_sum_down<8>(warp_, sum); }

  KOKKOS_FUNCTION void update(Row& row, double w, double alpha, double beta) const {
    row.p = Kokkos::fma(beta, row.p, row.u);
    row.s = Kokkos::fma(beta, row.s, w);
    row.x = Kokkos::fma(alpha, row.p, row.x);
    row.r = Kokkos::fma(-alpha, row.s, row.r);
    put(row);
  }

  MeshBatch<Real> const& batch_;
  int problem_, q_, first_slice_;
  U* u_;
  double* warp_sums_;
  DeviceWarp warp_{0};
  Row row_[rows];
};

}  // namespace carroll::detail
