// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "svd/contender.hpp"

namespace carroll::perf {

/// LAPACK's SVD drivers: divide and conquer, QR iteration, one-sided Jacobi, the same after two
/// pivoted QR factorisations.
enum class HostDriver { gesdd, gesvd, gesvj, gejsv };
inline constexpr std::array host_drivers{HostDriver::gesdd, HostDriver::gesvd, HostDriver::gesvj,
                                         HostDriver::gejsv};
std::string_view to_string(HostDriver driver);

/// Whether the driver solves problems of that shape (gesvj and gejsv: m ≥ n only).
inline bool host_peer_fits(HostDriver driver, SvdShape const& shape) {
  bool const jacobi = driver == HostDriver::gesvj || driver == HostDriver::gejsv;
  return !jacobi || shape.rows >= shape.cols;
}

/// A single matrix uses the library's own threads; a batch is dealt out to `threads` OpenMP
/// threads, each calling the library single-threaded, which is the fastest way to use it there.
template <class Real>
std::unique_ptr<SvdContender<Real>> make_host_peer(HostDriver driver, SvdShape const& shape,
                                                   std::span<Real const> A, int threads);

}  // namespace carroll::perf
