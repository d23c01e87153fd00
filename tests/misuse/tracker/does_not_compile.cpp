// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/carry_depths.hpp>
#include <carroll/dense_depths.hpp>
#include <carroll/direct_tracker.hpp>
#include <carroll/rectify.hpp>
#include <carroll/tracker_window.hpp>
#include <cstdint>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using View = Kokkos::View<T, typename Exec::memory_space>;

[[maybe_unused]] void calls() {
  Exec const exec;
  View<float**> const image;
  View<std::uint8_t**> const bytes;
  View<double*> const v;
  carroll::DirectTrackerState const state{v, v};
  carroll::SphericalMesh<float, typename Exec::memory_space> const mesh;
  auto const camera = carroll::Camera<double>::equirectangular(64, 32);
  auto workspace = carroll::direct_tracker_workspace(exec, camera, mesh);
  carroll::Lens<double> const lens;
  carroll::LensRectifier<Exec> const rectifier;
  carroll::DenseDepthsWorkspace<Exec> const dense;
  carroll::TrackerWindowWorkspace<Exec> window;

#if defined(CARROLL_CASE_tracker_image_of_double)
  (void)carroll::track_frame(exec, View<double**>(), state, workspace);
#elif defined(CARROLL_CASE_tracker_image_of_rank_1)
  carroll::set_reference_async(exec, View<float*>(), workspace);
#elif defined(CARROLL_CASE_tracker_state_of_two_views)
  (void)carroll::track_frame(exec, image, v, workspace);
#elif defined(CARROLL_CASE_tracker_motion_of_float)
  (void)carroll::track_frame(exec, image, carroll::DirectTrackerState{View<float*>(), v},
                             workspace);
#elif defined(CARROLL_CASE_tracker_depth_of_constants)
  (void)carroll::track_frame(exec, image, carroll::DirectTrackerState{v, View<double const*>()},
                             workspace);
#elif defined(CARROLL_CASE_tracker_info_of_int)
  carroll::track_frame_async(exec, image, state, View<int>(), workspace);
#elif defined(CARROLL_CASE_tracker_mesh_of_views)
  (void)carroll::direct_tracker_workspace(exec, camera, v);
#elif defined(CARROLL_CASE_tracker_mask_of_int)
  (void)carroll::track_frame(exec, carroll::MaskedImage{image, View<int**>()}, state, workspace);
#elif defined(CARROLL_CASE_tracker_masked_image_of_rank_3)
  carroll::set_reference_async(exec, carroll::MaskedImage{View<float***>(), bytes}, workspace);
#elif defined(CARROLL_CASE_window_state_of_tracker)
  (void)carroll::track_window(exec, state, window);
#elif defined(CARROLL_CASE_window_motions_of_rank_1)
  (void)carroll::track_window(exec, carroll::TrackerWindowState{v, v}, window);
#elif defined(CARROLL_CASE_carry_mesh_of_views)
  (void)carroll::carry_depths_workspace(exec, v);
#elif defined(CARROLL_CASE_carry_state_of_two_views)
  carroll::carry_depths_async(exec, v, carroll::carry_depths_workspace(exec, mesh));
#elif defined(CARROLL_CASE_carry_depth_of_constants)
  carroll::carry_depths_async(exec, carroll::DirectTrackerState{v, View<double const*>()},
                              carroll::carry_depths_workspace(exec, mesh));
#elif defined(CARROLL_CASE_keep_start_of_int)
  carroll::keep_scale_async(exec, View<int*>(), state);
#elif defined(CARROLL_CASE_dense_camera_of_views)
  (void)carroll::dense_depths_workspace(exec, v, mesh);
#elif defined(CARROLL_CASE_dense_mesh_of_views)
  (void)carroll::dense_depths_workspace(exec, lens, v);
#elif defined(CARROLL_CASE_dense_depths_of_int)
  carroll::dense_depths_async(exec, View<int*>(), image, dense);
#elif defined(CARROLL_CASE_dense_result_of_constants)
  carroll::dense_depths_async(exec, v, View<float const**>(), dense);
#elif defined(CARROLL_CASE_rectify_picture_of_double)
  carroll::rectify_async(exec, View<double**>(), image, rectifier);
#elif defined(CARROLL_CASE_rectify_result_of_bytes)
  carroll::rectify_async(exec, image, bytes, rectifier);
#elif defined(CARROLL_CASE_rectify_one_mask)
  carroll::rectify_async(exec, carroll::MaskedImage{image, bytes}, image, rectifier);
#elif defined(CARROLL_CASE_rectify_mask_of_float)
  carroll::rectify_async(exec, carroll::MaskedImage{image, bytes},
                         carroll::MaskedImage{image, image}, rectifier);
#elif defined(CARROLL_CASE_lens_of_int)
  (void)carroll::Lens<int>();
#elif defined(CARROLL_CASE_tracker_camera_of_int)
  (void)carroll::Camera<int>();
#else
  carroll::set_reference_async(exec, carroll::MaskedImage{bytes, image}, workspace);
  (void)carroll::track_frame(exec, carroll::MaskedImage{image, bytes}, state, workspace);
  carroll::set_reference_async(exec, bytes, workspace);
  (void)carroll::track_frame(exec, bytes, state, workspace);
  (void)carroll::track_frame(exec, camera, image, bytes, mesh, state);
  carroll::keep_scale_async(exec, View<float const*>(), state);
  carroll::carry_depths_async(exec, state, carroll::carry_depths_workspace(exec, mesh));
  carroll::rectify_async(exec, bytes, image, rectifier);
  carroll::rectify_async(exec, carroll::MaskedImage{bytes, image},
                         carroll::MaskedImage{image, bytes},
                         carroll::lens_rectifier(exec, lens, camera));
  carroll::dense_depths_async(exec, v, image, carroll::dense_depths_workspace(exec, lens, mesh));
  carroll::dense_depths_async(exec, View<float const*>(), View<double**>(), dense);
#endif
}

}  // namespace
