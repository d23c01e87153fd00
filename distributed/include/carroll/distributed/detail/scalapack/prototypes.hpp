// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <complex>

/// What Carroll calls of ScaLAPACK and BLACS, which come without headers: Fortran's interface, but
/// for grids and for what moves matrices, which are written in C. Each routine under one name for
/// all its scalars.
extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int* context, int* map, int leading, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
void Cblacs_gridexit(int context);

#define CARROLL_SCALAPACK_SCALAR(letter, T)                                                   \
  void Cp##letter##gemr2d(int m, int n, T const* a, int ia, int ja, int const* desca, T* b,   \
                          int ib, int jb, int const* descb, int context);                     \
  void p##letter##getrf_(int const* m, int const* n, T* a, int const* ia, int const* ja,      \
                         int const* desca, int* ipiv, int* info);                             \
  void p##letter##gels_(char const* trans, int const* m, int const* n, int const* nrhs, T* a, \
                        int const* ia, int const* ja, int const* desca, T* b, int const* ib,  \
                        int const* jb, int const* descb, T* work, int const* lwork, int* info);
CARROLL_SCALAPACK_SCALAR(s, float)
CARROLL_SCALAPACK_SCALAR(d, double)
CARROLL_SCALAPACK_SCALAR(c, std::complex<float>)
CARROLL_SCALAPACK_SCALAR(z, std::complex<double>)
#undef CARROLL_SCALAPACK_SCALAR

#define CARROLL_SCALAPACK_REAL(letter, T)                                                       \
  void p##letter##gesvd_(char const* jobu, char const* jobvt, int const* m, int const* n, T* a, \
                         int const* ia, int const* ja, int const* desca, T* s, T* u,            \
                         int const* iu, int const* ju, int const* descu, T* vt, int const* ivt, \
                         int const* jvt, int const* descvt, T* work, int const* lwork, int* info);
CARROLL_SCALAPACK_REAL(s, float)
CARROLL_SCALAPACK_REAL(d, double)
#undef CARROLL_SCALAPACK_REAL
}

namespace carroll::distributed::detail::scalapack {

#define CARROLL_SCALAPACK_SCALAR(letter, T)                                                        \
  inline void move(int m, int n, T const* a, int ia, int ja, int const* desca, T* b, int ib,       \
                   int jb, int const* descb, int context) {                                        \
    Cp##letter##gemr2d(m, n, a, ia, ja, desca, b, ib, jb, descb, context);                         \
  }                                                                                                \
  inline void getrf(int n, T* a, int ia, int const* desca, int* ipiv, int& info) {                 \
    p##letter##getrf_(&n, &n, a, &ia, &ia, desca, ipiv, &info);                                    \
  }                                                                                                \
  inline void gels(int m, int n, int nrhs, T* a, int const* desca, T* b, int const* descb,         \
                   T* work, int lwork, int& info) {                                                \
    int const one = 1;                                                                             \
    p##letter##gels_("N", &m, &n, &nrhs, a, &one, &one, desca, b, &one, &one, descb, work, &lwork, \
                     &info);                                                                       \
  }
CARROLL_SCALAPACK_SCALAR(s, float)
CARROLL_SCALAPACK_SCALAR(d, double)
CARROLL_SCALAPACK_SCALAR(c, std::complex<float>)
CARROLL_SCALAPACK_SCALAR(z, std::complex<double>)
#undef CARROLL_SCALAPACK_SCALAR

#define CARROLL_SCALAPACK_REAL(letter, T)                                                          \
  inline void gesvd(bool u_wanted, bool v_wanted, int m, int n, T* a, int const* desca, T* s,      \
                    T* u, int const* descu, T* vt, int const* descvt, T* work, int lwork,          \
                    int& info) {                                                                   \
    int const one = 1;                                                                             \
    p##letter##gesvd_(u_wanted ? "V" : "N", v_wanted ? "V" : "N", &m, &n, a, &one, &one, desca, s, \
                      u, &one, &one, descu, vt, &one, &one, descvt, work, &lwork, &info);          \
  }
CARROLL_SCALAPACK_REAL(s, float)
CARROLL_SCALAPACK_REAL(d, double)
#undef CARROLL_SCALAPACK_REAL

}  // namespace carroll::distributed::detail::scalapack
