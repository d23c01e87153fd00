// SPDX-License-Identifier: BSD-3-Clause
// One mistake per CARROLL_CASE_…; each must be answered by the sentence of a static_assert.
#include <Kokkos_Core.hpp>
#include <carroll/denoise.hpp>
#include <carroll/denoise_frames.hpp>
#include <carroll/patch_factors.hpp>
#include <carroll/picture_error.hpp>
#include <carroll/robust_pca.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
template <class T>
using View = Kokkos::View<T, Memory>;

[[maybe_unused]] void calls() {
  Exec const exec;
  [[maybe_unused]] carroll::PatchFactors<Exec> patches;
  [[maybe_unused]] carroll::DenoiseOptions const options;

#if defined(CARROLL_CASE_denoise_of_int)
  (void)carroll::denoise(exec, View<int**>(), View<float**>(), options);
#elif defined(CARROLL_CASE_denoise_into_constants)
  (void)carroll::denoise(exec, View<float**>(), View<float const**>(), options);
#elif defined(CARROLL_CASE_denoise_into_another_rank)
  (void)carroll::denoise(exec, View<float**>(), View<float***>(), options);
#elif defined(CARROLL_CASE_denoise_info_of_rank_1)
  carroll::denoise_async(exec, View<float**>(), View<float**>(), View<carroll::DenoiseInfo*>(),
                         carroll::DenoiseWorkspace<Exec>());
#elif defined(CARROLL_CASE_denoise_frames_info_of_int)
  carroll::denoise_frames_async(exec, View<float***>(), View<float***>(), View<int>(),
                                carroll::FrameDenoiseWorkspace<Exec>());
#elif defined(CARROLL_CASE_robust_pca_of_rank_3)
  (void)carroll::robust_pca(exec, View<float***>(), View<float**>(), View<float**>());
#elif defined(CARROLL_CASE_robust_pca_into_two_types)
  (void)carroll::robust_pca(exec, View<float**>(), View<float**>(), View<double**>());
#elif defined(CARROLL_CASE_patches_info_of_rank_1)
  carroll::factorise_patches_async(exec, 100, View<carroll::PatchFactorInfo*>(), patches, {});
#elif defined(CARROLL_CASE_error_of_rank_1)
  (void)carroll::picture_error(exec, View<float*>(), View<float*>());
#else
  (void)exec;
#endif
}

}  // namespace
