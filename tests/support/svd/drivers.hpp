// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/svd/types.hpp>
#include <cstring>
#include <vector>

#include "support/host_matrix.hpp"

namespace carroll::test {

/// Calls of the solver with host matrices in and out, on the default execution space. They are
/// compiled once, in a library; a test that includes this header alone does not compile the solver.

using carroll::SvdInfo;
using carroll::SvdOptions;
using carroll::SvdVectors;

template <class Real>
struct HostSvd {
  SvdInfo<Real> info;
  HostMatrix<Real> U;  // 0 columns where not wanted
  std::vector<Real> S;
  HostMatrix<Real> V;
};

struct Wanted {
  SvdVectors u = SvdVectors::thin;
  SvdVectors v = SvdVectors::thin;
};

inline constexpr Wanted thin_vectors{SvdVectors::thin, SvdVectors::thin};
inline constexpr Wanted full_vectors{SvdVectors::full, SvdVectors::full};
inline constexpr Wanted only_u{SvdVectors::thin, SvdVectors::none};
inline constexpr Wanted only_v{SvdVectors::none, SvdVectors::thin};
inline constexpr Wanted only_values{SvdVectors::none, SvdVectors::none};

/// One matrix, managed LayoutLeft Views. Outputs are filled with a marker before the call.
template <class Real>
[[nodiscard]] HostSvd<Real> run_svd(HostMatrix<Real> const& A, Wanted wanted = thin_vectors,
                                    SvdOptions const& options = {},
                                    Kokkos::DefaultExecutionSpace const& exec = {});

/// Matrices of equal extents as one uniform batch.
template <class Real>
[[nodiscard]] std::vector<HostSvd<Real>> run_svd_batch(
    std::vector<HostMatrix<Real>> const& matrices, Wanted wanted = thin_vectors,
    SvdOptions const& options = {}, Kokkos::DefaultExecutionSpace const& exec = {});

/// Matrices of any extents as one ragged batch.
template <class Real>
[[nodiscard]] std::vector<HostSvd<Real>> run_svd_ragged(
    std::vector<HostMatrix<Real>> const& matrices, Wanted wanted = thin_vectors,
    SvdOptions const& options = {}, Kokkos::DefaultExecutionSpace const& exec = {});

/// The bits of both results, U, S, V, are the same.
template <class Real>
[[nodiscard]] bool same_factors(HostSvd<Real> const& a, HostSvd<Real> const& b) {
  return same_bits(a.U, b.U) && same_bits(a.S, b.S) && same_bits(a.V, b.V);
}

/// Factors, and everything that SvdInfo reports.
template <class Real>
[[nodiscard]] bool same_result(HostSvd<Real> const& a, HostSvd<Real> const& b) {
  std::vector<Real> const cosines{a.info.max_cosine, b.info.max_cosine};
  return same_factors(a, b) && a.info.status == b.info.status && a.info.sweeps == b.info.sweeps &&
         a.info.rotations == b.info.rotations && a.info.rank == b.info.rank &&
         std::memcmp(&cosines[0], &cosines[1], sizeof(Real)) == 0;
}

}  // namespace carroll::test
