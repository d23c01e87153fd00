// SPDX-License-Identifier: BSD-3-Clause
#include <SuiteSparseQR.hpp>
#include <stdexcept>

#include "pseudoinverse/peers/host.hpp"
#ifdef CARROLL_PERF_HAVE_LAPACKE
#include "libraries/host_library.hpp"
#endif

namespace carroll::perf {
namespace {

class SpqrStep final : public StepContender {
 public:
  SpqrStep(HostFrame const& frame, bool at_once, int threads)
      : frame_(frame), at_once_(at_once), threads_(threads) {
    cholmod_l_start(&common_);
    fill();
    if (at_once) return;
    factors_ = SuiteSparseQR_symbolic<double>(SPQR_ORDERING_FIXED, false, A_, &common_);
    if (!factors_) throw std::runtime_error("SuiteSparseQR: no symbolic factorisation");
  }
  ~SpqrStep() override {
    cholmod_l_free_dense(&x_, &common_);
    if (factors_) SuiteSparseQR_free<double>(&factors_, &common_);
    cholmod_l_free_dense(&b_, &common_);
    cholmod_l_free_sparse(&A_, &common_);
    cholmod_l_finish(&common_);
  }
  SpqrStep(SpqrStep const&) = delete;
  SpqrStep& operator=(SpqrStep const&) = delete;

  void restore() override {
    cholmod_l_free_dense(&x_, &common_);
#ifdef CARROLL_PERF_HAVE_LAPACKE
    set_library_threads(threads_);
#endif
  }
  void run() override {
    if (at_once_) {
      x_ = SuiteSparseQR<double>(SPQR_ORDERING_DEFAULT, SPQR_DEFAULT_TOL, A_, b_, &common_);
      return;
    }
    SuiteSparseQR_numeric<double>(0.0, A_, factors_, &common_);
    cholmod_dense* projected = SuiteSparseQR_qmult<double>(SPQR_QTX, factors_, b_, &common_);
    x_ = SuiteSparseQR_solve<double>(SPQR_RETX_EQUALS_B, factors_, projected, &common_);
    cholmod_l_free_dense(&projected, &common_);
  }
  std::string complaint() override {
    return x_ ? "" : "SuiteSparseQR failed";
  }
  ArrowStep step(int) override {
    auto const* const x = static_cast<double const*>(x_->x);
    int const m = frame_.depths();
    return {{x + m, x + m + frame_.motions}, {x, x + m}};
  }

 private:
  /// Depth columns first, in compressed columns.
  void fill() {
    auto const n = static_cast<std::size_t>(frame_.rows);
    auto const k = static_cast<std::size_t>(frame_.motions);
    auto const m = static_cast<std::size_t>(frame_.depths());
    A_ = cholmod_l_allocate_sparse(n, m + k, n * (k + 1), true, true, 0, CHOLMOD_REAL, &common_);
    b_ = cholmod_l_allocate_dense(n, 1, n, CHOLMOD_REAL, &common_);
    if (!A_ || !b_) throw std::bad_alloc();
    auto* const columns = static_cast<SuiteSparse_long*>(A_->p);
    auto* const rows = static_cast<SuiteSparse_long*>(A_->i);
    auto* const values = static_cast<double*>(A_->x);
    for (std::size_t c = 0; c <= m; ++c) columns[c] = frame_.offsets[c];
    for (std::size_t j = 0; j <= k; ++j)
      columns[m + j] = static_cast<SuiteSparse_long>((j + 1) * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= k; ++j) rows[j * n + i] = static_cast<SuiteSparse_long>(i);
      values[i] = frame_.depth[i];
      static_cast<double*>(b_->x)[i] = frame_.residual[i];
    }
    std::copy(frame_.motion.begin(), frame_.motion.end(), values + n);
  }

  HostFrame frame_;
  bool at_once_;
  [[maybe_unused]] int threads_;
  cholmod_common common_{};
  cholmod_sparse* A_ = nullptr;
  cholmod_dense* b_ = nullptr;
  cholmod_dense* x_ = nullptr;
  SuiteSparseQR_factorization<double>* factors_ = nullptr;
};

}  // namespace

std::unique_ptr<StepContender> make_spqr_step(HostFrame const& frame, bool at_once, int threads) {
  return std::make_unique<SpqrStep>(frame, at_once, threads);
}

std::string spqr_version() {
  return std::to_string(SPQR_MAIN_VERSION) + "." + std::to_string(SPQR_SUB_VERSION) + "." +
         std::to_string(SPQR_SUBSUB_VERSION);
}

}  // namespace carroll::perf
