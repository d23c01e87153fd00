// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/read_only.hpp>
#else
#include <carroll/detail/device/emulated/read_only.hpp>
#endif

/// read_together(into, from): N numbers that lie together, at a multiple of their size (8 or 16
/// bytes, or a single number), in one load, of what nobody writes while the kernel runs. Such loads
/// do not care about signals between teams, which throw the others out of the nearest cache.
