// SPDX-License-Identifier: BSD-3-Clause
// `eigh` on the matrices and by the ratios of LAPACK's DDRVST, and what a standard eigenproblem can
// have of DDRVSG, by every family of kernels: bar 10 (LAPACK's own threshold is 50).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "accuracy/lapack/table.hpp"
#include "support/eigh/drivers.hpp"
#include "support/lapack/matrices.hpp"
#include "support/lapack/ratios.hpp"

namespace {

using namespace carroll::test;
using namespace carroll::test::lapack;
using carroll::EighMethod;

template <class Real>
class LapackEigh : public ::testing::Test {};
using EighScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LapackEigh, EighScalars);

/// DDRVST's orders, and those on either side of where families end.
constexpr int eigh_orders[] = {0, 1, 2, 3, 5, 10, 16, 20, 31, 32, 33, 50, 64, 100};

/// Families that give way to `team` without warps.
constexpr carroll::EighPath eigh_paths_of_warps[] = {carroll::EighPath::warp};

/// All types of an order as one batch, with vectors and without. Results that have the same bits as
/// `known` have been judged.
template <class Real>
std::vector<HostEigh<Real>> check_eigh(std::string const& program,
                                       std::vector<HostMatrix<Real>> const& matrices, EighCall call,
                                       std::string const& how,
                                       std::vector<HostEigh<Real>> const& known = {}) {
  auto const full = run_eigh_batch(matrices, call);
  call.vectors = false;
  auto const values = run_eigh_batch(matrices, call);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    auto const& A = matrices[k];
    Judge<Real> const judge(program, static_cast<int>(k) + 1,
                            "n = " + std::to_string(A.rows) + ", " + how);
    EXPECT_EQ(full[k].info.status, carroll::Status::success) << judge.text();
    EXPECT_EQ(values[k].info.status, carroll::Status::success) << judge.text();
    judge("values", values_apart(full[k].W, values[k].W));
    if (!known.empty() && same_result(full[k], known[k])) continue;
    judge("residual", syt21(A, full[k].W, full[k].V));
    judge("vectors", ort01(full[k].V));
  }
  return full;
}

TYPED_TEST(LapackEigh, Drvst) {
  for (int const n : eigh_orders) {
    std::vector<HostMatrix<TypeParam>> matrices;
    for (int type = 1; type <= drvst_types; ++type)
      matrices.push_back(drvst_matrix<TypeParam>(type, n, std::uint64_t(100 * n + type)));
    std::vector<HostEigh<TypeParam>> known;
    for (carroll::EighPath const path : usable(carroll::eigh_paths, eigh_paths_of_warps)) {
      EighCall call;
      call.options.path = path;
      auto const found = check_eigh("DDRVST", matrices, call, to_string(path), known);
      if (known.empty()) known = found;
    }
    EighCall upper;
    upper.options.triangle = carroll::Triangle::upper;
    (void)check_eigh("DDRVST", matrices, upper, "upper", known);
  }
}

TYPED_TEST(LapackEigh, DrvsgDefinite) {
  for (int const n : eigh_orders) {
    std::vector<HostMatrix<TypeParam>> matrices;
    for (int type = 1; type <= definite_types; ++type)
      matrices.push_back(definite_matrix<TypeParam>(type, n, std::uint64_t(200 * n + type)));
    auto const known = check_eigh<TypeParam>("DDRVSG", matrices, {}, "backward stable");
    EighCall call;
    call.options.method = EighMethod::cholesky_jacobi;
    (void)check_eigh("DDRVSG", matrices, call, "Cholesky", known);
  }
}

}  // namespace
