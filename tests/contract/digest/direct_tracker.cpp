// SPDX-License-Identifier: BSD-3-Clause
// The pictures are rendered where they are tracked: they have lines of their own.
#include <utility>

#include "digest.hpp"
#include "support/tracker/problem.hpp"

namespace carroll::test {
namespace {

Hash hash_of(TrackerPicture<float> const& picture) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), picture);
  Hash hash;
  for (std::size_t v = 0; v < host.extent(0); ++v)
    for (std::size_t u = 0; u < host.extent(1); ++u) hash.add(host(v, u));
  return hash;
}

DigestOf const direct_tracker_digest("direct_tracker", [](Digest& digest) {
  for (auto const& [camera, camera_name] :
       {std::pair{Camera<double>::equirectangular(256, 128), "sphere"},
        {Camera<double>::unified(192, 192, 70, 70, 95.5, 95.5, 1), "fisheye"}}) {
    TrackerProblem const problem(camera, 3, 40, 0.1, 0.5, 1);
    digest.add(hash_of(problem.reference), camera_name, "reference");
    digest.add(hash_of(problem.current), camera_name, "current");
    for (auto const& [motion, motion_name] :
         {std::pair{TrackerMotion::ackermann, "ackermann"}, {TrackerMotion::se3, "se3"}})
      for (auto const& [method, method_name] :
           {std::pair{TrackerMethod::esm, "esm"}, {TrackerMethod::gauss_newton, "gauss_newton"}}) {
        TrackedState const state(problem, motion, 1.1);
        auto const info = track_frame(Kokkos::DefaultExecutionSpace(), problem.camera,
                                      problem.reference, problem.current, problem.mesh,
                                      state.view(), {.motion = motion, .method = method});
        digest.add(Hash()
                       .add(state.numbers())
                       .add(info.status)
                       .add(info.end)
                       .add(info.iterations)
                       .add(info.valid_samples)
                       .add(info.initial_cost)
                       .add(info.cost),
                   camera_name, motion_name, method_name);
      }
  }
});

}  // namespace
}  // namespace carroll::test
