// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Columns that a random subspace has beyond the wanted rank, of all methods.
namespace carroll::perf {
inline constexpr int sketch_oversampling = 8;
}  // namespace carroll::perf

#ifdef CARROLL_PERF_HAVE_SLEPC
#include <slepcsvd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

/// SLEPc's truncated SVDs, the peer of randomised ones on hosts.
namespace carroll::perf::slepc {

inline void require(PetscErrorCode error, char const* what) {
  if (error != 0) throw std::runtime_error(std::string("SLEPc: ") + what);
}

/// PETSc and SLEPc for as long as it lives, with MPI. Signals stay as they are.
class Library {
 public:
  Library() {
    require(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"), "options");
    require(SlepcInitialize(nullptr, nullptr, nullptr, nullptr), "SlepcInitialize");
  }
  ~Library() { SlepcFinalize(); }
  Library(Library const&) = delete;
  Library& operator=(Library const&) = delete;
};

/// Rows of a matrix, in memory that stays the caller's (dense: column by column).
class Matrix {
 public:
  Matrix() = default;
  Matrix(MPI_Comm comm, std::int64_t local, std::int64_t rows, std::int64_t cols, double* values) {
    require(MatCreateDense(comm, static_cast<PetscInt>(local), PETSC_DECIDE,
                           static_cast<PetscInt>(rows), static_cast<PetscInt>(cols), values, &A_),
            "MatCreateDense");
    finish();
  }
  Matrix(MPI_Comm comm, std::int64_t local, std::int64_t rows, std::int64_t cols, int* offsets,
         int* columns, double* values) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    auto const m = static_cast<PetscInt>(rows), n = static_cast<PetscInt>(cols);
    if (size == 1)
      require(MatCreateSeqAIJWithArrays(comm, m, n, offsets, columns, values, &A_),
              "MatCreateSeqAIJWithArrays");
    else
      require(MatCreateMPIAIJWithArrays(comm, static_cast<PetscInt>(local), PETSC_DECIDE, m, n,
                                        offsets, columns, values, &A_),
              "MatCreateMPIAIJWithArrays");
    finish();
  }
  Matrix(Matrix&& other) noexcept : A_(std::exchange(other.A_, nullptr)) {}
  Matrix& operator=(Matrix&& other) noexcept {
    std::swap(A_, other.A_);
    return *this;
  }
  ~Matrix() {
    if (A_) MatDestroy(&A_);
  }
  [[nodiscard]] Mat get() const { return A_; }

 private:
  void finish() {
    require(MatAssemblyBegin(A_, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
    require(MatAssemblyEnd(A_, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  }
  Mat A_ = nullptr;
};

/// One solution: SVDSolve solves a problem once.
class Solver {
 public:
  Solver() = default;
  /// `steps`: multiplications by A and Aᵀ of the random subspace, restarts of Lanczos'.
  Solver(Matrix const& A, int rank, bool lanczos, int steps, double tolerance) {
    MPI_Comm comm = MPI_COMM_NULL;
    require(PetscObjectGetComm(reinterpret_cast<PetscObject>(A.get()), &comm),
            "PetscObjectGetComm");
    require(SVDCreate(comm, &svd_), "SVDCreate");
    require(SVDSetOperators(svd_, A.get(), nullptr), "SVDSetOperators");
    require(SVDSetType(svd_, lanczos ? SVDTRLANCZOS : SVDRANDOMIZED), "SVDSetType");
    require(SVDSetDimensions(svd_, rank, rank + sketch_oversampling, PETSC_DEFAULT),
            "SVDSetDimensions");
    if (lanczos) {
      require(SVDSetTolerances(svd_, tolerance, 1000), "SVDSetTolerances");
    } else {
      require(SVDSetTolerances(svd_, 1e-15, steps), "SVDSetTolerances");
      require(SVDSetConvergenceTest(svd_, SVD_CONV_MAXIT), "SVDSetConvergenceTest");
    }
    require(SVDSetUp(svd_), "SVDSetUp");
  }
  Solver(Solver&& other) noexcept : svd_(std::exchange(other.svd_, nullptr)) {}
  Solver& operator=(Solver&& other) noexcept {
    std::swap(svd_, other.svd_);
    return *this;
  }
  ~Solver() {
    if (svd_) SVDDestroy(&svd_);
  }

  void solve() { require(SVDSolve(svd_), "SVDSolve"); }

  /// The largest of the first triplets' √(‖Av − σu‖² + ‖Aᵀu − σv‖²), relative to σ₁; 1 where there
  /// are fewer.
  [[nodiscard]] double residual(int rank) const {
    PetscInt found = 0;
    require(SVDGetConverged(svd_, &found), "SVDGetConverged");
    if (found < rank) return 1;
    PetscReal largest = 0, worst = 0;
    require(SVDGetSingularTriplet(svd_, 0, &largest, nullptr, nullptr), "SVDGetSingularTriplet");
    for (PetscInt i = 0; i < rank; ++i) {
      PetscReal error = 0;
      require(SVDComputeError(svd_, i, SVD_ERROR_ABSOLUTE, &error), "SVDComputeError");
      worst = std::max(worst, error);
    }
    return worst / largest;
  }

 private:
  SVD svd_ = nullptr;
};

}  // namespace carroll::perf::slepc
#endif
