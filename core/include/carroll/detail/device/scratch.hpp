// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/scratch.hpp>
#else
#include <carroll/detail/device/emulated/scratch.hpp>
#endif

/// Accesses to scratch that lanes of a warp do or leave, each for itself, without a branch: an
/// instruction each, also where lanes differ. A flag says yes where it is not 0.
///
///   scratch_or(word, bits)        sets bits of a word that other lanes set bits of, too
///   ScratchCursor(place)          a place that a lane moves on from, in doubles
///     .advance(yes, entries)      by so many of them
///     .load(yes, c, x)            x := entry c from there; else it stays as it is
///   in records of four numbers:
///     .leave(yes, sums)           writes three and goes on to the next record
///     .read(x, y)                 the first two of the record
///     .read_next(yes, x, y)       goes on to the next record and reads its first two
