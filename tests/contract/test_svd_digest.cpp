// SPDX-License-Identifier: BSD-3-Clause
// Writes a digest of the bits of many results to the file that CARROLL_DIGEST_FILE names. ctest
// runs it with different numbers of threads and compares the files.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "matrix_types.hpp"
#include "svd_drivers.hpp"
#include "truncated_drivers.hpp"

namespace {

using namespace carroll::test;
using carroll::Placement;
using carroll::SvdMethod;

template <class Real>
void write_digests(std::ostream& out, SvdOptions const& options, std::string const& name) {
  // From far below the size at which a host puts a team of threads on one matrix to well above it.
  for (auto [rows, cols] :
       {std::pair{7, 5}, {33, 33}, {20, 90}, {120, 97}, {160, 160}, {520, 510}}) {
    for (MatrixType type : {MatrixType::random, MatrixType::dense_geometric,
                            MatrixType::rank_deficient, MatrixType::uniform01}) {
      if (options.method != SvdMethod::preconditioned && !suits_plain_jacobi(type)) continue;
      if (cols > 500 &&
          (options.method != SvdMethod::preconditioned || type != MatrixType::uniform01))
        continue;  // slow
      for (Wanted wanted : {full_vectors, only_values}) {
        auto const A = make_matrix<Real>(type, rows, cols, 17);
        auto const result = run_svd(A, wanted, options);
        Digest digest;
        digest.add(result.U.data);
        digest.add(result.S);
        digest.add(result.V.data);
        digest.add(std::vector<std::int64_t>{result.info.sweeps, result.info.rotations});
        out << name << ' ' << (sizeof(Real) == 4 ? "float " : "double ") << to_string(type) << ' '
            << rows << 'x' << cols << (wanted.u == SvdVectors::none ? " values " : " full ")
            << std::hex << digest.value() << std::dec << '\n';
      }
    }
  }
}

template <class Real>
void write_truncated_digests(std::ostream& out) {
  for (auto [rows, cols, rank] :
       {std::array{70, 90, 3}, {300, 130, 20}, {260, 260, 60}, {600, 70, 5}})
    for (TruncatedSvdPath path : {TruncatedSvdPath::randomized, TruncatedSvdPath::automatic}) {
      auto const A = make_matrix<Real>(MatrixType::uniform01, rows, cols, 17);
      auto const result = run_truncated_svd(A, rank, {.path = path});
      Digest digest;
      digest.add(result.U.data);
      digest.add(result.S);
      digest.add(result.V.data);
      digest.add(std::vector<Real>{result.info.residual, result.info.error});
      out << "truncated " << (sizeof(Real) == 4 ? "float " : "double ") << rows << 'x' << cols
          << " rank " << rank << " steps " << result.info.power_steps << ' ' << std::hex
          << digest.value() << std::dec << '\n';
    }
}

TEST(SvdDigest, Write) {
  char const* const path = std::getenv("CARROLL_DIGEST_FILE");
  if (path == nullptr) GTEST_SKIP() << "CARROLL_DIGEST_FILE is not set";
#ifdef KOKKOS_ENABLE_OPENMP
  // With another number of threads than asked for, equal files would say nothing.
  if constexpr (std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::OpenMP>) {
    char const* const threads = std::getenv("CARROLL_DIGEST_THREADS");
    ASSERT_NE(threads, nullptr);
    ASSERT_EQ(std::to_string(Kokkos::DefaultExecutionSpace{}.concurrency()), threads);
  }
#endif
  std::ofstream out(path);
  for (auto const& [options, name] :
       {std::pair<SvdOptions, char const*>{{}, "preconditioned"},
        {{.method = SvdMethod::cyclic}, "cyclic"},
        {{.method = SvdMethod::round_robin, .placement = Placement::global}, "global"},
        {{.method = SvdMethod::round_robin, .placement = Placement::semi_shared}, "semi_shared"},
        {{.method = SvdMethod::round_robin, .placement = Placement::shared}, "shared"}}) {
    write_digests<float>(out, options, name);
    write_digests<double>(out, options, name);
  }
  write_truncated_digests<float>(out);
  write_truncated_digests<double>(out);
  out.close();
  EXPECT_TRUE(out.good()) << path;
}

}  // namespace
