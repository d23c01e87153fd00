// SPDX-License-Identifier: BSD-3-Clause
// LAPACK's SVD drivers gesvd, gesdd, gesvdx, gesvj and gejsv in both real precisions, Carroll's SVD
// behind them: a tool for LAPACK's own test programs, which find it where it is loaded before
// LAPACK. Checks of arguments and what is overwritten are LAPACK's; the workspace is asked for, and
// not used. What the structure and scaling options of gesvj and gejsv leave open is not made use
// of: the whole of A is read, no small value is set to 0, and the scale is 1.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "behind.hpp"
#include "call.hpp"

namespace carroll::lapack_test {
namespace {

template <class Real>
void gesvd(char const* jobu, char const* jobvt, int m, int n, Real* a, int lda, Real* s, Real* u,
           int ldu, Real* vt, int ldvt, Real* work, int lwork, int* info) {
  int const least = std::min(m, n);
  Call<Real> call(Routine::gesvd, "GESVD", info);
  call.require(1, is(jobu, "ASON"));
  call.require(2, is(jobvt, "ASON") && !(is(jobu, "O") && is(jobvt, "O")));
  call.require(3, m >= 0);
  call.require(4, n >= 0);
  call.require(6, lda >= std::max(1, m));
  call.require(9, ldu >= (is(jobu, "AS") ? std::max(1, m) : 1));
  call.require(11, ldvt >= std::max(1, is(jobvt, "A") ? n : is(jobvt, "S") ? least : 1));
  if (call.is_done(13, lwork, std::max(1, 5 * least), work) || least == 0) return;

  Matrix<Real> U, V;
  if (is(jobu, "AS")) U = by_columns(u, m, is(jobu, "A") ? m : least, ldu);
  if (is(jobu, "O")) U = by_columns(a, m, least, lda);
  if (is(jobvt, "AS")) V = by_rows(vt, n, is(jobvt, "A") ? n : least, ldvt);
  if (is(jobvt, "O")) V = by_rows(a, n, least, lda);
  call.decompose(Input<Real>(a, m, n, lda, is(jobu, "O") || is(jobvt, "O")), U, s, V);
}

template <class Real>
void gesdd(char const* jobz, int m, int n, Real* a, int lda, Real* s, Real* u, int ldu, Real* vt,
           int ldvt, Real* work, int lwork, int* /*iwork*/, int* info) {
  int const least = std::min(m, n);
  bool const over = is(jobz, "O");
  bool const tall = m >= n;
  Call<Real> call(Routine::gesdd, "GESDD", info);
  call.require(1, is(jobz, "ASON"));
  call.require(2, m >= 0);
  call.require(3, n >= 0);
  call.require(5, lda >= std::max(1, m));
  call.require(8, ldu >= std::max(1, is(jobz, "AS") || (over && !tall) ? m : 1));
  call.require(10, ldvt >= std::max(1, is(jobz, "A") || (over && tall) ? n
                                       : is(jobz, "S")                 ? least
                                                                       : 1));
  if (call.is_done(12, lwork, std::max(1, 7 * least), work) || least == 0) return;

  // With 'O' the side that has the shape of A takes its place, the other one is square.
  Matrix<Real> U, V;
  if (is(jobz, "AS")) {
    U = by_columns(u, m, is(jobz, "A") ? m : least, ldu);
    V = by_rows(vt, n, is(jobz, "A") ? n : least, ldvt);
  } else if (over) {
    U = tall ? by_columns(a, m, n, lda) : by_columns(u, m, m, ldu);
    V = tall ? by_rows(vt, n, n, ldvt) : by_rows(a, n, m, lda);
  }
  call.decompose(Input<Real>(a, m, n, lda, over), U, s, V, 4);
}

template <class Real>
void gesvdx(char const* jobu, char const* jobvt, char const* range, int m, int n, Real* a, int lda,
            Real vl, Real vu, int il, int iu, int* ns, Real* s, Real* u, int ldu, Real* vt,
            int ldvt, Real* work, int lwork, int* /*iwork*/, int* info) {
  int const least = std::min(m, n);
  bool const by_value = is(range, "V");
  bool const by_index = is(range, "I");
  *ns = 0;
  Call<Real> call(Routine::gesvdx, "GESVDX", info);
  call.require(1, is(jobu, "VN"));
  call.require(2, is(jobvt, "VN"));
  call.require(3, is(range, "AVI"));
  call.require(4, m >= 0);
  call.require(5, n >= 0);
  call.require(7, lda >= std::max(1, m));
  if (least > 0) {
    call.require(8, !by_value || vl >= 0);
    call.require(9, !by_value || vu > vl);
    call.require(10, !by_index || (il >= 1 && il <= least));
    call.require(11, !by_index || (iu >= std::min(least, il) && iu <= least));
    call.require(15, is(jobu, "N") || ldu >= m);
    call.require(17, is(jobvt, "N") || ldvt >= (by_index ? iu - il + 1 : least));
  }
  if (call.is_done(19, lwork, std::max(1, 2 * least), work) || least == 0) return;

  // All of them, and of these the ones that are asked for.
  auto const size = [](int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  };
  std::vector<Real> sigma(size(least, 1)), left(size(m, least)), right(size(n, least));
  Matrix<Real> U, V;
  if (is(jobu, "V")) U = by_columns(left.data(), m, least, m);
  if (is(jobvt, "V")) V = by_columns(right.data(), n, least, n);
  call.decompose(by_columns(a, m, n, lda), U, sigma.data(), V);
  for (int k = 0; k < least; ++k) {
    Real const value = sigma[static_cast<std::size_t>(k)];
    if (by_index && (k + 1 < il || k + 1 > iu)) continue;
    if (by_value && !(vl < value && value <= vu)) continue;
    for (int i = 0; U.data != nullptr && i < m; ++i) by_columns(u, m, least, ldu)(i, *ns) = U(i, k);
    for (int i = 0; V.data != nullptr && i < n; ++i) by_rows(vt, n, least, ldvt)(i, *ns) = V(i, k);
    s[(*ns)++] = value;
  }
}

template <class Real>
void gesvj(char const* joba, char const* jobu, char const* jobv, int m, int n, Real* a, int lda,
           Real* sva, int mv, Real* v, int ldv, Real* work, int lwork, int* info) {
  bool const applied = is(jobv, "A");
  Call<Real> call(Routine::gesvj, "GESVJ", info);
  call.require(1, is(joba, "LUG"));
  call.require(2, is(jobu, "UCN"));
  call.require(3, is(jobv, "VAN"));
  call.require(4, m >= 0);
  call.require(5, n >= 0 && n <= m);
  call.require(7, lda >= m);
  call.require(9, mv >= 0);
  call.require(11, is(jobv, "N") || ldv >= (applied ? mv : n));
  call.require(12, !is(jobu, "C") || work[0] > 1);
  if (call.is_done(13, lwork, std::max(6, m + n), work) || n == 0) return;

  std::vector<Real> rotations(applied ? static_cast<std::size_t>(n) * static_cast<std::size_t>(n)
                                      : 0);
  Matrix<Real> U, V;
  if (!is(jobu, "N")) U = by_columns(a, m, n, lda);
  if (is(jobv, "V")) V = by_columns(v, n, n, ldv);
  if (applied) V = by_columns(rotations.data(), n, n, n);
  auto const result = call.decompose(Input<Real>(a, m, n, lda, U.data != nullptr), U, sva, V, 6);
  if (applied) {
    auto const given = by_columns(v, mv, n, ldv);
    for (int i = 0; i < mv; ++i) {
      std::vector<Real> row(static_cast<std::size_t>(n));
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) row[static_cast<std::size_t>(j)] += given(i, k) * V(k, j);
      for (int j = 0; j < n; ++j) given(i, j) = row[static_cast<std::size_t>(j)];
    }
  }
  auto const above = [&](Real bound) {
    return static_cast<Real>(std::count_if(sva, sva + n, [&](Real x) { return x > bound; }));
  };
  work[0] = 1;
  work[1] = above(0);
  work[2] = above(std::numeric_limits<Real>::min());
  work[3] = static_cast<Real>(result.sweeps);
  work[4] = result.max_cosine;
  work[5] = 0;
}

template <class Real>
void gejsv(char const* joba, char const* jobu, char const* jobv, char const* jobr, char const* jobt,
           char const* jobp, int m, int n, Real* a, int lda, Real* sva, Real* u, int ldu, Real* v,
           int ldv, Real* work, int lwork, int* iwork, int* info) {
  Call<Real> call(Routine::gejsv, "GEJSV", info);
  call.require(1, is(joba, "CEFGAR"));
  call.require(2, is(jobu, "UFWN"));
  call.require(3, is(jobv, "VJWN"));
  call.require(4, is(jobr, "NR"));
  call.require(5, is(jobt, "TN"));
  call.require(6, is(jobp, "PN"));
  call.require(7, m >= 0);
  call.require(8, n >= 0 && n <= m);
  call.require(10, lda >= m);
  call.require(13, !is(jobu, "UF") || ldu >= m);
  call.require(15, !is(jobv, "VJ") || ldv >= n);
  if (call.is_done(17, lwork, std::max({7, 2 * m + n, 4 * n + 1}), work)) return;
  std::fill_n(work, 7, Real(0));
  std::fill_n(iwork, 3, 0);
  if (n == 0) return;

  Matrix<Real> U, V;
  if (is(jobu, "UF")) U = by_columns(u, m, is(jobu, "F") ? m : n, ldu);
  if (is(jobv, "VJ")) V = by_columns(v, n, n, ldv);
  auto const result = call.decompose(by_columns(a, m, n, lda), U, sva, V, 9);
  work[0] = work[1] = 1;
  work[2] = -1;  // no estimate of the condition number
  iwork[0] = result.rank;
  iwork[1] = static_cast<int>(std::count_if(sva, sva + n, [](Real x) { return x > 0; }));
}

}  // namespace
}  // namespace carroll::lapack_test

