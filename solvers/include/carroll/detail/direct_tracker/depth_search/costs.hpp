// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/direct_tracker/depth_search/problem.hpp>
#include <carroll/detail/direct_tracker/rows.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>

/// What the current image would look like if the scene were nearer or farther: a plane sweep along
/// the epipolar lines of the samples of each triangle, whose plane is moved as it is, ζ → κₕζ.
///
/// A thread per triangle; its lanes share the hypotheses, so that the samples are read once for
/// all of them and a lane's pixels are next to its neighbours' on one epipolar line. On hosts W
/// hypotheses are one vector. Sums go over the samples one after the other, in double precision:
/// the same bits whatever team, lanes and vectors are. About 40 operations and 4 pixels a sample
/// and hypothesis.
namespace carroll::detail {

template <class ExecSpace, CameraModel Model>
struct DepthCostsKernel {
  TrackerMesh mesh;
  TrackerReference reference;
  TrackerImage image;
  float const* zeta;  ///< M
  TrackerState const* state;
  DepthSearch search;
  int way;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const t = team.league_rank() * team.team_size() + team.team_rank();
    if (t >= mesh.triangles || !searches_depths(*state)) return;
    KOKKOS_IF_ON_HOST((with_host_vectors(OnHost{this, t});))
    KOKKOS_IF_ON_DEVICE((lane_for(team, depth_hypotheses, [&](int h) { sweep<1>(t, h); });))
  }

 private:
  struct OnHost {
    DepthCostsKernel const* kernel;
    int triangle;

    template <int Bytes>
    void run() const {
      constexpr int width = 16;
      static_assert(depth_hypotheses % width == 0);
      for (int h = 0; h < depth_hypotheses; h += width) kernel->template sweep<width>(triangle, h);
    }
  };

  /// The sums of a triangle for the hypotheses h … h + W - 1.
  template <int W>
  KOKKOS_FUNCTION void sweep(int t, int h) const {
    TrackerPose const& pose = search.ways[way].pose;
    float corner[3], factor[W];
    for (int k = 0; k < 3; ++k) corner[k] = zeta[mesh.corners[3 * t + k]];
    for (int w = 0; w < W; ++w) factor[w] = search.factor(h + w);
    double sums[depth_sums][W] = {};
    int const first = reference.offsets[t], last = reference.offsets[t + 1];
    int known = 0;
    for (int i = first; i < last; ++i) {
      float const before = reference.grey[i];
      if (!(before == before)) continue;
      ++known;
      int const sample = mesh.offsets[t] + (i - first) * reference.stride;
      float s[3], turned[3], range = 0;
      for (int k = 0; k < 3; ++k) s[k] = mesh.rays[k][sample];
      for (int k = 0; k < 3; ++k) range += corner[k] * mesh.weights[k][sample];
      for (int k = 0; k < 3; ++k)
        turned[k] =
            pose.rotation[k][0] * s[0] + pose.rotation[k][1] * s[1] + pose.rotation[k][2] * s[2];
      SeenPoints<Model, W> seen;
      CARROLL_INDEPENDENT
      for (int w = 0; w < W; ++w) {
        float const z = range * factor[w];
        seen.project(image.camera, w, turned[0] - z * pose.baseline[0],
                     turned[1] - z * pose.baseline[1], turned[2] - z * pose.baseline[2]);
      }
      SampledImage<W> now;
      now.sample(image, seen);
      double const a = static_cast<double>(before);
      CARROLL_INDEPENDENT
      for (int w = 0; w < W; ++w) {
        int const counts = seen.valid[w] & int(now.grey[w] == now.grey[w]);
        double const n = counts != 0 ? 1.0 : 0.0;
        double const b = counts != 0 ? static_cast<double>(now.grey[w]) : 0.0;
        sums[0][w] += n;
        sums[1][w] += n * a;
        sums[2][w] += b;
        sums[3][w] += n * a * a;
        sums[4][w] += b * b;
        sums[5][w] += a * b;
      }
    }
    if (h == 0) search.known[t] = known;
    for (int k = 0; k < depth_sums; ++k)
      for (int w = 0; w < W; ++w) search.sums_of(t, k)[h + w] = sums[k][w];
  }
};

/// What a hypothesis costs at a vertex: one less the correlation of reference and current image in
/// the triangles around it, which neither gain nor offset there changes.
///
///   c = 1 - C(I*, I)/√((V(I*) + σ²)(V(I) + σ²))
///
/// σ² keeps noise from deciding where there is nothing to be seen. A hypothesis that takes more
/// than half of the samples out of the image costs as much as one without any likeness. A thread
/// per vertex, its lanes along the hypotheses.
template <class ExecSpace>
struct DepthLikenessKernel {
  static constexpr double noise = 4;  ///< σ², in grey levels squared

  TrackerState const* state;
  DepthSearch search;
  int way;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const v = team.league_rank() * team.team_size() + team.team_rank();
    if (v >= search.vertices || !searches_depths(*state)) return;
    int const begin = search.vertex_offsets[v], end = search.vertex_offsets[v + 1];
    double most = 0;
    for (int p = begin; p < end; ++p) most += search.known[search.corners[p] / 3];
    std::uint32_t least = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, depth_hypotheses),
        [&](int h, std::uint32_t& partial) {
          double sum[depth_sums] = {};
          for (int p = begin; p < end; ++p)
            for (int k = 0; k < depth_sums; ++k)
              sum[k] += search.sums_of(search.corners[p] / 3, k)[h];
          double const c = cost(sum, most);
          search.costs_of(v)[h] = static_cast<float>(c);
          auto const whole = static_cast<std::uint32_t>(c * 0x1p20);
          partial = whole < partial ? whole : partial;
        },
        Kokkos::Min<std::uint32_t>(least));
    once_per_thread(team, [&] {
      Kokkos::atomic_add(&search.ways[way].cost, static_cast<unsigned long long>(least));
    });
  }

 private:
  KOKKOS_FUNCTION double cost(double const (&sum)[depth_sums], double most) const {
    double const n = sum[0];
    if (!(n > 0.5 * most) || n < 4) return 1;
    // Sums of large numbers may leave less than nothing.
    double const before = Kokkos::fmax(0.0, (sum[3] - sum[1] * sum[1] / n) / n) + noise;
    double const now = Kokkos::fmax(0.0, (sum[4] - sum[2] * sum[2] / n) / n) + noise;
    double const both = (sum[5] - sum[1] * sum[2] / n) / n;
    return Kokkos::fmax(0.0, 1 - both / Kokkos::sqrt(before * now));
  }
};

}  // namespace carroll::detail
