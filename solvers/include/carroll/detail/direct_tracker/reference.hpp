// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/direct_tracker/rows.hpp>
#include <carroll/detail/team.hpp>

/// Samples the reference image on a level: I*(s) of each row, and q* = (∂π/∂s)ᵀ∇I* for ESM. A
/// thread per triangle, its lanes along the triangle's rows. Once per reference image.
namespace carroll::detail {

template <class ExecSpace, CameraModel Model>
struct SampleReferenceKernel {
  TrackerMesh mesh;
  TrackerReference reference;
  TrackerImage image;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const t = team.league_rank() * team.team_size() + team.team_rank();
    if (t >= mesh.triangles) return;
    int const first = reference.offsets[t];
    int const first_sample = mesh.offsets[t];
    auto const keep = [&](int i) {
      int const sample = first_sample + i * reference.stride;
      SeenPoints<Model, 1> seen;
      seen.project(image.camera, 0, mesh.rays[0][sample], mesh.rays[1][sample],
                   mesh.rays[2][sample]);
      SampledImage<1> at{};
      at.sample(image, seen);
      reference.grey[first + i] =
          seen.valid[0] ? at.grey[0] : Kokkos::Experimental::quiet_NaN_v<float>;
      if (reference.gradient[0])
        for (int k = 0; k < 3; ++k) reference.gradient[k][first + i] = at.q[k][0];
      return seen.valid[0] & int(at.grey[0] == at.grey[0]);
    };
    int count = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, reference.offsets[t + 1] - first),
        [&](int i, int& sum) { sum += keep(i); }, count);
    once_per_thread(team, [&] { Kokkos::atomic_add(reference.seen, count); });
  }
};

}  // namespace carroll::detail
