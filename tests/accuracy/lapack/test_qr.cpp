// SPDX-License-Identifier: BSD-3-Clause
// `qr` on the matrices and by the ratios of LAPACK's DCHKQR, `pivoted_qr` on those of DCHKQ3, by
// every family of kernels: bar 10 (LAPACK's own threshold is 20).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/lapack/table.hpp"
#include "support/lapack/matrices.hpp"
#include "support/lapack/ratios.hpp"
#include "support/qr/drivers.hpp"

namespace {

using namespace carroll::test;
using namespace carroll::test::lapack;

template <class Real>
class LapackQr : public ::testing::Test {};
using QrScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LapackQr, QrScalars);

/// Every pair of DCHKQR's extents, and what is on either side of where families end.
std::vector<std::pair<int, int>> qr_extents() {
  std::vector<std::pair<int, int>> extents;
  for (int const m : {0, 1, 2, 3, 5, 10, 50})
    for (int const n : {0, 1, 2, 3, 5, 10, 50}) extents.emplace_back(m, n);
  for (auto [longer, shorter] : {std::pair{32, 32},
                                 {33, 32},
                                 {33, 33},
                                 {64, 64},
                                 {100, 100},
                                 {100, 20},
                                 {300, 16},
                                 {1100, 5}}) {
    extents.emplace_back(longer, shorter);
    if (longer < 1000) extents.emplace_back(shorter, longer);
  }
  return extents;
}

/// Families that give way to `team` without warps.
constexpr carroll::QrPath qr_paths_of_warps[] = {carroll::QrPath::warp, carroll::QrPath::tiled,
                                                 carroll::QrPath::slim, carroll::QrPath::tall};

std::string shape(int m, int n) {
  return std::to_string(m) + "x" + std::to_string(n) + ", ";
}

/// By all families: judged(judge, k, result) of the k-th matrix, which is of type k + 1 of
/// `program`. Results that have the same bits as those of the first family have been judged.
template <class Real, class Judged>
void check_qr(std::string const& program, std::vector<HostMatrix<Real>> const& matrices,
              QrCall call, Judged const& judged) {
  std::vector<HostQr<Real>> known;
  for (carroll::QrPath const path : usable(carroll::qr_paths, qr_paths_of_warps)) {
    call.options.path = path;
    auto const found = run_qr_batch(matrices, call);
    for (std::size_t k = 0; k < found.size(); ++k) {
      Judge<Real> const judge(program, static_cast<int>(k) + 1,
                              shape(matrices[k].rows, matrices[k].cols) + to_string(path));
      EXPECT_EQ(found[k].info.status, carroll::Status::success) << judge.text();
      if (!known.empty() && same_result(found[k], known[k])) continue;
      judged(judge, k, found[k]);
      judge("orthogonality", qrt11(found[k].Q));
    }
    if (known.empty()) known = found;
  }
}

TYPED_TEST(LapackQr, Chkqr) {
  for (auto const& [m, n] : qr_extents()) {
    std::vector<HostMatrix<TypeParam>> matrices;
    for (int type = 1; type <= chkqr_types; ++type)
      matrices.push_back(chkqr_matrix<TypeParam>(type, m, n, std::uint64_t(100 * m + n + type)));
    for (carroll::QrMode const mode : {carroll::QrMode::thin, carroll::QrMode::full}) {
      if (mode == carroll::QrMode::full && m > 100) continue;
      QrCall call;
      call.mode = mode;
      check_qr("DCHKQR", matrices, call, [&](auto const& judge, std::size_t k, auto const& found) {
        judge("residual", qrt01(matrices[k], found.Q, found.R));
      });
    }
  }
}

TYPED_TEST(LapackQr, Chkq3) {
  for (auto const& [m, n] : qr_extents()) {
    std::vector<HostMatrix<TypeParam>> matrices;
    std::vector<std::vector<double>> sigma;
    for (int type = 1; type <= chkq3_types; ++type) {
      auto drawn = chkq3_matrix<TypeParam>(type, m, n, std::uint64_t(100 * m + n + type));
      matrices.push_back(std::move(drawn.A));
      sigma.push_back(std::move(drawn.sigma));
    }
    QrCall call;
    call.pivoted = true;
    check_qr("DCHKQ3", matrices, call, [&](auto const& judge, std::size_t k, auto const& found) {
      judge("residual", qpt01(matrices[k], found.Q, found.R, found.P));
      // The oracle takes its time.
      if (std::min(m, n) <= 10 || std::max(m, n) == 33)
        judge("values", qrt12(found.R, sigma[k], std::max(m, n)));
    });
  }
}

}  // namespace