// Fortran gives everything by address, and the lengths of strings behind the last argument, where
// they disturb nobody.
#define CARROLL_LAPACK_DRIVERS(p, Real)                                                            \
  extern "C" [[gnu::visibility("default")]] void p##gesvd_(                                        \
      char const* jobu, char const* jobvt, int const* m, int const* n, Real* a, int const* lda,    \
      Real* s, Real* u, int const* ldu, Real* vt, int const* ldvt, Real* work, int const* lwork,   \
      int* info) {                                                                                 \
    carroll::lapack_test::gesvd(jobu, jobvt, *m, *n, a, *lda, s, u, *ldu, vt, *ldvt, work, *lwork, \
                                info);                                                             \
  }                                                                                                \
  extern "C" [[gnu::visibility("default")]] void p##gesdd_(                                        \
      char const* jobz, int const* m, int const* n, Real* a, int const* lda, Real* s, Real* u,     \
      int const* ldu, Real* vt, int const* ldvt, Real* work, int const* lwork, int* iwork,         \
      int* info) {                                                                                 \
    carroll::lapack_test::gesdd(jobz, *m, *n, a, *lda, s, u, *ldu, vt, *ldvt, work, *lwork, iwork, \
                                info);                                                             \
  }                                                                                                \
  extern "C" [[gnu::visibility("default")]] void p##gesvdx_(                                       \
      char const* jobu, char const* jobvt, char const* range, int const* m, int const* n, Real* a, \
      int const* lda, Real const* vl, Real const* vu, int const* il, int const* iu, int* ns,       \
      Real* s, Real* u, int const* ldu, Real* vt, int const* ldvt, Real* work, int const* lwork,   \
      int* iwork, int* info) {                                                                     \
    carroll::lapack_test::gesvdx(jobu, jobvt, range, *m, *n, a, *lda, *vl, *vu, *il, *iu, ns, s,   \
                                 u, *ldu, vt, *ldvt, work, *lwork, iwork, info);                   \
  }                                                                                                \
  extern "C" [[gnu::visibility("default")]] void p##gesvj_(                                        \
      char const* joba, char const* jobu, char const* jobv, int const* m, int const* n, Real* a,   \
      int const* lda, Real* sva, int const* mv, Real* v, int const* ldv, Real* work,               \
      int const* lwork, int* info) {                                                               \
    carroll::lapack_test::gesvj(joba, jobu, jobv, *m, *n, a, *lda, sva, *mv, v, *ldv, work,        \
                                *lwork, info);                                                     \
  }                                                                                                \
  extern "C" [[gnu::visibility("default")]] void p##gejsv_(                                        \
      char const* joba, char const* jobu, char const* jobv, char const* jobr, char const* jobt,    \
      char const* jobp, int const* m, int const* n, Real* a, int const* lda, Real* sva, Real* u,   \
      int const* ldu, Real* v, int const* ldv, Real* work, int const* lwork, int* iwork,           \
      int* info) {                                                                                 \
    carroll::lapack_test::gejsv(joba, jobu, jobv, jobr, jobt, jobp, *m, *n, a, *lda, sva, u, *ldu, \
                                v, *ldv, work, *lwork, iwork, info);                               \
  }

CARROLL_LAPACK_DRIVERS(s, float)
CARROLL_LAPACK_DRIVERS(d, double)
