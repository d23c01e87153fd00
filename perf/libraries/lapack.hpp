// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <lapacke.h>

#include <Kokkos_Complex.hpp>

#include "libraries/of_precision.hpp"

namespace carroll::perf {

/// LAPACK's routines, both precisions of each under one name. The _work forms take the caller's
/// workspace and do not scan for NaN, so that nothing but the routine is timed. Complex ones take
/// the precision of their parts.
template <class Real>
struct Lapack {
  static constexpr auto complex_gelsd =
      of_precision<Real>(LAPACKE_cgelsd_work, LAPACKE_zgelsd_work);
  static constexpr auto complex_geqrf =
      of_precision<Real>(LAPACKE_cgeqrf_work, LAPACKE_zgeqrf_work);
  static constexpr auto complex_gesdd =
      of_precision<Real>(LAPACKE_cgesdd_work, LAPACKE_zgesdd_work);
  static constexpr auto complex_gesv = of_precision<Real>(LAPACKE_cgesv_work, LAPACKE_zgesv_work);
  static constexpr auto gecon = of_precision<Real>(LAPACKE_sgecon_work, LAPACKE_dgecon_work);
  static constexpr auto gejsv = of_precision<Real>(LAPACKE_sgejsv_work, LAPACKE_dgejsv_work);
  static constexpr auto gels = of_precision<Real>(LAPACKE_sgels_work, LAPACKE_dgels_work);
  static constexpr auto gelsd = of_precision<Real>(LAPACKE_sgelsd_work, LAPACKE_dgelsd_work);
  static constexpr auto gelss = of_precision<Real>(LAPACKE_sgelss_work, LAPACKE_dgelss_work);
  static constexpr auto geqp3 = of_precision<Real>(LAPACKE_sgeqp3_work, LAPACKE_dgeqp3_work);
  static constexpr auto geqrf = of_precision<Real>(LAPACKE_sgeqrf_work, LAPACKE_dgeqrf_work);
  static constexpr auto gesdd = of_precision<Real>(LAPACKE_sgesdd_work, LAPACKE_dgesdd_work);
  static constexpr auto gesv = of_precision<Real>(LAPACKE_sgesv_work, LAPACKE_dgesv_work);
  static constexpr auto gesvd = of_precision<Real>(LAPACKE_sgesvd_work, LAPACKE_dgesvd_work);
  static constexpr auto gesvj = of_precision<Real>(LAPACKE_sgesvj_work, LAPACKE_dgesvj_work);
  static constexpr auto getrf = of_precision<Real>(LAPACKE_sgetrf_work, LAPACKE_dgetrf_work);
  static constexpr auto getri = of_precision<Real>(LAPACKE_sgetri_work, LAPACKE_dgetri_work);
  static constexpr auto heevd = of_precision<Real>(LAPACKE_cheevd_work, LAPACKE_zheevd_work);
  static constexpr auto lange = of_precision<Real>(LAPACKE_slange_work, LAPACKE_dlange_work);
  static constexpr auto orgqr = of_precision<Real>(LAPACKE_sorgqr_work, LAPACKE_dorgqr_work);
  static constexpr auto syev = of_precision<Real>(LAPACKE_ssyev_work, LAPACKE_dsyev_work);
  static constexpr auto syevd = of_precision<Real>(LAPACKE_ssyevd_work, LAPACKE_dsyevd_work);
  static constexpr auto ungqr = of_precision<Real>(LAPACKE_cungqr_work, LAPACKE_zungqr_work);
};

/// A complex number as LAPACKE calls it, whose layout is the same.
inline auto* complex_of_lapack(Kokkos::complex<float>* z) {
  return reinterpret_cast<lapack_complex_float*>(z);
}
inline auto* complex_of_lapack(Kokkos::complex<double>* z) {
  return reinterpret_cast<lapack_complex_double*>(z);
}

}  // namespace carroll::perf
