// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"

#ifdef CARROLL_PERF_HAVE_CUSOLVERMG
#define DISABLE_CUSOLVERMG_DEPRECATED  // all of it is, and nothing has taken its place in one
                                       // process
#include <cusolverMg.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "libraries/cuda_handles.hpp"
#endif

namespace carroll::perf {

/// Of gemm_entry, for the matrix of determinants.
inline constexpr std::uint64_t determinant_operand = 3;

[[nodiscard]] inline double determinant_flops(std::int64_t n) {
  return 2.0 / 3 * std::pow(static_cast<double>(n), 3);
}

#ifdef CARROLL_PERF_HAVE_CUSOLVERMG
/// A device's columns of the matrix, which come in blocks by turns; by a kernel of CUDA's own, as
/// the device is not the one that Kokkos has.
__global__ inline void fill_columns(double* data, std::int64_t n, std::int64_t count,
                                    std::int64_t block, int device, int devices) {
  std::int64_t const step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < n * count;
       k += step) {
    std::int64_t const i = k % n, local = k / n;
    std::int64_t const j = (local / block * devices + device) * block + local % block;
    data[k] = gemm_entry<double>(static_cast<std::uint64_t>(i * n + j), determinant_operand);
  }
}

/// cuSOLVERMg's getrf on as many devices as there are ranks, all of one process: the first rank's,
/// which must see them. The others wait.
class CusolverMgLu : public RankContender {
  static constexpr int block = 256;

 public:
  CusolverMgLu(Ranks const& ranks, std::int64_t n) : ranks_(ranks), n_(n) {
    on_first_rank("carroll::perf::CusolverMgLu",
                  [&] { devices_ = std::make_unique<Devices>(ranks, n); });
  }
  void restore() override {
    on_first_rank("carroll::perf::CusolverMgLu::restore", [&] { devices_->fill(); });
  }
  void run() override {
    on_first_rank("carroll::perf::CusolverMgLu::run", [&] { devices_->factorise(); });
  }
  [[nodiscard]] int runs() const override { return n_ >= 2000 ? 3 : 0; }
  [[nodiscard]] double flops() const override { return determinant_flops(n_); }
  std::string complaint() override {
    return devices_ && devices_->info != 0 ? "info is not 0" : "";
  }

 private:
  using Handle = UniqueHandle<cusolverMgHandle_t, cusolverMgCreate, cusolverMgDestroy>;

  /// Goes back to the device that was there before.
  class DeviceGuard {
   public:
    explicit DeviceGuard(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }
    DeviceGuard(DeviceGuard const&) = delete;
    DeviceGuard& operator=(DeviceGuard const&) = delete;
    ~DeviceGuard() { static_cast<void>(cudaSetDevice(before_)); }

   private:
    static int current() {
      int device = 0;
      check(cudaGetDevice(&device), "cudaGetDevice");
      return device;
    }
    int before_ = current();
  };

  /// What the first rank has.
  struct Devices {
    Handle handle;
    std::vector<int> numbers;
    std::int64_t n;
    cudaLibMgGrid_t grid = nullptr;
    cudaLibMgMatrixDesc_t matrix = nullptr;
    std::vector<std::int64_t> columns;
    std::vector<DeviceArray<double>> arrays, works;
    std::vector<DeviceArray<int>> pivot_arrays;
    std::vector<void*> A, work;
    std::vector<int*> pivots;
    std::int64_t work_length = 0;
    int info = 0;

    Devices(Ranks const& ranks, std::int64_t order) : n(order) {
      int visible = 0;
      check(cudaGetDeviceCount(&visible), "cudaGetDeviceCount");
      if (visible < ranks.size())
        throw std::runtime_error("skipped: the first rank sees " + std::to_string(visible) +
                                 " devices, " + std::to_string(ranks.size()) + " are wanted");
      // Its own first.
      int const own = ranks.exec().cuda_device();
      numbers.push_back(own);
      for (int d = 0; d < visible && static_cast<int>(numbers.size()) < ranks.size(); ++d)
        if (d != own) numbers.push_back(d);
      int const count = static_cast<int>(numbers.size());
      for (int const d : numbers) reach_others(d);
      check(cusolverMgDeviceSelect(handle, count, numbers.data()), "cusolverMgDeviceSelect");
      check(cusolverMgCreateDeviceGrid(&grid, 1, count, numbers.data(),
                                       CUDALIBMG_GRID_MAPPING_COL_MAJOR),
            "cusolverMgCreateDeviceGrid");
      check(cusolverMgCreateMatrixDesc(&matrix, n, n, n, block, CUDA_R_64F, grid),
            "cusolverMgCreateMatrixDesc");
      for (int d = 0; d < count; ++d) {
        DeviceGuard const guard(numbers[d]);
        std::int64_t const blocks = (n + block - 1) / block,
                           turns = (blocks - d + count - 1) / count;
        columns.push_back(std::max<std::int64_t>(turns, 1) * block);  // whole blocks
        arrays.emplace_back(static_cast<std::size_t>(columns.back() * n));
        pivot_arrays.emplace_back(static_cast<std::size_t>(columns.back()));
        A.push_back(arrays.back().get());
        pivots.push_back(pivot_arrays.back().get());
      }
      int const m = static_cast<int>(n);
      check(cusolverMgGetrf_bufferSize(handle, m, m, A.data(), 1, 1, matrix, pivots.data(),
                                       CUDA_R_64F, &work_length),
            "cusolverMgGetrf_bufferSize");
      for (int d = 0; d < count; ++d) {
        DeviceGuard const guard(numbers[d]);
        works.emplace_back(static_cast<std::size_t>(work_length));
        work.push_back(works.back().get());
      }
    }
    ~Devices() {
      if (matrix) cusolverMgDestroyMatrixDesc(matrix);
      if (grid) cusolverMgDestroyGrid(grid);
    }
    Devices(Devices const&) = delete;
    Devices& operator=(Devices const&) = delete;

    void reach_others(int device) const {
      DeviceGuard const guard(device);
      for (int const other : numbers) {
        if (other == device) continue;
        auto const code = cudaDeviceEnablePeerAccess(other, 0);
        static_cast<void>(cudaGetLastError());  // that it was so before is no error
        if (code != cudaErrorPeerAccessAlreadyEnabled) check(code, "cudaDeviceEnablePeerAccess");
      }
    }
    void fill() {
      int const count = static_cast<int>(numbers.size());
      for (int d = 0; d < count; ++d) {
        DeviceGuard const guard(numbers[d]);
        fill_columns<<<4096, 256>>>(arrays[d].get(), n, columns[d], block, d, count);
        check(cudaGetLastError(), "fill_columns");
      }
      wait();
    }
    void factorise() {
      int const m = static_cast<int>(n);
      check(cusolverMgGetrf(handle, m, m, A.data(), 1, 1, matrix, pivots.data(), CUDA_R_64F,
                            work.data(), work_length, &info),
            "cusolverMgGetrf");
      wait();
    }
    void wait() const {
      for (int const d : numbers) {
        DeviceGuard const guard(d);
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      }
    }
  };

  /// What fails there is told to all.
  template <class Work>
  void on_first_rank(char const* function, Work const& work) {
    ranks_.agree(function, 0, [&] {
      if (ranks_.rank() == 0) work();
    });
  }

  Ranks ranks_;
  std::int64_t n_;
  std::unique_ptr<Devices> devices_;
};
#endif

}  // namespace carroll::perf
