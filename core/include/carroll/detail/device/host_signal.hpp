// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/host_signal.hpp>
#else
#include <carroll/detail/device/emulated/host_signal.hpp>
#endif

/// tell_host(word, value): a word of memory that the host shares := value. What the calling thread
/// wrote there before the host may read once it has seen that.
