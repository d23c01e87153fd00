// SPDX-License-Identifier: BSD-3-Clause
#include "behind.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string_view>
#include <type_traits>

#include "svd_instances.hpp"

namespace carroll::lapack_test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

constexpr std::array<char const*, 5> routine_names{"gesvd", "gesdd", "gesvdx", "gesvj", "gejsv"};

/// [precision][routine][event]
std::array<std::array<std::array<long, 3>, routine_names.size()>, 2> counts{};

template <class Real>
constexpr std::size_t precision = std::is_same_v<Real, float> ? 0 : 1;

void write_counts() {
  char const* const path = std::getenv("CARROLL_LAPACK_COUNTS");
  if (path == nullptr) return;
  std::ofstream file(path);
  for (std::size_t p = 0; p < counts.size(); ++p)
    for (std::size_t r = 0; r < routine_names.size(); ++r)
      file << "sd"[p] << routine_names[r] << ' ' << counts[p][r][0] << ' ' << counts[p][r][1] << ' '
           << counts[p][r][2] << '\n';
}

/// The program knows nothing of Kokkos: it starts with the first matrix, and ends before the
/// destructors of libraries that were there before.
void start_kokkos() {
  static bool const started = [] {
    Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(1));
    return std::atexit([] { Kokkos::finalize(); }) == 0;
  }();
  if (!started) std::abort();
}

template <class Real>
auto view(Matrix<Real> const& M) {
  using View = Kokkos::View<Real**, Kokkos::LayoutStride, Kokkos::HostSpace,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto const extent = [](std::int64_t k) { return static_cast<std::size_t>(k); };
  return View(M.data, Kokkos::LayoutStride(extent(M.rows), extent(M.down), extent(M.cols),
                                           extent(M.across)));
}

/// By twenty times what LAPACK's programs allow.
template <class Real>
void spoil(Matrix<Real> U, Real* s, std::int64_t values, Matrix<Real> V) {
  static char const* const wish = std::getenv("CARROLL_LAPACK_WRONG");
  if (wish == nullptr) return;
  auto const factor = [](std::int64_t length) {
    return 1 + 1024 * static_cast<Real>(length) * std::numeric_limits<Real>::epsilon();
  };
  auto const first_column = [&](Matrix<Real> const& M) {
    for (std::int64_t i = 0; M.data != nullptr && i < M.rows; ++i) M(i, 0) *= factor(M.rows);
  };
  std::string_view const part(wish);
  if (part == "left")
    first_column(U);
  else if (part == "right")
    first_column(V);
  else if (part == "values")
    for (std::int64_t i = 0; i < values; ++i) s[i] *= factor(values);
  else
    std::abort();
}

}  // namespace

template <class Real>
SvdInfo<Real> decompose(Matrix<Real> A, Matrix<Real> U, Real* s, Matrix<Real> V) {
  start_kokkos();
  std::int64_t const values = std::min(A.rows, A.cols);
  Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const S(s,
                                                                static_cast<std::size_t>(values));
  auto const run = [&](auto const& u, auto const& v) { return svd(Exec(), view(A), u, S, v); };
  auto const info = U.data == nullptr   ? (V.data == nullptr ? run(none, none) : run(none, view(V)))
                    : V.data == nullptr ? run(view(U), none)
                                        : run(view(U), view(V));
  spoil(U, s, values, V);
  return info;
}

template <class Real>
void count(Routine routine, Event event) {
  static bool const registered = std::atexit(write_counts) == 0;
  if (!registered) std::abort();
  ++counts[precision<Real>][static_cast<std::size_t>(routine)][static_cast<std::size_t>(event)];
}

template SvdInfo<float> decompose(Matrix<float>, Matrix<float>, float*, Matrix<float>);
template SvdInfo<double> decompose(Matrix<double>, Matrix<double>, double*, Matrix<double>);
template void count<float>(Routine, Event);
template void count<double>(Routine, Event);

}  // namespace carroll::lapack_test
