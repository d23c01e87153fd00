// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "svd/contender.hpp"

namespace carroll::perf {

/// cuSOLVER's SVD drivers: QR iteration, Jacobi, Jacobi in batches (m, n ≤ 32), eigenpairs of AᵀA
/// in strided batches, polar decomposition.
enum class CudaDriver { gesvd, gesvdj, gesvdj_batched, gesvda, gesvdp };
inline constexpr std::array cuda_drivers{CudaDriver::gesvd, CudaDriver::gesvdj,
                                         CudaDriver::gesvdj_batched, CudaDriver::gesvda,
                                         CudaDriver::gesvdp};
std::string_view to_string(CudaDriver driver);

/// Whether the driver solves problems of that shape: gesvdj and gesvdjBatched take m < n too,
/// gesvdjBatched takes m, n ≤ 32 only, and only gesvdjBatched and gesvda take batches.
bool cuda_peer_fits(CudaDriver driver, SvdShape const& shape);

/// `stream` is a cudaStream_t.
template <class Real>
std::unique_ptr<SvdContender<Real>> make_cuda_peer(CudaDriver driver, SvdShape const& shape,
                                                   std::span<Real const> A, void* stream);

}  // namespace carroll::perf
