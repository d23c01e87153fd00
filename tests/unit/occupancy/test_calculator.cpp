// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <carroll/occupancy.hpp>
#include <random>
#ifdef CARROLL_TEST_HAVE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

/// Against the calculator that comes with the CUDA toolkit, where there is one.
namespace {

#ifdef CARROLL_TEST_HAVE_CUDA_OCCUPANCY

/// The blocks on a multiprocessor as the calculator has them; -1 where it does not know the device.
int blocks_by_calculator(carroll::MultiprocessorLimits const& limits,
                         carroll::KernelResources const& kernel) {
  cudaOccDeviceProp device;
  device.computeMajor = limits.capability.major;
  device.computeMinor = limits.capability.minor;
  device.maxThreadsPerBlock = limits.threads_per_block;
  device.maxThreadsPerMultiprocessor = limits.threads();
  device.regsPerBlock = limits.registers_per_block;
  device.regsPerMultiprocessor = limits.registers;
  device.warpSize = limits.threads_per_warp;
  device.sharedMemPerBlock = static_cast<std::size_t>(limits.scratch_per_block_at_first);
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.scratch);
  device.numSms = 1;
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.scratch_per_block);
  device.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.scratch_reserved);
  auto const scratch = static_cast<std::size_t>(kernel.scratch_bytes);
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = limits.threads_per_block;
  function.numRegs = kernel.registers_per_thread;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = scratch;
  function.numBlockBarriers = 1;
  cudaOccDeviceState const state;
  cudaOccResult result;
  auto const error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state,
                                                             kernel.threads, scratch);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

TEST(OccupancyCalculator, AgreesOnThousandsOfKernels) {
  std::mt19937 random(2023);
  auto const up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  int compared = 0;
  for (auto const& limits : carroll::known_capabilities()) {
    for (int k = 0; k < 4'000; ++k) {
      carroll::KernelResources kernel{1 + up_to(1055), up_to(limits.registers_per_thread), 0};
      int const sizes[] = {0, 8 * 1024, limits.scratch_per_block + 256};
      kernel.scratch_bytes = up_to(sizes[up_to(2)]);
      int const expected = blocks_by_calculator(limits, kernel);
      if (expected < 0) break;
      ASSERT_EQ(carroll::occupancy(limits.capability, kernel).blocks, expected)
          << to_string(limits.capability) << ": " << kernel.threads << " threads, "
          << kernel.registers_per_thread << " registers, " << kernel.scratch_bytes << " bytes";
      ++compared;
    }
  }
  EXPECT_GT(compared, 20'000);
}

#else

TEST(OccupancyCalculator, AgreesOnThousandsOfKernels) {
  GTEST_SKIP() << "no cuda_occupancy.h of CUDA 13";
}

#endif

}  // namespace
