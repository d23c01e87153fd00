// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <type_traits>

#include "libraries/of_precision.hpp"

namespace carroll::perf {

/// cuBLAS' and cuSOLVER's routines, both precisions of each under one name.
template <class Real>
struct CudaRoutines {
  using Complex = std::conditional_t<std::is_same_v<Real, float>, cuComplex, cuDoubleComplex>;
  static constexpr cudaDataType type = of_precision<Real>(CUDA_R_32F, CUDA_R_64F);
  static constexpr cudaDataType complex_type = of_precision<Real>(CUDA_C_32F, CUDA_C_64F);

  // cuBLAS
  static constexpr auto complex_gels_batched =
      of_precision<Real>(cublasCgelsBatched, cublasZgelsBatched);
  static constexpr auto complex_geqrf_batched =
      of_precision<Real>(cublasCgeqrfBatched, cublasZgeqrfBatched);
  static constexpr auto complex_getrf_batched =
      of_precision<Real>(cublasCgetrfBatched, cublasZgetrfBatched);
  static constexpr auto complex_getrs_batched =
      of_precision<Real>(cublasCgetrsBatched, cublasZgetrsBatched);
  static constexpr auto gemv = of_precision<Real>(cublasSgemv, cublasDgemv);
  static constexpr auto geqrf_batched =
      of_precision<Real>(cublasSgeqrfBatched, cublasDgeqrfBatched);
  static constexpr auto getrf_batched =
      of_precision<Real>(cublasSgetrfBatched, cublasDgetrfBatched);
  static constexpr auto getri_batched =
      of_precision<Real>(cublasSgetriBatched, cublasDgetriBatched);
  static constexpr auto getrs_batched =
      of_precision<Real>(cublasSgetrsBatched, cublasDgetrsBatched);
  static constexpr auto syrk = of_precision<Real>(cublasSsyrk, cublasDsyrk);

  // cuSOLVER
  static constexpr auto complex_gesvdj = of_precision<Real>(cusolverDnCgesvdj, cusolverDnZgesvdj);
  static constexpr auto complex_gesvdj_size =
      of_precision<Real>(cusolverDnCgesvdj_bufferSize, cusolverDnZgesvdj_bufferSize);
  static constexpr auto complex_gesvdj_batched =
      of_precision<Real>(cusolverDnCgesvdjBatched, cusolverDnZgesvdjBatched);
  static constexpr auto complex_gesvdj_batched_size =
      of_precision<Real>(cusolverDnCgesvdjBatched_bufferSize, cusolverDnZgesvdjBatched_bufferSize);
  static constexpr auto geqrf = of_precision<Real>(cusolverDnSgeqrf, cusolverDnDgeqrf);
  static constexpr auto geqrf_size =
      of_precision<Real>(cusolverDnSgeqrf_bufferSize, cusolverDnDgeqrf_bufferSize);
  static constexpr auto gesvd = of_precision<Real>(cusolverDnSgesvd, cusolverDnDgesvd);
  static constexpr auto gesvd_size =
      of_precision<Real>(cusolverDnSgesvd_bufferSize, cusolverDnDgesvd_bufferSize);
  static constexpr auto gesvda =
      of_precision<Real>(cusolverDnSgesvdaStridedBatched, cusolverDnDgesvdaStridedBatched);
  static constexpr auto gesvda_size = of_precision<Real>(
      cusolverDnSgesvdaStridedBatched_bufferSize, cusolverDnDgesvdaStridedBatched_bufferSize);
  static constexpr auto gesvdj = of_precision<Real>(cusolverDnSgesvdj, cusolverDnDgesvdj);
  static constexpr auto gesvdj_size =
      of_precision<Real>(cusolverDnSgesvdj_bufferSize, cusolverDnDgesvdj_bufferSize);
  static constexpr auto gesvdj_batched =
      of_precision<Real>(cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched);
  static constexpr auto gesvdj_batched_size =
      of_precision<Real>(cusolverDnSgesvdjBatched_bufferSize, cusolverDnDgesvdjBatched_bufferSize);
  static constexpr auto getrf = of_precision<Real>(cusolverDnSgetrf, cusolverDnDgetrf);
  static constexpr auto getrf_size =
      of_precision<Real>(cusolverDnSgetrf_bufferSize, cusolverDnDgetrf_bufferSize);
  static constexpr auto getrs = of_precision<Real>(cusolverDnSgetrs, cusolverDnDgetrs);
  static constexpr auto orgqr = of_precision<Real>(cusolverDnSorgqr, cusolverDnDorgqr);
  static constexpr auto orgqr_size =
      of_precision<Real>(cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize);
  static constexpr auto potrf = of_precision<Real>(cusolverDnSpotrf, cusolverDnDpotrf);
  static constexpr auto potrf_size =
      of_precision<Real>(cusolverDnSpotrf_bufferSize, cusolverDnDpotrf_bufferSize);
  static constexpr auto potrs = of_precision<Real>(cusolverDnSpotrs, cusolverDnDpotrs);
  static constexpr auto ungqr = of_precision<Real>(cusolverDnCungqr, cusolverDnZungqr);
  static constexpr auto ungqr_size =
      of_precision<Real>(cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize);
};

}  // namespace carroll::perf
