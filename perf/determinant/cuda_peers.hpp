// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>
#include <vector>

#include "determinant/contender.hpp"
#include "determinant/matrices.hpp"

namespace carroll::perf {

/// LU factorisations with partial pivoting of cuSOLVER (64-bit interface), one matrix after the
/// other, and of cuBLAS, in batches. A kernel multiplies the diagonals.
enum class CudaFactorisation { cusolver_Xgetrf, cublas_getrfBatched };
std::string to_string(CudaFactorisation which);

/// Those that may be somebody's choice: cuSOLVER for one matrix, cuBLAS for a batch, from order 512
/// on, where a matrix fills a good part of the device, both.
std::vector<CudaFactorisation> cuda_factorisations(DeterminantShape const& shape);

/// On the stream of `exec`.
template <class Real>
std::unique_ptr<DeterminantContender<Real>> make_cuda_determinant(
    Kokkos::Cuda const& exec, CudaFactorisation which, DeterminantMatrices<Real> const& matrices);

}  // namespace carroll::perf
